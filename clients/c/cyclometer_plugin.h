/* Cyclometer's helper for plugin programs in C (C99 and POSIX) and C++: decode a sensor of your own.
 * It needs cyclometer.h in the same directory, and only the C library.
 *
 *     #define CYCLOMETER_IMPLEMENTATION   // in one file of the program, before any other include
 *     #include "cyclometer_plugin.h"
 *
 *     static void packet(cyclometer_session *session, const cyclometer_packet *packet) {
 *       if (packet->length != 2) { cyclometer_refuse(session, "bad_length", 0); return; }
 *       cyclometer_sample(session, "environment");
 *       cyclometer_put_number(session, "temperature_c", (packet->value[0] | packet->value[1] << 8) / 100.0);
 *     }
 *
 *     int main(void) {
 *       static const cyclometer_plugin plugin = {.id = "my_thermometer", .packet = packet};
 *       return cyclometer_plugin_run(&plugin, NULL);
 *     }
 *
 * It calls a function of yours for each message of the daemon, and sends the answer when the function
 * returns. If the daemon disconnects the program, cyclometer_plugin_run prints the reason and returns
 * 1. systemd then starts the program again.
 *
 * See docs/sensor-processes.md for the file and the protocol. Licence: Apache-2.0. */
#ifndef CYCLOMETER_PLUGIN_H
#define CYCLOMETER_PLUGIN_H

#include "cyclometer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cyclometer_connection cyclometer_connection;

/* One sensor. Valid until `closed` returns. */
typedef struct {
  void *state;           /* yours: `state_size` bytes, zero at first */
  const char *sensor, *name;
  int is_connected;
  cyclometer_json settings, quirks; /* missing if the daemon sent none; valid until `configured` */
  cyclometer_connection *connection;
} cyclometer_session;

typedef struct {
  const char *name;      /* of its [Packet] in the file */
  const unsigned char *value;
  size_t length;
  double time;           /* seconds on the monotonic clock, when the packet arrived */
} cyclometer_packet;

/* Your program. Functions that are NULL are not called. */
typedef struct {
  const char *id;        /* of the file */
  size_t state_size;     /* of what you keep for each sensor */
  void (*opened)(cyclometer_session *session);
  /* Publishes records, or refuses the packet. */
  void (*packet)(cyclometer_session *session, const cyclometer_packet *packet);
  /* `is_connected` changed. Drop incomplete data; counters stay. */
  void (*linked)(cyclometer_session *session);
  void (*configured)(cyclometer_session *session); /* `settings` or `quirks` changed */
  /* `value` is NULL if the command has none. */
  void (*command)(cyclometer_session *session, const char *name, const double *value);
  void (*tick)(cyclometer_session *session, double time);
  void (*closed)(cyclometer_session *session);
} cyclometer_plugin;

/* Decodes until the daemon disconnects the program, and returns 1. `path` is the daemon's socket; NULL
 * means $CYCLOMETER_PLUGIN_SOCKET, or the socket of an installed daemon. */
int cyclometer_plugin_run(const cyclometer_plugin *plugin, const char *path);

/* Begin a record; the next fields belong to it. In `packet` the record is a sample, an event or a fact.
 * In `command` and `tick` it is an answer. */
void cyclometer_sample(cyclometer_session *session, const char *kind);
void cyclometer_event(cyclometer_session *session, const char *name);
void cyclometer_fact(cyclometer_session *session);
void cyclometer_answer(cyclometer_session *session);

/* Add a field. Inside a list, `name` is NULL. Leave out what is unknown. If a number is infinite or not
 * a number, the packet is refused as out_of_range, and a command fails. */
void cyclometer_put_number(cyclometer_session *session, const char *name, double value);
void cyclometer_put_flag(cyclometer_session *session, const char *name, int value);
void cyclometer_put_text(cyclometer_session *session, const char *name, const char *text); /* UTF-8 */
void cyclometer_begin_list(cyclometer_session *session, const char *name);
void cyclometer_end_list(cyclometer_session *session);
void cyclometer_begin_object(cyclometer_session *session); /* in a list */
void cyclometer_end_object(cyclometer_session *session);

/* In `packet`: the bytes are wrong, beginning with the one at `offset`. Records and writes are dropped.
 * The reasons are bad_encoding, bad_length, empty, not_this_protocol, out_of_range, reserved_value,
 * trailing_bytes, truncated and unknown_frame. */
