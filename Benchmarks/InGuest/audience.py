"""Subscribers in one process. It reads four times a second and checks the lines later.

Nothing sleeps until a line arrives, because an emulated processor is slowest at waking others, and
the writer of the line would be charged for it.
"""

from __future__ import annotations

import json
import selectors
import socket
import time
from pathlib import Path
from typing import Any

from cyclometer import is_sample
from straps import KIND
from waiting import now, require

LOOKS_AGAIN = 0.25
REQUEST = {"id": 1, "method": "subscribe", "params": {"kinds": [KIND], "snapshot": False}}


class Audience:
    def __init__(self, address: Path, count: int) -> None:
        self.received = [bytearray() for _ in range(count)]
        self.ready = selectors.DefaultSelector()
        for lines in self.received:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(str(address))
            connection.sendall(json.dumps(REQUEST).encode() + b"\n")
            self.ready.register(connection, selectors.EVENT_READ, lines)

    def __enter__(self) -> Audience:
        return self

    def __exit__(self, *_: object) -> None:
        for key in list(self.ready.get_map().values()):
            key.fileobj.close()
        self.ready.close()

    def listen(self, seconds: float) -> None:
        end = now() + seconds
        while (left := end - now()) > 0:
            time.sleep(min(left, LOOKS_AGAIN))
            for key, _ in self.ready.select(0):
                data = key.fileobj.recv(65536)
                require(data, "a subscriber's connection was closed")
                key.data.extend(data)

    def has_each(self, sensors: set[str]) -> bool:
        self.listen(0.2)
        return all(sensors == {each["sensor"] for each in samples(lines)} for lines in self.received)

    def samples_between(self, begin: float, end: float) -> list[list[dict[str, Any]]]:
        """Every subscriber's samples that were measured in that time."""
        return [[each for each in samples(lines) if begin <= each["t"] < end] for lines in self.received]


def samples(lines: bytearray) -> list[dict[str, Any]]:
    records = (json.loads(line) for line in lines[:lines.rfind(b"\n") + 1].splitlines())
    return [each for each in records if is_sample(each, each.get("sensor"), KIND)]
