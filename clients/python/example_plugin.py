#!/usr/bin/env python3
"""Decodes the drinking bottle of bottle.sensor. A packet has flags, the level in millilitres, tenths
of a degree, a counter of the tens of millilitres that were drunk, and an exclusive or of it all.

    example_plugin.py [PLUGIN_SOCKET]
"""

from __future__ import annotations

import struct
import sys
from functools import reduce
from operator import xor

import cyclometer_plugin
from cyclometer_plugin import CommandFailed, Packet, Refused, answer, event, sample

LID_OPEN, HAS_TEMPERATURE, UNKNOWN_LEVEL = 1, 2, 0xFFFF
STAY_AWAKE = 20     # seconds: the bottle sleeps if nothing is written for half a minute


class Bottle(cyclometer_plugin.Session):
    def opened(self) -> None:
        self.tens: int | None = None    # the counter of the last packet
        self.drunk = 0
        self.was_open = False
        self.is_awake = False

    def linked(self) -> None:
        self.is_awake = False

    def packet(self, packet: Packet) -> list[dict[str, object]]:
        if len(packet.value) != 8:
            raise Refused("bad_length", at=min(len(packet.value), 8))
        if reduce(xor, packet.value) != 0:
            raise Refused("not_this_protocol", at=7)
        flags, level, temperature, tens = struct.unpack("<BHhH", packet.value[:7])
        if self.tens is not None:
            self.drunk += (tens - self.tens) % 65536 * 10
        self.tens = tens
        if not self.is_awake:
            self.is_awake = True
            self.tick_after(STAY_AWAKE)
        is_open = bool(flags & LID_OPEN)
        records = [sample("drink", level_ml=None if level == UNKNOWN_LEVEL else level,
                          temperature_c=temperature / 10 if flags & HAS_TEMPERATURE else None,
                          lid_open=is_open, drunk_ml=self.drunk)]
        if is_open != self.was_open:
            records.append(event("lid", is_open=is_open))
        self.was_open = is_open
        return records

    def tick(self, time: float) -> None:
        self.write("fff0", "fff2", b"\x00")
        self.tick_after(STAY_AWAKE)

    def command(self, name: str, value: float | None) -> list[dict[str, object]]:
        if not self.is_connected:
            raise CommandFailed("the bottle is not connected")
        self.write("fff0", "fff2", bytes([1, 1 if value else 0]))
        self.log(f"{self.name}: light {1 if value else 0}")
        return [answer(light="on" if value else "off")]


cyclometer_plugin.run("bottle_process", Bottle, sys.argv[1] if len(sys.argv) > 1 else None)
