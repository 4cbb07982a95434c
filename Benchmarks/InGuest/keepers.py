"""The measured programs, each of which keeps the straps connected and sends their values to
subscribers of a Unix socket.

`end` stops everything that they started.
"""

from __future__ import annotations

import itertools
import math
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from air import Sent
from cases.audience import Audience
from processes import Process
from runner import Rig
from straps import HERTZ
from waiting import now, require, wait_for

PROJECT = Path("/real-bluez/project")
BLEAK_RELAY, LIBRARIES = PROJECT / "Benchmarks/Peers/bleak_relay.py", PROJECT / ".build/bench/bleak"
BARE_RELAY = PROJECT / ".build/bench/relay"
# The name of a phase, its maximum in seconds, and whether the client is still in it.
Phase = tuple[str, float, Callable[[], bool]]
MEASUREMENT, HAS_BEATS = "2a37", 0x10


class Keeper:
    def __init__(self, name: str, rig: Rig, straps: dict[str, str]) -> None:
        """`straps`: the names of the straps by sensor id."""
        self.name, self.rig, self.straps = name, rig, straps
        self.address = Path("/run/relay.sock")
        self.process: Process | None = None

    def start(self) -> Process:
        raise NotImplementedError

    def started(self, log: str, command: list[str], environment: dict[str, str] | None = None) -> Process:
        self.address.unlink(missing_ok=True)
        self.process = Process(log, command, self.rig.logs, environment)
        return self.process

    def is_listening(self) -> bool:
        require(self.process.is_running, f"{self.name} ended by itself: see {self.process.name}.log")
        return self.address.exists()

    def phases(self, audience: Audience) -> Iterator[Phase]:
        yield self.name, math.inf, lambda: True

    def sent(self, sensor: str) -> list[Sent]:
        return self.rig.air.sent(self.straps[sensor], MEASUREMENT)

    def end(self) -> None:
        self.process.end()


class Cyclometerd(Keeper):
    """Before BlueZ 5.86, it gets values by D-Bus signals for the first half minute of a link
    (docs/bluez-rules.md)."""

    def __init__(self, rig: Rig, addresses: dict[str, str]) -> None:
        """Pairs the straps."""
        self.daemon = rig.daemon()
        self.daemon.start()
        super().__init__("cyclometerd", rig, {self.daemon.pair(address): name for name, address in addresses.items()})
        self.daemon.end()
        self.address = self.daemon.metrics

    def start(self) -> Process:
        self.daemon.start()
        return self.daemon.process

    def phases(self, audience: Audience) -> Iterator[Phase]:
        if not self.acquired():
            yield f"{self.name}, by signals", 10, lambda: not self.acquired()
        count = len(self.straps)
        wait_for(lambda: audience.listen(2) or self.acquired() == count, 90, "a descriptor for each strap")
        yield self.name, math.inf, lambda: self.acquired() == count

    def acquired(self) -> int:
        """The number of straps whose values come through descriptors."""
        objects = re.split(r"dict entry\(\s+object path ", self.rig.bluetooth.objects())
        is_acquired = re.compile(r'"NotifyAcquired"\s+variant\s+boolean true')
        return sum(f'"0000{MEASUREMENT}-' in each and is_acquired.search(each) is not None for each in objects)

    def end(self) -> None:
        self.daemon.end()


class Bleak(Keeper):
    def __init__(self, name: str, rig: Rig, straps: dict[str, str], addresses: dict[str, str], *options: str) -> None:
        super().__init__(name, rig, straps)
        words = [f"{sensor}={addresses[strap]}" for sensor, strap in straps.items()]
        self.command = ["/usr/bin/python3", str(BLEAK_RELAY), *options, str(self.address), *words]

    def start(self) -> Process:
        process = self.started("bleak", self.command, {"PYTHONPATH": str(LIBRARIES)})
        wait_for(self.is_listening, 60, f"the socket of {self.name}", every=0.1)
        return process


class BareC(Keeper):
    """Gets the straps' frames from here and not from bluetoothd, to show the minimum cost on this
    processor."""

    def start(self) -> Process:
        packets = Path("/run/packets.sock")
        packets.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(packets))
            listener.listen(len(self.straps))
            process = self.started("bare-relay", [str(BARE_RELAY), str(packets), str(self.address), ",".join(self.straps)])
            connections = [listener.accept()[0] for _ in self.straps]
        wait_for(self.is_listening, 20, f"the socket of {self.name}")
        self.fed: dict[str, list[Sent]] = {sensor: [] for sensor in self.straps}
        self.is_feeding = True
        # For a packet without beats it prints less than cyclometerd.
        frames = [each.value for each in super().sent(next(iter(self.straps))) if each.value[0] & HAS_BEATS]
        self.feeder = threading.Thread(target=self.feed, args=(connections, frames), daemon=True)
        self.feeder.start()
        return process

    def feed(self, connections: list[socket.socket], frames: list[bytes]) -> None:
        due = now()
        turns = itertools.cycle(zip(self.fed.values(), connections))
        for frame in itertools.cycle(frames):
            for fed, connection in itertools.islice(turns, len(connections)):
                due += 1 / HERTZ / len(connections)
                time.sleep(max(0, due - now()))
                if not self.is_feeding:
                    return
                fed.append(Sent(len(fed), now(), MEASUREMENT, frame))
                connection.send(frame)

    def sent(self, sensor: str) -> list[Sent]:
        return self.fed[sensor]

    def end(self) -> None:
        self.is_feeding = False
        self.feeder.join()
        super().end()
