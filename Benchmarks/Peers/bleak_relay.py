"""A client on bleak that does cyclometerd's job for heart rate straps: keeps them connected,
decodes, and sends a line of JSON per notification to every client of a Unix socket.

    bleak_relay.py [--acquire] SOCKET ID=ADDRESS...

With --acquire it gets notifications through descriptors instead of bus signals, bleak's default.

Written as in bleak's documentation, without needless cost. A line has the same members as
cyclometerd's, and a subscriber with a full queue is dropped. Prints `connected` once all straps are
connected.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import struct
import sys
import time
from datetime import datetime, timezone
from typing import Any

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError

HEART_RATE_MEASUREMENT = "00002a37-0000-1000-8000-00805f9b34fb"
ATTEMPT_SECONDS = 20
QUEUE_LIMIT = 64 << 10


def decoded(packet: bytearray) -> dict[str, Any]:
    """The heart rate service's specification, in one pass."""
    flags, bpm = packet[0], packet[1]
    at = 2
    if flags & 0x01:
        bpm, at = bpm | packet[2] << 8, 3
    fields: dict[str, Any] = {"bpm": bpm, "rr_ms": []}
    energy = None
    if flags & 0x08:
        energy = 1000 * (packet[at] | packet[at + 1] << 8)
        at += 2
    if flags & 0x10:
        intervals = struct.unpack_from(f"<{(len(packet) - at) // 2}H", packet, at)
        fields["rr_ms"] = [each * 1000 / 1024 for each in intervals]
    if flags & 0x04:
        fields["sensor_contact"] = "detected" if flags & 0x02 else "not_detected"
    if energy is not None:
        fields["energy_expended_j"] = energy
    return fields


class Subscriber(asyncio.Protocol):
    """Ignores requests, because there is only one kind of output."""

    def __init__(self, all_of_them: set[asyncio.Transport]) -> None:
        self.all = all_of_them

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(b'{"class":"hello"}\n')
        self.all.add(transport)

    def connection_lost(self, _: Exception | None) -> None:
        self.all.discard(self.transport)


class Strap:
    def __init__(self, name: str, address: str, subscribers: set[asyncio.Transport], acquires: bool) -> None:
        self.name, self.address, self.subscribers, self.acquires = name, address, subscribers, acquires
        self.seq = 0
        self.is_connected = asyncio.Event()

    async def keep(self, turn: asyncio.Lock) -> None:
        """Connected whenever it is there. BlueZ connects one device at a time, so they take
        turns."""
        while True:
            lost = asyncio.Event()
            try:
                async with turn:
                    await self.connect(lost)
            except (BleakError, TimeoutError) as refused:
                print(f"{sys.argv[0]}: {self.name}: {refused!r}", file=sys.stderr, flush=True)
                continue
            self.is_connected.set()
            await lost.wait()

    async def connect(self, lost: asyncio.Event) -> None:
        device = await BleakScanner.find_device_by_address(self.address, timeout=ATTEMPT_SECONDS)
        if device is None:
            raise BleakError("is not on the air")
        client = BleakClient(device, disconnected_callback=lambda _: lost.set(), timeout=ATTEMPT_SECONDS)
        await client.connect()
        await self.subscribe(client)

    async def subscribe(self, client: BleakClient) -> None:
        await client.start_notify(HEART_RATE_MEASUREMENT, self.notified, bluez={"use_start_notify": not self.acquires})

    def notified(self, _: object, packet: bytearray) -> None:
        self.publish(decoded(packet))

    def publish(self, fields: dict[str, Any]) -> None:
        at = time.clock_gettime(time.CLOCK_BOOTTIME)
        self.seq += 1
        record = {
            "class": "sample", "sensor": self.name, "kind": "heart_rate", "seq": self.seq, "t": round(at, 6),
            "time": datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z"), "age_ms": 0, **fields,
        }
        line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        for transport in self.subscribers:
            transport.write(line)
            if transport.get_write_buffer_size() > QUEUE_LIMIT:
                transport.abort()


async def relay(kind: type[Strap], address: str, straps: list[str], acquires: bool) -> None:
    subscribers: set[asyncio.Transport] = set()
    turn = asyncio.Lock()
    await asyncio.get_running_loop().create_unix_server(lambda: Subscriber(subscribers), address)
    all_of_them = [kind(*each.split("=", 1), subscribers, acquires) for each in straps]
    keepers = asyncio.gather(*(each.keep(turn) for each in all_of_them))
    for each in all_of_them:
        await each.is_connected.wait()
    print("connected", flush=True)
    await keepers


def main(kind: type[Strap] = Strap) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--acquire", action="store_true")
    parser.add_argument("socket")
    parser.add_argument("straps", nargs="+")
    options = parser.parse_args()
    asyncio.run(relay(kind, options.socket, options.straps, options.acquire))


if __name__ == "__main__":
    main()
