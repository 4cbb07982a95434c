// Decoders of profiles with state between packets, each written as for that profile alone: counters
// with their last event, records and packets in pieces. Clocks wrap, and sensors may restart their
// counters.
#include "decode.h"
#include "decode_counters.h"

#include <string.h>

// MARK: Counters

// The first fields of every profile with counters.
enum { speed, distance_delta, distance, wheel_revs, cadence, crank_revs, after_counters };
#define COUNTER_FIELDS "speed_mps", "distance_delta_m", "distance_m", "wheel_revs", "cadence_rpm", "crank_revs"

static void read_wheel(
    struct device *device, double ticks, uint32_t count, uint16_t event_time, int64_t time, struct reading *out) {
  const double circumference = 2.105, fastest = 50;
  struct advance advance = count_on(&device->wheel, UINT32_MAX, ticks, circumference, fastest, count, event_time, time);
  if (!advance.says_something) return;
  device->distance += advance.amount;
  if (advance.has_rate) put(out, speed, advance.rate);
  put(out, distance_delta, advance.amount);
  put(out, distance, device->distance);
  put(out, wheel_revs, count);
}

static void read_crank(struct device *device, uint16_t count, uint16_t event_time, int64_t time, struct reading *out) {
  struct advance advance = count_on(&device->crank, UINT16_MAX, 1024, 60, 255, count, event_time, time);
  if (!advance.has_rate) return;
  put(out, cadence, advance.rate);
  put(out, crank_revs, count);
}

// MARK: Cycling speed and cadence, 0x2A5B

static const char *const speed_cadence_fields[] = {COUNTER_FIELDS};

static bool speed_cadence(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  struct input in = input_of(packet);
  clear(out);
  uint8_t flags = u8(&in);
  uint32_t wheel = 0;
  uint16_t wheel_time = 0, crank = 0, crank_time = 0;
  if (flags & 0x01) wheel = u32(&in), wheel_time = u16(&in);
  if (flags & 0x02) crank = u16(&in), crank_time = u16(&in);
  if (!is_whole(&in, flags & 0xfc)) return false;
  if (flags & 0x01) read_wheel(device, 1024, wheel, wheel_time, time, out);
  if (flags & 0x02) read_crank(device, crank, crank_time, time, out);
  return true;
}

// MARK: Cycling power, 0x2A63 and 0x2A64

enum {
  power = after_counters, balance, balance_reference, torque, torque_source, work, max_force, min_force, max_torque,
  min_torque, max_angle, min_angle, top_dead_spot, bottom_dead_spot, offset_compensation
};
static const char *const power_fields[] = {
  COUNTER_FIELDS, "power_w", "pedal_balance_pct", "pedal_balance_reference", "accumulated_torque_nm", "torque_source",
  "accumulated_energy_j", "max_force_n", "min_force_n", "max_torque_nm", "min_torque_nm", "max_angle_deg",
  "min_angle_deg", "top_dead_spot_deg", "bottom_dead_spot_deg", "offset_compensation"};

static void extreme_values(struct input *in, uint16_t flags, struct reading *out) {
  if (flags & 1 << 6) {
    put(out, max_force, i16(in));
    put(out, min_force, i16(in));
  }
  if (flags & 1 << 7) {
    put(out, max_torque, i16(in) / 32.0);
    put(out, min_torque, i16(in) / 32.0);
  }
  if (flags & 1 << 8) {
    uint32_t angles = u24(in);
    put(out, max_angle, angles & 0xfff);
    put(out, min_angle, angles >> 12);
  }
  if (flags & 1 << 9) put(out, top_dead_spot, u16(in));
  if (flags & 1 << 10) put(out, bottom_dead_spot, u16(in));
  if (flags & 1 << 11) put(out, work, u16(in) * 1000.0);
}

static bool cycling_power(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  struct input in = input_of(packet);
  clear(out);
  uint16_t flags = u16(&in);
  uint32_t wheel = 0;
  uint16_t wheel_time = 0, crank = 0, crank_time = 0;
  put(out, power, i16(&in));
  if (flags & 1 << 0) {
    uint8_t half_percents = u8(&in);
    if (half_percents <= 200) put(out, balance, half_percents / 2.0);
    put(out, balance_reference, flags >> 1 & 1);
  }
  if (flags & 1 << 2) {
    put(out, torque, u16(&in) / 32.0);
    put(out, torque_source, flags >> 3 & 1);
  }
  if (flags & 1 << 4) wheel = u32(&in), wheel_time = u16(&in);
  if (flags & 1 << 5) crank = u16(&in), crank_time = u16(&in);
  if (flags & 0x0fc0) extreme_values(&in, flags, out);
  if (!is_whole(&in, flags & 0xe000)) return false;
  if (flags & 1 << 12) put(out, offset_compensation, 1);
  if (flags & 1 << 4) read_wheel(device, 2048, wheel, wheel_time, time, out);
  if (flags & 1 << 5) read_crank(device, crank, crank_time, time, out);
  return true;
}

