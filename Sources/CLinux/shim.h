// Kernel interfaces that are missing in Swift's Glibc module.
#ifndef CYCLOMETER_CLINUX_H
#define CYCLOMETER_CLINUX_H
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// epoll_event is packed on x86-64, but Swift's importer ignores that for the union inside it.
static inline int cyclometer_epoll_ctl(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data = {.u64 = token}};
  return epoll_ctl(epoll, operation, descriptor, &event);
}

typedef struct {
  uint64_t token;
  uint32_t events;
} cyclometer_ready;

// Writes at most 64 events to `ready`.
static inline int cyclometer_epoll_wait(int epoll, cyclometer_ready *ready, int capacity, int timeout_ms) {
  struct epoll_event events[64];
  int count = epoll_wait(epoll, events, capacity < 64 ? capacity : 64, timeout_ms);
  for (int i = 0; i < count; i++) {
    ready[i].token = events[i].data.u64;
    ready[i].events = events[i].events;
  }
  return count;
}

// Swift cannot call variadic C functions such as `open`.
static inline int cyclometer_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

// `fcntl` is variadic too.
static inline int cyclometer_fcntl(int descriptor, int command, int argument) {
  return fcntl(descriptor, command, argument);
}

// glibc declares socket addresses as a transparent union, which the importer does not support.
static inline int cyclometer_unix_address(const char *path, struct sockaddr_un *address) {
  size_t length = strlen(path);
  if (length >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length);
  return 0;
}

static inline int cyclometer_connect(int socket, const char *path) {
  struct sockaddr_un address;
  if (cyclometer_unix_address(path, &address) < 0) return -1;
  return connect(socket, (const struct sockaddr *)&address, sizeof address);
}

static inline int cyclometer_bind(int socket, const char *path) {
  struct sockaddr_un address;
  if (cyclometer_unix_address(path, &address) < 0) return -1;
  return bind(socket, (const struct sockaddr *)&address, sizeof address);
}

// Sends a datagram to a path or, with a leading @, to an abstract name, which has no final zero.
static inline ssize_t cyclometer_send_to(int socket, const char *path, const void *bytes, size_t count) {
  struct sockaddr_un address;
  if (cyclometer_unix_address(path, &address) < 0) return -1;
  socklen_t length = offsetof(struct sockaddr_un, sun_path) + strlen(path) + (path[0] != '@');
  if (path[0] == '@') address.sun_path[0] = 0;
  return sendto(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)&address, length);
}

// Whether the descriptor is a listening stream socket.
static inline int cyclometer_is_listener(int socket) {
  int type = 0, listens = 0;
  socklen_t length = sizeof type;
  if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &length) < 0 || type != SOCK_STREAM) return 0;
  length = sizeof listens;
  return getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens;
}

// The path a socket is bound to; -1 unless it is a Unix socket bound to a path.
static inline int cyclometer_bound_path(int socket, char *path, size_t size) {
  struct sockaddr_un address = {0};
  socklen_t length = sizeof address;
  if (getsockname(socket, (struct sockaddr *)&address, &length) < 0 || address.sun_family != AF_UNIX) return -1;
  size_t count = strnlen(address.sun_path, sizeof address.sun_path);
  if (count == 0 || count >= size) return -1;
  memcpy(path, address.sun_path, count);
  path[count] = 0;
  return 0;
}

static inline int cyclometer_set_option(int socket, int level, int option, int value) {
  return setsockopt(socket, level, option, &value, sizeof value);
}

// Sends two pieces, so that they can leave in one packet.
static inline ssize_t cyclometer_send_two(
    int socket, const void *first, size_t first_count, const void *second, size_t second_count) {
  struct iovec pieces[] = {{(void *)first, first_count}, {(void *)second, second_count}};
  struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}

// glibc declares accept4 and ucred only with _GNU_SOURCE. With that, some structures would differ
// from those in Swift's own modules, and no program could import both this and Foundation.
static inline int cyclometer_accept(int listener) {
  return (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// The layout of the kernel's `struct ucred`.
typedef struct {
  int32_t process;
  uint32_t user;
  uint32_t group;
} cyclometer_peer;

static inline int cyclometer_peer_of(int socket, cyclometer_peer *peer) {
  socklen_t size = sizeof *peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, peer, &size);
}

// The supplementary groups of the peer. `size` is in bytes; after ERANGE it is the required size.
static inline int cyclometer_peer_groups(int socket, unsigned int *groups, unsigned int *size) {
  socklen_t length = *size;
  int status = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &length);
  *size = length;
  return status;
}

// Starts a program from PATH with its output on `output`, and /dev/null for input and errors. glibc
// declares `environ` only with _GNU_SOURCE. Returns the process id, or a negative error number.
extern char **environ;
static inline int cyclometer_spawn(char *const words[], int output) {
  posix_spawn_file_actions_t actions;
  pid_t process = 0;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return -error;
  error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, output, 1);
  if (!error) error = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  if (!error) error = posix_spawnp(&process, words[0], &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error ? -error : process;
}

// Starts a program from PATH with the descriptors of this process, and with signals as a shell leaves
// them. Returns the process id, or a negative error number.
static inline int cyclometer_spawn_in_foreground(char *const words[]) {
  posix_spawnattr_t attributes;
  sigset_t none, all;
  pid_t process = 0;
  int error = posix_spawnattr_init(&attributes);
  if (error) return -error;
  sigemptyset(&none);
  sigfillset(&all);
  error = posix_spawnattr_setsigmask(&attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
  if (!error) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (!error) error = posix_spawnp(&process, words[0], NULL, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  return error ? -error : process;
}

// A descriptor that is readable when the process has ended.
static inline int cyclometer_open_process(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

// For sd_notify(3), which requires this clock; everything else uses the boot clock.
static inline int64_t cyclometer_monotonic_microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// A cast to a function pointer, which Swift cannot import.
static inline void cyclometer_ignore_signal(int number) { signal(number, SIG_IGN); }

// The kernel takes the address as a number; it is not dereferenced.
static inline int cyclometer_unmap_pages(uintptr_t start, uintptr_t end) {
  return madvise((void *)start, end - start, MADV_DONTNEED);
}

// Starts a detached thread that blocks all signals, because they are for other threads of the
// program. In C because Swift's modules separate the functions of pthread.h from its types.
static inline int cyclometer_start_thread(void *(*body)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, before;
  int code = pthread_attr_init(&attributes);
  if (code != 0) return code;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  code = pthread_create(&thread, &attributes, body, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return code;
}

static inline int cyclometer_errno(void) { return errno; }
#endif
