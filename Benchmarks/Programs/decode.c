// Times bare C decoders on the frames that they support, like Peers/decode.py for Python.
//
//   decode MILLISECONDS < FRAMES    prints the accepted frames and, if not 0, nanoseconds for each
//   decode values < FRAMES          prints the fields of the accepted frames in order
//
// All output is JSON.
//
// A line is `PLUGIN PROFILE DEVICE COMPANY ADDRESS HEX NAME`: in hexadecimal, "-" if absent.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode.h"

enum { most_frames = 4096, most_devices = 64, longest_frame = 512 };

// The frames of one profile, in their original order.
struct work {
  const struct profile *profile;
  size_t count;
  struct packet *packets;
  int *numbers;
};

static const int64_t first_time = 1000000000000, time_step = 250000000;
static struct device devices[most_devices];
static struct reading reading;
static int64_t now;

static void die(const char *what) {
  fprintf(stderr, "decode: %s\n", what);
  exit(2);
}

static void *made(size_t size) {
  void *memory = calloc(1, size);
  if (!memory) die("no memory");
  return memory;
}

// MARK: Reading frames

static const struct profile *profile_of(const char *plugin, const char *name) {
  const struct profile *lists[] = {stateful_profiles, stateless_profiles};
  size_t counts[] = {stateful_profile_count, stateless_profile_count};
  for (int list = 0; list < 2; list++) {
    for (size_t index = 0; index < counts[list]; index++) {
      const struct profile *profile = &lists[list][index];
      if (strcmp(profile->plugin, plugin) == 0 && strcmp(profile->name, name) == 0) return profile;
    }
  }
  return NULL;
}

static uint64_t address_of(const char *text) {
  unsigned bytes[6];
  uint64_t address = 0;
  if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x", bytes, bytes + 1, bytes + 2, bytes + 3, bytes + 4, bytes + 5) != 6) return 0;
  for (int index = 0; index < 6; index++) address = address << 8 | bytes[index];
  return address;
}

static struct packet packet_of(const char *line, char *plugin, char *profile) {
  char device[16], company[16], address[64], hex[2 * longest_frame + 1], name[64] = "";
  int found = sscanf(line, "%63s %63s %15s %15s %63s %1024s %63s", plugin, profile, device, company, address, hex, name);
  if (found < 6) die("a line that does not describe a frame");
  struct packet packet = {.length = strlen(hex) / 2, .device = atoi(device), .company = (uint16_t)strtoul(company, NULL, 16)};
  if (packet.device < 0 || packet.device >= most_devices) die("more devices than there is room for");
  packet.address = address_of(address);
  packet.is_named_br = strcmp(name, "BR") == 0;
  uint8_t *bytes = made(packet.length + 1);
  for (size_t index = 0; index < packet.length; index++) {
    unsigned byte;
    if (sscanf(hex + 2 * index, "%2x", &byte) != 1) die("a frame that is not hexadecimal");
    bytes[index] = (uint8_t)byte;
  }
  packet.bytes = bytes;
  return packet;
}

// Lines of a profile are consecutive. Frames that its decoder refuses are omitted, but counted.
static size_t read_work(struct work *works, size_t room) {
  static char line[4096];
  size_t count = 0;
  char plugin[64], name[64], last[128] = "", key[128];
  int number = 0;
  while (fgets(line, sizeof line, stdin)) {
    struct packet packet = packet_of(line, plugin, name);
    snprintf(key, sizeof key, "%s %s", plugin, name);
    const struct profile *profile = profile_of(plugin, name);
    if (!profile) continue;
    if (strcmp(key, last) != 0) {
      if (count == room) die("more profiles than there is room for");
      works[count++] = (struct work){
        profile, 0, made(most_frames * sizeof(struct packet)), made(most_frames * sizeof(int))};
      strcpy(last, key);
      number = 0;
      memset(devices, 0, sizeof devices);
      now = first_time;
    }
    struct work *work = &works[count - 1];
    if (work->count == most_frames) die("more frames than there is room for");
    if (profile->decode(&devices[packet.device], &packet, now += time_step, &reading)) {
      work->numbers[work->count] = number;
      work->packets[work->count++] = packet;
    }
    number++;
  }
  return count;
}

// MARK: Measuring

static bool look_away(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  (void)device, (void)packet, (void)time, (void)out;
  return true;
}

