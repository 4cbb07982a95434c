// Times of one line to a program and one line back, over a Unix socket. It plays the daemon for one
// program, or for an echo, and sends a packet when the one before is answered.
//
//   round_trip echo SOCKET          connects, and returns every line as it is
//   round_trip SOCKET plugin|bare   waits for a program, or for an echo, and prints `ready`
//
// Then it reads orders from standard input until its end: `RATE COUNT FILE` sends COUNT packets, RATE
// per second or, with 0, one right after the other. FILE gets the nanoseconds of each round trip as
// 64-bit numbers. Prints `done`.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static char line[65536];
static size_t filled;
static uint64_t packet;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void give(int socket, const char *text, size_t size) {
  while (size > 0) {
    ssize_t taken = send(socket, text, size, MSG_NOSIGNAL);
    if (taken < 0) die("send");
    text += taken;
    size -= (size_t)taken;
  }
}

static void say(int socket, const char *text) { give(socket, text, strlen(text)); }

// Reads until the end of a line, after which nothing is left because the peer waits. Its length; 0 at the end.
static size_t receive(int socket) {
  filled = 0;
  do {
    ssize_t size = recv(socket, line + filled, sizeof line - 1 - filled, 0);
    if (size < 0) die("recv");
    if (size == 0) return 0;
    filled += (size_t)size;
  } while (line[filled - 1] != '\n');
  line[filled] = 0;
  return filled;
}

static int unix_socket(struct sockaddr_un *address, const char *path) {
  address->sun_family = AF_UNIX;
  snprintf(address->sun_path, sizeof address->sun_path, "%s", path);
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) die("socket");
  return made;
}

static int echo(const char *path) {
  struct sockaddr_un address;
  int daemon = unix_socket(&address, path);
  if (connect(daemon, (struct sockaddr *)&address, sizeof address) < 0) die(path);
  size_t size;
  while ((size = receive(daemon)) > 0) give(daemon, line, size);
  return 0;
}

static int await_program(const char *path, int is_bare) {
  struct sockaddr_un address;
  int listener = unix_socket(&address, path);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 1) < 0) die(path);
  puts("listening");
  fflush(stdout);
  int program = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (program < 0) die("accept");
  if (is_bare) return program;
  say(program, "{\"class\":\"hello\",\"plugin\":\"1.0\",\"release\":\"0\",\"instance\":\"bench\","
               "\"limits\":{\"line\":65536,\"unanswered\":64}}\n");
  if (receive(program) == 0 || strstr(line, "\"register\"") == NULL) die("register");
  say(program, "{\"class\":\"ready\",\"id\":\"heart\",\"packets\":[\"measurement\"],\"unanswered\":32,\"within_ms\":250}\n"
               "{\"class\":\"open\",\"session\":1,\"sensor\":\"strap\",\"name\":\"Strap\",\"settings\":{}}\n"
               "{\"class\":\"link\",\"session\":1,\"state\":\"up\"}\n");
  return program;
}

static void play(int program, double rate, unsigned long count, const char *path) {
  FILE *file = fopen(path, "wb");
  if (file == NULL) die(path);
  uint64_t start = now();
  for (unsigned long index = 0; index < count; index++) {
    if (rate > 0) {
      uint64_t due = start + (uint64_t)((double)index * 1e9 / rate);
      struct timespec when = {(time_t)(due / 1000000000u), (long)(due % 1000000000u)};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
    }
    char text[256];
    packet++;
    int size = snprintf(text, sizeof text,
                        "{\"class\":\"packet\",\"session\":1,\"packet\":%llu,\"t\":%llu.%06llu,\"from\":\"measurement\","
                        "\"hex\":\"1e%02x%02x%02x90019301\"}\n",
                        (unsigned long long)packet, (unsigned long long)(packet / 4),
                        (unsigned long long)(packet % 4 * 250000), (unsigned)(60 + packet % 120),
                        (unsigned)(packet & 255), (unsigned)(packet >> 8 & 255));
    uint64_t sent = now();
    give(program, text, (size_t)size);
    if (receive(program) == 0) die("the program is gone");
    uint64_t span = now() - sent;
    if (strstr(line, "\"packet\"") == NULL) die(line);
    fwrite(&span, sizeof span, 1, file);
  }
  if (fclose(file) != 0) die(path);
  puts("done");
  fflush(stdout);
}

int main(int count, char **words) {
  if (count != 3) return 2;
  if (strcmp(words[1], "echo") == 0) return echo(words[2]);
  int program = await_program(words[1], strcmp(words[2], "bare") == 0);
  puts("ready");
  fflush(stdout);
  char order[4096], path[4096];
  double rate;
  unsigned long packets;
  while (fgets(order, sizeof order, stdin) != NULL) {
    if (sscanf(order, "%lf %lu %4095s", &rate, &packets, path) != 3) die("not understood");
    play(program, rate, packets, path);
  }
  return 0;
}
