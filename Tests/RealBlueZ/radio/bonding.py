"""How a virtual sensor bonds: without a passkey, with a passkey that it shows, or by comparing the
one that both sides show.

A sensor with a passkey never bonds with a central that cannot type or compare one.
"""

from __future__ import annotations

import secrets

from bumble.pairing import PairingConfig, PairingDelegate

CAPABILITIES = {
    "works": PairingDelegate.NO_OUTPUT_NO_INPUT,
    "shows": PairingDelegate.DISPLAY_OUTPUT_ONLY,
    "compares": PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
}


class Bonding(PairingDelegate):
    def __init__(self, way: str) -> None:
        super().__init__(CAPABILITIES.get(way, PairingDelegate.NO_OUTPUT_NO_INPUT))
        self.way = way
        self.asked, self.passkey = 0, ""

    def config(self) -> PairingConfig:
        return PairingConfig(sc=True, mitm=self.way != "works", bonding=True, delegate=self)

    async def accept(self) -> bool:
        self.asked += 1
        return True

    async def confirm(self, auto: bool = False) -> bool:
        """Called if neither side can prove its identity."""
        return self.way == "works"

    async def compare_numbers(self, number: int, digits: int) -> bool:
        self.passkey = f"{number:06}"
        return True

    async def generate_passkey(self) -> int:
        # Never 0, which bumble treats as none.
        number = 1 + secrets.randbelow(999_999)
        self.passkey = f"{number:06}"
        return number

    async def display_number(self, number: int, digits: int) -> None:
        """The passkey is in the sensor's summary."""

    def summary(self) -> dict:
        return {"bondings": self.asked, "passkey": self.passkey} if self.way else {}
