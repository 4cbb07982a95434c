// Addresses of TCP over IPv4 and IPv6.
#ifndef CYCLOMETER_INTERNET_H
#define CYCLOMETER_INTERNET_H
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

// IPv4 addresses are mapped into IPv6 ones (::ffff:127.0.0.1), as the kernel reports them on a
// socket for both. `host` is in the order of the network.
typedef struct {
  uint64_t host[2];
  uint32_t scope;
  uint16_t port;
} cyclometer_internet_address;

static inline socklen_t cyclometer_socket_address(
    const cyclometer_internet_address *from, struct sockaddr_storage *to) {
  struct in6_addr host;
  memcpy(&host, from->host, sizeof host);
  memset(to, 0, sizeof *to);
  if (IN6_IS_ADDR_V4MAPPED(&host)) {
    struct sockaddr_in *address = (struct sockaddr_in *)to;
    address->sin_family = AF_INET;
    address->sin_port = htons(from->port);
    memcpy(&address->sin_addr, &host.s6_addr[12], 4);
    return sizeof *address;
  }
  struct sockaddr_in6 *address = (struct sockaddr_in6 *)to;
  address->sin6_family = AF_INET6;
  address->sin6_port = htons(from->port);
  address->sin6_addr = host;
  address->sin6_scope_id = from->scope;
  return sizeof *address;
}

static inline void cyclometer_map_ipv4(const void *host, cyclometer_internet_address *to) {
  struct in6_addr mapped = {{{0}}};
  mapped.s6_addr[10] = mapped.s6_addr[11] = 0xff;
  memcpy(&mapped.s6_addr[12], host, 4);
  memcpy(to->host, &mapped, sizeof mapped);
}

// The address of this end of a socket, or of the other one.
static inline int cyclometer_internet_name(int socket, int is_peer, cyclometer_internet_address *to) {
  struct sockaddr_storage storage;
  socklen_t length = sizeof storage;
  struct sockaddr *name = (struct sockaddr *)&storage;
  int status = is_peer ? getpeername(socket, name, &length) : getsockname(socket, name, &length);
  if (status < 0) return -1;
  memset(to, 0, sizeof *to);
  if (storage.ss_family == AF_INET) {
    struct sockaddr_in *address = (struct sockaddr_in *)&storage;
    to->port = ntohs(address->sin_port);
    cyclometer_map_ipv4(&address->sin_addr, to);
    return 0;
  }
  if (storage.ss_family == AF_INET6) {
    struct sockaddr_in6 *address = (struct sockaddr_in6 *)&storage;
    to->port = ntohs(address->sin6_port);
    to->scope = address->sin6_scope_id;
    memcpy(to->host, &address->sin6_addr, sizeof to->host);
    return 0;
  }
  errno = EAFNOSUPPORT;
  return -1;
}

// The address as inet_ntop(3) writes it, in at most `size` bytes with the final zero.
static inline int cyclometer_internet_text(const cyclometer_internet_address *from, char *text, socklen_t size) {
  struct in6_addr host;
  memcpy(&host, from->host, sizeof host);
  int is_mapped = IN6_IS_ADDR_V4MAPPED(&host);
  return inet_ntop(is_mapped ? AF_INET : AF_INET6, is_mapped ? &host.s6_addr[12] : host.s6_addr, text, size) ? 0 : -1;
}

// Reads an address without a port. Returns 0 if it is not one.
static inline int cyclometer_internet_parse(const char *text, cyclometer_internet_address *to) {
  struct in_addr host;
  memset(to, 0, sizeof *to);
  if (inet_pton(AF_INET6, text, to->host) == 1) return 1;
  if (inet_pton(AF_INET, text, &host) != 1) return 0;
  cyclometer_map_ipv4(&host, to);
  return 1;
}

// The addresses of the interfaces that are up, without those of the loopback and link-local ones.
// Returns how many there are; at most `most` are written.
static inline int cyclometer_interface_addresses(cyclometer_internet_address *to, int most) {
  struct ifaddrs *first = NULL;
  int count = 0;
  if (getifaddrs(&first) < 0) return -1;
  for (struct ifaddrs *each = first; each && count < most; each = each->ifa_next) {
    if (!each->ifa_addr || !(each->ifa_flags & IFF_UP) || each->ifa_flags & IFF_LOOPBACK) continue;
    memset(&to[count], 0, sizeof to[count]);
    if (each->ifa_addr->sa_family == AF_INET) {
      cyclometer_map_ipv4(&((struct sockaddr_in *)each->ifa_addr)->sin_addr, &to[count]);
    } else if (each->ifa_addr->sa_family == AF_INET6) {
      struct in6_addr *host = &((struct sockaddr_in6 *)each->ifa_addr)->sin6_addr;
      if (IN6_IS_ADDR_LINKLOCAL(host)) continue;
      memcpy(to[count].host, host, sizeof to[count].host);
    } else {
      continue;
    }
    count++;
  }
  freeifaddrs(first);
  return count;
}

// For a non-blocking socket the result follows later, as readiness or as an error of read.
static inline int cyclometer_internet_connect(int socket, const cyclometer_internet_address *to) {
  struct sockaddr_storage address;
  socklen_t length = cyclometer_socket_address(to, &address);
  int result = connect(socket, (const struct sockaddr *)&address, length);
  return result < 0 && errno == EINPROGRESS ? 0 : result;
}

static inline int cyclometer_internet_bind(int socket, const cyclometer_internet_address *to) {
  struct sockaddr_storage address;
  socklen_t length = cyclometer_socket_address(to, &address);
  return bind(socket, (const struct sockaddr *)&address, length);
}
#endif
