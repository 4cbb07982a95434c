"""The frames that are compared: from all vectors, from all captures, and random ones. Most random
frames have the length that their flags require. The same seed gives the same ones."""
import json
import random
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
POLAR = "fb005c82-02e7-f387-1cad-8acd2d8df0c8"
TEXTS = ["2a29", "2a24", "2a25", "2a26", "2a27", "2a28"]
# By service: the characteristics whose frames are compared. `advert` is not a service.
PROFILES = {
    "180d": ["2a37", "2a38"],
    "1816": ["2a5b", "2a5c", "2a5d"],
    "1818": ["2a63", "2a64", "2a65", "2a5d"],
    "1814": ["2a53", "2a54"],
    "181a": ["2a6e", "2a6f", "2a6d", "2a6c"],
    "1826": ["2ad2", "2acd", "2ad1", "2ace", "2acc", "2ad3", "2ada"],
    "180f": ["2a19"],
    "180a": [*TEXTS, "2a23", "2a50"],
    "fb005c80-02e7-f387-1cad-8acd2d8df0c8": [POLAR],
    "advert": ["0100", "br"],
}


class Frame(NamedTuple):
    service: str
    # A characteristic; for adverts the company id, or "br" if the vendor put data in its place.
    source: str
    value: bytes

    def number(self, offset: int, size: int) -> int:
        return int.from_bytes(self.value[offset:offset + size], "little")

    @property
    def flags(self) -> int:
        return self.number(0, 2 if self.service == "1826" or self.source == "2a63" else 1)


def short(uuid: str) -> str:
    """The name of a characteristic in PROFILES."""
    uuid = uuid.lower()
    plain = uuid.replace("-", "")
    if len(plain) == 32 and plain.endswith("00001000800000805f9b34fb"):
        return plain[4:8]
    return POLAR if plain == POLAR.replace("-", "") else uuid


def services_of(source: str) -> list[str]:
    return [service for service, sources in PROFILES.items() if source in sources]


def of_vectors() -> list[Frame]:
    frames = []
    for path in sorted((ROOT / "Tests/SensorsTests/Vectors").glob("*.json")):
        file = json.loads(path.read_text())
        rows = file["cases"] + file["malformed"] + [
            {"characteristic": row.get("characteristic", file["characteristic"])} | step
            for row in file.get("sequences", []) for step in row["sequence"]]
        for row in rows:
            source = short(row.get("characteristic", file["characteristic"]))
            if source == "advertisement":
                source = {"tpms-0x0100": "0100", "tpms-br": "br"}.get(path.stem, "")
            frames += [Frame(service, source, bytes.fromhex(row["hex"])) for service in services_of(source)]
    return frames


def of_captures() -> list[Frame]:
    line = re.compile(r"[\d.]+ (\S+) (?:notify|indicate|read|advert) (\S+) ([0-9a-f -]+)$", re.IGNORECASE)
    frames = []
    for path in sorted((ROOT / "Tests/Captures").glob("*/*.capture")):
        for found in filter(None, map(line.match, path.read_text().splitlines())):
            source = short(found[2])
            value = bytes.fromhex(found[3].replace("-", ""))
            frames += [Frame(service, source, value) for service in services_of(source)]
    return frames


# The number of bytes before the fields, and the number that each bit of the flags adds. Bit 0 of
# machines is inverted.
LAYOUTS = {
    "2a37": (2, [1, 0, 0, 2]),
    "2a5b": (1, [6, 4]),
    "2a53": (4, [2, 4, 0]),
    "2a63": (4, [1, 0, 2, 0, 6, 4, 4, 4, 3, 2, 2, 2, 0]),
    "2a64": (1, [4, 2]),
    "2ad2": (2, [2, 2, 2, 2, 3, 2, 2, 2, 5, 1, 1, 2, 2]),
    "2acd": (2, [2, 2, 3, 4, 4, 2, 2, 5, 1, 1, 2, 2, 4]),
    "2ad1": (2, [3, 1, 3, 2, 2, 2, 2, 2, 5, 1, 1, 2, 2]),
    "2ace": (3, [2, 2, 3, 4, 2, 4, 4, 2, 2, 2, 5, 1, 1, 2, 2, 0]),
}
LENGTHS = {
    "2a38": 1, "2a5c": 2, "2a5d": 1, "2a65": 4, "2acc": 8, "2ad3": 2, "2a19": 1, "2a23": 8, "2a50": 7, "2a54": 2,
    "2a6c": 3, "2a6d": 4, "2a6e": 2, "2a6f": 2}
