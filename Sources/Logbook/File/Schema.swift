// The tables of the logbook. Times within an activity are milliseconds (`_ms`) or seconds (`_s`,
// `sec`) since its zero, which is the beginning of the second in which it began: nothing depends on
// the wall clock, because it may be set later. A recording has a part for each boot of the computer;
// the part says at which second of the activity a second of that boot is.
//
// A route whose `points` are NULL is being added or removed: no list shows it.
//
// Efforts follow from the other tables. `track_box` has a box around the positions of each five
// minutes of an activity, and `effort_search` says for what an activity showed, and up to which
// segment, its efforts were searched; -1 while the first search is not complete. `segment.searched`:
// in all activities that were there before.

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
      deleted_utc_ms INTEGER, spans TEXT, base_spans TEXT, origin INTEGER, exported INTEGER NOT NULL DEFAULT 0,
      version INTEGER NOT NULL DEFAULT 1, source_hash BLOB, format INTEGER NOT NULL DEFAULT 1,
      search TEXT, totals TEXT, detail TEXT);
    CREATE INDEX activity_by_time ON activity(sort_ms, id);
    CREATE INDEX activity_shown ON activity(sort_ms, id)
      WHERE joined_into IS NULL AND deleted_utc_ms IS NULL AND state != 'importing';
    CREATE INDEX activity_deleted ON activity(sort_ms, id) WHERE deleted_utc_ms IS NOT NULL;
    CREATE INDEX activity_recording ON activity(id) WHERE state = 'recording';
    CREATE INDEX activity_by_origin ON activity(origin) WHERE origin IS NOT NULL;
    CREATE INDEX activity_joined ON activity(joined_into) WHERE joined_into IS NOT NULL;
    CREATE INDEX activity_by_hash ON activity(source_hash);
    CREATE INDEX activity_edited ON activity(id) WHERE spans IS NOT NULL;
    CREATE TABLE stale_totals(activity INTEGER PRIMARY KEY REFERENCES activity ON DELETE CASCADE);
    CREATE TABLE part(
      activity INTEGER NOT NULL, n INTEGER NOT NULL, boot BLOB NOT NULL, boot_s INTEGER NOT NULL, at_s INTEGER NOT NULL,
      PRIMARY KEY(activity, n)) WITHOUT ROWID;
    CREATE TABLE stream(
      id INTEGER PRIMARY KEY, activity INTEGER NOT NULL REFERENCES activity ON DELETE CASCADE, n INTEGER NOT NULL,
      sensor TEXT NOT NULL, kind TEXT NOT NULL, name TEXT, facts TEXT, fields TEXT NOT NULL, UNIQUE(activity, n));
    CREATE TABLE second(
      id INTEGER PRIMARY KEY, samples BLOB NOT NULL,
      activity INTEGER AS (id >> 32) VIRTUAL, sec INTEGER AS (id & 4294967295) VIRTUAL);
    CREATE TABLE lap(
      activity INTEGER NOT NULL, n INTEGER NOT NULL, start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL, cause TEXT,
      totals TEXT, detail TEXT, PRIMARY KEY(activity, n)) WITHOUT ROWID;
    CREATE TABLE event(
      activity INTEGER NOT NULL REFERENCES activity ON DELETE CASCADE, at_ms INTEGER NOT NULL, n INTEGER NOT NULL,
      kind TEXT NOT NULL, data TEXT, PRIMARY KEY(activity, at_ms, n)) WITHOUT ROWID;
    CREATE TABLE clock(
      id INTEGER PRIMARY KEY, boot BLOB NOT NULL, at_boot_ms INTEGER NOT NULL, utc_ms INTEGER NOT NULL,
      error_ms INTEGER, source TEXT NOT NULL);
    CREATE TABLE route(
      id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB NOT NULL UNIQUE, name TEXT, note TEXT, search TEXT, source TEXT,
      source_hash BLOB, distance_m REAL, ascent_m REAL, descent_m REAL, points INTEGER, cues INTEGER,
      added_utc_ms INTEGER);
    CREATE INDEX route_by_hash ON route(source_hash) WHERE source_hash IS NOT NULL;
    CREATE INDEX route_incomplete ON route(id) WHERE points IS NULL;
    CREATE TABLE route_point(
      route INTEGER NOT NULL, n INTEGER NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL, altitude_m REAL,
      distance_m REAL NOT NULL, PRIMARY KEY(route, n)) WITHOUT ROWID;
    CREATE TABLE cue(
      route INTEGER NOT NULL, n INTEGER NOT NULL, distance_m REAL NOT NULL, kind TEXT NOT NULL, name TEXT, note TEXT,
      PRIMARY KEY(route, n)) WITHOUT ROWID;
    CREATE TABLE segment(
      id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB NOT NULL UNIQUE, name TEXT NOT NULL, distance_m REAL NOT NULL,
      ascent_m REAL, south REAL NOT NULL, west REAL NOT NULL, north REAL NOT NULL, east REAL NOT NULL,
      searched INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX segment_unsearched ON segment(id) WHERE searched = 0;
    CREATE TABLE segment_point(
      segment INTEGER NOT NULL, n INTEGER NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL,
      PRIMARY KEY(segment, n)) WITHOUT ROWID;
    CREATE TABLE effort_search(
      activity INTEGER PRIMARY KEY REFERENCES activity ON DELETE CASCADE, spans TEXT, end_ms INTEGER NOT NULL,
      segment INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE track_box(
      activity INTEGER NOT NULL REFERENCES effort_search ON DELETE CASCADE, from_s INTEGER NOT NULL,
      south REAL NOT NULL, west REAL NOT NULL, north REAL NOT NULL, east REAL NOT NULL,
      PRIMARY KEY(activity, from_s)) WITHOUT ROWID;
    CREATE TABLE effort(
      segment INTEGER NOT NULL REFERENCES segment ON DELETE CASCADE,
      activity INTEGER NOT NULL REFERENCES effort_search ON DELETE CASCADE, start_ms INTEGER NOT NULL,
      end_ms INTEGER NOT NULL, power_w REAL, bpm REAL, PRIMARY KEY(segment, activity, start_ms)) WITHOUT ROWID;
    CREATE INDEX effort_by_activity ON effort(activity);
    """,
    // Version 2 has the training load among the totals.
    """
    CREATE INDEX activity_with_rider ON activity(sort_ms) WHERE rider IS NOT NULL;
    INSERT OR IGNORE INTO stale_totals(activity) SELECT id FROM activity WHERE state IN ('complete', 'interrupted');
    """,
  ]

  static var version: Int64 { Int64(migrations.count) }
}
