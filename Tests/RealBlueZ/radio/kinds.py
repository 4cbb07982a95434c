"""What each kind of virtual sensor offers, notifies and advertises: one entry of KINDS each, and no
code elsewhere.

A frame is a pure function of its number, and consecutive frames differ, so that sent and received
frames can be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from operator import xor
from struct import pack

Frame = Callable[[int], bytes]


@dataclass(frozen=True)
class Value:
    """A characteristic: its value and the frames it notifies (`hz` 0: at the sensor's own rate)."""

    uuid: str
    read: bytes | None = None
    frame: Frame | None = None
    hz: float = 0
    needs_bond: bool = False
    """Whether it requires an encrypted link to subscribe."""
    is_writable: bool = False


@dataclass(frozen=True)
class Kind:
    services: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    advertised: tuple[str, ...] = ()
    company: int | None = None
    broadcast: Frame | None = None
    """Manufacturer data of a broadcaster, by frame number."""
    hz: float = 4
    bonding: str = ""
    """How it bonds: `works` without a passkey, `shows` a passkey, `compares` one. None if it does not bond."""
    hides: bool = False
    """Advertises with a resolvable private address, and reveals its own to bonded devices."""


def heart_rate(number: int) -> bytes:
    """Counts in its RR intervals. Every seventh frame lacks contact, every tenth has energy, every
    thirteenth is 16-bit."""
    wide, energy, beats = number % 13 == 5, number % 10 == 0, number % 4
    flags = 0x04 | (0 if number % 7 == 3 else 0x02) | (0x01 if wide else 0) | (0x08 if energy else 0) | (0x10 if beats else 0)
    frame = pack("<BH" if wide else "<BB", flags, 60 + number % 120)
    frame += pack("<H", number // 10 % 65536) if energy else b""
    return frame + b"".join(pack("<H", 300 + (number * 3 + beat) % 1700) for beat in range(beats))


def speed_cadence(number: int) -> bytes:
    """Two wheel revolutions and half a crank revolution per quarter of a second."""
    return pack("<BIHHH", 3, number * 2, number * 256 % 65536, number // 2 % 65536, number // 2 * 512 % 65536)


def power(number: int) -> bytes:
    """Power that counts up, with a cadence of 60 rpm."""
    return pack("<HhHH", 0x0020, 150 + number % 200, number // 4 % 65536, number // 4 * 1024 % 65536)


def pressure_cap(number: int) -> bytes:
    """The cap sold as TPMS1_xxxxxx: 0x80 + wheel, EA CA, id, pascal, hundredths of a degree,
    battery, alarm."""
    return bytes.fromhex("80eaca000002") + pack("<iiBB", 222708 + number, 3196, 51, 0)


def bottle(number: int) -> bytes:
    """A sensor that nothing built in knows: flags, millilitres, tenths of a degree, tens of
    millilitres that were drunk and roll over, exclusive or. Every fifth frame has an open lid."""
    lid = number % 5 == 2
    frame = pack("<BHhH", 3 if lid else 2, 0xFFFF if lid else 1000 - number % 900, number % 300 - 50, (65500 + 3 * number) % 65536)
    return frame + bytes([reduce(xor, frame)])


BATTERY = (Value("2A19", read=bytes([87]), frame=lambda number: bytes([100 - number % 100]), hz=0.05),)
INFORMATION = (
    Value("2A29", read=b"Cyclometer"),
    Value("2A24", read=b"Virtual 1"),
    Value("2A25", read=b"000001"),
    Value("2A26", read=b"1.0.3"),
    Value("2A27", read=b"A"),
)



def bonded_heart_rate(bonding: str, hides: bool = False) -> Kind:
    """A strap that requires a bond for its heart rate."""
    return Kind(
        services={"180D": (Value("2A37", frame=heart_rate, needs_bond=True), Value("2A38", read=bytes([1]))), "180A": INFORMATION},
        advertised=("180D",),
        bonding=bonding,
        hides=hides,
    )


KINDS: dict[str, Kind] = {
    "heart_rate": Kind(
        services={
            "180D": (Value("2A37", frame=heart_rate), Value("2A38", read=bytes([1]))),
            "180F": BATTERY,
            "180A": INFORMATION,
        },
        advertised=("180D",),
    ),
    "bonding_heart_rate": bonded_heart_rate("works"),
    "hiding_heart_rate": bonded_heart_rate("works", hides=True),
    "passkey_heart_rate": bonded_heart_rate("shows"),
    "comparing_heart_rate": bonded_heart_rate("compares"),
    "speed_cadence": Kind(
        services={
            "1816": (Value("2A5B", frame=speed_cadence), Value("2A5C", read=bytes([3, 0])), Value("2A5D", read=bytes([12]))),
            "180F": BATTERY,
            "180A": INFORMATION,
        },
        advertised=("1816",),
    ),
    "power": Kind(
        services={
            "1818": (Value("2A63", frame=power), Value("2A65", read=pack("<I", 8)), Value("2A5D", read=bytes([5]))),
            "180F": BATTERY,
            "180A": INFORMATION,
        },
        advertised=("1818",),
    ),
    "bottle": Kind(services={"FFF0": (Value("FFF1", frame=bottle), Value("FFF2", is_writable=True))}, advertised=("FFF0",)),
    "pressure_cap": Kind(advertised=("FBB0",), company=0x0100, broadcast=pressure_cap, hz=1),
}
