// The bare way to list activities: it runs one prepared query on a logbook and writes the rows, for
// each line of its input. An empty line ends the answer.
//
//   list LOGBOOK QUERY
#include <sqlite3.h>
#include <stdio.h>

static void write_value(sqlite3_stmt *query, int column) {
  if (sqlite3_column_type(query, column) == SQLITE_BLOB) {
    const unsigned char *bytes = sqlite3_column_blob(query, column);
    for (int each = 0; each < sqlite3_column_bytes(query, column); each++) printf("%02x", bytes[each]);
  } else {
    const unsigned char *text = sqlite3_column_text(query, column);
    if (text != NULL) fputs((const char *)text, stdout);
  }
  putchar('\t');
}

int main(int count, char **words) {
  sqlite3 *database;
  sqlite3_stmt *query;
  if (count != 3 || sqlite3_open_v2(words[1], &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(database, words[2], -1, &query, NULL) != SQLITE_OK)
    return 1;
  char line[16];
  while (fgets(line, sizeof line, stdin) != NULL) {
    while (sqlite3_step(query) == SQLITE_ROW) {
      for (int column = 0; column < sqlite3_column_count(query); column++) write_value(query, column);
      putchar('\n');
    }
    sqlite3_reset(query);
    putchar('\n');
    fflush(stdout);
  }
  return 0;
}
