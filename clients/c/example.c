/* Shows heart rates as they come, and says so when the daemon is lost. In a poll loop of its own, as a dashboard would have it, that
 * also ends when standard input does.
 *
 *     cc -std=c99 -Wall -o example example.c && ./example [CONTROL_SOCKET] [COUNT] */
#define CYCLOMETER_IMPLEMENTATION
#include "cyclometer.h"

static int show(const cyclometer_update *update) {
  char sensor[128], state[32];
  double bpm, interval;
  switch (update->what) {
    case CYCLOMETER_CONNECTED: printf("connected%s\n", update->is_new_instance ? ", the daemon was started anew" : ""); break;
    case CYCLOMETER_DISCONNECTED: printf("lost: %s\n", update->reason); break;
    case CYCLOMETER_GAP: printf("%lld samples were lost\n", update->lost); break;
    case CYCLOMETER_RECORD:
      if (cyclometer_copy(cyclometer_member(update->record, "sensor"), sensor, sizeof sensor) < 0) break;
      if (cyclometer_copy(cyclometer_member(update->record, "state"), state, sizeof state) >= 0)
        printf("%s is %s\n", sensor, state);
      if (!cyclometer_number(cyclometer_member(update->record, "bpm"), &bpm)) break;
      printf("%s: %.0f bpm, intervals", sensor, bpm);
      cyclometer_json intervals = cyclometer_member(update->record, "rr_ms");
      for (cyclometer_json each = cyclometer_first(intervals); each.begin; each = cyclometer_after(intervals, each))
        if (cyclometer_number(each, &interval)) printf(" %.1f", interval);
      printf(" ms\n");
      return 1;
    default: break;
  }
  return 0;
}

int main(int count, char **words) {
  long left = count > 2 ? atol(words[2]) : -1;
  cyclometer *client = cyclometer_open(count > 1 ? words[1] : NULL, "{\"kinds\":[\"heart_rate\"]}");
  if (!client) return perror("cyclometer_open"), 1;
  while (left != 0) {
    cyclometer_update update;
    struct pollfd entries[2];
    entries[0].fd = cyclometer_fd(client);
    entries[0].events = cyclometer_events(client);
    entries[1].fd = 0;
    entries[1].events = POLLIN;
    poll(entries, 2, cyclometer_timeout(client));
    if (entries[1].revents) {
      char byte;
      if (read(0, &byte, 1) <= 0) break;
    }
    while (left != 0 && cyclometer_next(client, &update, 0) != CYCLOMETER_NOTHING) {
      if (update.what == CYCLOMETER_FAILED) {
        fprintf(stderr, "%s\n", update.reason);
        cyclometer_close(client);
        return 1;
      }
      if (show(&update) && left > 0) left--;
      fflush(stdout);
    }
  }
  cyclometer_close(client);
  return 0;
}
