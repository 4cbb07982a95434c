// Many subscribers in one process. Each reads its lines, checks their order, and records when they
// became readable.
//
//   readers ADDRESS COUNT READY REQUEST FIRST PACKETS SENSORS LATENCIES PROGRESS STOPPED
//
// ADDRESS     a Unix socket's path, or tcp:PORT on this machine
// READY       the start of the line that confirms a subscription; REQUEST is sent on connecting
// FIRST       the number in the energy field of each sensor's first packet
// PACKETS     the number of packets per sensor
// SENSORS     their ids, or `-`: lines that begin with {"class":"TPV" are counted, in any order
// LATENCIES   a file for times of arrival, or `-`: records of four 64-bit numbers (`struct arrival`)
// PROGRESS    a FIFO that gets the number of packets that the slowest reader has, or `-`
// STOPPED     1: the first of at least two subscribers stops reading until standard input has a line
//
// Prints `ready` when all have subscribed, and `stopped` when all but the stopped one have
// everything. Ends with a summary in JSON when all have everything, or at the end of standard
// input.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { most_sensors = 64, buffer_size = 64 << 10 };

struct reader {
  int socket;
  // Disconnected by the server: not waited for any more, and its missing samples count as lost.
  int is_ready, is_gone;
  size_t filled;
  // All samples, the numbered ones, and the errors.
  uint64_t samples, numbered, bytes, dropped, missing, disorder;
  uint64_t next_sequence[most_sensors];
  // The number of the sensor's packets that have arrived or are known to be lost.
  uint32_t passed[most_sensors];
  char *buffer;
};

// When a line could be read, and the line's own `t`, both in nanoseconds of CLOCK_BOOTTIME; the
// packet's place among all.
struct arrival {
  uint64_t packet, reader, readable, stamped;
};

static const char *const sample_start = "{\"class\":\"sample\",\"sensor\":\"";
static const char *sensors[most_sensors], *ready_start, *address;
static int sensor_count, reader_count, counts_fixes, stop_first;
static uint32_t first_number, packet_count;
static struct reader *readers;
static FILE *latencies;
static int progress = -1;
static uint32_t last_progress;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void connect_reader(struct reader *reader, const char *request) {
  struct sockaddr_un local = {.sun_family = AF_UNIX};
  struct sockaddr_in remote = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int is_remote = strncmp(address, "tcp:", 4) == 0;
  if (is_remote) remote.sin_port = htons((uint16_t)atoi(address + 4));
  snprintf(local.sun_path, sizeof local.sun_path, "%s", address);
  struct sockaddr *where = is_remote ? (struct sockaddr *)&remote : (struct sockaddr *)&local;
  reader->socket = socket(where->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(reader->socket, where, is_remote ? sizeof remote : sizeof local) < 0) die(address);
  if (send(reader->socket, request, strlen(request), MSG_NOSIGNAL) < 0) die("send");
  if (fcntl(reader->socket, F_SETFL, O_NONBLOCK) < 0) die("fcntl");
  if ((reader->buffer = malloc(buffer_size)) == NULL) die("malloc");
}

static uint64_t number_after(const char *line, const char *name) {
  const char *place = strstr(line, name);
  return place == NULL ? UINT64_MAX : strtoull(place + strlen(name), NULL, 10);
}

static uint64_t stamp_of(const char *line) {
  const char *place = strstr(line, "\"t\":");
  if (place == NULL) return 0;
  char *end;
  uint64_t time = strtoull(place + 4, &end, 10) * 1000000000u;
  uint64_t unit = 100000000;
  if (*end == '.') {
    for (end++; *end >= '0' && *end <= '9'; end++, unit /= 10) time += (uint64_t)(*end - '0') * unit;
  }
  return time;
}

static int sensor_of(const char *line) {
  for (int sensor = 0; sensor < sensor_count; sensor++) {
    size_t size = strlen(sensors[sensor]);
    if (strncmp(line, sensors[sensor], size) == 0 && line[size] == '"') return sensor;
  }
  return -1;
}

