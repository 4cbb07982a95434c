// Shared by decode.c and its decoders: a packet, the state of a device between packets, and a
// reading.
#ifndef DECODE_H
#define DECODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { most_numbers = 32, most_items = 256, most_targets = 16 };

struct packet {
  const uint8_t *bytes;
  size_t length;
  int device;
  // For adverts only. An address of 0 means that there is none.
  uint16_t company;
  uint64_t address;
  bool is_named_br;
};

struct target {
  uint8_t id, level, speed_raw, side;
  bool has_speed_raw, has_approach_speed, has_side;
  double distance_m, approach_speed_mps;
};

// `present` has a bit for each number that is set. A word of a fixed vocabulary is a number too.
// One field can be a list.
struct reading {
  uint32_t present;
  int list_field;
  int list_count;
  int target_count;
  double number[most_numbers];
  double list[most_items];
  struct target targets[most_targets];
};

struct event {
  bool is_known;
  uint32_t count;
  uint16_t event_time;
  int64_t time;
};

// `last` is the last accepted event of a counter, `odd` the first packet inconsistent with it, and
// `agreed` the time of the last consistent packet. The rate is `revolutions / seconds`.
struct counter {
  struct event last, odd;
  int64_t agreed;
  bool has_rate, is_published;
  double revolutions, seconds;
};

struct distance_count {
  bool is_known;
  uint32_t count;
  int64_t time;
};

struct device {
  struct counter wheel, crank;
  double distance;
  struct {
    struct distance_count last, odd;
  } odometer;
  // A machine's record that is still incomplete, and until when it waits for the rest.
  struct {
    struct record {
      uint32_t present;
      double number[most_numbers];
    } record;
    int64_t end;
  } machine;
  // The first part of a radar's packet, and the last pages A and B of the other type of radar.
  struct {
    bool is_waiting;
    uint8_t counter;
    int64_t time;
    int count;
    uint8_t targets[6][3];
  } piece;
  struct page {
    bool is_known;
    int64_t time;
    uint8_t bytes[7];
  } pages[2];
};

// False for a packet that violates the specification; `reading` is then undefined. Times are in
// nanoseconds.
typedef bool decoder(struct device *device, const struct packet *packet, int64_t time, struct reading *reading);

struct profile {
  const char *plugin, *name;
  decoder *decode;
  const char *const *fields;
};

extern const struct profile stateful_profiles[], stateless_profiles[];
extern const size_t stateful_profile_count, stateless_profile_count;

// MARK: Input and output of all decoders

// Missing bytes read as 0 and set `is_short`, so a decoder checks once, after reading everything.
struct input {
  const uint8_t *next, *end;
  bool is_short;
};

static inline struct input input_of(const struct packet *packet) {
  return (struct input){packet->bytes, packet->bytes + packet->length, false};
}

static inline const uint8_t *take(struct input *input, size_t count) {
  static const uint8_t nothing[8];
  if ((size_t)(input->end - input->next) < count) {
    input->is_short = true;
    return nothing;
  }
  input->next += count;
  return input->next - count;
}

static inline void skip(struct input *input, size_t count) { (void)take(input, count); }

static inline uint8_t u8(struct input *input) { return take(input, 1)[0]; }

static inline uint16_t u16(struct input *input) {
  const uint8_t *byte = take(input, 2);
  return (uint16_t)(byte[0] | byte[1] << 8);
}

static inline uint32_t u24(struct input *input) {
  const uint8_t *byte = take(input, 3);
  return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16;
}

static inline uint32_t u32(struct input *input) {
  const uint8_t *byte = take(input, 4);
  return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

static inline int8_t i8(struct input *input) { return (int8_t)u8(input); }
static inline int16_t i16(struct input *input) { return (int16_t)u16(input); }
static inline int32_t i32(struct input *input) { return (int32_t)u32(input); }

// The packet was complete, and no bytes are left. A reserved flag may announce unknown fields.
static inline bool is_whole(const struct input *input, bool may_go_on) {
  return !input->is_short && (may_go_on || input->next == input->end);
}

static inline void clear(struct reading *reading) {
  reading->present = 0;
  reading->list_field = -1;
  reading->list_count = 0;
  reading->target_count = 0;
}

static inline void put(struct reading *reading, int field, double number) {
  reading->number[field] = number;
  reading->present |= 1u << field;
}

static inline void begin_list(struct reading *reading, int field) {
  reading->list_field = field;
  reading->list_count = 0;
}

static inline bool append(struct reading *reading, double number) {
  if (reading->list_count == most_items) return false;
  reading->list[reading->list_count++] = number;
  return true;
}

#define UUID16(number) "0000" number "-0000-1000-8000-00805f9b34fb"

#endif
