// A bridge with nothing but its job, to compare with: it reads a daemon's samples, publishes each one at
// once, and all of them in batches of five seconds. It stores nothing, knows no wishes, and ends with
// either connection.
//
//   bare_bridge METRICS_SOCKET PORT RECEIVER
//
// Topics: bare/RECEIVER/now/SENSOR/KIND (retained, QoS 0) and bare/RECEIVER/log (QoS 1).
#define _GNU_SOURCE
#include <mosquitto.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { most_line = 64 << 10, most_batch = 48 << 10, batch_seconds = 5 };

static struct mosquitto *broker;
static const char *receiver;
static char lines[2 * most_line], batch[most_batch + most_line + 256];
static size_t filled, batched;
static double batch_began;
static int batches;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static double monotonic_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

static int connect_daemon(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int daemon = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  if (connect(daemon, (struct sockaddr *)&address, sizeof address) < 0) fail(path);
  static const char request[] = "{\"id\":1,\"method\":\"subscribe\",\"params\":{\"snapshot\":false}}\n";
  if (write(daemon, request, sizeof request - 1) < 0) fail("subscribe");
  return daemon;
}

static void connect_broker(int port) {
  char name[64];
  snprintf(name, sizeof name, "bare-%s", receiver);
  mosquitto_lib_init();
  broker = mosquitto_new(name, true, NULL);
  mosquitto_int_option(broker, MOSQ_OPT_TCP_NODELAY, 1);
  if (mosquitto_connect(broker, "127.0.0.1", port, 60) != MOSQ_ERR_SUCCESS) fail("mosquitto_connect");
}

static void publish(const char *topic, const char *text, size_t length, int quality, bool retained) {
  if (mosquitto_publish(broker, NULL, topic, length, text, quality, retained) != MOSQ_ERR_SUCCESS) fail("publish");
}

static void end_batch(void) {
  char topic[128];
  if (batched == 0) return;
  memcpy(batch + batched, "]}", 2);
  snprintf(topic, sizeof topic, "bare/%s/log", receiver);
  publish(topic, batch, batched + 2, 1, false);
  batched = 0;
}

static void add_to_batch(const char *line, size_t length) {
  if (batched == 0) {
    batched = snprintf(batch, sizeof batch, "{\"batch\":%d,\"instance\":\"bare\",\"records\":[", ++batches);
    batch_began = monotonic_seconds();
  } else {
    batch[batched++] = ',';
  }
  memcpy(batch + batched, line, length);
  batched += length;
  if (batched > most_batch) end_batch();
}

// The text of a member, which is short and has no escapes.
static int member(const char *line, const char *name, char *text, size_t size) {
  const char *start = strstr(line, name), *end;
  if (start == NULL || (end = strchr(start += strlen(name), '"')) == NULL || (size_t)(end - start) >= size) return 0;
  memcpy(text, start, end - start);
  text[end - start] = 0;
  return 1;
}

static void take(const char *line, size_t length) {
  char sensor[128], kind[64], topic[320];
  if (strncmp(line, "{\"class\":\"sample\"", 17) != 0) return;
  if (!member(line, "\"sensor\":\"", sensor, sizeof sensor) || !member(line, "\"kind\":\"", kind, sizeof kind)) return;
  if (strcmp(kind, "position") == 0) return;
  snprintf(topic, sizeof topic, "bare/%s/now/%s/%s", receiver, sensor, kind);
  publish(topic, line, length, 0, true);
  add_to_batch(line, length);
}

static void read_daemon(int daemon) {
  ssize_t count = read(daemon, lines + filled, sizeof lines - filled - 1);
  if (count <= 0) exit(0);
  filled += count;
  char *start = lines, *end;
  while ((end = memchr(start, '\n', lines + filled - start)) != NULL) {
    *end = 0;
    take(start, end - start);
    start = end + 1;
  }
  filled -= start - lines;
  memmove(lines, start, filled);
}

int main(int count, char **words) {
  if (count != 4) {
    fprintf(stderr, "usage: bare_bridge METRICS_SOCKET PORT RECEIVER\n");
    return 2;
  }
  receiver = words[3];
  connect_broker(atoi(words[2]));
  struct pollfd ready[] = {{.fd = connect_daemon(words[1]), .events = POLLIN}, {.events = POLLIN}};
  for (;;) {
    ready[1].fd = mosquitto_socket(broker);
    ready[1].events = mosquitto_want_write(broker) ? POLLIN | POLLOUT : POLLIN;
    int wait = 1000;
    if (batched > 0) {
      double left = batch_began + batch_seconds - monotonic_seconds();
      wait = left < 0 ? 0 : left < 1 ? left * 1000 + 1 : 1000;
    }
    poll(ready, 2, wait);
    if (ready[0].revents) read_daemon(ready[0].fd);
    if (batched > 0 && monotonic_seconds() - batch_began >= batch_seconds) end_batch();
    if ((ready[1].revents & ~POLLOUT) && mosquitto_loop_read(broker, 1) != MOSQ_ERR_SUCCESS) return 0;
    if ((ready[1].revents & POLLOUT) && mosquitto_loop_write(broker, 1) != MOSQ_ERR_SUCCESS) return 0;
    if (mosquitto_loop_misc(broker) != MOSQ_ERR_SUCCESS) return 0;
  }
}
