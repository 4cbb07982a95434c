// Sends packets of heart rate straps at a steady rate, or as fast as the slowest reader can follow.
#ifndef CSENDER_SENDER_H
#define CSENDER_SENDER_H
#include <stdint.h>

typedef struct {
  // One per strap: sockets that preserve packet boundaries.
  const int *descriptors;
  uint32_t straps;
  // The number in the energy field of each strap's first packet. Later packets count up.
  uint32_t first;
  // Packets per strap.
  uint32_t count;
  // Packets per second of all straps together. 0: as many as the readers can follow.
  double rate;
  // Without a rate: the maximum number of packets in flight, of all straps together.
  uint32_t window;
  // Without a rate: receives, as 32-bit numbers, how many packets of all straps the slowest reader
  // has.
  int progress;
} sender_plan;

enum { sender_packet_size = 8 };
// Sensor contact, energy and two RR intervals: a typical packet of a chest strap.
void sender_packet(uint32_t number, uint8_t packet[sender_packet_size]);

// Stores for each packet, in order, the time just before it was written, in nanoseconds of
// CLOCK_BOOTTIME. Returns 0, or -1 and errno.
int sender_send(const sender_plan *plan, uint64_t *sent_at);

// Sends a packet without a number, so that a strap does not count as lost. 0, or -1 and errno.
int sender_keep_alive(int descriptor);

// Opens a listening socket for readers without a bus. Its descriptor, or -1 and errno.
int sender_listen(const char *path);
// Accepts the next reader. Its descriptor, or -1.
int sender_accept(int listener);
#endif
