"""The known differences between the independent decoders and ours, and why ours is right. Each
entry is as narrow as its reason. A difference without an entry fails the comparison, and so does an
entry without a difference."""
import math
from typing import Callable, NamedTuple

from frames import LAYOUTS, POLAR, TEXTS, Frame

HEART_RATE, POWER, BIKE = ("2a37",), ("2a63",), ("2ad2",)
MACHINES = ("2ad2", "2acd", "2ad1")
ANY = ()


class Difference(NamedTuple):
    decoder: str
    sources: tuple[str, ...]
    # Of fields, or `accepted` and `refused`; ANY for all of these.
    fields: tuple[str, ...]
    why: str
    # Gets the frame, ours (of a refusal the word) and theirs.
    when: Callable = lambda frame, mine, their: True

    @property
    def field(self) -> str:
        return " ".join(self.fields) or "all"

    def explains(self, decoder: str, frame: Frame, field: str, mine, their) -> bool:
        return (decoder == self.decoder and frame.source in self.sources and (not self.fields or field in self.fields)
                and bool(self.when(frame, mine, their)))


# What frames have to be

def accepts(decoder: str, sources: tuple[str, ...], reason: str, why: str) -> Difference:
    return Difference(decoder, sources, ("accepted",), f"{reason}: {why}", lambda frame, mine, their: mine == reason)


def needed(frame: Frame) -> int:
    """How long a machine's frame is by its flags."""
    start, sizes = LAYOUTS[frame.source]
    present = frame.flags ^ 1
    return start + sum(size for bit, size in enumerate(sizes) if present >> bit & 1)


def is_cut(frame: Frame, *_) -> bool:
    return len(frame.value) == 20 and needed(frame) > 20


def lacks_cadence_flag(frame: Frame, *_) -> bool:
    return frame.flags & 0x0c == 0x08 and len(frame.value) == needed(frame) + 2


def is_searching(frame: Frame, mine, their) -> bool:
    """A rate of 0 and no intervals."""
    wide = frame.flags & 1
    length = 2 + wide + (2 if frame.flags & 8 else 0)
    return frame.number(1, 1 + wide) == 0 and (not frame.flags & 0x10 or len(frame.value) == length)


def has_reserved_flag(frame: Frame, *_) -> bool:
    return frame.flags >> 13 != 0


# What numbers have to be

def is_unsigned(bits: int, factor: float) -> Callable:
    return lambda frame, mine, their: mine is not None and mine < 0 and math.isclose(their, mine + (1 << bits) * factor)


def is_unknown(*numbers: float) -> Callable:
    return lambda frame, mine, their: mine is None and their in numbers


def close(factor: float) -> Callable:
    return lambda frame, mine, their: mine is not None and their is not None and math.isclose(their, mine * factor)


# All bits of a field set, or all but the sign's, in the units of our fields.
HIGHEST = [0xffff / 360, 0xffff / 2, 0xffff, 0xffffff, 0xff, 0x7fff, 0xff / 2, 0x7f / 10, 0x7fff / 10]


def is_highest(frame: Frame, mine, their) -> bool:
    return their is None and isinstance(mine, (int, float)) and any(math.isclose(mine, number, abs_tol=1e-6) for number in HIGHEST)


STRAPS = [
    difference for decoder in ("pycycling", "bleakheart", "bumble") for difference in (
        Difference(decoder, HEART_RATE, ("bpm",), "a rate of 0 is sent while the sensor searches, and is not a reading",
                   lambda frame, mine, their: mine is None and their == 0),
        Difference(decoder, HEART_RATE, ("energy_expended_j", "sensor_contact"),
                   "neither a rate nor intervals: there is no sample that could carry the rest", is_searching),
        accepts(decoder, HEART_RATE, "trailing_bytes", "no flag explains these bytes"))
] + [
    Difference("pycycling", HEART_RATE, ("sensor_contact",), "HRS: bit 1 indicates contact only if bit 2 is set",
               lambda frame, mine, their: frame.flags & 6 == 2 and mine is None),
    Difference("pycycling", HEART_RATE, ("sensor_contact",), "HRS: bit 2 alone means that there is no contact",
               lambda frame, mine, their: frame.flags & 6 == 4 and mine == "not_detected"),
    Difference("bleakheart", HEART_RATE, ("rr_ms",), "whole milliseconds: for variability 1/1024 s has to be kept",
               lambda frame, mine, their: [round(interval) for interval in mine] == their),
    accepts("bleakheart", HEART_RATE, "truncated", "a truncated number is read as a smaller one"),
    accepts("bumble", ("2a38",), "reserved_value", "a location outside the list"),
    accepts("bumble", ("2a38",), "trailing_bytes", "a location is one byte"),
    Difference("bleakheart", (POLAR,), ("refused",), "only acceleration of 16 bits, uncompressed, is decoded there",
               lambda frame, mine, their: frame.value[0] == 2 and frame.value[9] != 1),
]

