// The tables of the logbook. Times of a ride are milliseconds of the boot time of the boot in which
// it began, because the wall clock may be set later; see `clock`.

enum Schema {
  /// Each migration leads to the version that is its index plus one. Releases only append to them.
  static let migrations = [
    """
    CREATE TABLE activity(
      id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB NOT NULL UNIQUE, ride_id TEXT, state TEXT NOT NULL,
      name TEXT, note TEXT, boot BLOB, start_boot_ms INTEGER, start_utc_ms INTEGER, utc_source TEXT,
      utc_error_ms INTEGER, utc_offset_s INTEGER, zone TEXT, sport TEXT NOT NULL, bike TEXT, rider TEXT,
      end_boot_ms INTEGER, elapsed_s REAL, timer_s REAL, moving_s REAL, distance_m REAL, ascent_m REAL,
      descent_m REAL, work_j REAL, energy_kcal REAL, summary TEXT, edits TEXT, version INTEGER NOT NULL DEFAULT 1,
      deleted_utc_ms INTEGER, source TEXT NOT NULL, source_hash BLOB UNIQUE, format INTEGER NOT NULL);
    CREATE INDEX activity_by_start ON activity(start_utc_ms, id);
    CREATE TABLE stream(
      id INTEGER PRIMARY KEY, activity INTEGER NOT NULL REFERENCES activity ON DELETE CASCADE, n INTEGER NOT NULL,
      sensor TEXT NOT NULL, kind TEXT NOT NULL, name TEXT, facts TEXT, fields TEXT NOT NULL, UNIQUE(activity, n));
    CREATE TABLE second(
      activity INTEGER NOT NULL, sec INTEGER NOT NULL, samples BLOB NOT NULL,
      PRIMARY KEY(activity, sec)) WITHOUT ROWID;
    CREATE TABLE lap(
      activity INTEGER NOT NULL, n INTEGER NOT NULL, start_ms INTEGER NOT NULL, end_ms INTEGER, trigger TEXT,
      timer_s REAL, moving_s REAL, distance_m REAL, summary TEXT, PRIMARY KEY(activity, n)) WITHOUT ROWID;
    CREATE TABLE event(
      id INTEGER PRIMARY KEY, activity INTEGER NOT NULL REFERENCES activity ON DELETE CASCADE,
      at_ms INTEGER NOT NULL, kind TEXT NOT NULL, data TEXT);
    CREATE INDEX event_by_activity ON event(activity, at_ms);
    CREATE TABLE clock(
      id INTEGER PRIMARY KEY, boot BLOB NOT NULL, at_boot_ms INTEGER NOT NULL, utc_ms INTEGER NOT NULL,
      error_ms INTEGER, source TEXT NOT NULL);
    CREATE TABLE route(
      id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB NOT NULL UNIQUE, name TEXT, source TEXT, source_hash BLOB UNIQUE,
      distance_m REAL, ascent_m REAL, added_utc_ms INTEGER);
    CREATE TABLE route_point(
      route INTEGER NOT NULL, n INTEGER NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL, altitude_m REAL,
      distance_m REAL NOT NULL, PRIMARY KEY(route, n)) WITHOUT ROWID;
    CREATE TABLE cue(
      route INTEGER NOT NULL, n INTEGER NOT NULL, distance_m REAL NOT NULL, kind TEXT NOT NULL, name TEXT, note TEXT,
      PRIMARY KEY(route, n)) WITHOUT ROWID;
    CREATE TABLE segment(
      id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB NOT NULL UNIQUE, name TEXT NOT NULL,
      route INTEGER REFERENCES route ON DELETE CASCADE, from_m REAL, to_m REAL);
    CREATE TABLE effort(
      segment INTEGER NOT NULL, activity INTEGER NOT NULL, start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL,
      summary TEXT, PRIMARY KEY(segment, activity, start_ms)) WITHOUT ROWID;
    """
  ]

  static var version: Int64 { Int64(migrations.count) }
}
