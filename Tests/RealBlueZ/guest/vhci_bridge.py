"""Passes HCI packets unchanged between a virtual controller of the kernel and the radio outside.

    vhci_bridge.py PORT

Always: while this runs the guest has a Bluetooth adapter; when it ends the adapter is gone, as when
a USB stick is pulled.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import sys

VENDOR, PRIMARY = 0xFF, 0x00
# By packet type: offset and size of the length field (Bluetooth core, volume 4, part A).
LENGTH_AT = {2: (3, 2), 3: (3, 1), 4: (2, 1), 5: (3, 2)}
RESET, WAS_RESET = bytes.fromhex("01 030c 00"), bytes.fromhex("04 0e 04 01 030c 00")


def split(buffer: bytearray) -> list[bytes]:
    """Removes the complete packets from the front of a stream."""
    packets = []
    while buffer:
        at, size = LENGTH_AT[buffer[0]]
        if len(buffer) < at + size:
            break
        end = at + size + int.from_bytes(buffer[at : at + size], "little")
        if len(buffer) < end:
            break
        packets.append(bytes(buffer[:end]))
        del buffer[:end]
    return packets


def write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def reset(radio: int) -> bytes:
    """Pending data is for the previous adapter and may start within a packet, so everything up to
    this reset is dropped."""
    write_all(radio, RESET)
    received = b""
    while WAS_RESET not in received:
        data = os.read(radio, 65536)
        if not data:
            sys.exit("vhci_bridge: the radio is gone")
        received += data
    return received.partition(WAS_RESET)[2]


def relay(controller: int, radio: int, ended: int) -> None:
    received = bytearray(reset(radio))
    # Without this request the driver creates an adapter by itself, a second later. The kernel takes
    # one packet per write.
    os.write(controller, bytes([VENDOR, PRIMARY]))
    while True:
        ready, _, _ = select.select([controller, radio, ended], [], [])
        if ended in ready:
            # The sensors lose their links at once, and the kernel gets no more data until its
            # driver is removed.
            reset(radio)
            return
        if controller in ready:
            packet = os.read(controller, 4096)
            if packet[0] != VENDOR:
                write_all(radio, packet)
        if radio in ready:
            data = os.read(radio, 65536)
            if not data:
                sys.exit("vhci_bridge: the radio is gone")
            received += data
            for packet in split(received):
                try:
                    os.write(controller, packet)
                except OSError as refused:
                    # The kernel has just powered the adapter off, or it is blocked, so it accepts
                    # nothing.
                    if refused.errno != errno.ENXIO:
                        raise


# Never within a packet.
ended, waker = os.pipe()
os.set_blocking(waker, False)
signal.set_wakeup_fd(waker)
signal.signal(signal.SIGTERM, lambda *_: None)
relay(os.open("/dev/vhci", os.O_RDWR), os.open(sys.argv[1], os.O_RDWR), ended)
