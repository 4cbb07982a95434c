/* Cyclometer's client for C (C99 and POSIX) and C++: one header that needs only the C library.
 *
 *     #define CYCLOMETER_IMPLEMENTATION   // in one file of the program, before any other include
 *     #include "cyclometer.h"
 *
 *     cyclometer *client = cyclometer_open(NULL, "{\"kinds\":[\"heart_rate\"]}");
 *     cyclometer_update update;
 *     while (cyclometer_next(client, &update, -1) != CYCLOMETER_FAILED) {
 *       double bpm;
 *       if (update.what == CYCLOMETER_RECORD && cyclometer_number(cyclometer_member(update.record, "bpm"), &bpm)) ...
 *     }
 *     cyclometer_close(client);
 *
 * If the daemon goes away, the client returns CYCLOMETER_DISCONNECTED, retries until the daemon
 * is back, and resubscribes. Only cyclometer_open and cyclometer_adopt allocate memory. Use a
 * client from one thread. See `man cyclometer-protocol` for the protocol. Licence: Apache-2.0. */
#ifndef CYCLOMETER_H
#define CYCLOMETER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A JSON value, as its begin and end in a line that is known to be valid. In a missing value,
 * both are NULL. Every function accepts a missing value: it has no members and is not a number.
 * Valid until the next call of cyclometer_next. */
typedef struct {
  const char *begin, *end;
} cyclometer_json;

typedef enum {
  CYCLOMETER_NOTHING,      /* the timeout passed */
  CYCLOMETER_CONNECTED,    /* the subscription is active; `record` is `hello`. If
                            * `is_new_instance`, the daemon restarted and `seq` begins at 1 */
  CYCLOMETER_DISCONNECTED, /* see `reason`; no value is current any more. Reported once */
  CYCLOMETER_RECORD,       /* `record`: samples, states, events, and classes of later daemons */
  CYCLOMETER_GAP,          /* `lost` samples of `sensor` and `kind`, reported before the sample that
                            * revealed the gap. Never with max_hz */
  CYCLOMETER_LAG,          /* this client was too slow, and the daemon dropped `lost` samples. They
                            * are in gaps too, unless max_hz is set */
  CYCLOMETER_ANSWER,       /* `record` is the result of `request` */
  CYCLOMETER_REFUSAL,      /* `request` failed; `record` has `code` and `message`, unless the
                            * connection was lost */
  CYCLOMETER_FAILED        /* see `reason`; the client does not retry: different protocol version,
                            * or the daemon refuses the subscription */
} cyclometer_what;

typedef struct {
  cyclometer_what what;
  cyclometer_json record;
  cyclometer_json sensor, kind;
  long long lost;
  long long request;
  int is_new_instance;
  const char *reason;
} cyclometer_update;

typedef struct cyclometer cyclometer;

/* `path` is the control socket; NULL means $CYCLOMETER_SOCKET, or the socket of an installed
 * daemon. If the client cannot connect to it, it uses metrics.sock in the same directory.
 * `subscription` has the parameters of `subscribe`; NULL means everything. Nothing is sent yet.
 * Returns NULL and sets errno if memory runs out (ENOMEM), or if the parameters are not a JSON
 * object of at most 60,000 bytes (EINVAL). */
cyclometer *cyclometer_open(const char *path, const char *subscription);
void cyclometer_close(cyclometer *client);

/* Waits up to `timeout_ms` for the next update; -1 waits forever. Returns `update->what`. */
cyclometer_what cyclometer_next(cyclometer *client, cyclometer_update *update, int timeout_ms);

/* For your own poll loop: the descriptor (-1 if there is none now), its events (POLLIN, POLLOUT),
 * and the timeout in milliseconds (-1: no timeout). After poll, call cyclometer_next(client,
 * &update, 0) until it returns CYCLOMETER_NOTHING. */
int cyclometer_fd(const cyclometer *client);
short cyclometer_events(const cyclometer *client);
int cyclometer_timeout(const cyclometer *client);

/* Sends a request without waiting. Returns its number, which CYCLOMETER_ANSWER or
 * CYCLOMETER_REFUSAL has as `request`. At most 32 can be pending. `params` is JSON, or NULL. On
 * failure, returns -1 and sets errno: ENOTCONN, EINVAL (not JSON), EMSGSIZE (longer than the
 * protocol allows), or EAGAIN (call cyclometer_next first). */
long long cyclometer_send(cyclometer *client, const char *method, const char *params);

/* Sets the subscription of later connections. Call it after the answer to your own `subscribe`.
 * Returns 0, or -1 with errno as cyclometer_open does. */
int cyclometer_adopt(cyclometer *client, const char *subscription);

/* The current value, for a display. Pass every update to cyclometer_live_update. Send `sensors`
 * after each CYCLOMETER_CONNECTED and each `subscribe` of your own, because a value of a snapshot
 * is current only if the state of its sensor is known.
 *
 * A value is current if the client is connected, the state of the sensor is `streaming`, and the
 * age is within the limit of the kind, `stale_after_ms` of the answer to `sensors`. The ride has the
 * state of the sensor that the sample names as its source. */
typedef struct {
  char sensor[72], source[72], state[24];
  int has_value;
  double value;
  long long measured_ms; /* on a clock that also counts while the computer sleeps */
} cyclometer_slot;

typedef struct {
  const char *sensor, *kind, *member;
  int is_connected;
  cyclometer_slot ride, other;
  long long ride_limit_ms, other_limit_ms; /* 0: not known; -1: no limit */
} cyclometer_live;

/* `sensor` is an id or "ride"; NULL means the ride's value, or the newest of any sensor if the
 * ride has no current value. The strings are not copied. */
void cyclometer_live_begin(cyclometer_live *live, const char *sensor, const char *kind, const char *member);
void cyclometer_live_update(cyclometer_live *live, const cyclometer_update *update);
/* Returns 1 and stores the value if it is current, otherwise 0. `age_ms` is the age of the last
 * value, current or not, or -1 if there is none. `state` is the state of the sensor,
 * `disconnected` or `unknown`. `age_ms` and `state` may be NULL. */
