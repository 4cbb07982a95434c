// libbluetooth, with wrappers for inline functions, macros and flexible structures that Swift
// cannot import.
#ifndef CYCLOMETER_CBLUETOOTH_H
#define CYCLOMETER_CBLUETOOTH_H
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// The kernel's number for a Low Energy link, which is missing in the library's header.
#define CYCLOMETER_LE_LINK 0x80

// Opens a socket to adapter hciN that receives these two events (which may be the same), restricted
// to one command, or 0 for all. Returns -1 and sets errno on failure.
static inline int cyclometer_hci_open(int adapter, int event, int other, uint16_t command) {
  struct hci_filter filter;
  int descriptor = hci_open_dev(adapter);
  if (descriptor < 0) return -1;
  hci_filter_clear(&filter);
  hci_filter_set_ptype(HCI_EVENT_PKT, &filter);
  hci_filter_set_event(event, &filter);
  hci_filter_set_event(other, &filter);
  hci_filter_set_opcode(htobs(command), &filter);
  if (setsockopt(descriptor, SOL_HCI, HCI_FILTER, &filter, sizeof filter) == 0 &&
      fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
    return descriptor;
  int why = errno;
  close(descriptor);
  errno = why;
  return -1;
}

// Opens a socket to the kernel's management interface, where unprivileged processes may send a few
// requests. Returns -1 and sets errno on failure.
static inline int cyclometer_management_open(void) {
  struct sockaddr_hci all;
  int descriptor = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI);
  if (descriptor < 0) return -1;
  memset(&all, 0, sizeof all);
  all.hci_family = AF_BLUETOOTH;
  all.hci_dev = HCI_DEV_NONE;
  all.hci_channel = HCI_CHANNEL_CONTROL;
  if (bind(descriptor, (struct sockaddr *)&all, sizeof all) == 0) return descriptor;
  int why = errno;
  close(descriptor);
  errno = why;
  return -1;
}

// Requests the system configuration of adapter hciN. The kernel replies within the call.
static inline int cyclometer_configuration_ask(int descriptor, uint16_t adapter) {
  uint16_t header[3] = {htobs(0x004b), htobs(adapter), 0};
  return send(descriptor, header, sizeof header, MSG_NOSIGNAL) == sizeof header ? 0 : -1;
}

// The handle of the link to this address, such as "00:11:22:33:44:55". Returns -1 and sets errno if
// there is none.
static inline int cyclometer_link_handle(int descriptor, const char *address) {
  union {
    struct hci_conn_info_req request;
    uint8_t room[sizeof(struct hci_conn_info_req) + sizeof(struct hci_conn_info)];
  } question;
  struct hci_conn_info link;
  memset(&question, 0, sizeof question);
  if (str2ba(address, &question.request.bdaddr) < 0) return -1;
  question.request.type = CYCLOMETER_LE_LINK;
  if (ioctl(descriptor, HCIGETCONNINFO, &question) < 0) return -1;
  memcpy(&link, question.room + sizeof(struct hci_conn_info_req), sizeof link);
  return link.handle;
}

static inline int cyclometer_rssi_ask(int descriptor, uint16_t handle) {
  uint16_t parameter = htobs(handle);
  return hci_send_cmd(descriptor, OGF_STATUS_PARAM, OCF_READ_RSSI, sizeof parameter, &parameter);
}
#endif