// Opaque to the compiler, so that it cannot remove any of the work.
static void decode_all(decoder *volatile unknown, const struct work *work, size_t passes) {
  decoder *decode = unknown;
  for (size_t pass = 0; pass < passes; pass++) {
    for (size_t index = 0; index < work->count; index++) {
      const struct packet *packet = &work->packets[index];
      decode(&devices[packet->device], packet, now, &reading);
      __asm__ volatile("" : : "r"(&reading) : "memory");
      now += time_step;
    }
  }
}

static double processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double nanoseconds(decoder *decode, const struct work *work, double wished) {
  memset(devices, 0, sizeof devices);
  now = first_time;
  decode_all(decode, work, 2 + 1000 / work->count);
  size_t passes = 1 + 10000 / work->count;
  for (;;) {
    double start = processor_time();
    decode_all(decode, work, passes);
    double elapsed = processor_time() - start;
    if (elapsed >= wished) return elapsed / (double)(passes * work->count);
    size_t estimate = (size_t)((double)passes * wished * 1.1 / (elapsed > 1 ? elapsed : 1));
    passes = estimate > passes * 2 ? estimate : passes * 2;
  }
}

static void print_measurement(const struct work *work, double wished) {
  printf("{\"peer\": \"C\", \"frames\": [");
  for (size_t index = 0; index < work->count; index++) printf("%s%d", index ? ", " : "", work->numbers[index]);
  printf("]");
  if (wished > 0) {
    double whole = nanoseconds(work->profile->decode, work, wished);
    printf(", \"ns\": %.6f, \"loop_ns\": %.6f", whole, nanoseconds(look_away, work, wished));
  }
  printf("}");
}

// MARK: Printing fields

static const char *separator(bool *is_first) {
  const char *text = *is_first ? "" : ", ";
  *is_first = false;
  return text;
}

static void print_target(const struct target *target) {
  printf("{\"id\": %d, \"distance_m\": %.17g, \"level\": %d", target->id, target->distance_m, target->level);
  if (target->has_speed_raw) printf(", \"speed_raw\": %d", target->speed_raw);
  if (target->has_approach_speed) printf(", \"approach_speed_mps\": %.17g", target->approach_speed_mps);
  if (target->has_side) printf(", \"side\": %d", target->side);
  printf("}");
}

static void print_reading(const struct profile *profile) {
  bool is_first = true;
  printf("{");
  for (int field = 0; field < most_numbers; field++) {
    if (!(reading.present & 1u << field)) continue;
    printf("%s\"%s\": %.17g", separator(&is_first), profile->fields[field], reading.number[field]);
  }
  if (reading.list_field >= 0) {
    printf("%s\"%s\": [", separator(&is_first), profile->fields[reading.list_field]);
    for (int index = 0; index < reading.list_count; index++) printf("%s%.17g", index ? ", " : "", reading.list[index]);
    printf("]");
  }
  if (reading.target_count > 0) {
    printf("%s\"targets\": [", separator(&is_first));
    for (int index = 0; index < reading.target_count; index++) {
      if (index > 0) printf(", ");
      print_target(&reading.targets[index]);
    }
    printf("]");
  }
  printf("}");
}

static void print_values(const struct work *work) {
  memset(devices, 0, sizeof devices);
  now = first_time;
  printf("[");
  for (size_t index = 0; index < work->count; index++) {
    const struct packet *packet = &work->packets[index];
    work->profile->decode(&devices[packet->device], packet, now, &reading);
    now += time_step;
    if (index > 0) printf(", ");
    print_reading(work->profile);
  }
  printf("]");
}

int main(int count, char **words) {
  struct work works[64];
  if (count != 2) die("usage: decode MILLISECONDS|values < FRAMES");
  bool says_values = strcmp(words[1], "values") == 0;
  size_t work_count = read_work(works, sizeof works / sizeof *works);
  bool is_first = true;
  printf("{");
  for (size_t index = 0; index < work_count; index++) {
    const struct work *work = &works[index];
    if (work->count == 0) continue;
    printf("%s\"%s %s\": ", separator(&is_first), work->profile->plugin, work->profile->name);
    if (says_values) {
      print_values(work);
    } else {
      print_measurement(work, atof(words[1]) * 1e6);
    }
  }
  printf("}\n");
  return 0;
}