int cyclometer_live_value(const cyclometer_live *live, double *value, long long *age_ms, const char **state);

/* Reading JSON. If a name occurs more than once, the last member counts. */
cyclometer_json cyclometer_parse(const char *text, size_t length); /* missing if not valid JSON in UTF-8 */
cyclometer_json cyclometer_member(cyclometer_json object, const char *name);
/* The first element of an array or name of an object; the next one; the value of a name. */
cyclometer_json cyclometer_first(cyclometer_json container);
cyclometer_json cyclometer_after(cyclometer_json container, cyclometer_json element);
cyclometer_json cyclometer_value(cyclometer_json object, cyclometer_json name);
/* Return 1 and store the value, or 0 if the type is different. */
int cyclometer_number(cyclometer_json json, double *number);
int cyclometer_integer(cyclometer_json json, long long *number);
int cyclometer_boolean(cyclometer_json json, int *boolean);
/* Returns 1 if it is a string and equal to `text`. */
int cyclometer_is(cyclometer_json json, const char *text);
/* Copies a string with a terminating zero byte and returns its length. Returns -1 and an empty
 * buffer if it is not a string or does not fit. */
int cyclometer_copy(cyclometer_json json, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif

#ifdef CYCLOMETER_IMPLEMENTATION
#ifndef CYCLOMETER_IMPLEMENTED
#define CYCLOMETER_IMPLEMENTED

#if !defined _POSIX_C_SOURCE && !defined _GNU_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CYC_LINE 65536
#define CYC_DEPTH 64
#define CYC_COUNTERS 256 /* pairs of sensor and kind whose `seq` is tracked; a power of two */
#define CYC_OPEN 32
#define CYC_TIMEOUT_MS 10000
#define CYC_FIRST_PAUSE_MS 250
#define CYC_LONGEST_PAUSE_MS 4000

/* ---- JSON. Each function returns a pointer past what it parsed, or NULL if it is invalid. */

static const cyclometer_json cyc_missing = {NULL, NULL};

static const char *cyc_space(const char *p, const char *end) {
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) p++;
  return p;
}

static const char *cyc_digits(const char *p, const char *end) {
  const char *begin = p;
  while (p < end && *p >= '0' && *p <= '9') p++;
  return p > begin ? p : NULL;
}

static const char *cyc_skip_number(const char *p, const char *end) {
  if (p < end && *p == '-') p++;
  if (p < end && *p == '0') p++;
  else if (!(p = cyc_digits(p, end))) return NULL;
  if (p < end && *p == '.' && !(p = cyc_digits(p + 1, end))) return NULL;
  if (p < end && (*p == 'e' || *p == 'E')) {
    p++;
    if (p < end && (*p == '+' || *p == '-')) p++;
    p = cyc_digits(p, end);
  }
  return p;
}

