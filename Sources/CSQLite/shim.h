// SQLite: the database of the logbook, and the files of map tiles.
#ifndef CYCLOMETER_CSQLITE_H
#define CYCLOMETER_CSQLITE_H
#include <sqlite3.h>

// Function-like macros and variadic functions are not imported.
static inline int cyclometer_sqlite_keep_wal(sqlite3 *database) {
  int on = 1;
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
}
// Whether the last connection moves the write-ahead log into the file.
static inline int cyclometer_sqlite_checkpoint_on_close(sqlite3 *database, int on) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !on, (int *)0);
}
// For a file of unknown origin: no statement can damage it, and its schema calls nothing.
static inline int cyclometer_sqlite_defend(sqlite3 *database) {
  int code = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (code == SQLITE_OK) code = sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
  if (code == SQLITE_OK) code = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  return code == SQLITE_OK ? sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0) : code;
}
// Ends each statement after so many steps of the library's machine.
static inline int cyclometer_sqlite_interrupt(void *unused) {
  (void)unused;
  return 1;
}
static inline void cyclometer_sqlite_limit_steps(sqlite3 *database, int steps) {
  sqlite3_progress_handler(database, steps, cyclometer_sqlite_interrupt, (void *)0);
}
static inline sqlite3_destructor_type cyclometer_sqlite_transient(void) { return SQLITE_TRANSIENT; }
#endif
