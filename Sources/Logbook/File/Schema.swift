// The tables of the logbook. Times within an activity are milliseconds (`_ms`) or seconds (`_s`,
// `sec`) since its zero, which is the beginning of the second in which it began: nothing depends on
// the wall clock, because it may be set later. A recording has a part for each boot of the computer;
// the part says at which second of the activity a second of that boot is.

enum Schema {
  /// Each migration leads to the version that is its index plus one. Releases only append to them.
  static let migrations = [
    """
    CREATE TABLE activity(
      id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB NOT NULL UNIQUE, ride_id TEXT, state TEXT NOT NULL,
      source TEXT NOT NULL, sport TEXT NOT NULL, name TEXT, note TEXT, bike TEXT, rider TEXT,
      sort_ms INTEGER NOT NULL, start_utc_ms INTEGER, utc_source TEXT, utc_offset_s INTEGER,
      start_ms INTEGER NOT NULL DEFAULT 0, end_ms INTEGER NOT NULL DEFAULT 0, ride_s REAL, moving_s REAL,
      distance_m REAL, ascent_m REAL, work_j REAL, energy_kcal REAL, stress REAL, joined_into INTEGER,
      deleted_utc_ms INTEGER, search TEXT, totals TEXT, detail TEXT,
      spans TEXT, base_spans TEXT, origin INTEGER, exported INTEGER NOT NULL DEFAULT 0,
      version INTEGER NOT NULL DEFAULT 1, source_hash BLOB, format INTEGER NOT NULL DEFAULT 1);
    CREATE INDEX activity_by_time ON activity(sort_ms, id);
    CREATE INDEX activity_shown ON activity(sort_ms, id)
      WHERE joined_into IS NULL AND deleted_utc_ms IS NULL AND state != 'importing';
    CREATE INDEX activity_deleted ON activity(sort_ms, id) WHERE deleted_utc_ms IS NOT NULL;
    CREATE INDEX activity_recording ON activity(id) WHERE state = 'recording';
    CREATE INDEX activity_by_origin ON activity(origin) WHERE origin IS NOT NULL;
    CREATE INDEX activity_joined ON activity(joined_into) WHERE joined_into IS NOT NULL;
    CREATE INDEX activity_by_hash ON activity(source_hash);
    CREATE TABLE part(
      activity INTEGER NOT NULL, n INTEGER NOT NULL, boot BLOB NOT NULL, boot_s INTEGER NOT NULL, at_s INTEGER NOT NULL,
      PRIMARY KEY(activity, n)) WITHOUT ROWID;
    CREATE TABLE stream(
      id INTEGER PRIMARY KEY, activity INTEGER NOT NULL REFERENCES activity ON DELETE CASCADE, n INTEGER NOT NULL,
      sensor TEXT NOT NULL, kind TEXT NOT NULL, name TEXT, facts TEXT, fields TEXT NOT NULL, UNIQUE(activity, n));
    CREATE TABLE second(
      activity INTEGER NOT NULL, sec INTEGER NOT NULL, samples BLOB NOT NULL,
      PRIMARY KEY(activity, sec)) WITHOUT ROWID;
    CREATE TABLE lap(
      activity INTEGER NOT NULL, n INTEGER NOT NULL, start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL, cause TEXT,
      totals TEXT, detail TEXT, PRIMARY KEY(activity, n)) WITHOUT ROWID;
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