static long cyc_hex4(const char *p, const char *end) {
  long value = 0;
  if (end - p < 4) return -1;
  for (int i = 0; i < 4; i++) {
    int digit = p[i] >= '0' && p[i] <= '9' ? p[i] - '0' : p[i] >= 'a' && p[i] <= 'f' ? p[i] - 'a' + 10
              : p[i] >= 'A' && p[i] <= 'F' ? p[i] - 'A' + 10 : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

static int cyc_put_utf8(long code, unsigned char out[4]) {
  if (code < 0x80) return out[0] = (unsigned char)code, 1;
  if (code < 0x800) return out[0] = (unsigned char)(0xc0 | code >> 6), out[1] = (unsigned char)(0x80 | (code & 63)), 2;
  int count = code < 0x10000 ? 3 : 4;
  for (int i = count - 1; i > 0; i--, code >>= 6) out[i] = (unsigned char)(0x80 | (code & 63));
  out[0] = (unsigned char)((count == 3 ? 0xe0 : 0xf0) | code);
  return count;
}

/* One non-ASCII character of UTF-8. */
static const char *cyc_utf8(const char *p, const char *end, unsigned char out[4], int *count) {
  unsigned char first = (unsigned char)*p;
  int length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (length == 0 || end - p < length) return NULL;
  for (int i = 0; i < length; i++) {
    out[i] = (unsigned char)p[i];
    if (i > 0 && (out[i] & 0xc0) != 0x80) return NULL;
  }
  /* Overlong forms, surrogates, and values above U+10FFFF. */
  if ((first == 0xe0 && out[1] < 0xa0) || (first == 0xed && out[1] > 0x9f)) return NULL;
  if ((first == 0xf0 && out[1] < 0x90) || (first == 0xf4 && out[1] > 0x8f)) return NULL;
  *count = length;
  return p + length;
}

static const char *cyc_escape(const char *p, const char *end, unsigned char out[4], int *count) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  if (end - p < 2) return NULL;
  if (p[1] == 'u') {
    long code = cyc_hex4(p + 2, end), low;
    if (code < 0 || (code >= 0xdc00 && code <= 0xdfff)) return NULL;
    p += 6;
    if (code >= 0xd800 && code <= 0xdbff) {
      if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return NULL;
      low = cyc_hex4(p + 2, end);
      if (low < 0xdc00 || low > 0xdfff) return NULL;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      p += 6;
    }
    *count = cyc_put_utf8(code, out);
    return p;
  }
  const char *found = p[1] ? strchr(from, p[1]) : NULL;
  if (!found) return NULL;
  out[0] = (unsigned char)to[found - from];
  *count = 1;
  return p + 2;
}

/* One character inside a string, as UTF-8. */
static const char *cyc_character(const char *p, const char *end, unsigned char out[4], int *count) {
  if (p >= end || (unsigned char)*p < 0x20) return NULL;
  if (*p == '\\') return cyc_escape(p, end, out, count);
  if ((unsigned char)*p >= 0x80) return cyc_utf8(p, end, out, count);
  out[0] = (unsigned char)*p;
  *count = 1;
  return p + 1;
}

static const char *cyc_skip_string(const char *p, const char *end) {
  unsigned char out[4];
  int count;
  if (p >= end || *p != '"') return NULL;
  p++;
  while (p && p < end && *p != '"') p = cyc_character(p, end, out, &count);
  return p && p < end ? p + 1 : NULL;
}

static const char *cyc_skip(const char *p, const char *end, int depth);

/* A name, the colon, and the space after it. */
static const char *cyc_skip_name(const char *p, const char *end) {
  p = cyc_skip_string(p, end);
  if (!p) return NULL;
  p = cyc_space(p, end);
  return p < end && *p == ':' ? cyc_space(p + 1, end) : NULL;
}

static const char *cyc_skip_container(const char *p, const char *end, int depth) {
  int is_object = *p == '{';
  char close = is_object ? '}' : ']';
  if (depth == 0) return NULL;
  p = cyc_space(p + 1, end);
  if (p < end && *p == close) return p + 1;
  for (;;) {
    if (is_object && !(p = cyc_skip_name(p, end))) return NULL;
    p = cyc_skip(p, end, depth - 1);
    if (!p) return NULL;
    p = cyc_space(p, end);
    if (p < end && *p == close) return p + 1;
    if (p >= end || *p != ',') return NULL;
    p = cyc_space(p + 1, end);
  }
}

static const char *cyc_word(const char *p, const char *end, const char *word) {
  size_t length = strlen(word);
  return (size_t)(end - p) >= length && memcmp(p, word, length) == 0 ? p + length : NULL;
}

static const char *cyc_skip(const char *p, const char *end, int depth) {
  if (p >= end) return NULL;
  switch (*p) {
    case '{': case '[': return cyc_skip_container(p, end, depth);
    case '"': return cyc_skip_string(p, end);
    case 't': return cyc_word(p, end, "true");
    case 'f': return cyc_word(p, end, "false");
    case 'n': return cyc_word(p, end, "null");
    default: return cyc_skip_number(p, end);
  }
}

static cyclometer_json cyc_at(const char *p, const char *end) {
  cyclometer_json json;
  json.begin = p;
  json.end = p ? cyc_skip(p, end, CYC_DEPTH) : NULL;
  return json.end ? json : cyc_missing;
}

static int cyc_begins(cyclometer_json json, char first) {
  return json.begin && json.begin < json.end && *json.begin == first;
}

cyclometer_json cyclometer_parse(const char *text, size_t length) {
  cyclometer_json json = cyc_at(cyc_space(text, text + length), text + length);
  return json.begin && cyc_space(json.end, text + length) == text + length ? json : cyc_missing;
}

cyclometer_json cyclometer_first(cyclometer_json container) {
  if (!cyc_begins(container, '{') && !cyc_begins(container, '[')) return cyc_missing;
  return cyc_at(cyc_space(container.begin + 1, container.end), container.end); /* or missing */
}

cyclometer_json cyclometer_value(cyclometer_json object, cyclometer_json name) {
  return cyc_begins(object, '{') && name.begin ? cyc_at(cyc_skip_name(name.begin, object.end), object.end) : cyc_missing;
}

cyclometer_json cyclometer_after(cyclometer_json container, cyclometer_json element) {
  if (cyc_begins(container, '{')) element = cyclometer_value(container, element);
  if (!container.begin || !element.begin) return cyc_missing;
  const char *p = cyc_space(element.end, container.end);
  return p < container.end && *p == ',' ? cyc_at(cyc_space(p + 1, container.end), container.end) : cyc_missing;
}

cyclometer_json cyclometer_member(cyclometer_json object, const char *name) {
  cyclometer_json found = cyc_missing;
  if (!cyc_begins(object, '{')) return found;
  for (cyclometer_json each = cyclometer_first(object); each.begin; each = cyclometer_after(object, each))
    if (cyclometer_is(each, name)) found = cyclometer_value(object, each);
  return found;
}

int cyclometer_is(cyclometer_json json, const char *text) {
  unsigned char out[4];
  int count;
  if (!cyc_begins(json, '"')) return 0;
  for (const char *p = json.begin + 1; *p != '"';) {
    p = cyc_character(p, json.end, out, &count);
    if (!p) return 0;
    for (int i = 0; i < count; i++, text++)
      if (!*text || (unsigned char)*text != out[i]) return 0;
  }
  return *text == 0;
}

int cyclometer_copy(cyclometer_json json, char *buffer, size_t size) {
  unsigned char out[4];
  int count;
  size_t length = 0;
  if (size > 0) buffer[0] = 0;
  if (!cyc_begins(json, '"') || size == 0) return -1;
  for (const char *p = json.begin + 1; *p != '"'; length += (size_t)count) {
    p = cyc_character(p, json.end, out, &count);
    if (!p || length + (size_t)count >= size) return buffer[0] = 0, -1;
    memcpy(buffer + length, out, (size_t)count);
  }
  buffer[length] = 0;
  return (int)length;
}

int cyclometer_boolean(cyclometer_json json, int *boolean) {
  if (!cyc_begins(json, 't') && !cyc_begins(json, 'f')) return 0;
  *boolean = *json.begin == 't';
  return 1;
}

int cyclometer_integer(cyclometer_json json, long long *number) {
  const char *p = json.begin;
  long long value = 0;
  if (!p) return 0;
  int sign = *p == '-' ? -1 : 1;
  if (sign < 0) p++;
  if (p >= json.end) return 0;
  for (; p < json.end; p++) {
    int digit = *p - '0';
    if (digit < 0 || digit > 9 || value > (LLONG_MAX - digit) / 10) return 0;
    value = value * 10 + digit;
  }
  *number = sign * value;
  return 1;
}

/* strtod would depend on the locale. Exact up to 15 digits; beyond that, the last bits may
 * differ. */
int cyclometer_number(cyclometer_json json, double *number) {
  const char *p = json.begin;
  double value = 0, scale = 1;
  int power = 0, written = 0, sign = 1;
  if (!p || (*p != '-' && (*p < '0' || *p > '9'))) return 0;
  int is_negative = *p == '-';
  if (is_negative) p++;
  for (int behind = 0; p < json.end && *p != 'e' && *p != 'E'; p++) {
    if (*p == '.') { behind = 1; continue; }
    if (value < 1e17) {
      value = value * 10 + (*p - '0');
      power -= behind;
    } else power += !behind;
  }
  if (p < json.end) {
    p++;
    if (*p == '-' || *p == '+') sign = *p++ == '-' ? -1 : 1;
    for (; p < json.end; p++) written = written < 100000 ? written * 10 + (*p - '0') : written;
  }
  power += sign * written;
  /* Beyond these limits, the value is 0 or does not fit a double. */
  if (power > 400) power = 400;
  if (power < -400) power = -400;
  for (int i = power < 0 ? -power : power; i > 0; i--) {
    scale *= 10;
    if (i % 300 == 1) { value = power < 0 ? value / scale : value * scale; scale = 1; }
  }
  if (value > 1.7976931348623157e308) return 0;
  *number = is_negative ? -value : value;
  return 1;
}

/* ---- The client. */

typedef enum { CYC_AWAY, CYC_GREETING, CYC_SUBSCRIBING, CYC_FOLLOWING, CYC_FAILED } cyc_stage;

struct cyclometer {
  cyc_stage stage;
  int fd;
  long long moment; /* AWAY: next attempt. GREETING, SUBSCRIBING: deadline. FOLLOWING: start */
  int pause_ms;
  int was_said;     /* CYCLOMETER_DISCONNECTED was returned */
  int is_limited;   /* max_hz is set: holes in `seq` are expected */
  int is_new, has_instance, is_held;
  long long last_request, subscribing;
  long long open[CYC_OPEN];
  int open_count, lost_count; /* the first `lost_count` of `open` failed and are not reported yet */
  struct { uint64_t source; long long number; } counters[CYC_COUNTERS];
  int counter_count;
  char instance[128];
  char reason[256], last_words[256];
  char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
  char *subscription;
  size_t in_begin, in_end, out_begin, out_end, hello_length;
  char in[2 * (CYC_LINE + 2)];
  char out[CYC_LINE + 1];
  char hello[4096]; /* kept until the subscription is active, for CYCLOMETER_CONNECTED */
};

static long long cyc_read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static long long cyc_now(void) { return cyc_read_clock(CLOCK_MONOTONIC); }

static void cyc_forget(cyclometer *c) {
  c->counter_count = 0;
  memset(c->counters, 0, sizeof c->counters);
}

int cyclometer_adopt(cyclometer *c, const char *subscription) {
  const char *text = subscription ? subscription : "{}";
  size_t length = strlen(text);
  cyclometer_json json = cyclometer_parse(text, length);
  if (length > 60000 || !cyc_begins(json, '{') || strchr(text, '\n')) return errno = EINVAL, -1;
  char *copy = (char *)malloc(length + 1);
  if (!copy) return -1;
  memcpy(copy, text, length + 1);
  free(c->subscription);
  c->subscription = copy;
  c->is_limited = cyclometer_member(json, "max_hz").begin != NULL;
  cyc_forget(c);
  return 0;
}

cyclometer *cyclometer_open(const char *path, const char *subscription) {
  cyclometer *c = (cyclometer *)calloc(1, sizeof *c);
  if (!c) return NULL;
  if (!path) path = getenv("CYCLOMETER_SOCKET");
  if (!path || !*path) path = "/run/cyclometer/control.sock";
  c->fd = -1;
  c->moment = cyc_now();
  c->pause_ms = CYC_FIRST_PAUSE_MS;
  if (strlen(path) >= sizeof c->path) errno = ENAMETOOLONG;
  else if (cyclometer_adopt(c, subscription) == 0) return memcpy(c->path, path, strlen(path) + 1), c;
  free(c);
  return NULL;
}

void cyclometer_close(cyclometer *c) {
  if (!c) return;
  if (c->fd >= 0) close(c->fd);
  free(c->subscription);
  free(c);
}

int cyclometer_fd(const cyclometer *c) { return c->fd; }

short cyclometer_events(const cyclometer *c) { return (short)(POLLIN | (c->out_end > c->out_begin ? POLLOUT : 0)); }

int cyclometer_timeout(const cyclometer *c) {
  if (c->stage == CYC_FOLLOWING) return -1;
  long long left = c->moment - cyc_now();
  return c->stage == CYC_FAILED || left < 0 ? 0 : (int)left;
}

/* Handles a lost or failed connection. A retry follows, unless it would fail the same way. */
static void cyc_lose(cyclometer *c, const char *reason, int is_for_good) {
  char text[sizeof c->reason];
  snprintf(text, sizeof text, "%s", c->last_words[0] ? c->last_words : reason);
  memcpy(c->reason, text, sizeof text);
  if (c->stage == CYC_FOLLOWING && cyc_now() - c->moment >= CYC_LONGEST_PAUSE_MS) c->pause_ms = CYC_FIRST_PAUSE_MS;
  if (c->fd >= 0) close(c->fd);
  c->fd = -1;
  c->stage = is_for_good ? CYC_FAILED : CYC_AWAY;
  c->moment = cyc_now() + c->pause_ms;
  c->pause_ms = c->pause_ms * 2 > CYC_LONGEST_PAUSE_MS ? CYC_LONGEST_PAUSE_MS : c->pause_ms * 2;
  c->lost_count = c->open_count;
  c->is_held = 0;
  c->in_begin = c->in_end = c->out_begin = c->out_end = 0;
  c->last_words[0] = 0;
}

static int cyc_dial(cyclometer *c, const char *path) {
  struct sockaddr_un address;
  if (strlen(path) >= sizeof address.sun_path) return errno = ENAMETOOLONG, -1;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path, strlen(path) + 1);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return -1;
  /* Non-blocking, because connect would wait while the daemon is too busy to accept. */
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0 &&
      connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
    c->fd = fd;
    return 0;
  }
  int code = errno;
  close(fd);
  return errno = code, -1;
}