static void read_sample(struct reader *reader, const char *line, uint64_t now) {
  int sensor = sensor_of(line + strlen(sample_start));
  if (sensor < 0) return;
  reader->samples++;
  uint64_t sequence = number_after(line, "\"seq\":"), *expected = &reader->next_sequence[sensor];
  if (*expected != 0 && sequence < *expected) reader->disorder++;
  if (*expected != 0 && sequence > *expected) reader->missing += sequence - *expected;
  *expected = sequence + 1;
  uint64_t energy = number_after(line, "\"energy_expended_j\":");
  // A packet that keeps the strap alive between two runs.
  if (energy == UINT64_MAX) return;
  uint32_t *passed = &reader->passed[sensor];
  uint16_t step = (uint16_t)(energy / 1000 - (first_number + *passed));
  if (step != 0 && !(stop_first && reader == readers)) reader->disorder++;
  *passed += step + 1u;
  reader->numbered++;
  if (latencies == NULL) return;
  struct arrival arrival = {(uint64_t)(*passed - 1) * (uint64_t)sensor_count + (uint64_t)sensor,
                            (uint64_t)(reader - readers), now, stamp_of(line)};
  fwrite(&arrival, sizeof arrival, 1, latencies);
}

static void read_line(struct reader *reader, char *line, uint64_t now) {
  if (!reader->is_ready) {
    reader->is_ready = strncmp(line, ready_start, strlen(ready_start)) == 0;
  } else if (strncmp(line, sample_start, strlen(sample_start)) == 0) {
    read_sample(reader, line, now);
  } else if (counts_fixes && strncmp(line, "{\"class\":\"TPV\"", 14) == 0) {
    reader->samples++;
    reader->numbered++;
    reader->passed[0]++;
  } else if (strncmp(line, "{\"class\":\"lag\"", 14) == 0) {
    reader->dropped += number_after(line, "\"dropped\":");
  }
}

static void receive(struct reader *reader, uint64_t now) {
  ssize_t size = recv(reader->socket, reader->buffer + reader->filled, buffer_size - reader->filled - 1, 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) {
    fprintf(stderr, "readers: subscriber %td was disconnected by %s\n", reader - readers, address);
    if (!reader->is_ready || stop_first) exit(1);
    close(reader->socket);
    reader->is_gone = 1;
    return;
  }
  if (reader->is_ready) reader->bytes += (uint64_t)size;
  size_t start = 0, end = reader->filled + (size_t)size, place = reader->filled;
  for (; place < end; place++) {
    if (reader->buffer[place] != '\n') continue;
    reader->buffer[place] = 0;
    read_line(reader, reader->buffer + start, now);
    start = place + 1;
  }
  memmove(reader->buffer, reader->buffer + start, end - start);
  reader->filled = end - start;
}

static uint64_t boot_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void watch(int epoll, int operation, int descriptor, uint32_t tag) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.u32 = tag}};
  if (epoll_ctl(epoll, operation, descriptor, &event) < 0) die("epoll_ctl");
}

// How many packets of all sensors the slowest reader has passed, from the given reader on.
static uint32_t slowest(int from) {
  uint32_t least = UINT32_MAX;
  for (int index = from; index < reader_count; index++) {
    if (readers[index].is_gone) continue;
    uint32_t passed = 0;
    for (int sensor = 0; sensor < sensor_count; sensor++) passed += readers[index].passed[sensor];
    if (passed < least) least = passed;
  }
  return least;
}

// Whether the stopped reader has the newest line of every sensor again.
static int has_caught_up(void) {
  return memcmp(readers[0].next_sequence, readers[1].next_sequence, sizeof readers[0].next_sequence) == 0;
}

static void tell_progress(uint32_t done) {
  if (progress < 0 || done == last_progress) return;
  last_progress = done;
  if (write(progress, &done, sizeof done) < 0) die("progress");
}

static void say(const char *word) {
  puts(word);
  fflush(stdout);
}

