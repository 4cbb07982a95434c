// libmosquitto: the connection to a broker of MQTT.
#ifndef CYCLOMETER_CMOSQUITTO_H
#define CYCLOMETER_CMOSQUITTO_H
#include <errno.h>
#include <fcntl.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

// `errno` is a macro. The library leaves the reason of a failed call there.
static inline int cyclometer_mqtt_errno(void) { return errno; }

// A further descriptor of the connection; -1 if it failed.
static inline int cyclometer_mqtt_duplicate_socket(struct mosquitto *client) {
  return fcntl(mosquitto_socket(client), F_DUPFD_CLOEXEC, 0);
}

// Handles one packet. `*drained` becomes 1 if the socket had no more bytes.
static inline int cyclometer_mqtt_read(struct mosquitto *client, int *drained) {
  errno = 0;
  int code = mosquitto_loop_read(client, 1);
  *drained = code == MOSQ_ERR_SUCCESS && (errno == EAGAIN || errno == EWOULDBLOCK);
  return code;
}

// Of OpenSSL, which libmosquitto uses. Its headers would bring thousands of names.
long SSL_get_verify_result(const void *connection);
int SSL_pending(const void *connection);
const char *X509_verify_cert_error_string(long code);

// What is wrong with the broker's certificate; 0 if nothing is known to be.
static inline long cyclometer_mqtt_certificate_error(struct mosquitto *client) {
  void *connection = mosquitto_ssl_get(client);
  return connection ? SSL_get_verify_result(connection) : 0;
}

// Whether decrypted bytes wait in memory, where no poll of the socket shows them.
static inline int cyclometer_mqtt_has_decrypted(struct mosquitto *client) {
  void *connection = mosquitto_ssl_get(client);
  return connection && SSL_pending(connection) > 0;
}

// Without a callback, OpenSSL asks the terminal for the password of a key.
static inline int cyclometer_mqtt_no_key_password(char *buffer, int size, int is_writing, void *context) {
  (void)is_writing;
  (void)context;
  if (size > 0) buffer[0] = 0;
  return 0;
}

static inline int cyclometer_mqtt_set_tls(
    struct mosquitto *client, const char *file, const char *folder, const char *certificate, const char *key) {
  return mosquitto_tls_set(client, file, folder, certificate, key, cyclometer_mqtt_no_key_password);
}
#endif