static void cyc_connect(cyclometer *c) {
  char text[sizeof c->reason], beside[sizeof c->path + 16];
  if (cyc_dial(c, c->path) < 0) {
    int code = errno;
    const char *slash = strrchr(c->path, '/');
    snprintf(beside, sizeof beside, "%.*smetrics.sock", slash ? (int)(slash - c->path + 1) : 0, c->path);
    if (cyc_dial(c, beside) < 0) {
      /* Prefer "permission denied": it shows that a daemon is there. */
      snprintf(text, sizeof text, "%s: %s", c->path, strerror(errno == EACCES ? errno : code));
      cyc_lose(c, text, 0);
      return;
    }
  }
  c->stage = CYC_GREETING;
  c->moment = cyc_now() + CYC_TIMEOUT_MS;
}

static void cyc_flush(cyclometer *c) {
  while (c->fd >= 0 && c->out_begin < c->out_end) {
    ssize_t count = send(c->fd, c->out + c->out_begin, c->out_end - c->out_begin, MSG_NOSIGNAL);
    if (count > 0) c->out_begin += (size_t)count;
    else if (count < 0 && errno == EAGAIN) return;
    else if (count < 0 && errno != EINTR) break; /* reading returns pending records, then the error */
  }
  c->out_begin = c->out_end = 0;
}

