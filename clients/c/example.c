/* Prints heart rates as they arrive, and reports when the daemon is lost. After two seconds without
 * a value, it prints what a display would show: the last value if it is current, otherwise a dash.
 * It has its own poll loop. On a terminal, Enter ends it.
 *
 *     cc -std=c99 -Wall -o example example.c && ./example [CONTROL_SOCKET] [COUNT] */
#define CYCLOMETER_IMPLEMENTATION
#include "cyclometer.h"

static cyclometer_live live;

static void show_live(void) {
  double bpm;
  long long age;
  const char *state;
  if (cyclometer_live_value(&live, &bpm, &age, &state)) printf("now: %.0f bpm\n", bpm);
  else printf("now: - bpm (%s%s)\n", state, age < 0 ? ", no value yet" : "");
}

static int show(const cyclometer_update *update) {
  char sensor[128], state[32];
  int count = 0;
  double bpm, interval;
  switch (update->what) {
    case CYCLOMETER_CONNECTED: printf("connected%s\n", update->is_new_instance ? " after a restart of the daemon" : ""); break;
    case CYCLOMETER_DISCONNECTED: printf("lost: %s\n", update->reason); break;
    case CYCLOMETER_GAP: printf("%lld samples were lost\n", update->lost); break;
    case CYCLOMETER_RECORD:
      if (cyclometer_copy(cyclometer_member(update->record, "sensor"), sensor, sizeof sensor) < 0) break;
      if (cyclometer_copy(cyclometer_member(update->record, "state"), state, sizeof state) >= 0)
        printf("%s is %s\n", sensor, state);
      /* Some records have intervals only. The ride repeats the best sensor's value, and names the
       * sensor as its source. */
      if (cyclometer_member(update->record, "source").begin) break;
      if (!cyclometer_number(cyclometer_member(update->record, "bpm"), &bpm)) break;
      printf("%s: %.0f bpm, intervals", sensor, bpm);
      cyclometer_json intervals = cyclometer_member(update->record, "rr_ms");
      for (cyclometer_json each = cyclometer_first(intervals); each.begin; each = cyclometer_after(intervals, each))
        if (cyclometer_number(each, &interval)) printf(" %.1f", interval), count++;
      printf(count ? " ms\n" : " -\n");
      return 1;
    default: break;
  }
  return 0;
}

int main(int count, char **words) {
  long left = count > 2 ? atol(words[2]) : -1;
  cyclometer *client = cyclometer_open(count > 1 ? words[1] : NULL, "{\"kinds\":[\"heart_rate\"]}");
  if (!client) return perror("cyclometer_open"), 1;
  cyclometer_live_begin(&live, NULL, "heart_rate", "bpm");
  while (left != 0) {
    cyclometer_update update;
    struct pollfd entries[2];
    entries[0].fd = cyclometer_fd(client);
    entries[0].events = cyclometer_events(client);
    /* A service has no terminal, and its standard input may be closed. */
    entries[1].fd = isatty(0) ? 0 : -1;
    entries[1].events = POLLIN;
    entries[1].revents = 0;
    int wait = cyclometer_timeout(client);
    if (poll(entries, 2, wait < 0 || wait > 2000 ? 2000 : wait) == 0 && cyclometer_fd(client) >= 0) {
      show_live();
      fflush(stdout);
    }
    if (entries[1].revents) break;
    while (left != 0 && cyclometer_next(client, &update, 0) != CYCLOMETER_NOTHING) {
      cyclometer_live_update(&live, &update);
      if (update.what == CYCLOMETER_CONNECTED) cyclometer_send(client, "sensors", NULL);
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
