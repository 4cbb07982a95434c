// The minimal C program for this job, as a baseline for Cyclometer. It reads heart rate packets,
// decodes them, formats the same line of JSON byte for byte, and writes it to every client. It
// supports one kind of sensor, and neither requests, filters nor snapshots.
//
//   relay PACKETS LISTEN SENSOR[,SENSOR...]
//
// It opens one connection to PACKETS for each sensor. Subscribers connect to LISTEN and get a
// greeting.
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { most_sensors = 64, most_clients = 1024, queue_limit = 1 << 20, line_limit = 2048 };

struct client {
  // -1 once it was dropped. A pending event of the same iteration may still refer to it.
  int socket;
  size_t queued;
  char *queue;
  struct client *next_gone;
};

static const char *sensors[most_sensors];
static uint64_t sequences[most_sensors];
static struct client *clients[most_clients];
static int client_count;
static struct client *gone;
static int epoll;

// What an event is about: a listener, a sensor or a client.
static void *const listener_tag = &client_count;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void watch(int operation, int descriptor, uint32_t events, void *what) {
  struct epoll_event event = {.events = events, .data = {.ptr = what}};
  if (epoll_ctl(epoll, operation, descriptor, &event) < 0) die("epoll_ctl");
}

static struct sockaddr_un address_of(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  return address;
}

static void drop(struct client *client) {
  if (client->socket < 0) return;
  close(client->socket);
  client->socket = -1;
  for (int index = 0; index < client_count; index++) {
    if (clients[index] == client) clients[index] = clients[--client_count];
  }
  client->next_gone = gone;
  gone = client;
}

static void free_gone(void) {
  while (gone != NULL) {
    struct client *client = gone;
    gone = client->next_gone;
    free(client->queue);
    free(client);
  }
}

// Queues what the socket does not accept. A client with a full queue is dropped.
static void give(struct client *client, const char *bytes, size_t size) {
  ssize_t taken = 0;
  if (client->queued == 0) {
    taken = send(client->socket, bytes, size, MSG_NOSIGNAL);
    if (taken == (ssize_t)size) return;
    if (taken < 0 && errno != EAGAIN) return drop(client);
    if (taken < 0) taken = 0;
    watch(EPOLL_CTL_MOD, client->socket, EPOLLIN | EPOLLOUT, client);
  }
  size_t rest = size - (size_t)taken;
  if (client->queued + rest > queue_limit) return drop(client);
  if (client->queue == NULL && (client->queue = malloc(queue_limit)) == NULL) die("malloc");
  memcpy(client->queue + client->queued, bytes + taken, rest);
  client->queued += rest;
}

static void serve(struct client *client, uint32_t events) {
  char asked[4096];
  if (client->socket >= 0 && events & EPOLLOUT) {
    ssize_t taken = send(client->socket, client->queue, client->queued, MSG_NOSIGNAL);
    if (taken < 0 && errno != EAGAIN) return drop(client);
    if (taken > 0) {
      client->queued -= (size_t)taken;
      memmove(client->queue, client->queue + taken, client->queued);
    }
    if (client->queued == 0) watch(EPOLL_CTL_MOD, client->socket, EPOLLIN, client);
  }
  if (client->socket >= 0 && events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
    ssize_t size = recv(client->socket, asked, sizeof asked, 0);
    if (size == 0 || (size < 0 && errno != EAGAIN)) drop(client);
  }
}

