"""One run with a number of subscribers, packets and a rate: its cost, times of arrival and
completeness."""
import json
import os
import threading
import time
from array import array
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from harness.servers import BenchmarkFailed, Process


@dataclass
class Outcome:
    subscribers: int
    seconds: float
    processor_ns: int
    samples: int
    # The samples that were sent for the measurement. Straps also send some to keep themselves
    # alive.
    numbered: int
    bytes: int
    complete: int
    dropped: int
    missing: int
    disorder: int
    # How many of these all subscribers together should have received.
    sent: int = 0
    # Packets per second that became lines.
    rate: float = 0
    # Microseconds from the write to the line's `t`, from there to the subscriber, in total, and in
    # total to the last subscriber.
    hops: dict = field(default_factory=dict)
    # Resident memory and its anonymous part, starting before the first packet.
    resident_kib: list = field(default_factory=list)
    anonymous_kib: list = field(default_factory=list)

    @property
    def ns_per_line(self):
        return self.processor_ns / max(1, self.samples)

    @property
    def is_whole(self):
        return self.complete == self.subscribers and self.missing == self.disorder == self.dropped == 0


class Bench:
    def __init__(self, readers, folder):
        self.readers = readers
        self.folder = folder

    def steady(self, server, subscribers, rate, seconds, counter=None, samples_memory=False):
        """At a steady rate, with the times of all lines. Counting starts when every subscriber has
        a line of every strap."""
        count = max(1, round(rate * seconds / server.straps))
        if server.sensors is None:
            return self._fixes(server, subscribers, rate, count * server.straps)
        first = server.begin(count)
        latencies = self.folder / "latencies"
        readers = self._subscribe(server, subscribers, first, count, latencies)
        with counted(server, counter, samples_memory) as measurement:
            server.radio.send(server.target, rate, first, count, self.folder / "times")
            server.radio.sent(seconds + 60)
            summary = self._summary(readers, 20)
        outcome = measurement.outcome(subscribers, summary)
        outcome.sent = count * server.straps * subscribers
        sent, arrivals = numbers(self.folder / "times"), numbers(latencies)
        outcome.hops = hops(sent, arrivals)
        # N packets are N - 1 steps apart from first to last.
        outcome.rate = (outcome.numbered / subscribers - 1) / ((max(arrivals[2::4], default=sent[-1]) - sent[0]) / 1e9)
        return outcome

    def _fixes(self, server, subscribers, rate, count):
        readers = self._subscribe(server, subscribers, 0, count)
        with measured(server) as measurement:
            server.feed(rate, count)
            summary = self._summary(readers, 5)
        return measurement.outcome(subscribers, summary)

    def full_speed(self, server, subscribers, count, window, counter=None):
        """As fast as the slowest subscriber reads, sampling memory. With a window of one, a packet
        is sent when all subscribers have the previous one, so that no iteration of the server's
        loop serves two."""
        first = server.begin(count)
        progress = self.folder / "progress"
        if progress.exists():
            progress.unlink()
        os.mkfifo(progress)
        readers = self._subscribe(server, subscribers, first, count, progress=progress)
        with counted(server, counter, samples_memory=True) as measurement:
            server.radio.send(server.target, 0, first, count, self.folder / "times", progress, window)
            server.radio.sent(600)
            summary = self._summary(readers, 30)
        return measurement.outcome(subscribers, summary)

    def one_stopped(self, server, subscribers, rate, seconds):
        """The first subscriber stops reading until all others have everything, and then
        continues."""
        count = round(rate * seconds / server.straps)
        first = server.begin(count)
        readers = self._subscribe(server, subscribers, first, count, stops=True)
        with measured(server, samples_memory=True) as measurement:
            server.radio.send(server.target, rate, first, count, self.folder / "times")
            server.radio.sent(seconds + 20)
            readers.expect("stopped", 20)
            readers.tell("read on")
            summary = self._summary(readers, 20)
        return measurement.outcome(subscribers, summary)

    def _subscribe(self, server, subscribers, first, count, latencies="-", progress="-", stops=False):
        words = [
            self.readers, server.address, subscribers, server.ready, server.request, first, count,
            ",".join(server.sensors) if server.sensors else "-", latencies, progress, int(stops)]
        readers = Process(words)
        readers.expect("ready", 30)
        return readers

    def _summary(self, readers, seconds):
        """If something is lost, the readers wait forever, so their input is closed to end them."""
        try:
            line = readers.read_line(seconds)
        except BenchmarkFailed:
            readers.child.stdin.close()
            line = readers.read_line(10)
        readers.child.wait(10)
        return json.loads(line)


@contextmanager
def counted(server, counter, samples_memory):
    """Measures, also with the counter if there is one. The straps then send nothing else."""
    if counter:
        server.radio.rest()
        time.sleep(0.2)
    with counter or nullcontext(), measured(server, samples_memory) as measurement:
        yield measurement


class measured:
    """The server's processor time, the elapsed time, and optionally its memory fifty times per
    second."""

    def __init__(self, server, samples_memory=False):
        self.process = server.process
        self.memory_kib = []
        self.samples_memory = samples_memory
        self.over = threading.Event()

    def __enter__(self):
        if self.samples_memory:
            self.memory_kib.append(self.process.memory_kib())
            self.sampler = threading.Thread(target=self._sample)
            self.sampler.start()
        self.start, self.processor_start = time.monotonic(), self.process.processor_ns()
        return self

    def _sample(self):
        while not self.over.wait(0.02):
            self.memory_kib.append(self.process.memory_kib())

    def outcome(self, subscribers, summary):
        resident, anonymous = zip(*self.memory_kib) if self.memory_kib else ([], [])
        return Outcome(
            subscribers, self.seconds, self.processor_ns, **summary, resident_kib=list(resident), anonymous_kib=list(anonymous))

    def __exit__(self, *error):
        self.processor_ns = self.process.processor_ns() - self.processor_start
        self.seconds = time.monotonic() - self.start
        self.over.set()
        if self.samples_memory:
            self.sampler.join()


def numbers(path):
    """64 bits each."""
    found = array("Q")
    found.frombytes(path.read_bytes())
    return found


def hops(sent, arrivals):
    """Microseconds of every line of every subscriber."""
    first, second, whole, last = [], [], [], {}
    for place in range(0, len(arrivals), 4):
        packet, _, readable, stamped = arrivals[place:place + 4]
        # `t` is rounded to a microsecond.
        first.append(max(0, stamped - sent[packet]) / 1000)
        second.append(max(0, readable - stamped) / 1000)
        total = (readable - sent[packet]) / 1000
        whole.append(total)
        last[packet] = max(last.get(packet, 0), total)
    return {"read": first, "delivered": second, "whole": whole, "last": list(last.values())}
