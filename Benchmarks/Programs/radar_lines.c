// A subscriber to radar samples: prints the time when each line with a car could be read, in nanoseconds
// of CLOCK_BOOTTIME, and the car's distance in metres.
//
//   radar_lines SOCKET
#define _GNU_SOURCE
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void print(const char *line, uint64_t readable) {
  const char *distance = strstr(line, "\"distance_m\":");
  if (strstr(line, "\"kind\":\"radar\"") == NULL || distance == NULL) return;
  printf("%llu %d\n", (unsigned long long)readable, atoi(distance + 13));
  fflush(stdout);
}

int main(int count, char **words) {
  static const char request[] =
      "{\"id\":1,\"method\":\"subscribe\",\"params\":{\"kinds\":[\"radar\"],\"snapshot\":false}}\n";
  static char buffer[65536];
  if (count != 2) return 2;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", words[1]);
  int daemon = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(daemon, (struct sockaddr *)&address, sizeof address) < 0) die(words[1]);
  if (send(daemon, request, sizeof request - 1, MSG_NOSIGNAL) < 0) die("send");
  size_t filled = 0;
  for (;;) {
    struct pollfd news = {.fd = daemon, .events = POLLIN};
    if (poll(&news, 1, -1) < 0) die("poll");
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    uint64_t readable = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    ssize_t size = recv(daemon, buffer + filled, sizeof buffer - 1 - filled, 0);
    if (size <= 0) return 0;
    filled += (size_t)size;
    buffer[filled] = 0;
    char *line = buffer, *end;
    while ((end = strchr(line, '\n')) != NULL) {
      *end = 0;
      if (strstr(line, "\"class\":\"reply\"") != NULL) puts("subscribed"), fflush(stdout);
      print(line, readable);
      line = end + 1;
    }
    filled -= (size_t)(line - buffer);
    memmove(buffer, line, filled);
  }
}
