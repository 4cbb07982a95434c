// The bare way to read map tiles: it looks up each "ZOOM COLUMN ROW" of its input in a file of MBTiles,
// and for an empty line writes how many bytes the tiles since the last one had.
//
//   tiles FILE
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **words) {
  sqlite3 *database;
  sqlite3_stmt *query;
  if (count != 2 || sqlite3_open_v2(words[1], &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(
          database, "SELECT tile_data FROM tiles WHERE zoom_level = ?1 AND tile_column = ?2 AND tile_row = ?3", -1, &query, NULL) !=
          SQLITE_OK)
    return 1;
  char line[64];
  char *copy = malloc(1 << 20);
  long total = 0;
  while (fgets(line, sizeof line, stdin) != NULL) {
    int place[3];
    if (sscanf(line, "%d %d %d", &place[0], &place[1], &place[2]) != 3) {
      printf("%ld\n", total);
      fflush(stdout);
      total = 0;
      continue;
    }
    for (int each = 0; each < 3; each++) sqlite3_bind_int(query, each + 1, place[each]);
    if (sqlite3_step(query) == SQLITE_ROW) {
      int bytes = sqlite3_column_bytes(query, 0);
      if (bytes <= 1 << 20) memcpy(copy, sqlite3_column_blob(query, 0), bytes);
      total += bytes;
    }
    sqlite3_reset(query);
  }
  return 0;
}
