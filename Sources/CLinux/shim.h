// The kernel's interfaces that Swift's Glibc module does not carry.
#ifndef CYCLOMETER_CLINUX_H
#define CYCLOMETER_CLINUX_H
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// epoll_event is packed on x86-64, which Swift's importer does not honour for the union inside it.
static inline int cyclometer_epoll_ctl(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data = {.u64 = token}};
  return epoll_ctl(epoll, operation, descriptor, &event);
}

typedef struct {
  uint64_t token;
  uint32_t events;
} cyclometer_ready;

// Fills `ready` with at most 64 events.
static inline int cyclometer_epoll_wait(int epoll, cyclometer_ready *ready, int capacity, int timeout_ms) {
  struct epoll_event events[64];
  int count = epoll_wait(epoll, events, capacity < 64 ? capacity : 64, timeout_ms);
  for (int i = 0; i < count; i++) {
    ready[i].token = events[i].data.u64;
    ready[i].events = events[i].events;
  }
  return count;
}

// `open` is variadic in C, and Swift calls no variadic function.
static inline int cyclometer_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

static inline int cyclometer_errno(void) { return errno; }
#endif