COMPANIONS = [
    accepts("bumble", ("2a19",), "out_of_range", "BAS: 101 to 255 are reserved"),
    accepts("bumble", tuple(TEXTS), "empty", "an empty value is not a text"),
    Difference("bumble", tuple(TEXTS), tuple("manufacturer model serial firmware hardware software".split()),
               "NUL bytes at the end are filling", lambda frame, mine, their: their.rstrip("\0") == (mine or "")),
]

PYCYCLING = [
    accepts("pycycling", ("2a19", "2a37", "2a5b", "2a5c", "2a5d", "2a63", "2a64", "2a65", "2acc", "2ad2", "2ad3", "2ada"), reason, why)
    for reason, why in (
        ("empty", "no bytes are read as 0"), ("truncated", "a truncated number is read as a smaller one"),
        ("trailing_bytes", "nothing explains these bytes"), ("reserved_value", "a number outside its list"),
        ("out_of_range", "BAS: 101 to 255 are reserved"), ("unknown_frame", "events that no known machine sends"))
] + [
    Difference("pycycling", POWER, ("power_w",), "CPS: sint16", is_unsigned(16, 1)),
    Difference("pycycling", POWER, ("max_force_n", "min_force_n"), "CPS: sint16", is_unsigned(16, 1)),
    Difference("pycycling", POWER, ("max_torque_nm", "min_torque_nm"), "CPS: sint16", is_unsigned(16, 1 / 32)),
    Difference("pycycling", POWER, ("pedal_balance_pct",), "a share above 100 % is invalid",
               lambda frame, mine, their: mine is None and their > 100),
    Difference("pycycling", ("2a65",), ("dead_spot_angles", "accumulated_energy", "offset_compensation", "content_masking",
                                        "multiple_sensor_locations"),
               "CPS: extreme angles are bit 5, the offset indicator is bit 8; without them all later fields are shifted"),
    Difference("pycycling", BIKE, ANY, "Matrix: truncated at 20 bytes, and the missing part is read as 0 or as a smaller number", is_cut),
    Difference("pycycling", BIKE, ANY, "Life Fitness: the cadence without its flag; without it all later fields are shifted",
               lacks_cadence_flag),
    Difference("pycycling", BIKE, ("bpm",), "a heart rate of 0 is not a reading", is_unknown(0)),
    Difference("pycycling", BIKE, ("energy_total_kcal", "energy_per_hour_kcal"), "FTMS: 0xFFFF is not known",
               is_unknown(0xffff)),
    Difference("pycycling", BIKE, ("energy_per_minute_kcal",), "FTMS: 0xFF is not known", is_unknown(0xff)),
    Difference("pycycling", ("2acc",), ("machine_features",), "the bits that FTMS leaves reserved are kept in the number",
               lambda frame, mine, their: their == mine & 0x1ffff),
    Difference("pycycling", ("2ad3",), ("training_status",),
               "FTMS: bit 0 indicates a text; the status is always present, whatever bit 0 is",
               lambda frame, mine, their: their is None and not frame.flags & 1),
    Difference("pycycling", ("2ad3",), ("refused",), "FTMS: bit 1 indicates a longer text, which is an error there",
               lambda frame, mine, their: frame.value[0] & 2),
    Difference("pycycling", ("2ada",), ("grade_pct", "wind_speed_mps"), "FTMS: sint16",
               lambda frame, mine, their: mine < 0 <= their),
    Difference("pycycling", ("2ada",), ("rolling_resistance",), "FTMS: in steps of 0.0001", close(10)),
    Difference("pycycling", ("2ada",), ("refused",), "a target heart rate is an error there",
               lambda frame, mine, their: frame.value[0] == 9),
]

