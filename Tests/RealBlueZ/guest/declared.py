"""A sensor that nothing built in knows, and the file that declares it (the frames are those of
`bottle` in radio/kinds.py)."""

from __future__ import annotations

from struct import unpack

from air import Air
from waiting import require

KIND, HERTZ = "bottle", 4
NAME = "HB-0001"
ID, SAMPLE = "smart_bottle", "drink"

FILE = """\
[Sensor]
Format = 1
Id = smart_bottle
Title = Drinking bottle
Announced = fff0 HB-
StaleAfter = 3
ReconnectAfter = 10

[Packet level]
Notify = fff0 fff1
flags = u8
level = u16 unknown 0xffff
temperature = i16
tens = u16
check = u8 is xor

[Counter drunk]
Count = tens
Unit = 10

[Sample drink]
level_ml = level
temperature_c = temperature / 10 if flags[1]
lid_open = flags[0] == 1
drunk_ml = drunk.total
"""
WRONG_LINE = 13
WRONG = FILE.replace("temperature = i16", "temperature = i15")
"""A file with a mistake in that line."""


def expected(frame: bytes) -> dict:
    """What is published of a frame, apart from what was drunk, which counts on."""
    flags, level, temperature, _, _ = unpack("<BHhHB", frame)
    record = {"temperature_c": temperature / 10, "lid_open": flags & 1 == 1}
    return record | ({"level_ml": level} if level != 0xFFFF else {})


def tens(frame: bytes) -> int:
    return unpack("<H", frame[5:7])[0]


def require_sent(air: Air, samples: list[dict]) -> None:
    """Each sample has the values of a frame that was sent, in their order, and what was drunk is the
    difference of the frames' counters, across the cut too."""
    frames = [each.value for each in air.sent(NAME, "fff1")]
    position, origin = 0, None
    for sample in samples:
        values = {name: sample[name] for name in ("level_ml", "temperature_c", "lid_open") if name in sample}
        while position < len(frames) and expected(frames[position]) != values:
            position += 1
        require(position < len(frames), f"no frame left that says {sample}")
        if "drunk_ml" in sample:
            counted = 10 * ((tens(frames[position]) - tens(frames[0])) % 65536)
            origin = counted - sample["drunk_ml"] if origin is None else origin
            require(sample["drunk_ml"] == counted - origin, f"{sample} after {counted - origin} ml were drunk")
        position += 1
    require(origin is not None, "no sample says what was drunk")
