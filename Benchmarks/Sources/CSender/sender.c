#define _GNU_SOURCE
#include "sender.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t time) {
  struct timespec then = {.tv_sec = (time_t)(time / 1000000000u), .tv_nsec = (long)(time % 1000000000u)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) == EINTR) {}
}

// Waits for a slow reader, so that no packet is lost here.
static int send_all(int descriptor, const uint8_t *packet, size_t size) {
  while (send(descriptor, packet, size, MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return -1;
    struct pollfd room = {.fd = descriptor, .events = POLLOUT};
    if (poll(&room, 1, 10000) == 0) {
      errno = ETIMEDOUT;
      return -1;
    }
  }
  return 0;
}

void sender_packet(uint32_t number, uint8_t packet[sender_packet_size]) {
  uint16_t interval = (uint16_t)(300 + number % 700);
  packet[0] = 0x1e;
  packet[1] = (uint8_t)(60 + number % 120);
  packet[2] = (uint8_t)number;
  packet[3] = (uint8_t)(number >> 8);
  packet[4] = (uint8_t)interval;
  packet[5] = (uint8_t)(interval >> 8);
  packet[6] = (uint8_t)(interval + 3);
  packet[7] = (uint8_t)((interval + 3) >> 8);
}

static int send_packet(int descriptor, uint32_t number, uint64_t *sent_at) {
  uint8_t packet[sender_packet_size];
  sender_packet(number, packet);
  *sent_at = nanoseconds(CLOCK_BOOTTIME);
  return send_all(descriptor, packet, sizeof packet);
}

// Waits until the slowest reader has `wanted` packets.
static int await(int progress, uint32_t *done, uint32_t wanted) {
  while (*done < wanted) {
    struct pollfd news = {.fd = progress, .events = POLLIN};
    if (poll(&news, 1, 20000) == 0) {
      errno = ETIMEDOUT;
      return -1;
    }
    if (read(progress, done, sizeof *done) != sizeof *done && errno != EINTR) return -1;
  }
  return 0;
}

int sender_send(const sender_plan *plan, uint64_t *sent_at) {
  uint64_t start = nanoseconds(CLOCK_MONOTONIC);
  uint32_t total = plan->count * plan->straps;
  uint32_t done = 0;
  for (uint32_t index = 0; index < total; index++) {
    if (plan->rate > 0) {
      sleep_until(start + (uint64_t)(index / plan->rate * 1e9));
    } else if (index >= plan->window && await(plan->progress, &done, index - plan->window + 1) < 0) {
      return -1;
    }
    int descriptor = plan->descriptors[index % plan->straps];
    if (send_packet(descriptor, plan->first + index / plan->straps, &sent_at[index]) < 0) return -1;
  }
  return 0;
}

int sender_keep_alive(int descriptor) {
  const uint8_t packet[2] = {0x00, 60};
  return send_all(descriptor, packet, sizeof packet);
}

int sender_listen(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address.sun_path, path);
  int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return -1;
  if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 64) < 0) {
    close(listener);
    return -1;
  }
  return listener;
}

int sender_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }
