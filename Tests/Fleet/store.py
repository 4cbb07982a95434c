"""A store of records by their keys, as docs/fleet.md describes them: what is stored twice is the same.

The same class holds what a daemon has sent, so that both can be compared. A key of a sample is
`RECEIVER INSTANCE SENSOR KIND` with a number, that of other records INSTANCE, batch and place."""
import math
import zlib
from array import array

EMPTY = math.nan


def digest(record):
    """What a record says, without the members that a batch leaves out."""
    kept = {name: value for name, value in record.items() if name not in ("age_ms", "time")}
    return zlib.crc32(repr(kept).encode())


class Stream:
    """The samples of one sensor and kind, by `seq`."""

    __slots__ = ("times", "digests", "last", "count")

    def __init__(self):
        self.times, self.digests, self.last, self.count = array("d"), array("L"), 0, 0

    def add(self, number, t, mark):
        """Whether it is new. None if there is another one with this number."""
        missing = number - len(self.times)
        if missing > 0:
            self.times.extend([EMPTY] * missing)
            self.digests.extend([0] * missing)
        self.last = max(self.last, number)
        if math.isnan(self.times[number - 1]):
            self.times[number - 1], self.digests[number - 1] = t, mark
            self.count += 1
            return True
        return False if (self.times[number - 1], self.digests[number - 1]) == (t, mark) else None

    def time(self, number):
        """When it was measured; not a number if it is not there."""
        return self.times[number - 1] if self.has(number) else EMPTY

    def has(self, number):
        return 0 < number <= len(self.times) and not math.isnan(self.times[number - 1])


class Samples:
    """All streams, and what was wrong with them."""

    def __init__(self):
        self.streams = {}
        self.count = self.again = 0
        self.contradictions = []

    def add(self, receiver, instance, record):
        key = f"{receiver} {instance} {record['sensor']} {record['kind']}"
        stream = self.streams.get(key)
        if stream is None:
            stream = self.streams[key] = Stream()
        is_new = stream.add(record["seq"], record["t"], digest(record))
        if is_new:
            self.count += 1
        elif is_new is None:
            self.contradictions.append(f"{key} {record['seq']}")
        else:
            self.again += 1

    def last(self):
        """By key: the newest number."""
        return {key: stream.last for key, stream in self.streams.items()}

    def by_name(self):
        """The streams of the last instance, by receiver, sensor and kind."""
        return {(receiver, sensor, kind): stream for (receiver, _, sensor, kind), stream in
                ((key.split(" "), stream) for key, stream in self.streams.items())}

    def digests(self, ranges):
        """By key, a sum over what the numbers after the first and up to the last say."""
        sums = {}
        for key, (after, last) in ranges.items():
            stream = self.streams.get(key)
            sums[key] = sum(stream.digests[after:last]) if stream else 0
        return sums

    def missing(self, ranges):
        """By key: the numbers after the first and up to the last that are not there."""
        found = {}
        for key, (after, last) in ranges.items():
            stream = self.streams.get(key)
            numbers = [each for each in range(after + 1, last + 1) if stream is None or not stream.has(each)]
            if numbers:
                found[key] = numbers
        return found

    def times(self, numbers):
        """By key: when these were measured."""
        return {key: [self.streams[key].times[each - 1] for each in some if self.streams[key].has(each)] for key, some in numbers.items()}