/* Queues a request. Returns its number, or -1 with errno. */
static long long cyc_ask(cyclometer *c, const char *method, const char *params) {
  if (c->out_begin > 0) {
    memmove(c->out, c->out + c->out_begin, c->out_end - c->out_begin);
    c->out_end -= c->out_begin;
    c->out_begin = 0;
  }
  size_t room = sizeof c->out - c->out_end;
  int length = snprintf(c->out + c->out_end, room, "{\"id\":%lld,\"method\":\"%s\"%s%s}\n", c->last_request + 1, method,
                        params ? ",\"params\":" : "", params ? params : "");
  if (length < 0 || (size_t)length > CYC_LINE + 1) return errno = EMSGSIZE, -1;
  if ((size_t)length >= room) return errno = EAGAIN, -1;
  c->out_end += (size_t)length;
  c->last_request++;
  cyc_flush(c);
  return c->last_request;
}

long long cyclometer_send(cyclometer *c, const char *method, const char *params) {
  if (c->stage != CYC_FOLLOWING) return errno = ENOTCONN, -1;
  if (strpbrk(method, "\"\\\n") || (params && (strchr(params, '\n') || !cyclometer_parse(params, strlen(params)).begin)))
    return errno = EINVAL, -1;
  if (c->open_count == CYC_OPEN) return errno = EAGAIN, -1;
  long long number = cyc_ask(c, method, params);
  if (number > 0) c->open[c->open_count++] = number;
  return number;
}

static int cyc_was_open(cyclometer *c, long long number) {
  for (int i = 0; i < c->open_count; i++) {
    if (c->open[i] != number) continue;
    memmove(c->open + i, c->open + i + 1, sizeof c->open[0] * (size_t)(--c->open_count - i));
    return 1;
  }
  return 0;
}

/* Returns how many samples were lost before this one. A smaller number is not a loss, because
 * snapshots repeat samples, and a new instance begins at 1. Sources are stored as 64-bit hashes,
 * which needs no allocation. */
static long long cyc_lost_before(cyclometer *c, cyclometer_json sensor, cyclometer_json kind, cyclometer_json seq) {
  uint64_t source = 14695981039346656037u;
  long long number;
  if (!cyc_begins(sensor, '"') || !cyc_begins(kind, '"') || !cyclometer_integer(seq, &number) || number < 1) return 0;
  for (const char *p = sensor.begin; p < sensor.end; p++) source = (source ^ (unsigned char)*p) * 1099511628211u;
  for (const char *p = kind.begin; p < kind.end; p++) source = (source ^ (unsigned char)*p) * 1099511628211u;
  for (int i = 0; i < CYC_COUNTERS; i++) {
    size_t slot = (size_t)((source + (uint64_t)i) % CYC_COUNTERS);
    long long last = c->counters[slot].number;
    if (last != 0 && c->counters[slot].source != source) continue;
    /* One slot stays free, so that the search ends. */
    if (last == 0 && ++c->counter_count >= CYC_COUNTERS) return c->counter_count--, 0;
    c->counters[slot].source = source;
    c->counters[slot].number = number;
    return last != 0 && number - 1 > last ? number - 1 - last : 0;
  }
  return 0;
}

static cyclometer_what cyc_fill(cyclometer_update *update, cyclometer_what what, cyclometer_json record) {
  update->what = what;
  update->record = record;
  return what;
}

/* Ends the connection with the message of an `error` record. */
static void cyc_refused(cyclometer *c, cyclometer_json record) {
  static const char *const passing[] = {"adapter_unavailable", "busy", "internal", "not_connected", "timeout", "too_many"};
  char text[sizeof c->reason];
  int passes = 0;
  cyclometer_json code = cyclometer_member(record, "code");
  for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++) passes |= cyclometer_is(code, passing[i]);
  if (cyclometer_copy(cyclometer_member(record, "message"), text, sizeof text) < 0) strcpy(text, "the daemon refused");
  cyc_lose(c, text, !passes);
}

