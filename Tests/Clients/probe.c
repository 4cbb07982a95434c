/* Prints the updates of the C client, one per line, in the format that all probes share:
 *
 *   probe SOCKET SUBSCRIPTION COUNT [poll] [METHOD...]     calls all METHODs after the first update
 *   probe live SENSOR|any     reads updates from standard input, prints the live value after each
 *   probe json                reads lines from standard input, prints whether they are valid, and
 *                             their content */
#define CYCLOMETER_IMPLEMENTATION
#include "cyclometer.h"

static void print_text(cyclometer_json json, const char *or_else) {
  char text[256];
  if (cyclometer_copy(json, text, sizeof text) >= 0) printf("%s", text);
  else if (json.begin) printf("%.*s", (int)(json.end - json.begin), json.begin);
  else printf("%s", or_else);
}

static void print(const cyclometer_update *update) {
  switch (update->what) {
    case CYCLOMETER_CONNECTED:
      printf("connected ");
      print_text(cyclometer_member(update->record, "instance"), "");
      printf("%s", update->is_new_instance ? " new" : "");
      break;
    case CYCLOMETER_DISCONNECTED: printf("disconnected %s", update->reason); break;
    case CYCLOMETER_FAILED: printf("failed %s", update->reason); break;
    case CYCLOMETER_GAP:
      printf("gap ");
      print_text(update->kind, "");
      printf(" %lld", update->lost);
      break;
    case CYCLOMETER_LAG: printf("lag %lld", update->lost); break;
    case CYCLOMETER_RECORD:
      print_text(cyclometer_member(update->record, "class"), "");
      printf(" ");
      print_text(cyclometer_member(update->record, "seq"), "");
      break;
    case CYCLOMETER_ANSWER: printf("answer %.*s", (int)(update->record.end - update->record.begin), update->record.begin); break;
    case CYCLOMETER_REFUSAL:
      printf("refusal ");
      print_text(cyclometer_member(update->record, "code"), "lost");
      break;
    case CYCLOMETER_NOTHING: printf("nothing"); break;
  }
  printf("\n");
  fflush(stdout);
}

static cyclometer_what next(cyclometer *client, cyclometer_update *update, int polls) {
  while (polls && cyclometer_next(client, update, 0) == CYCLOMETER_NOTHING) {
    struct pollfd entry;
    entry.fd = cyclometer_fd(client);
    entry.events = cyclometer_events(client);
    poll(&entry, 1, cyclometer_timeout(client));
  }
  return polls ? update->what : cyclometer_next(client, update, 20000);
}

static int follow(int count, char **words) {
  cyclometer *client = cyclometer_open(words[1], words[2]);
  int left = atoi(words[3]), word = 4, polls = count > 4 && strcmp(words[4], "poll") == 0;
  cyclometer_update update;
  if (!client) return perror("cyclometer_open"), 1;
  if (polls) word++;
  while (left-- > 0) {
    next(client, &update, polls);
    print(&update);
    if (update.what == CYCLOMETER_FAILED || update.what == CYCLOMETER_NOTHING) break;
    for (; update.what == CYCLOMETER_CONNECTED && word < count; word++)
      if (cyclometer_send(client, words[word], "{}") < 0) perror(words[word]);
  }
  cyclometer_close(client);
  return 0;
}

/* Applies each line as an update to a live value. Prints after each whether the value is current, the
 * value, the state, and whether there is a value at all. `+MS` waits. */
static int follow_live(const char *sensor) {
  static char line[1 << 12];
  cyclometer_live live;
  cyclometer_live_begin(&live, strcmp(sensor, "any") ? sensor : NULL, "heart_rate", "bpm");
  while (fgets(line, sizeof line, stdin)) {
    cyclometer_update update;
    double value;
    long long age;
    const char *state;
    memset(&update, 0, sizeof update);
    if (line[0] == '+') poll(NULL, 0, atoi(line + 1));
    update.what = line[0] == 'C' ? CYCLOMETER_CONNECTED : line[0] == 'D' ? CYCLOMETER_DISCONNECTED
                : line[0] == 'A' ? CYCLOMETER_ANSWER : line[0] == 'R' ? CYCLOMETER_RECORD : CYCLOMETER_NOTHING;
    if (line[1] == '{') update.record = cyclometer_parse(line + 1, strlen(line + 1));
    cyclometer_live_update(&live, &update);
    if (cyclometer_live_value(&live, &value, &age, &state)) printf("%.0f %s\n", value, state);
    else printf("- %s%s\n", state, age < 0 ? " none" : "");
  }
  return 0;
}

/* Goes through a value by every function there is. */
static int walk(cyclometer_json json, const char *named) {
  char text[8];
  double number;
  long long integer;
  int boolean, count = 1;
  (void)cyclometer_copy(json, text, sizeof text);
  (void)cyclometer_copy(json, text, 0);
  (void)cyclometer_is(json, "seq");
  (void)cyclometer_number(json, &number);
  (void)cyclometer_integer(json, &integer);
  (void)cyclometer_boolean(json, &boolean);
  (void)cyclometer_member(json, named);
  for (cyclometer_json each = cyclometer_first(json); each.begin; each = cyclometer_after(json, each))
    count += json.begin[0] == '{' ? walk(cyclometer_value(json, each), named) : walk(each, named);
  return count;
}

static int read_json(void) {
  static char line[1 << 16];
  while (fgets(line, sizeof line, stdin)) {
    /* In a block of exactly its size, so that reading beyond is seen. */
    size_t length = 0;
    unsigned value;
    const char *p = line;
    char *bytes = (char *)malloc(strlen(line) / 2 + 1);
    for (; sscanf(p, "%2x", &value) == 1 && p[0] != '\n'; p += 2) bytes[length++] = (char)value;
    char *exact = (char *)malloc(length ? length : 1);
    memcpy(exact, bytes, length);
    cyclometer_json json = cyclometer_parse(exact, length);
    double number;
    if (!json.begin) printf("invalid\n");
    else if (cyclometer_number(cyclometer_member(json, "seq"), &number)) printf("%d %.17g\n", walk(json, "bpm"), number);
    else printf("%d\n", walk(json, "bpm"));
    free(exact);
    free(bytes);
  }
  return 0;
}

int main(int count, char **words) {
  if (count == 2 && strcmp(words[1], "json") == 0) return read_json();
  if (count == 3 && strcmp(words[1], "live") == 0) return follow_live(words[2]);
  return count >= 4 ? follow(count, words) : 2;
}
