// Decodes heart rate packets for cyclometerd over plugin.sock, like the plugin that is built in.
//
//   heart_plugin SOCKET
#define CYCLOMETER_IMPLEMENTATION
#include "../../clients/c/cyclometer_plugin.h"

static unsigned word(const unsigned char *bytes) { return (unsigned)(bytes[0] | bytes[1] << 8); }

static void packet(cyclometer_session *session, const cyclometer_packet *packet) {
  const unsigned char *value = packet->value;
  size_t length = packet->length, place = 2;
  if (length < 2) {
    cyclometer_refuse(session, "truncated", length);
    return;
  }
  unsigned flags = value[0], has_energy = flags & 8;
  if (flags & 1 || (has_energy && length < 4)) {
    cyclometer_refuse(session, "unknown_frame", 0);
    return;
  }
  cyclometer_sample(session, "heart_rate");
  cyclometer_put_number(session, "bpm", value[1]);
  unsigned energy = has_energy ? word(value + 2) : 0;
  if (has_energy) place = 4;
  if (flags & 16) {
    cyclometer_begin_list(session, "rr_ms");
    for (; place + 1 < length; place += 2) cyclometer_put_number(session, NULL, word(value + place) * 1000.0 / 1024);
    cyclometer_end_list(session);
  }
  if (flags & 4) cyclometer_put_text(session, "sensor_contact", flags & 2 ? "detected" : "not_detected");
  if (has_energy) cyclometer_put_number(session, "energy_expended_j", energy * 1000.0);
}

int main(int count, char **words) {
  static const cyclometer_plugin plugin = {.id = "heart", .packet = packet};
  return cyclometer_plugin_run(&plugin, count > 1 ? words[1] : NULL);
}