static void cyc_greeted(cyclometer *c, cyclometer_json record) {
  char version[16];
  if (cyclometer_is(cyclometer_member(record, "class"), "error")) { cyc_refused(c, record); return; }
  if (!cyclometer_is(cyclometer_member(record, "class"), "hello") ||
      cyclometer_copy(cyclometer_member(record, "protocol"), version, sizeof version) < 0 ||
      cyclometer_copy(cyclometer_member(record, "instance"), c->hello, sizeof c->instance) < 0) {
    cyc_lose(c, "the program at this socket is not cyclometerd", 1);
    return;
  }
  if (strncmp(version, "1.", 2) != 0) { cyc_lose(c, "the daemon speaks another version of the protocol", 1); return; }
  c->is_new = c->has_instance && strcmp(c->instance, c->hello) != 0;
  memcpy(c->instance, c->hello, sizeof c->instance);
  c->has_instance = 1;
  c->hello_length = (size_t)(record.end - record.begin);
  if (c->hello_length > sizeof c->hello) { cyc_lose(c, "the daemon's hello record is too long", 1); return; }
  memcpy(c->hello, record.begin, c->hello_length);
  c->stage = CYC_SUBSCRIBING;
  c->subscribing = cyc_ask(c, "subscribe", c->subscription);
}

static cyclometer_what cyc_subscribed(cyclometer *c, cyclometer_json record, cyclometer_update *update) {
  long long number = 0;
  if (cyclometer_is(cyclometer_member(record, "class"), "error")) return cyc_refused(c, record), CYCLOMETER_NOTHING;
  if (!cyclometer_is(cyclometer_member(record, "class"), "reply")) return CYCLOMETER_NOTHING;
  if (!cyclometer_integer(cyclometer_member(record, "id"), &number) || number != c->subscribing) return CYCLOMETER_NOTHING;
  c->stage = CYC_FOLLOWING;
  c->moment = cyc_now();
  c->was_said = 0;
  if (c->is_new) cyc_forget(c);
  update->is_new_instance = c->is_new;
  return cyc_fill(update, CYCLOMETER_CONNECTED, cyclometer_parse(c->hello, c->hello_length));
}

static cyclometer_what cyc_digest(cyclometer *c, cyclometer_json record, cyclometer_update *update) {
  cyclometer_json class_name = cyclometer_member(record, "class");
  if (cyclometer_is(class_name, "sample") && !c->is_limited) {
    update->sensor = cyclometer_member(record, "sensor");
    update->kind = cyclometer_member(record, "kind");
    update->lost = cyc_lost_before(c, update->sensor, update->kind, cyclometer_member(record, "seq"));
    if (update->lost > 0) {
      c->is_held = 1; /* the line stays in the buffer and is returned next */
      return cyc_fill(update, CYCLOMETER_GAP, record);
    }
  } else if (cyclometer_is(class_name, "lag")) {
    if (!cyclometer_integer(cyclometer_member(record, "dropped"), &update->lost)) update->lost = 0;
    return cyc_fill(update, CYCLOMETER_LAG, record);
  } else if (cyclometer_is(class_name, "reply") || cyclometer_is(class_name, "error")) {
    int is_reply = cyclometer_is(class_name, "reply");
    cyclometer_json id = cyclometer_member(record, "id");
    if (!is_reply && !id.begin) cyclometer_copy(cyclometer_member(record, "message"), c->last_words, sizeof c->last_words);
    if (!cyclometer_integer(id, &update->request) || !cyc_was_open(c, update->request)) return CYCLOMETER_NOTHING;
    return cyc_fill(update, is_reply ? CYCLOMETER_ANSWER : CYCLOMETER_REFUSAL, is_reply ? cyclometer_member(record, "result") : record);
  }
  return cyc_fill(update, CYCLOMETER_RECORD, record);
}

/* The next complete line, without its line feed. Returns 0 if there is none. */
static int cyc_line(cyclometer *c, const char **line, size_t *length) {
  const char *begin = c->in + c->in_begin;
  const char *end = (const char *)memchr(begin, '\n', c->in_end - c->in_begin);
  size_t piece = end ? (size_t)(end - begin) : c->in_end - c->in_begin;
  size_t counted = piece > 0 && begin[piece - 1] == '\r' ? piece - 1 : piece;
  if (counted > CYC_LINE) { cyc_lose(c, "the daemon sent a longer line than the protocol allows", c->stage != CYC_FOLLOWING); return 0; }
  if (!end) return 0;
  *line = begin;
  *length = counted;
  c->in_begin += piece + 1;
  return 1;
}

static cyclometer_what cyc_take(cyclometer *c, cyclometer_update *update) {
  const char *line;
  size_t length;
  while (cyc_line(c, &line, &length)) {
    cyclometer_json record = cyclometer_parse(line, length);
    cyclometer_what what = CYCLOMETER_NOTHING;
    if (!cyc_begins(record, '{')) continue;
    memset(update, 0, sizeof *update);
    switch (c->stage) {
      case CYC_GREETING: cyc_greeted(c, record); break;
      case CYC_SUBSCRIBING: what = cyc_subscribed(c, record, update); break;
      case CYC_FOLLOWING: what = cyc_digest(c, record, update); break;
      case CYC_AWAY: case CYC_FAILED: break;
    }
    if (what == CYCLOMETER_GAP) c->in_begin = (size_t)(line - c->in);
    if (what != CYCLOMETER_NOTHING) return what;
  }
  return CYCLOMETER_NOTHING;
}

/* Reads available bytes. Returns 0 if there are none. */
static int cyc_read(cyclometer *c) {
  if (c->in_begin > 0) memmove(c->in, c->in + c->in_begin, c->in_end - c->in_begin);
  c->in_end -= c->in_begin;
  c->in_begin = 0;
  ssize_t count;
  do count = read(c->fd, c->in + c->in_end, sizeof c->in - c->in_end);
  while (count < 0 && errno == EINTR);
  if (count > 0) c->in_end += (size_t)count;
  else if (count == 0) cyc_lose(c, "the daemon closed the connection", 0);
  else if (errno == EAGAIN) return 0;
  else cyc_lose(c, strerror(errno), 0);
  return 1;
}

