"""A client on bleak that does cyclometerd's job for heart rate straps: keeps them connected, decodes, and hands a line of JSON for each
notification to whoever has connected to a Unix socket.

    bleak_relay.py [--acquire] SOCKET ID=ADDRESS...     --acquire: notifications through descriptors; bleak by itself has them as
                                                        signals of the bus

Always: written as bleak's documentation has it and no slower than it has to be; a line has the members of cyclometerd's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from datetime import datetime, timezone
from typing import Any

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError

HEART_RATE_MEASUREMENT = "00002a37-0000-1000-8000-00805f9b34fb"
ATTEMPT_SECONDS = 20


def decoded(packet: bytearray) -> dict[str, Any]:
    """The heart rate service's specification, in one pass."""
    flags, at = packet[0], 2
    fields: dict[str, Any] = {"bpm": packet[1]}
    if flags & 0x01:
        fields["bpm"], at = packet[1] | packet[2] << 8, 3
    if flags & 0x08:
        fields["energy_expended_j"] = 1000 * (packet[at] | packet[at + 1] << 8)
        at += 2
    fields["rr_ms"] = [(packet[each] | packet[each + 1] << 8) * 1000 / 1024 for each in range(at, len(packet) - 1, 2)]
    if flags & 0x04:
        fields["sensor_contact"] = "detected" if flags & 0x02 else "not_detected"
    return fields


class Subscribers:
    def __init__(self) -> None:
        self.writers: set[asyncio.StreamWriter] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """What a subscriber asks for is not looked at: there is one thing to be had."""
        self.writers.add(writer)
        while await reader.read(4096):
            pass
        self.writers.discard(writer)
        writer.close()

    def publish(self, line: bytes) -> None:
        for writer in self.writers:
            writer.write(line)


class Strap:
    def __init__(self, name: str, address: str, subscribers: Subscribers, notifying: dict[str, bool]) -> None:
        self.name, self.address, self.subscribers, self.notifying = name, address, subscribers, notifying
        self.seq = 0

    async def keep(self, turn: asyncio.Lock) -> None:
        """Connected whenever it is there. BlueZ connects one device at a time, so they take turns."""
        while True:
            lost = asyncio.Event()
            try:
                async with turn:
                    await self.connect(lost)
            except (BleakError, TimeoutError) as refused:
                print(f"bleak_relay: {self.name}: {refused!r}", file=sys.stderr, flush=True)
                continue
            await lost.wait()

    async def connect(self, lost: asyncio.Event) -> None:
        device = await BleakScanner.find_device_by_address(self.address, timeout=ATTEMPT_SECONDS)
        if device is None:
            raise BleakError("is not on the air")
        client = BleakClient(device, disconnected_callback=lambda _: lost.set(), timeout=ATTEMPT_SECONDS)
        await client.connect()
        await client.start_notify(HEART_RATE_MEASUREMENT, self.notified, bluez=self.notifying)

    def notified(self, _: object, packet: bytearray) -> None:
        at = time.clock_gettime(time.CLOCK_BOOTTIME)
        self.seq += 1
        record = {
            "class": "sample", "sensor": self.name, "kind": "heart_rate", "seq": self.seq, "t": round(at, 6),
            "time": datetime.now(timezone.utc).isoformat(timespec="milliseconds"), "age_ms": 0, **decoded(packet),
        }
        self.subscribers.publish(json.dumps(record, separators=(",", ":")).encode() + b"\n")


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--acquire", action="store_true")
    parser.add_argument("socket")
    parser.add_argument("straps", nargs="+")
    options = parser.parse_args()
    subscribers, turn = Subscribers(), asyncio.Lock()
    await asyncio.start_unix_server(subscribers.serve, options.socket)
    notifying = {"use_start_notify": not options.acquire}
    straps = [Strap(*each.split("=", 1), subscribers, notifying) for each in options.straps]
    await asyncio.gather(*(each.keep(turn) for each in straps))


asyncio.run(main())
