"""Orders to the virtual sensors outside the guest (the list is at the head of
radio/peripherals.py).

Times are converted to this guest's clock, so that sent and received values can be compared.
"""

from __future__ import annotations

import json
import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from waiting import Failure, now, wait_for

PORT = "/dev/radio.control"
MANY = 255


@dataclass(frozen=True)
class Sent:
    number: int
    at: float
    source: str
    value: bytes


class Air:
    def __init__(self) -> None:
        self.port = os.open(PORT, os.O_RDWR)
        self.rest = b""

    def order(self, *words: object) -> dict[str, Any]:
        line = " ".join(map(str, words))
        begun = now()
        os.write(self.port, line.encode() + b"\n")
        # Skips a late answer to an earlier order.
        answer = wait_for(lambda: self.answer_to(line), 20, f"an answer of the radio to `{line}`", every=0)
        if "error" in answer:
            raise Failure(f"the radio refused `{line}`: {answer['error']}")
        # The two clocks have different origins. The answer was made between `begun` and now.
        self.ahead = answer["t"] - (begun + now()) / 2
        answer["at"] = answer["t"] - self.ahead
        return answer

    def answer_to(self, line: str) -> dict[str, Any] | None:
        if b"\n" not in self.rest:
            if not select.select([self.port], [], [], 0.1)[0]:
                return None
            self.rest += os.read(self.port, 65536)
            return None
        first, _, self.rest = self.rest.partition(b"\n")
        answer = json.loads(first)
        return answer if answer["order"] == line else None

    @contextmanager
    def slots(self, count: int) -> Iterator[None]:
        """Limits the connections of the computer's own controller."""
        self.order("slots", count)
        try:
            yield
        finally:
            self.order("slots", MANY)

    def add(self, name: str, kind: str, hz: float | str = "") -> str:
        """Adds a sensor and returns its address."""
        return self.order("add", name, kind, hz)["address"] if hz else self.order("add", name, kind)["address"]

    @contextmanager
    def connects(self, seconds: float) -> Iterator[None]:
        """Delays connects of the computer's own controller by that time before an advert completes
        them."""
        self.order("connects", seconds)
        try:
            yield
        finally:
            self.order("connects", 0)

    def clear(self) -> None:
        for sensor in self.order("sensors")["sensors"]:
            self.order("remove", sensor["name"])

    def sensor(self, name: str) -> dict[str, Any]:
        return next(each for each in self.order("sensors")["sensors"] if each["name"] == name)

    def drop(self, name: str, reason: str = "08") -> float:
        """Cuts the sensor's link and returns when."""
        answer = self.order("drop", name, reason)
        if answer["links"] != 1:
            raise Failure(f"{name} had {answer['links']} links to cut")
        return answer["at"]

    def sent(self, name: str, source: str, start: int = 0) -> list[Sent]:
        """The values that a sensor has sent for one characteristic, oldest first."""
        frames = self.order("sent", name, start)["sent"]
        return [
            Sent(each["n"], each["t"] - self.ahead, each["source"], bytes.fromhex(each["hex"]))
            for each in frames if each["source"] == source
        ]