/* Reports the failed requests of a lost connection, and then the loss. */
static cyclometer_what cyc_mourn(cyclometer *c, cyclometer_update *update) {
  if (c->lost_count > 0) {
    update->request = c->open[0];
    cyc_was_open(c, c->open[0]);
    c->lost_count--;
    return cyc_fill(update, CYCLOMETER_REFUSAL, cyc_missing);
  }
  update->reason = c->reason;
  if (c->stage == CYC_FAILED) return cyc_fill(update, CYCLOMETER_FAILED, cyc_missing);
  if (c->stage != CYC_AWAY || c->was_said || !c->reason[0]) return CYCLOMETER_NOTHING;
  c->was_said = 1;
  return cyc_fill(update, CYCLOMETER_DISCONNECTED, cyc_missing);
}

/* The next update that is available without waiting. */
static cyclometer_what cyc_step(cyclometer *c, cyclometer_update *update) {
  for (;;) {
    memset(update, 0, sizeof *update);
    cyclometer_what what = cyc_mourn(c, update);
    if (what != CYCLOMETER_NOTHING) return what;
    if (c->stage == CYC_AWAY) {
      if (cyc_now() < c->moment) return CYCLOMETER_NOTHING;
      cyc_connect(c);
      continue;
    }
    what = cyc_take(c, update);
    if (what != CYCLOMETER_NOTHING) return what;
    if (c->fd < 0) continue;
    cyc_flush(c);
    if (cyc_read(c)) continue;
    if (c->stage == CYC_FOLLOWING || cyc_now() < c->moment) return CYCLOMETER_NOTHING;
    cyc_lose(c, "the daemon did not answer in time", 0);
  }
}

cyclometer_what cyclometer_next(cyclometer *c, cyclometer_update *update, int timeout_ms) {
  long long deadline = timeout_ms < 0 ? LLONG_MAX : cyc_now() + timeout_ms;
  if (c->is_held) { /* the sample after the gap that was reported */
    const char *line;
    size_t length;
    c->is_held = 0;
    memset(update, 0, sizeof *update);
    if (cyc_line(c, &line, &length)) return cyc_fill(update, CYCLOMETER_RECORD, cyclometer_parse(line, length));
  }
  for (;;) {
    cyclometer_what what = cyc_step(c, update);
    long long left = deadline - cyc_now();
    int wait = cyclometer_timeout(c);
    struct pollfd entry;
    if (what != CYCLOMETER_NOTHING || left <= 0) return what;
    if (timeout_ms >= 0 && (wait < 0 || wait > left)) wait = (int)left;
    entry.fd = c->fd;
    entry.events = cyclometer_events(c);
    poll(&entry, 1, wait);
  }
}

/* ---- The current value */

/* The age in milliseconds up to which a sample is current; -1: no limit. Used until the daemon has
 * sent `stale_after_ms`. */
static const struct { const char *kind; int limit_ms; } cyc_limits[] = {
  {"heart_rate", 5000}, {"speed", 3000}, {"cadence", 3000}, {"power", 3000}, {"radar", 1500}, {"trainer", 3000}, {"rowing", 3000},
  {"oxygen", 5000}, {"tire_pressure", 900000}, {"body_temperature", 10000}, {"muscle_oxygen", 10000}, {"ecg", 5000},
  {"acceleration", 5000}, {"position", 5000}, {"hrv", 10000}, {"battery", -1}, {"environment", -1}, {"trainer_status", -1},
  {"wheel", -1}, {"bike", -1},
};
#define CYC_DEFAULT_LIMIT_MS 5000
#define CYC_RECEIVER "gps" /* the only source that is not a sensor; it has no state */
#ifdef CLOCK_BOOTTIME
#define CYC_AGE_CLOCK CLOCK_BOOTTIME
#else
#define CYC_AGE_CLOCK CLOCK_MONOTONIC
#endif

/* Ages include the time in which the computer sleeps; deadlines do not. */
static long long cyc_boot_now(void) { return cyc_read_clock(CYC_AGE_CLOCK); }

static void cyc_set_state(cyclometer_slot *slot, const char *sensor, const char *state) {
  const char *counts = slot->source[0] ? slot->source : slot->sensor;
  if (counts[0] && strcmp(counts, sensor) == 0) snprintf(slot->state, sizeof slot->state, "%s", state);
}

static void cyc_learn_state(cyclometer_live *live, cyclometer_json sensor, cyclometer_json state) {
  char id[72], text[24];
  if (cyclometer_copy(sensor, id, sizeof id) < 0) return;
  if (cyclometer_copy(state, text, sizeof text) < 0) strcpy(text, "unknown");
  cyc_set_state(&live->ride, id, text);
  cyc_set_state(&live->other, id, text);
}

/* The limit in `owner`, a SENSOR or the object `ride`; -1 if the kind has none there. */
static long long cyc_limit_in(const cyclometer_live *live, cyclometer_json owner) {
  long long limit;
  return cyclometer_integer(cyclometer_member(cyclometer_member(owner, "stale_after_ms"), live->kind), &limit) && limit > 0 ? limit : -1;
}

/* If several sensors have the kind, the longest limit counts. */
static void cyc_learn_limit(cyclometer_live *live, cyclometer_json sensor) {
  cyclometer_json kinds = cyclometer_member(sensor, "kinds");
  long long limit;
  if (!cyclometer_member(sensor, "stale_after_ms").begin) return;
  if (live->sensor && !cyclometer_is(cyclometer_member(sensor, "id"), live->sensor)) return;
  for (cyclometer_json each = cyclometer_first(kinds); each.begin; each = cyclometer_after(kinds, each)) {
    if (!cyclometer_is(each, live->kind)) continue;
    limit = cyc_limit_in(live, sensor);
    if (limit < 0 || (live->other_limit_ms >= 0 && limit > live->other_limit_ms)) live->other_limit_ms = limit;
  }
}