STATUS_LENGTHS = {2: 1, 5: 2, 6: 2, 7: 1, 8: 2, 9: 1, 0x12: 6, 0x13: 2, 0x14: 1, 0x15: 2}


class Chance(random.Random):
    def octets(self, count: int) -> bytes:
        """Sometimes values at the ends of their range."""
        return bytes(self.choice((0, 0xff, 0x7f, 0x80)) if self.random() < 0.2 else self.randrange(256) for _ in range(count))

    def frame(self, source: str) -> bytes:
        if source in LAYOUTS:
            value = self.flagged(source)
        elif source in TEXTS:
            value = self.choice((b"Sensor 7", "Süßer 🚲".encode(), self.octets(6))) + bytes(self.randrange(3))
        elif source == "2ada":
            event = self.choice((*range(0x17), 0xff))
            value = bytes((event,)) + bytes(self.randrange(1, 4) for _ in range(STATUS_LENGTHS.get(event, 0)))
        elif source == POLAR:
            kind, size = self.choice(((0, 3), (2, 6)))
            value = bytes((kind,)) + self.octets(7) + bytes((0, 0 if kind == 0 else 1)) + self.octets(size * self.randrange(9))
        elif source == "2a50":
            value = bytes((self.choice((1, 2, 1, 2, 3)),)) + self.octets(6)
        elif source == "0100":
            value = bytes((0x80 + self.randrange(4), 0xea, 0xca)) + self.octets(3) + self.cap()
        elif source == "br":
            value = bytes((self.choice((0x10, 0x18)), self.randrange(20, 40), self.randrange(256), *self.octets(4)))
        else:
            small = LENGTHS[source] <= 2 and not source.startswith("2a6")
            value = bytes(self.randrange(24) for _ in range(LENGTHS[source])) if small else self.octets(LENGTHS[source])
        return self.damaged(value)

    def flagged(self, source: str) -> bytes:
        start, sizes = LAYOUTS[source]
        width = {"2a37": 1, "2a5b": 1, "2a53": 1, "2a64": 1, "2ace": 3}.get(source, 2)
        flags = self.getrandbits(len(sizes)) & (self.getrandbits(len(sizes)) if self.random() < 0.5 else -1)
        present = flags ^ (1 if source.startswith("2ac") or source.startswith("2ad") else 0)
        length = start - width + sum(size for bit, size in enumerate(sizes) if present >> bit & 1)
        tail = b""
        if source == "2a37" and self.random() < 0.5:
            flags, tail = flags | 0x10, self.octets(2 * self.randrange(6))
        if source == "2a64":
            flags |= self.choice((0, 4, 8)) | self.randrange(4) << 4
            tail = self.octets(2 * self.randrange(6)) if flags & 12 else b""
        if self.random() < 0.05:
            flags |= 1 << (8 * width - 1 - self.randrange(3))
        return flags.to_bytes(width, "little") + self.octets(length) + tail

    def cap(self) -> bytes:
        pressure, temperature = self.randrange(900_000), self.randrange(-4000, 8500)
        return (pressure.to_bytes(4, "little") + temperature.to_bytes(4, "little", signed=True)
                + bytes((self.randrange(101), self.randrange(2))))

    def damaged(self, value: bytes) -> bytes:
        chance = self.random()
        if chance < 0.1:
            return value[:self.randrange(len(value) + 1)]
        return value + self.octets(self.randrange(1, 4)) if chance < 0.17 else value


def at_random(seed: int, count: int) -> list[Frame]:
    chance = Chance(seed)
    frames = []
    for service, sources in PROFILES.items():
        for number in range(count):
            source = sources[0] if number % 2 else chance.choice(sources)
            frames.append(Frame(service, source, chance.frame(source)))
    return frames


def everything(seed: int, count: int) -> list[Frame]:
    return list(dict.fromkeys(of_vectors() + of_captures() + at_random(seed, count)))