enum { direction = after_counters, first_angle, forces, torques };
static const char *const vector_fields[] = {COUNTER_FIELDS, "direction", "first_crank_angle_deg", "force_n", "torque_nm"};

static bool power_vector(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  struct input in = input_of(packet);
  clear(out);
  uint8_t flags = u8(&in);
  uint16_t crank = 0, crank_time = 0;
  if ((flags & 0x0c) == 0x0c) return false;
  if (flags & 0x01) crank = u16(&in), crank_time = u16(&in);
  put(out, direction, flags >> 4 & 3);
  if (flags & 0x02) put(out, first_angle, u16(&in));
  if (flags & 0x0c) {
    bool is_force = flags & 0x04;
    begin_list(out, is_force ? forces : torques);
    while (in.next < in.end && !in.is_short) {
      if (!append(out, is_force ? i16(&in) : i16(&in) / 32.0)) return false;
    }
  }
  if (!is_whole(&in, flags & 0xc0)) return false;
  if (flags & 0x01) read_crank(device, crank, crank_time, time, out);
  return true;
}

// MARK: Running speed and cadence, 0x2A53

enum { run_speed, run_delta, run_distance, steps, stride, is_running };
static const char *const running_fields[] = {
  "speed_mps", "distance_delta_m", "distance_m", "cadence_per_min", "stride_length_m", "is_running"};

static bool run_between(const struct distance_count *from, const struct distance_count *to, double *amount) {
  const double unit = 0.1, fastest = 15, lateness = 5;
  *amount = (to->count - from->count) * unit;
  return *amount <= fastest * ((double)(to->time - from->time) / second + lateness);
}

static double run_on(struct device *device, uint32_t count, int64_t time) {
  const double unit = 0.1, fastest = 15, lateness = 5;
  struct distance_count packet = {true, count, time}, *last = &device->odometer.last, *odd = &device->odometer.odd;
  double amount = 0;
  bool is_good = last->is_known && count != last->count && run_between(last, &packet, &amount);
  if (last->is_known && count != last->count && !is_good) {
    double late = lateness - (double)(time - last->time) / second;
    if (late > 0 && (last->count - count) * unit <= fastest * late) return 0;
    if (odd->is_known && odd->count == count) return 0;
    if (!odd->is_known || !run_between(odd, &packet, &amount)) {
      *odd = packet;
      return 0;
    }
  }
  odd->is_known = false;
  if (!last->is_known || count != last->count) *last = packet;
  return amount;
}

static bool running(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  struct input in = input_of(packet);
  clear(out);
  uint8_t flags = u8(&in);
  put(out, run_speed, u16(&in) / 256.0);
  put(out, steps, u8(&in));
  if (flags & 0x01) put(out, stride, u16(&in) / 100.0);
  uint32_t total = flags & 0x02 ? u32(&in) : 0;
  if (!is_whole(&in, flags & 0xf8)) return false;
  double amount = flags & 0x02 ? run_on(device, total, time) : 0;
  device->distance += amount;
  if (device->odometer.last.is_known) {
    put(out, run_delta, amount);
    put(out, run_distance, device->distance);
  }
  put(out, is_running, flags >> 2 & 1);
  return true;
}

// MARK: Indoor bike, 0x2AD2

enum {
  bike_speed, bike_average_speed, bike_cadence, bike_average_cadence, bike_distance, resistance, bike_power, average_power,
  energy_total, energy_per_hour, energy_per_minute, bike_bpm, metabolic_equivalent, elapsed, remaining, bike_field_count
};
static const char *const bike_fields[] = {
  "speed_mps", "average_speed_mps", "cadence_rpm", "average_cadence_rpm", "total_distance_m", "resistance_level",
  "power_w", "average_power_w", "energy_total_kcal", "energy_per_hour_kcal", "energy_per_minute_kcal", "bpm",
  "metabolic_equivalent", "elapsed_s", "remaining_s"};