static void summarise(void) {
  struct reader sum = {0};
  int complete = 0;
  for (int index = 0; index < reader_count; index++) {
    const struct reader *one = &readers[index];
    sum.samples += one->samples;
    sum.numbered += one->numbered;
    sum.bytes += one->bytes;
    sum.dropped += one->dropped;
    sum.missing += one->missing;
    sum.disorder += one->disorder;
    complete += one->numbered == (uint64_t)packet_count * (uint64_t)sensor_count && one->missing + one->disorder == 0;
  }
  printf("{\"samples\":%llu,\"numbered\":%llu,\"bytes\":%llu,\"complete\":%d,\"dropped\":%llu,\"missing\":%llu,\"disorder\":%llu}\n",
         (unsigned long long)sum.samples, (unsigned long long)sum.numbered, (unsigned long long)sum.bytes, complete,
         (unsigned long long)sum.dropped, (unsigned long long)sum.missing, (unsigned long long)sum.disorder);
}

static void subscribe_all(int epoll, const char *request) {
  if ((readers = calloc((size_t)reader_count, sizeof *readers)) == NULL) die("calloc");
  for (int index = 0; index < reader_count; index++) {
    connect_reader(&readers[index], request);
    watch(epoll, EPOLL_CTL_ADD, readers[index].socket, (uint32_t)index);
    // One after the other, so that the server's backlog is not measured.
    while (!readers[index].is_ready) {
      struct epoll_event event;
      if (epoll_wait(epoll, &event, 1, 20000) == 0) die("subscribe");
      receive(&readers[event.data.u32], 0);
    }
  }
  if (stop_first) epoll_ctl(epoll, EPOLL_CTL_DEL, readers[0].socket, NULL);
  watch(epoll, EPOLL_CTL_ADD, STDIN_FILENO, UINT32_MAX);
  say("ready");
}

static void read_all(int epoll) {
  uint32_t wanted = packet_count * (uint32_t)sensor_count;
  int is_stopped = stop_first, has_announced = 0;
  while (is_stopped || slowest(stop_first) < wanted || (stop_first && !has_caught_up())) {
    struct epoll_event events[256];
    int ready = epoll_wait(epoll, events, 256, -1);
    uint64_t now = boot_time();
    for (int index = 0; index < ready; index++) {
      if (events[index].data.u32 != UINT32_MAX) {
        receive(&readers[events[index].data.u32], now);
        continue;
      }
      char word[64];
      if (read(STDIN_FILENO, word, sizeof word) <= 0) return;
      if (is_stopped) watch(epoll, EPOLL_CTL_ADD, readers[0].socket, 0);
      is_stopped = 0;
    }
    uint32_t done = slowest(is_stopped);
    tell_progress(done);
    if (is_stopped && !has_announced && done == wanted) {
      say("stopped");
      has_announced = 1;
    }
  }
}

int main(int count, char **words) {
  if (count != 11) return fprintf(stderr, "usage: readers, and ten words: see its source\n"), 2;
  address = words[1];
  reader_count = atoi(words[2]);
  ready_start = words[3];
  first_number = (uint32_t)atoll(words[5]);
  packet_count = (uint32_t)atoll(words[6]);
  counts_fixes = strcmp(words[7], "-") == 0;
  for (char *name = counts_fixes ? NULL : strtok(words[7], ","); name && sensor_count < most_sensors;
       name = strtok(NULL, ",")) {
    sensors[sensor_count++] = name;
  }
  if (counts_fixes) sensor_count = 1;
  if (strcmp(words[8], "-") != 0 && (latencies = fopen(words[8], "wb")) == NULL) die(words[8]);
  if (strcmp(words[9], "-") != 0 && (progress = open(words[9], O_RDWR | O_CLOEXEC)) < 0) die(words[9]);
  stop_first = atoi(words[10]);
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) die("epoll_create1");
  subscribe_all(epoll, words[4]);
  read_all(epoll);
  if (latencies != NULL && fclose(latencies) != 0) die(words[8]);
  summarise();
  return 0;
}
