/* Decodes the drinking bottle of bottle.sensor. A packet has flags, the level in millilitres, tenths
 * of a degree, a counter of the tens of millilitres that were drunk, and an exclusive or of it all.
 *
 *     cc -std=c99 -Wall -o example_plugin example_plugin.c && ./example_plugin [PLUGIN_SOCKET] */
#define CYCLOMETER_IMPLEMENTATION
#include "cyclometer_plugin.h"

enum { LID_OPEN = 1, HAS_TEMPERATURE = 2, UNKNOWN_LEVEL = 0xffff };
/* The bottle sleeps if nothing is written for half a minute. */
static const int stay_awake_ms = 20000;

typedef struct {
  int has_tens, tens; /* the counter of the last packet */
  double drunk;
  int was_open, is_awake;
} bottle;

static void linked(cyclometer_session *session) {
  ((bottle *)session->state)->is_awake = 0;
}

static void packet(cyclometer_session *session, const cyclometer_packet *packet) {
  bottle *b = session->state;
  const unsigned char *value = packet->value;
  unsigned char check = 0;
  if (packet->length != 8) {
    cyclometer_refuse(session, "bad_length", packet->length < 8 ? packet->length : 8);
    return;
  }
  for (int i = 0; i < 8; i++) check ^= value[i];
  if (check != 0) {
    cyclometer_refuse(session, "not_this_protocol", 7);
    return;
  }
  int level = value[1] | value[2] << 8, tens = value[5] | value[6] << 8;
  int is_open = (value[0] & LID_OPEN) != 0;
  if (b->has_tens) b->drunk += ((tens - b->tens) & 0xffff) * 10;
  b->has_tens = 1;
  b->tens = tens;
  if (!b->is_awake) {
    b->is_awake = 1;
    cyclometer_tick_after(session, stay_awake_ms);
  }
  cyclometer_sample(session, "drink");
  if (level != UNKNOWN_LEVEL) cyclometer_put_number(session, "level_ml", level);
  if (value[0] & HAS_TEMPERATURE) cyclometer_put_number(session, "temperature_c", (int16_t)(value[3] | value[4] << 8) / 10.0);
  cyclometer_put_flag(session, "lid_open", is_open);
  cyclometer_put_number(session, "drunk_ml", b->drunk);
  if (is_open != b->was_open) {
    cyclometer_event(session, "lid");
    cyclometer_put_flag(session, "is_open", is_open);
  }
  b->was_open = is_open;
}

static void tick(cyclometer_session *session, double time) {
  (void)time;
  cyclometer_write(session, "fff0", "fff2", "\0", 1);
  cyclometer_tick_after(session, stay_awake_ms);
}

static void command(cyclometer_session *session, const char *name, const double *value) {
  unsigned char bytes[2] = {1, value && *value != 0};
  char line[300];
  (void)name;
  if (!session->is_connected) {
    cyclometer_fail_command(session, "the bottle is not connected");
    return;
  }
  cyclometer_write(session, "fff0", "fff2", bytes, sizeof bytes);
  snprintf(line, sizeof line, "%s: light %d", session->name, bytes[1]);
  cyclometer_log(session, line);
  cyclometer_answer(session);
  cyclometer_put_text(session, "light", bytes[1] ? "on" : "off");
}

int main(int count, char **words) {
  static const cyclometer_plugin plugin = {
    .id = "bottle_process", .state_size = sizeof(bottle), .packet = packet, .linked = linked, .command = command, .tick = tick};
  return cyclometer_plugin_run(&plugin, count > 1 ? words[1] : NULL);
}
