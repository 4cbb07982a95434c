// Packets of heart rate straps at a steady rate, or as fast as those who read them in the end can follow.
#ifndef CSENDER_SENDER_H
#define CSENDER_SENDER_H
#include <stdint.h>

typedef struct {
  // One for each strap: sockets that keep the bounds of packets.
  const int *descriptors;
  uint32_t straps;
  // Every strap's packets carry a number, from this one on, as their count of energy.
  uint32_t first;
  // Of each strap.
  uint32_t count;
  // Packets a second of all straps together; 0: as many as the readers follow.
  double rate;
  // Without a rate: at most so many packets of all straps are on their way.
  uint32_t window;
  // Without a rate: brings how many packets of all straps the slowest reader has, as 32-bit numbers.
  int progress;
} sender_plan;

enum { sender_packet_size = 8 };
// Sensor contact, energy and two RR intervals: as much as a chest strap says at a time.
void sender_packet(uint32_t number, uint8_t packet[sender_packet_size]);

// For each packet in its order, when it was about to be written: nanoseconds of CLOCK_BOOTTIME. 0, or -1 and errno.
int sender_send(const sender_plan *plan, uint64_t *sent_at);

// A packet without a number, which keeps a strap from being taken for lost. 0, or -1 and errno.
int sender_keep_alive(int descriptor);

// A listening socket for those who read packets without a bus. Its number, or -1 and errno.
int sender_listen(const char *path);
// The next who came, or -1.
int sender_accept(int listener);
#endif