void cyclometer_refuse(cyclometer_session *session, const char *reason, size_t offset);
/* In `command`: it cannot be done. The user sees the message. */
void cyclometer_fail_command(cyclometer_session *session, const char *message);
/* In `packet`, `command` and `tick`: write 1 to 64 bytes when the function returns. The file has to
 * name the service. */
void cyclometer_write(cyclometer_session *session, const char *service, const char *characteristic, const void *bytes, size_t length);
/* In `packet`, `command` and `tick`: have `tick` called once, after 100 ms to a day. A later call
 * replaces an earlier one. */
void cyclometer_tick_after(cyclometer_session *session, int milliseconds);
/* Writes a line to the daemon's log. It logs 10 a minute. Longer texts than 200 bytes are cut off. */
void cyclometer_log(cyclometer_session *session, const char *text);

#ifdef __cplusplus
}
#endif
#endif

#ifdef CYCLOMETER_IMPLEMENTATION
#ifndef CYCLOMETER_PLUGIN_IMPLEMENTED
#define CYCLOMETER_PLUGIN_IMPLEMENTED

#include <math.h>

#define CYC_PLUGIN_SOCKET "/run/cyclometer/plugin.sock"
#define CYC_PLUGIN_WRITES 8192
#define CYC_PLUGIN_DEPTH 8

/* A text that is built. It is always terminated. */
typedef struct {
  char *text;
  size_t length, size;
} cyc_text;

typedef struct cyc_session {
  cyclometer_session shown;
  long long number;
  struct cyc_session *next;
  char sensor[128], name[256];
  char settings[1024], quirks[512];
} cyc_session;

/* What the function that runs may call. */
typedef enum { CYC_IN_NONE, CYC_IN_PACKET, CYC_IN_COMMAND, CYC_IN_TICK } cyc_place;

struct cyclometer_connection {
  const cyclometer_plugin *plugin;
  int fd;
  cyc_session *sessions;
  cyc_place place;
  cyc_text records, writes;
  int depth, count;                    /* of open records, lists and objects; of records */
  char open[CYC_PLUGIN_DEPTH];         /* the closing brackets */
  char refused[32], failure[256];
  size_t refused_at;
  int is_not_finite, tick_ms;
  const char *misuse;                  /* of these functions, by the program */
  char records_text[CYC_LINE + 1], writes_text[CYC_PLUGIN_WRITES + 1], out[CYC_LINE + 2];
  char in[2 * (CYC_LINE + 2)];
  size_t in_begin, in_end;
  char reason[512];
};

/* ---- Building answers */

static void cyc_append(cyc_text *text, const char *bytes, size_t length) {
  if (length > text->size - text->length) {
    text->size = 0; /* marks it as overflowed */
    text->length = 0;
    return;
  }
  memcpy(text->text + text->length, bytes, length);
  text->length += length;
  text->text[text->length] = 0;
}

static void cyc_append_text(cyc_text *text, const char *more) { cyc_append(text, more, strlen(more)); }

static void cyc_append_string(cyc_text *text, const char *string) {
  char escape[8];
  cyc_append(text, "\"", 1);
  for (const char *p = string; *p; p++) {
    unsigned char byte = (unsigned char)*p;
    if (byte == '"' || byte == '\\') snprintf(escape, sizeof escape, "\\%c", byte);
    else if (byte < 0x20) snprintf(escape, sizeof escape, "\\u%04x", byte);
    else snprintf(escape, sizeof escape, "%c", byte);
    cyc_append_text(text, escape);
  }
  cyc_append(text, "\"", 1);
}

/* The shortest text that is read as the same number. A program may have set a locale whose decimal
 * point is not a dot. */
static void cyc_append_number(cyc_text *text, double value) {
  char digits[40];
  for (int precision = 15; precision <= 17; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (strtod(digits, NULL) == value) break;
  }
  for (char *p = digits; *p; p++)
    if (!strchr("0123456789+-e", *p)) *p = '.';
  cyc_append_text(text, digits);
}

static void cyc_append_integer(cyc_text *text, long long value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%lld", value);
  cyc_append_text(text, digits);
}

static cyc_text cyc_begin_text(char *buffer, size_t size) {
  cyc_text text = {buffer, 0, size};
  buffer[0] = 0;
  return text;
}

static void cyc_clear(cyclometer_connection *c, cyc_place place) {
  c->place = place;
  c->records = cyc_begin_text(c->records_text, sizeof c->records_text - 1);
  c->writes = cyc_begin_text(c->writes_text, sizeof c->writes_text - 1);
  c->depth = c->count = c->is_not_finite = c->tick_ms = 0;
  c->refused[0] = c->failure[0] = 0;
  c->refused_at = 0;
}

static void cyc_misuse(cyclometer_connection *c, const char *what) {
  if (!c->misuse) c->misuse = what;
}

static void cyc_open(cyclometer_connection *c, char opening, char closing) {
  if (c->depth == CYC_PLUGIN_DEPTH) { cyc_misuse(c, "lists and objects are nested too deeply"); return; }
  cyc_append(&c->records, &opening, 1);
  c->open[c->depth++] = closing;
}

static void cyc_close(cyclometer_connection *c, char closing) {
  if (c->depth == 0 || c->open[c->depth - 1] != closing) { cyc_misuse(c, "a list or an object ends that did not begin"); return; }
  cyc_append(&c->records, &closing, 1);
  c->depth--;
}

static void cyc_comma(cyclometer_connection *c) {
  char last = c->records.length ? c->records.text[c->records.length - 1] : '[';
  if (last != '[' && last != '{') cyc_append(&c->records, ",", 1);
}

/* Records that are begun end with the next one. */
static void cyc_end_record(cyclometer_connection *c) {
  while (c->depth > 0) cyc_close(c, c->open[c->depth - 1]);
}

static void cyc_record(cyclometer_session *session, const char *mark, const char *name) {
  cyclometer_connection *c = session->connection;
  int is_answer = strcmp(mark, "answer") == 0;
  if (c->place == CYC_IN_NONE || is_answer == (c->place == CYC_IN_PACKET))
    { cyc_misuse(c, "samples, events and facts belong to packets, and answers to commands and ticks"); return; }
  cyc_end_record(c);
  if (c->count++) cyc_append(&c->records, ",", 1);
  cyc_open(c, '{', '}');
  cyc_append_string(&c->records, mark);
  cyc_append(&c->records, ":", 1);
  if (name) cyc_append_string(&c->records, name);
  else cyc_open(c, '{', '}');
}

void cyclometer_sample(cyclometer_session *session, const char *kind) { cyc_record(session, "sample", kind); }
void cyclometer_event(cyclometer_session *session, const char *name) { cyc_record(session, "event", name); }
void cyclometer_fact(cyclometer_session *session) { cyc_record(session, "fact", NULL); }
void cyclometer_answer(cyclometer_session *session) { cyc_record(session, "answer", NULL); }

/* Returns the text for the value, or NULL. */
static cyc_text *cyc_field(cyclometer_session *session, const char *name) {
  cyclometer_connection *c = session->connection;
  if (c->depth == 0) cyc_misuse(c, "a field comes after the begin of a record");
  else if ((name != NULL) != (c->open[c->depth - 1] == '}')) cyc_misuse(c, "fields have names, and items of lists have none");
  if (c->misuse) return NULL;
  cyc_comma(c);
  if (name) {
    cyc_append_string(&c->records, name);
    cyc_append(&c->records, ":", 1);
  }
  return &c->records;
}

void cyclometer_put_number(cyclometer_session *session, const char *name, double value) {
  if (!isfinite(value)) {
    session->connection->is_not_finite = 1;
    return;
  }
  cyc_text *text = cyc_field(session, name);
  if (text) cyc_append_number(text, value);
}

void cyclometer_put_flag(cyclometer_session *session, const char *name, int value) {
  cyc_text *text = cyc_field(session, name);
  if (text) cyc_append_text(text, value ? "true" : "false");
}

void cyclometer_put_text(cyclometer_session *session, const char *name, const char *value) {
  cyc_text *text = cyc_field(session, name);
  if (text) cyc_append_string(text, value);
}

void cyclometer_begin_list(cyclometer_session *session, const char *name) {
  if (cyc_field(session, name)) cyc_open(session->connection, '[', ']');
}

void cyclometer_end_list(cyclometer_session *session) { cyc_close(session->connection, ']'); }

void cyclometer_begin_object(cyclometer_session *session) {
  if (cyc_field(session, NULL)) cyc_open(session->connection, '{', '}');
}

void cyclometer_end_object(cyclometer_session *session) { cyc_close(session->connection, '}'); }

void cyclometer_refuse(cyclometer_session *session, const char *reason, size_t offset) {
  cyclometer_connection *c = session->connection;
  if (c->place != CYC_IN_PACKET) { cyc_misuse(c, "only packets are refused"); return; }
  snprintf(c->refused, sizeof c->refused, "%s", reason);
  c->refused_at = offset;
}

void cyclometer_fail_command(cyclometer_session *session, const char *message) {
  cyclometer_connection *c = session->connection;
  if (c->place != CYC_IN_COMMAND) { cyc_misuse(c, "only commands fail"); return; }
  snprintf(c->failure, sizeof c->failure, "%s", message[0] ? message : "the command failed");
}

void cyclometer_write(cyclometer_session *session, const char *service, const char *characteristic, const void *bytes, size_t length) {
  cyclometer_connection *c = session->connection;
  char digits[3];
  if (c->place == CYC_IN_NONE) { cyc_misuse(c, "writes belong to packets, commands and ticks"); return; }
  if (length < 1 || length > 64) { cyc_misuse(c, "a write has 1 to 64 bytes"); return; }
  cyc_append_text(&c->writes, c->writes.length ? ",{\"service\":" : "{\"service\":");
  cyc_append_string(&c->writes, service);
  cyc_append_text(&c->writes, ",\"characteristic\":");
  cyc_append_string(&c->writes, characteristic);
  cyc_append_text(&c->writes, ",\"hex\":\"");
  for (size_t i = 0; i < length; i++) {
    snprintf(digits, sizeof digits, "%02x", ((const unsigned char *)bytes)[i]);
    cyc_append_text(&c->writes, digits);
  }
  cyc_append_text(&c->writes, "\"}");
}

void cyclometer_tick_after(cyclometer_session *session, int milliseconds) {
  cyclometer_connection *c = session->connection;
  if (c->place == CYC_IN_NONE) { cyc_misuse(c, "ticks belong to packets, commands and ticks"); return; }
  if (milliseconds < 100 || milliseconds > 86400000) { cyc_misuse(c, "a tick comes after 100 to 86400000 ms"); return; }
  c->tick_ms = milliseconds;
}

/* ---- The connection. Functions that can fail return 0 after setting the reason. */

static int cyc_fails(cyclometer_connection *c, const char *what, const char *detail) {
  if (!c->reason[0]) snprintf(c->reason, sizeof c->reason, "%s%s", what, detail);
  return 0;
}

static int cyc_send_line(cyclometer_connection *c, const char *line, size_t length) {
  while (length > 0) {
    ssize_t count = send(c->fd, line, length, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EPIPE || errno == ECONNRESET)) return 1; /* reading returns the daemon's reason */
    if (count < 0) return cyc_fails(c, "cannot send to the daemon: ", strerror(errno));
    line += count;
    length -= (size_t)count;
  }
  return 1;
}

static int cyc_send_text(cyclometer_connection *c, cyc_text *line) {
  cyc_append(line, "\n", 1);
  if (line->size == 0) return cyc_fails(c, "an answer is longer than the protocol allows", "");
  return cyc_send_line(c, line->text, line->length);
}

void cyclometer_log(cyclometer_session *session, const char *text) {
  cyclometer_connection *c = session->connection;
  char shortened[201], out[1400];
  size_t length = strlen(text);
  /* Not in the middle of a character. */
  if (length > 200) for (length = 200; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80; length--) {}
  memcpy(shortened, text, length);
  shortened[length] = 0;
  cyc_text line = cyc_begin_text(out, sizeof out - 1);
  cyc_append_text(&line, "{\"class\":\"log\",\"text\":");
  cyc_append_string(&line, shortened);
  cyc_append_text(&line, "}");
  (void)cyc_send_text(c, &line);
}

