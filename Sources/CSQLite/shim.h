// SQLite: the database of the logbook.
#ifndef CYCLOMETER_CSQLITE_H
#define CYCLOMETER_CSQLITE_H
#include <sqlite3.h>

// Function-like macros and variadic functions are not imported.
static inline int cyclometer_sqlite_keep_wal(sqlite3 *database) {
  int on = 1;
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
}
static inline sqlite3_destructor_type cyclometer_sqlite_transient(void) { return SQLITE_TRANSIENT; }
#endif