PYFTMS = [
    Difference("pyftms", MACHINES, ("refused",), "Matrix, Mr Captain: truncated at 20 bytes, and complete fields are kept", is_cut),
    Difference("pyftms", BIKE, ("refused",), "Life Fitness: the cadence without its flag", lacks_cadence_flag),
    Difference("pyftms", MACHINES, ("refused",), "a reserved flag may announce bytes that are not defined yet", has_reserved_flag),
    Difference("pyftms", ("2acd",), ("refused", "accepted"), "a pace of one byte, by the table of 2017; the current one has two",
               lambda frame, mine, their: frame.flags & 0x60),
    Difference("pyftms", ("2acd",), ("refused",), "an elevation of 0xFFFF is what Matrix sends for an unknown one; the decoder requires a value",
               lambda frame, mine, their: frame.flags & 0x10 and b"\xff\xff" in frame.value[2:]),
    Difference("pyftms", ("2ad1",), ("refused",), "a stroke rate of 0xFF and a count of 0xFFFF mean themselves",
               lambda frame, mine, their: not frame.flags & 1 and (frame.value[2] == 0xff or frame.number(3, 2) == 0xffff)),
    Difference("pyftms", ("2acd",), ("elevation_gain_m", "elevation_loss_m"),
               "0x7FFF is what Life Fitness and Matrix send for an unknown value", is_unknown(0x7fff)),
    Difference("pyftms", ("2acd",), ("elevation_gain_m", "elevation_loss_m"), "FTMS: in steps of 0.1 m", close(10)),
    Difference("pyftms", MACHINES, ("bpm",), "a heart rate of 0 is not a reading", is_unknown(0)),
    Difference("pyftms", MACHINES, ("metabolic_equivalent",), "FTMS: uint8",
               lambda frame, mine, their: their is not None and their < 0 and math.isclose(their, mine - 25.6)),
    Difference("pyftms", MACHINES, ANY, "the highest number is valid here; only energy, angles and forces use it for unknown",
               is_highest),
    Difference("pyftms", ("2ace",), ANY, "FTMS: the flags have three bytes, two are read"),
    Difference("pyftms", ("2ad3",), ("refused",), "a reserved flag may announce bytes that are not defined yet",
               lambda frame, mine, their: frame.flags > 3),
    accepts("pyftms", ("2ad3",), "trailing_bytes", "no flag indicates a text"),
]

SIG = [
    accepts("bluetooth-sig", ("2a53",), "truncated", "a truncated field that the flags announce is skipped"),
    accepts("bluetooth-sig", ("2a53", "2a6c", "2a6d", "2a6e", "2a6f"), "trailing_bytes", "nothing explains these bytes"),
    Difference("bluetooth-sig", ("2a6e", "2a6f"), ("refused",), "the number for unknown is valid, and means no value",
               lambda frame, mine, their: mine == {}),
]

THEENGS = [
    accepts("theengs", ("0100",), "not_this_protocol", "the address in the advert is not that of a cap"),
    Difference("theengs", ("0100",), ("temperature_c",), "below 0 °C: unsigned, frost becomes millions of degrees",
               is_unsigned(32, 0.01)),
    Difference("theengs", ("0100",), ("pressure_gauge_pa",), "just below the atmosphere: unsigned, it becomes millions of pascals",
               is_unsigned(32, 1)),
    Difference("theengs", ("0100",), ("alarm",), "any number but 0 is an alarm, not 1 alone",
               lambda frame, mine, their: frame.value[15] > 1),
    Difference("theengs", ("br",), ("pressure_gauge_pa",), "14.5 psi per bar instead of 14.5038",
               lambda frame, mine, their: math.isclose(their, mine * 14.503774 / 14.5, rel_tol=1e-6, abs_tol=1e-3)),
    accepts("theengs", ("0100", "br"), "out_of_range", "numbers that are impossible for a tire or a cell"),
]

DIFFERENCES = STRAPS + COMPANIONS + PYCYCLING + PYFTMS + SIG + THEENGS