static int cyc_send_answer(cyclometer_connection *c, const char *subject, long long number) {
  cyc_text line = cyc_begin_text(c->out, sizeof c->out - 1);
  int is_packet = c->place == CYC_IN_PACKET;
  c->place = CYC_IN_NONE;
  cyc_end_record(c);
  if (c->misuse) return cyc_fails(c, "the program uses cyclometer_plugin.h wrongly: ", c->misuse);
  if (c->records.size == 0 || c->writes.size == 0) return cyc_fails(c, "an answer is longer than the protocol allows", "");
  if (c->is_not_finite && is_packet) {
    strcpy(c->refused, "out_of_range");
    c->refused_at = 0;
  }
  if (c->is_not_finite && !is_packet) strcpy(c->failure, "a number is infinite or not a number");
  cyc_append_text(&line, is_packet ? "{\"class\":\"done\",\"" : "{\"class\":\"said\",\"");
  cyc_append_text(&line, subject);
  cyc_append_text(&line, "\":");
  cyc_append_integer(&line, number);
  if (c->refused[0]) {
    cyc_append_text(&line, ",\"refused\":");
    cyc_append_string(&line, c->refused);
    cyc_append_text(&line, ",\"at\":");
    cyc_append_integer(&line, (long long)c->refused_at);
  } else if (c->failure[0]) {
    cyc_append_text(&line, ",\"error\":");
    cyc_append_string(&line, c->failure);
  } else {
    cyc_append_text(&line, is_packet ? ",\"records\":[" : ",\"answers\":[");
    cyc_append(&line, c->records.text, c->records.length);
    cyc_append_text(&line, "]");
    if (c->writes.length) cyc_append_text(&line, ",\"writes\":[");
    cyc_append(&line, c->writes.text, c->writes.length);
    if (c->writes.length) cyc_append_text(&line, "]");
  }
  if (c->tick_ms) cyc_append_text(&line, ",\"tick_ms\":"), cyc_append_integer(&line, c->tick_ms);
  cyc_append_text(&line, "}");
  return cyc_send_text(c, &line);
}

/* The next line, which is an object with a class. Waits at most `timeout_ms`; -1 waits forever. */
static int cyc_receive_line(cyclometer_connection *c, cyclometer_json *message, int timeout_ms) {
  for (;;) {
    char *begin = c->in + c->in_begin;
    char *end = (char *)memchr(begin, '\n', c->in_end - c->in_begin);
    if (end) {
      c->in_begin = (size_t)(end + 1 - c->in);
      *message = cyclometer_parse(begin, (size_t)(end - begin));
      if (!message->begin) return cyc_fails(c, "the daemon sent a line that is not JSON", "");
      if (!cyc_begins(cyclometer_member(*message, "class"), '"')) return cyc_fails(c, "the daemon sent a line that is not an object with a class", "");
      return 1;
    }
    c->in_end -= c->in_begin;
    memmove(c->in, begin, c->in_end);
    c->in_begin = 0;
    if (c->in_end > CYC_LINE) return cyc_fails(c, "the daemon sent a line that is too long", "");
    struct pollfd entry = {c->fd, POLLIN, 0};
    int ready = poll(&entry, 1, timeout_ms);
    if (ready == 0) return cyc_fails(c, "the daemon did not answer in time", "");
    ssize_t count = ready < 0 ? -1 : recv(c->fd, c->in + c->in_end, sizeof c->in - c->in_end, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cyc_fails(c, "the connection to the daemon was lost: ", strerror(errno));
    if (count == 0) return cyc_fails(c, "the daemon closed the connection", "");
    c->in_end += (size_t)count;
  }
}

static int cyc_receive_message(cyclometer_connection *c, cyclometer_json *message, int timeout_ms) {
  char code[40], text[300], detail[400];
  if (!cyc_receive_line(c, message, timeout_ms)) return 0;
  if (!cyclometer_is(cyclometer_member(*message, "class"), "error")) return 1;
  (void)cyclometer_copy(cyclometer_member(*message, "code"), code, sizeof code);
  (void)cyclometer_copy(cyclometer_member(*message, "message"), text, sizeof text);
  snprintf(detail, sizeof detail, "%s: %s", code, text);
  return cyc_fails(c, "the daemon disconnected the program: ", detail);
}

static int cyc_connect_program(cyclometer_connection *c, const char *path) {
  struct sockaddr_un address;
  char place[200], detail[300];
  snprintf(place, sizeof place, "%s", path);
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  if (strlen(path) >= sizeof address.sun_path) errno = ENAMETOOLONG;
  else {
    memcpy(address.sun_path, path, strlen(path) + 1);
    c->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (c->fd >= 0 && fcntl(c->fd, F_SETFD, FD_CLOEXEC) == 0 && connect(c->fd, (struct sockaddr *)&address, sizeof address) == 0) return 1;
  }
  snprintf(detail, sizeof detail, "%s: %s", place, strerror(errno));
  return cyc_fails(c, "cannot connect to ", detail);
}

static int cyc_register(cyclometer_connection *c) {
  cyclometer_json message;
  char version[16], out[200];
  if (!cyc_receive_message(c, &message, CYC_TIMEOUT_MS)) return 0;
  if (!cyclometer_is(cyclometer_member(message, "class"), "hello")) return cyc_fails(c, "the daemon did not send hello first", "");
  (void)cyclometer_copy(cyclometer_member(message, "plugin"), version, sizeof version);
  if (strcmp(version, "1") != 0 && strncmp(version, "1.", 2) != 0) return cyc_fails(c, "the daemon speaks another version of the protocol: ", version);
  cyc_text line = cyc_begin_text(out, sizeof out - 1);
  cyc_append_text(&line, "{\"class\":\"register\",\"id\":");
  cyc_append_string(&line, c->plugin->id);
  cyc_append_text(&line, ",\"plugin\":\"1.0\"}");
  if (!cyc_send_text(c, &line)) return 0;
  do
    if (!cyc_receive_message(c, &message, CYC_TIMEOUT_MS)) return 0;
  while (!cyclometer_is(cyclometer_member(message, "class"), "ready"));
  return 1;
}

/* ---- The daemon's messages */

static cyc_session **cyc_find_session(cyclometer_connection *c, long long number) {
  cyc_session **place = &c->sessions;
  while (*place && (*place)->number != number) place = &(*place)->next;
  return place;
}

/* A copy, because the line is overwritten by the next ones. Missing if it does not fit. */
static cyclometer_json cyc_keep(cyclometer_json json, char *buffer, size_t size) {
  size_t length = json.begin ? (size_t)(json.end - json.begin) : 0;
  if (length == 0 || length >= size) return cyc_missing;
  memcpy(buffer, json.begin, length);
  buffer[length] = 0;
  return cyclometer_parse(buffer, length);
}

static void cyc_configure(cyc_session *session, cyclometer_json message) {
  session->shown.settings = cyc_keep(cyclometer_member(message, "settings"), session->settings, sizeof session->settings);
  session->shown.quirks = cyc_keep(cyclometer_member(message, "quirks"), session->quirks, sizeof session->quirks);
}

static int cyc_handle_open(cyclometer_connection *c, long long number, cyclometer_json message) {
  cyc_session *session = (cyc_session *)calloc(1, sizeof *session);
  if (!session) return cyc_fails(c, "out of memory", "");
  session->next = c->sessions;
  c->sessions = session;
  session->number = number;
  session->shown.connection = c;
  session->shown.sensor = session->sensor;
  session->shown.name = session->name;
  session->shown.state = calloc(1, c->plugin->state_size ? c->plugin->state_size : 1);
  if (!session->shown.state) return cyc_fails(c, "out of memory", "");
  if (cyclometer_copy(cyclometer_member(message, "sensor"), session->sensor, sizeof session->sensor) < 0 ||
      cyclometer_copy(cyclometer_member(message, "name"), session->name, sizeof session->name) < 0)
    return cyc_fails(c, "the daemon sent open without sensor and name", "");
  cyc_configure(session, message);
  if (c->plugin->opened) c->plugin->opened(&session->shown);
  return 1;
}

static int cyc_handle_packet(cyclometer_connection *c, cyc_session *session, cyclometer_json message) {
  static unsigned char value[512];
  char name[80], digits[2 * sizeof value + 1];
  cyclometer_packet packet;
  long long number;
  int length = cyclometer_copy(cyclometer_member(message, "hex"), digits, sizeof digits);
  if (length < 0 || length % 2 != 0 || strspn(digits, "0123456789abcdefABCDEF") != (size_t)length ||
      !cyclometer_integer(cyclometer_member(message, "packet"), &number) ||
      !cyclometer_number(cyclometer_member(message, "t"), &packet.time) ||
      cyclometer_copy(cyclometer_member(message, "from"), name, sizeof name) < 0)
    return cyc_fails(c, "the daemon sent a packet without packet, t, from or hex", "");
  for (int i = 0; i < length / 2; i++) {
    char pair[3] = {digits[2 * i], digits[2 * i + 1], 0};
    value[i] = (unsigned char)strtoul(pair, NULL, 16);
  }
  packet.name = name;
  packet.value = value;
  packet.length = (size_t)length / 2;
  cyc_clear(c, CYC_IN_PACKET);
  if (c->plugin->packet) c->plugin->packet(&session->shown, &packet);
  return cyc_send_answer(c, "packet", number);
}

static int cyc_handle_command(cyclometer_connection *c, cyc_session *session, cyclometer_json message) {
  char name[80], failure[120];
  long long number;
  double value;
  int has_value = cyclometer_number(cyclometer_member(message, "value"), &value);
  if (!cyclometer_integer(cyclometer_member(message, "command"), &number) || cyclometer_copy(cyclometer_member(message, "name"), name, sizeof name) < 0)
    return cyc_fails(c, "the daemon sent a command without command or name", "");
  cyc_clear(c, CYC_IN_COMMAND);
  snprintf(failure, sizeof failure, "the program does not support %s", name);
  if (c->plugin->command) c->plugin->command(&session->shown, name, has_value ? &value : NULL);
  else cyclometer_fail_command(&session->shown, failure);
  return cyc_send_answer(c, "command", number);
}

static int cyc_handle_tick(cyclometer_connection *c, cyc_session *session, cyclometer_json message) {
  long long number;
  double time;
  if (!cyclometer_integer(cyclometer_member(message, "tick"), &number) || !cyclometer_number(cyclometer_member(message, "t"), &time))
    return cyc_fails(c, "the daemon sent a tick without tick or t", "");
  cyc_clear(c, CYC_IN_TICK);
  if (c->plugin->tick) c->plugin->tick(&session->shown, time);
  return cyc_send_answer(c, "tick", number);
}

static void cyc_free_session(cyclometer_connection *c, cyc_session **place) {
  cyc_session *session = *place;
  if (c->plugin->closed && session->shown.state) c->plugin->closed(&session->shown);
  *place = session->next;
  free(session->shown.state);
  free(session);
}

static int cyc_handle(cyclometer_connection *c, cyclometer_json message) {
  static const char *const classes[] = {"open", "packet", "link", "settings", "command", "tick", "close"};
  cyclometer_json name = cyclometer_member(message, "class");
  long long number;
  size_t which = 0;
  while (which < sizeof classes / sizeof *classes && !cyclometer_is(name, classes[which])) which++;
  if (which == sizeof classes / sizeof *classes) return 1; /* of a later daemon */
  if (!cyclometer_integer(cyclometer_member(message, "session"), &number)) return cyc_fails(c, classes[which], " of the daemon has no session");
  cyc_session **place = cyc_find_session(c, number);
  if ((which == 0) != (*place == NULL)) return cyc_fails(c, classes[which], " of the daemon has a wrong session");
  c->place = CYC_IN_NONE;
  switch (which) {
    case 0: return cyc_handle_open(c, number, message);
    case 1: return cyc_handle_packet(c, *place, message);
    case 2:
      (*place)->shown.is_connected = cyclometer_is(cyclometer_member(message, "state"), "up");
      if (c->plugin->linked) c->plugin->linked(&(*place)->shown);
      return 1;
    case 3:
      cyc_configure(*place, message);
      if (c->plugin->configured) c->plugin->configured(&(*place)->shown);
      return 1;
    case 4: return cyc_handle_command(c, *place, message);
    case 5: return cyc_handle_tick(c, *place, message);
    default: return cyc_free_session(c, place), 1;
  }
}

int cyclometer_plugin_run(const cyclometer_plugin *plugin, const char *path) {
  cyclometer_connection *c = (cyclometer_connection *)calloc(1, sizeof *c);
  cyclometer_json message;
  if (!c) return fprintf(stderr, "%s: out of memory\n", plugin->id), 1;
  c->plugin = plugin;
  c->fd = -1;
  if (!path) path = getenv("CYCLOMETER_PLUGIN_SOCKET");
  if (cyc_connect_program(c, path && path[0] ? path : CYC_PLUGIN_SOCKET) && cyc_register(c))
    while (cyc_receive_message(c, &message, -1) && cyc_handle(c, message)) {}
  fprintf(stderr, "%s: %s\n", plugin->id, c->reason);
  while (c->sessions) cyc_free_session(c, &c->sessions);
  if (c->fd >= 0) close(c->fd);
  free(c);
  return 1;
}

#endif
#endif