static void welcome(int listener) {
  int socket;
  while ((socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    if (client_count == most_clients) {
      close(socket);
      continue;
    }
    struct client *client = calloc(1, sizeof *client);
    if (client == NULL) die("calloc");
    client->socket = socket;
    clients[client_count++] = client;
    watch(EPOLL_CTL_ADD, socket, EPOLLIN, client);
    static const char hello[] = "{\"class\":\"hello\"}\n";
    give(client, hello, sizeof hello - 1);
  }
}

// At most six decimals, without trailing zeros.
static char *put_trimmed(char *end) {
  while (end[-1] == '0') end--;
  return end[-1] == '.' ? end - 1 : end;
}

static char *put_number(char *place, double number) {
  return put_trimmed(place + sprintf(place, "%.6f", number));
}

static char *put_header(char *place, int sensor, const struct timespec *boot) {
  struct timespec wall;
  struct tm date;
  clock_gettime(CLOCK_REALTIME, &wall);
  gmtime_r(&wall.tv_sec, &date);
  long microseconds = (boot->tv_nsec + 500) / 1000;
  long long seconds = boot->tv_sec + microseconds / 1000000;
  place += sprintf(place, "{\"class\":\"sample\",\"sensor\":\"%s\",\"kind\":\"heart_rate\",\"seq\":%llu,\"t\":",
                   sensors[sensor], (unsigned long long)++sequences[sensor]);
  place = put_trimmed(place + sprintf(place, "%lld.%06ld", seconds, microseconds % 1000000));
  return place + sprintf(place, ",\"time\":\"%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ\",\"age_ms\":0", date.tm_year + 1900,
                         date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec,
                         wall.tv_nsec / 1000000);
}

// The length of the line, or 0 for a packet that is not a measurement.
static size_t format(char *line, const uint8_t *packet, size_t size, int sensor, const struct timespec *boot) {
  size_t at = 1;
  if (size < 2) return 0;
  uint8_t flags = packet[0];
  unsigned rate = packet[at++];
  if (flags & 0x01) {
    if (at >= size) return 0;
    rate |= (unsigned)packet[at++] << 8;
  }
  unsigned energy = 0;
  if (flags & 0x08) {
    if (at + 2 > size) return 0;
    energy = packet[at] | (unsigned)packet[at + 1] << 8;
    at += 2;
  }
  size_t rest = size - at;
  if (flags & 0x10 ? rest % 2 != 0 : rest != 0) return 0;
  if (rate == 0 && rest == 0) return 0;
  char *end = put_header(line, sensor, boot);
  if (rate != 0) end += sprintf(end, ",\"bpm\":%u", rate);
  if (rest > 0) {
    end += sprintf(end, ",\"rr_ms\":[");
    for (; at < size; at += 2) {
      end = put_number(end, (packet[at] | packet[at + 1] << 8) * 1000.0 / 1024);
      *end++ = at + 2 < size ? ',' : ']';
    }
  }
  if (flags & 0x04) {
    end += sprintf(end, ",\"sensor_contact\":\"%s\"", flags & 0x02 ? "detected" : "not_detected");
  }
  if (flags & 0x08) end += sprintf(end, ",\"energy_expended_j\":%u", energy * 1000);
  *end++ = '}';
  *end++ = '\n';
  return (size_t)(end - line);
}

// Reads all available packets, like the daemon.
static void forward(int descriptor, int sensor, const struct timespec *boot) {
  uint8_t packet[512];
  char line[line_limit];
  ssize_t size;
  while ((size = recv(descriptor, packet, sizeof packet, 0)) > 0) {
    // 512 bytes of RR intervals would not fit a line: a strap's packet has at most 247.
    size_t length = size > 247 ? 0 : format(line, packet, (size_t)size, sensor, boot);
    if (length == 0) continue;
    for (int index = client_count - 1; index >= 0; index--) give(clients[index], line, length);
  }
  if (size == 0) exit(0);
  if (errno != EAGAIN) die("recv");
}

int main(int count, char **words) {
  if (count != 4) return fprintf(stderr, "usage: relay PACKETS LISTEN SENSOR[,SENSOR...]\n"), 2;
  if ((epoll = epoll_create1(EPOLL_CLOEXEC)) < 0) die("epoll_create1");
  int descriptors[most_sensors], sensor_count = 0;
  struct sockaddr_un packets = address_of(words[1]), door = address_of(words[2]);
  for (char *name = strtok(words[3], ","); name && sensor_count < most_sensors; name = strtok(NULL, ",")) {
    int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connect(descriptor, (struct sockaddr *)&packets, sizeof packets) < 0) die(words[1]);
    descriptors[sensor_count] = descriptor;
    sensors[sensor_count] = name;
    watch(EPOLL_CTL_ADD, descriptor, EPOLLIN, &sensors[sensor_count++]);
  }
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (bind(listener, (struct sockaddr *)&door, sizeof door) < 0 || listen(listener, 256) < 0) die(words[2]);
  watch(EPOLL_CTL_ADD, listener, EPOLLIN, listener_tag);
  for (;;) {
    struct epoll_event events[64];
    int ready = epoll_wait(epoll, events, 64, -1);
    struct timespec boot;
    clock_gettime(CLOCK_BOOTTIME, &boot);
    for (int index = 0; index < ready; index++) {
      void *what = events[index].data.ptr;
      if (what == listener_tag) {
        welcome(listener);
      } else if (what >= (void *)sensors && what < (void *)(sensors + most_sensors)) {
        int sensor = (int)((const char **)what - sensors);
        forward(descriptors[sensor], sensor, &boot);
      } else {
        serve(what, events[index].events);
      }
    }
    free_gone();
  }
}