static void cyc_live_sample(cyclometer_live *live, cyclometer_json record) {
  char sensor[72], source[72];
  double value, age = 0;
  long long measured;
  int is_same, has_no_state;
  cyclometer_slot *slot;
  if (!cyclometer_is(cyclometer_member(record, "kind"), live->kind)) return;
  if (cyclometer_copy(cyclometer_member(record, "sensor"), sensor, sizeof sensor) <= 0) return;
  if (live->sensor && strcmp(live->sensor, sensor) != 0) return;
  if (!cyclometer_number(cyclometer_member(record, live->member), &value)) return;
  (void)cyclometer_number(cyclometer_member(record, "age_ms"), &age);
  measured = cyc_boot_now() - (age > 0 && age < 1e15 ? (long long)age : 0);
  slot = strcmp(sensor, "ride") == 0 ? &live->ride : &live->other;
  if (slot->sensor[0] && strcmp(slot->sensor, sensor) != 0 && measured < slot->measured_ms) return;
  if (cyclometer_copy(cyclometer_member(record, "source"), source, sizeof source) < 0) source[0] = 0;
  is_same = strcmp(slot->sensor, sensor) == 0 && strcmp(slot->source, source) == 0;
  /* A value of the ride without a source is derived from several sensors. */
  has_no_state = slot == &live->ride && (!source[0] || strcmp(source, CYC_RECEIVER) == 0);
  /* A live sample shows that the sensor streams, unless a later state contradicts it. */
  if (has_no_state || (age <= 0 && (!is_same || strcmp(slot->state, "unknown") == 0))) strcpy(slot->state, "streaming");
  else if (!is_same) strcpy(slot->state, "unknown");
  memcpy(slot->sensor, sensor, sizeof sensor);
  memcpy(slot->source, source, sizeof source);
  slot->value = value;
  slot->measured_ms = measured;
  slot->has_value = 1;
}

static int cyc_is_current(const cyclometer_live *live, const cyclometer_slot *slot) {
  long long limit = slot == &live->ride ? live->ride_limit_ms : live->other_limit_ms;
  int is_known = limit != 0;
  if (!is_known) limit = CYC_DEFAULT_LIMIT_MS;
  for (size_t i = 0; !is_known && i < sizeof cyc_limits / sizeof *cyc_limits; i++)
    if (strcmp(cyc_limits[i].kind, live->kind) == 0) limit = cyc_limits[i].limit_ms;
  return live->is_connected && slot->has_value && strcmp(slot->state, "streaming") == 0 &&
         (limit < 0 || cyc_boot_now() - slot->measured_ms <= limit);
}

void cyclometer_live_begin(cyclometer_live *live, const char *sensor, const char *kind, const char *member) {
  memset(live, 0, sizeof *live);
  live->sensor = sensor;
  live->kind = kind;
  live->member = member;
}

/* Another sensor may get the same id. */
static void cyc_live_forget(cyclometer_live *live, cyclometer_json id) {
  cyclometer_slot *slots[2];
  slots[0] = &live->ride;
  slots[1] = &live->other;
  for (int i = 0; i < 2; i++)
    if (cyclometer_is(id, slots[i]->sensor) || (slots[i]->source[0] && cyclometer_is(id, slots[i]->source)))
      memset(slots[i], 0, sizeof *slots[i]);
}

void cyclometer_live_update(cyclometer_live *live, const cyclometer_update *update) {
  cyclometer_json record = update->record, sensor = cyclometer_member(record, "sensor");
  switch (update->what) {
    case CYCLOMETER_CONNECTED:
      live->is_connected = 1;
      break;
    case CYCLOMETER_DISCONNECTED:
    case CYCLOMETER_FAILED:
      live->is_connected = 0;
      strcpy(live->ride.state, "unknown"); /* old values are not current after a reconnect */
      strcpy(live->other.state, "unknown");
      live->ride.sensor[0] = live->other.sensor[0] = live->ride.source[0] = live->other.source[0] = 0;
      break;
    case CYCLOMETER_ANSWER: {
      cyclometer_json sensors = cyclometer_member(record, "sensors"), ride = cyclometer_member(record, "ride");
      if (cyclometer_member(ride, "stale_after_ms").begin) live->ride_limit_ms = cyc_limit_in(live, ride);
      if (sensors.begin) live->other_limit_ms = 0;
      for (cyclometer_json each = cyclometer_first(sensors); each.begin; each = cyclometer_after(sensors, each)) {
        cyc_learn_state(live, cyclometer_member(each, "id"), cyclometer_member(each, "state"));
        cyc_learn_limit(live, each);
      }
      break;
    }
    case CYCLOMETER_RECORD:
      if (cyclometer_is(cyclometer_member(record, "class"), "sample")) cyc_live_sample(live, record);
      else if (cyclometer_is(cyclometer_member(record, "class"), "state"))
        cyc_learn_state(live, sensor, cyclometer_member(record, "state"));
      else if (cyclometer_is(cyclometer_member(record, "class"), "sensor")) {
        int is_removed = cyclometer_is(cyclometer_member(record, "change"), "removed");
        cyc_learn_state(live, cyclometer_member(sensor, "id"), is_removed ? cyc_missing : cyclometer_member(sensor, "state"));
        cyc_learn_limit(live, sensor);
        if (is_removed) cyc_live_forget(live, cyclometer_member(sensor, "id"));
      }
      break;
    default: break;
  }
}

int cyclometer_live_value(const cyclometer_live *live, double *value, long long *age_ms, const char **state) {
  const cyclometer_slot *slot = &live->ride;
  if (!cyc_is_current(live, slot) && live->other.has_value) slot = &live->other;
  *value = slot->value;
  if (age_ms) *age_ms = slot->has_value ? cyc_boot_now() - slot->measured_ms : -1;
  if (state) *state = !live->is_connected ? "disconnected" : slot->state[0] ? slot->state : "unknown";
  return cyc_is_current(live, slot);
}

#endif
#endif