static void put_known(struct reading *out, int field, uint32_t number, uint32_t unknown) {
  if (number != unknown) put(out, field, number);
}

// The fields that `out` does not have.
static void put_others(struct reading *out, const struct record *record) {
  if (record->present == 0) return;
  for (int field = 0; field < bike_field_count; field++) {
    if (record->present & ~out->present & 1u << field) put(out, field, record->number[field]);
  }
}

// A record may come in pieces. It is complete with the piece that says so, and published as it is if
// that does not come: after a second, or when a piece has a field again. Then `out` can have two
// records, of which the later one is right.
static void merge(struct device *device, bool has_more, int64_t time, struct reading *out) {
  struct record *stored = &device->machine.record, old;
  old.present = 0;
  if (stored->present != 0 && (time > device->machine.end || (stored->present & out->present))) {
    old = *stored;
    stored->present = 0;
  }
  if (has_more) {
    if (stored->present == 0) device->machine.end = time + second;
    for (int field = 0; field < bike_field_count; field++) {
      if (out->present & 1u << field) stored->number[field] = out->number[field];
    }
    stored->present |= out->present;
    out->present = 0;
  } else {
    put_others(out, stored);
    stored->present = 0;
  }
  put_others(out, &old);
}

static bool indoor_bike(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  struct input in = input_of(packet);
  clear(out);
  uint16_t flags = u16(&in);
  if (!(flags & 1 << 0)) put(out, bike_speed, u16(&in) / 360.0);
  if (flags & 1 << 1) put(out, bike_average_speed, u16(&in) / 360.0);
  if (flags & 1 << 2) put(out, bike_cadence, u16(&in) / 2.0);
  if (flags & 1 << 3) put(out, bike_average_cadence, u16(&in) / 2.0);
  if (flags & 1 << 4) put(out, bike_distance, u24(&in));
  if (flags & 1 << 5) put(out, resistance, i16(&in));
  if (flags & 1 << 6) put(out, bike_power, i16(&in));
  if (flags & 1 << 7) put(out, average_power, i16(&in));
  if (flags & 1 << 8) {
    put_known(out, energy_total, u16(&in), 0xffff);
    put_known(out, energy_per_hour, u16(&in), 0xffff);
    put_known(out, energy_per_minute, u8(&in), 0xff);
  }
  if (flags & 1 << 9) put_known(out, bike_bpm, u8(&in), 0);
  if (flags & 1 << 10) put(out, metabolic_equivalent, u8(&in) / 10.0);
  if (flags & 1 << 11) put(out, elapsed, u16(&in));
  if (flags & 1 << 12) put(out, remaining, u16(&in));
  if (!is_whole(&in, flags & 0xe000)) return false;
  merge(device, flags & 1 << 0, time, out);
  return true;
}

// MARK: Radars

enum { is_clear };
static const char *const radar_fields[] = {"clear"};

static bool is_placeholder(const uint8_t *target) { return target[1] == 255 || (target[1] | target[2]) == 0; }

static void add_varia_target(struct reading *out, const uint8_t *bytes) {
  struct target target = {.id = bytes[0], .distance_m = bytes[1], .has_speed_raw = true, .speed_raw = bytes[2]};
  target.has_approach_speed = bytes[2] > 1;
  target.approach_speed_mps = bytes[2] * 0.25;
  target.level = target.approach_speed_mps > 14 ? 2 : 1;
  out->targets[out->target_count++] = target;
}

// These targets, but for those that `others` has too.
static void add_varia_targets(
    struct reading *out, const uint8_t (*targets)[3], int count, const uint8_t (*others)[3], int other_count) {
  for (int index = 0; index < count; index++) {
    bool is_listed = is_placeholder(targets[index]);
    for (int other = 0; other < other_count && !is_listed; other++) {
      is_listed = others[other][0] == targets[index][0] && !is_placeholder(others[other]);
    }
    if (!is_listed) add_varia_target(out, targets[index]);
  }
}

// A first piece with cars whose second piece did not come.
static void publish_first(struct device *device, struct reading *out) {
  if (!device->piece.is_waiting) return;
  device->piece.is_waiting = false;
  add_varia_targets(out, (const uint8_t(*)[3])device->piece.targets, device->piece.count, NULL, 0);
  if (out->target_count > 0) put(out, is_clear, false);
}

