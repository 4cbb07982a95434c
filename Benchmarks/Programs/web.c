// The minimal C server for this job, as a baseline for the dashboard's. It subscribes to the daemon,
// and sends its records to every browser as server-sent events: radar and events at once, of
// everything else the newest, four times a second. It also serves the page's files. It supports
// neither tokens nor filters, layouts, rides or slow readers: who does not take everything is
// dropped.
//
//   web METRICS PAGE     the daemon's socket, and the folder of the page
//
// Prints its port on 127.0.0.1.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { most_clients = 128, most_records = 128, key_size = 128, line_size = 4096, request_size = 8192, message_size = 1 << 18 };
enum { frame_ms = 250, beat_ms = 1000 };

struct client {
  // -1 once it was dropped. A pending event of the same iteration may still refer to it.
  int socket, is_reader;
  size_t filled;
  char request[request_size];
  struct client *next_gone;
};

// The newest record with this key.
struct record {
  char key[key_size], line[line_size];
  size_t length;
  int is_new;
};

static struct client *clients[most_clients];
static int client_count;
static struct client *gone;
static struct record records[most_records];
static int record_count, is_any_new;
static unsigned long long message_number;
static int64_t next_frame, last_message;
static char message[message_size];
static const char *page_folder;
static int epoll;
static int daemon_tag, listener_tag;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static struct timespec boot_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now;
}

static int64_t milliseconds(void) {
  struct timespec now = boot_time();
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void watch(int descriptor, void *what) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = what}};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) < 0) die("epoll_ctl");
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
    free(client);
  }
}

static void give(struct client *client, const char *bytes, size_t size) {
  if (client->socket >= 0 && send(client->socket, bytes, size, MSG_NOSIGNAL) != (ssize_t)size) drop(client);
}

// MARK: Messages

static char *put_text(char *place, const char *format, ...) {
  va_list values;
  va_start(values, format);
  place += vsnprintf(place, message + message_size - place, format, values);
  va_end(values);
  return place;
}

static char *begin(char *place, const char *event) {
  struct timespec now = boot_time();
  return put_text(place, "event: %s\nid: %llu\ndata: {\"now\":%lld.%06ld", event, ++message_number, (long long)now.tv_sec,
                  now.tv_nsec / 1000);
}

static char *put_records(char *place, int only_new) {
  char separator = '[';
  place = put_text(place, ",\"records\":");
  for (int index = 0; index < record_count; index++) {
    struct record *record = &records[index];
    if (only_new && !record->is_new) continue;
    if (place + record->length + 64 > message + message_size) break;
    *place++ = separator;
    memcpy(place, record->line, record->length);
    place += record->length;
    separator = ',';
  }
  if (separator == '[') *place++ = separator;
  *place++ = ']';
  return place;
}

static void send_to_readers(const char *end) {
  for (int index = client_count - 1; index >= 0; index--) {
    if (clients[index]->is_reader) give(clients[index], message, (size_t)(end - message));
  }
  last_message = milliseconds();
}

static void send_frame(void) {
  char *end = put_text(put_records(begin(message, "frame"), 1), "}\n\n");
  for (int index = 0; index < record_count; index++) records[index].is_new = 0;
  is_any_new = 0;
  send_to_readers(end);
}

static void send_urgent(const char *line, size_t length) {
  char *place = put_text(begin(message, "urgent"), ",\"records\":[");
  memcpy(place, line, length);
  send_to_readers(put_text(place + length, "]}\n\n"));
}

// MARK: The daemon's lines

// Appends the text of a member to the key.
static void add_to_key(char *key, const char *line, const char *member) {
  const char *start = strstr(line, member);
  if (start == NULL) return;
  start += strlen(member);
  size_t length = strcspn(start, "\""), used = strlen(key);
  if (used + length + 2 > key_size) return;
  memcpy(key + used, start, length);
  strcpy(key + used + length, "/");
}

static void keep(const char *line, size_t length) {
  char key[key_size] = "";
  add_to_key(key, line, "\"class\":\"");
  add_to_key(key, line, "\"sensor\":\"");
  add_to_key(key, line, "\"kind\":\"");
  add_to_key(key, line, "\"id\":\"");
  int index = 0;
  while (index < record_count && strcmp(records[index].key, key) != 0) index++;
  if (index == most_records) return;
  if (index == record_count) strcpy(records[record_count++].key, key);
  memcpy(records[index].line, line, length);
  records[index].length = length;
  records[index].is_new = is_any_new = 1;
}

static int has_class(const char *line, const char *name) {
  static const char start[] = "{\"class\":\"";
  return strncmp(line, start, sizeof start - 1) == 0 && strncmp(line + sizeof start - 1, name, strlen(name)) == 0;
}

static void handle(const char *line, size_t length) {
  if (length >= line_size || has_class(line, "hello\"") || has_class(line, "reply\"")) return;
  int is_radar = has_class(line, "sample\"") && strstr(line, "\"kind\":\"radar\"") != NULL;
  if (is_radar || has_class(line, "event\"")) return send_urgent(line, length);
  keep(line, length);
}

static void read_daemon(int metrics) {
  static char buffer[1 << 17];
  static size_t filled;
  ssize_t size = recv(metrics, buffer + filled, sizeof buffer - 1 - filled, 0);
  if (size == 0) exit(0);
  if (size < 0) return;
  filled += (size_t)size;
  char *start = buffer, *end;
  while ((end = memchr(start, '\n', filled - (size_t)(start - buffer))) != NULL) {
    *end = 0;
    handle(start, (size_t)(end - start));
    start = end + 1;
  }
  filled -= (size_t)(start - buffer);
  memmove(buffer, start, filled);
}

static int connect_daemon(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  int metrics = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(metrics, (struct sockaddr *)&address, sizeof address) < 0) die(path);
  static const char request[] = "{\"id\":1,\"method\":\"subscribe\",\"params\":{}}\n";
  if (write(metrics, request, sizeof request - 1) < 0 || fcntl(metrics, F_SETFL, O_NONBLOCK) < 0) die(path);
  return metrics;
}

// MARK: Browsers

static void answer(struct client *client, const char *status, const char *type, const char *body, size_t size) {
  char head[512];
  int length = snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", status, type, size);
  give(client, head, (size_t)length);
  give(client, body, size);
}

static const char *type_of(const char *path) {
  static const char *const types[][2] = {
      {".html", "text/html"}, {".js", "text/javascript"}, {".css", "text/css"}, {".svg", "image/svg+xml"},
      {".webmanifest", "application/manifest+json"}};
  const char *ending = strrchr(path, '.');
  for (size_t index = 0; ending != NULL && index < sizeof types / sizeof *types; index++) {
    if (strcmp(ending, types[index][0]) == 0) return types[index][1];
  }
  return "application/octet-stream";
}

// Opens PAGE/NAME or one of Debian's fonts.
static int open_file(const char *name) {
  static const char *const fonts[] = {"/usr/share/fonts/truetype/adf", "/usr/share/fonts/truetype/opendin"};
  char path[1024];
  if (strstr(name, "..") != NULL) return -1;
  if (strncmp(name, "fonts/", 6) != 0) {
    snprintf(path, sizeof path, "%s/%s", page_folder, name);
    return open(path, O_RDONLY | O_CLOEXEC);
  }
  snprintf(path, sizeof path, "%s/%s", fonts[0], name + 6);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) return file;
  snprintf(path, sizeof path, "%s/%s", fonts[1], name + 6);
  return open(path, O_RDONLY | O_CLOEXEC);
}

static void answer_file(struct client *client, const char *path) {
  const char *name = strcmp(path, "/") == 0 ? "index.html" : strncmp(path, "/f/0/", 5) == 0 ? path + 5 : path + 1;
  static char content[1 << 20];
  int file = open_file(name);
  ssize_t size = file < 0 ? -1 : read(file, content, sizeof content);
  if (file >= 0) close(file);
  if (size < 0) return answer(client, "404 Not Found", "text/plain", "", 0);
  answer(client, "200 OK", type_of(name), content, (size_t)size);
}

static void open_stream(struct client *client) {
  static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n\r\nretry: 1000\n";
  give(client, head, sizeof head - 1);
  client->is_reader = 1;
  char *end = put_text(begin(message, "hello"), ",\"stream\":\"s%llu\",\"instance\":\"bare\",\"release\":\"0\",\"rights\":[\"view\"],\"hz\":4}\n\n", message_number);
  end = put_text(put_records(begin(end, "frame"), 0), "}\n\n");
  give(client, message, (size_t)(end - message));
}

static void answer_snapshot(struct client *client) {
  struct timespec now = boot_time();
  char *end = put_text(message, "{\"now\":%lld.%06ld", (long long)now.tv_sec, now.tv_nsec / 1000);
  end = put_text(put_records(end, 0), ",\"series\":{}}");
  answer(client, "200 OK", "application/json", message, (size_t)(end - message));
}

static void serve(struct client *client) {
  if (client->socket < 0) return;
  ssize_t size = recv(client->socket, client->request + client->filled, request_size - 1 - client->filled, 0);
  if (size < 0 && errno == EAGAIN) return;
  if (size <= 0 || client->is_reader) return drop(client);
  client->filled += (size_t)size;
  client->request[client->filled] = 0;
  if (strstr(client->request, "\r\n\r\n") == NULL) return;
  client->filled = 0;
  char path[256] = "";
  sscanf(client->request, "GET %255[^ ?]", path);
  if (strcmp(path, "/events") == 0) {
    open_stream(client);
  } else if (strcmp(path, "/api/1/now") == 0) {
    answer_snapshot(client);
  } else {
    answer_file(client, path);
  }
}

static void welcome(int listener) {
  // Room for a whole file.
  int socket, on = 1, room = 1 << 20;
  while ((socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    struct client *client = client_count < most_clients ? calloc(1, sizeof *client) : NULL;
    if (client == NULL) {
      close(socket);
      continue;
    }
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    client->socket = socket;
    clients[client_count++] = client;
    watch(socket, client);
  }
}

static int listen_locally(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 128) < 0) die("127.0.0.1");
  if (getsockname(listener, (struct sockaddr *)&address, &size) < 0) die("127.0.0.1");
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return listener;
}

// Sends what is due. Returns how long to wait.
static int update(void) {
  int64_t now = milliseconds();
  if (is_any_new && now >= next_frame) {
    send_frame();
    next_frame = (now - next_frame < frame_ms ? next_frame : now) + frame_ms;
  }
  if (now - last_message >= beat_ms) send_to_readers(put_text(begin(message, "beat"), "}\n\n"));
  int64_t due = last_message + beat_ms;
  if (is_any_new && next_frame < due) due = next_frame;
  now = milliseconds();
  return due > now ? (int)(due - now) : 0;
}

int main(int count, char **words) {
  if (count != 3) return fprintf(stderr, "usage: web METRICS PAGE\n"), 2;
  page_folder = words[2];
  if ((epoll = epoll_create1(EPOLL_CLOEXEC)) < 0) die("epoll_create1");
  int metrics = connect_daemon(words[1]), listener = listen_locally();
  watch(metrics, &daemon_tag);
  watch(listener, &listener_tag);
  last_message = milliseconds();
  for (;;) {
    struct epoll_event events[64];
    int ready = epoll_wait(epoll, events, 64, update());
    for (int index = 0; index < ready; index++) {
      void *what = events[index].data.ptr;
      if (what == &daemon_tag) {
        read_daemon(metrics);
      } else if (what == &listener_tag) {
        welcome(listener);
      } else {
        serve(what);
      }
    }
    free_gone();
  }
}