// Garmin's: at most six targets of three bytes, in two pieces where there are more; the later piece
// is right.
static bool varia_radar(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  clear(out);
  if (packet->length == 0) return false;
  uint8_t counter = packet->bytes[0] >> 4, kind = packet->bytes[0] & 0x0f;
  if (kind != 0 && kind != 2) return false;
  if ((packet->length - 1) % 3 != 0 || packet->length > 19) return false;
  const uint8_t(*targets)[3] = (const uint8_t(*)[3])(packet->bytes + 1);
  int count = (int)(packet->length - 1) / 3;
  if (kind == 0) {
    publish_first(device, out);
    device->piece.is_waiting = true;
    device->piece.counter = counter;
    device->piece.time = time;
    device->piece.count = count;
    memcpy(device->piece.targets, targets, (size_t)count * 3);
    return true;
  }
  bool is_second = device->piece.is_waiting && device->piece.counter == counter &&
                   time - device->piece.time <= second / 4;
  if (!is_second) {
    publish_first(device, out);
    clear(out);  // this packet is a reading of its own
  } else {
    device->piece.is_waiting = false;
    const uint8_t(*first)[3] = (const uint8_t(*)[3])device->piece.targets;
    add_varia_targets(out, first, device->piece.count, targets, count);
  }
  add_varia_targets(out, targets, count, NULL, 0);
  put(out, is_clear, out->target_count == 0);
  return true;
}

// One of four slots of a page, spread over its levels, sides, ranges and speeds; false for a free
// one.
static bool add_magene_target(struct reading *out, const uint8_t *page, int slot, int first_id) {
  uint32_t ranges = page[2] | (uint32_t)page[3] << 8 | (uint32_t)page[4] << 16;
  unsigned speeds = page[5] | page[6] << 8;
  uint8_t level = page[0] >> 2 * slot & 3, side = page[1] >> 2 * slot & 3;
  unsigned range = ranges >> 6 * slot & 0x3f, speed = speeds >> 4 * slot & 0xf;
  if (level == 0 && range == 0 && speed == 0) return false;
  if (out) {
    out->targets[out->target_count++] = (struct target){
      .id = (uint8_t)(first_id + slot), .level = level, .side = side, .has_side = side != 3, .distance_m = range * 3.125,
      .has_approach_speed = true, .approach_speed_mps = speed * 3.04};
  }
  return true;
}

// Magene's: page A has the slots 0 to 3, page B 4 to 7, which is not there while A has a free slot.
static bool magene_radar(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  static const uint8_t mark[] = {0x57, 0x09, 0x00};
  clear(out);
  if (packet->length != 11 || memcmp(packet->bytes, mark, sizeof mark) != 0) return false;
  if (packet->bytes[3] != 0x30 && packet->bytes[3] != 0x31) return false;
  struct page *page = &device->pages[packet->bytes[3] - 0x30];
  page->is_known = true;
  page->time = time;
  memcpy(page->bytes, packet->bytes + 4, sizeof page->bytes);
  for (int slot = 0; slot < 4 && page == device->pages; slot++) {
    if (!add_magene_target(NULL, page->bytes, slot, 0)) device->pages[1].is_known = false;
  }
  bool is_fresh[2];
  for (int number = 0; number < 2; number++) {
    page = &device->pages[number];
    is_fresh[number] = page->is_known && time - page->time <= 3ll * second / 2;
    for (int slot = 0; slot < 4 && is_fresh[number]; slot++) add_magene_target(out, page->bytes, slot, 4 * number);
  }
  if (out->target_count != 0 || is_fresh[0]) put(out, is_clear, out->target_count == 0);
  return true;
}

const struct profile stateful_profiles[] = {
  {"cycling_speed_cadence", UUID16("2a5b"), speed_cadence, speed_cadence_fields},
  {"cycling_power", UUID16("2a63"), cycling_power, power_fields},
  {"cycling_power", UUID16("2a64"), power_vector, vector_fields},
  {"running_speed_cadence", UUID16("2a53"), running, running_fields},
  {"fitness_machine", UUID16("2ad2"), indoor_bike, bike_fields},
  {"varia_radar", "6a4e3203-667b-11e3-949a-0800200c9a66", varia_radar, radar_fields},
  {"magene_radar", "8ce5cc02-0a4d-11e9-ab14-d663bd873d93", magene_radar, radar_fields},
};
const size_t stateful_profile_count = sizeof stateful_profiles / sizeof *stateful_profiles;
