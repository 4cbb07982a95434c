"""Heart rate straps paired with a running daemon, and invariants for everything that a subscriber
receives."""

from __future__ import annotations

from dataclasses import dataclass

from air import Sent
from cyclometer import Daemon, Record, Subscriber
from heart_rate import MOST_APART, expected, seen
from runner import Rig
from waiting import Failure, now, require, wait_for

KIND = "heart_rate"
HERTZ = 4


@dataclass
class Strap:
    name: str
    address: str
    id: str


def add_straps(rig: Rig, count: int, first: int = 0) -> dict[str, str]:
    """Adds straps without pairing them. Returns addresses by name."""
    return {f"HRM{index}": rig.air.add(f"HRM{index}", KIND, HERTZ) for index in range(first, first + count)}


class Ride:
    """A running daemon with paired straps that all stream, and a subscriber."""

    def __init__(self, rig: Rig, count: int = 1, hertz: float = HERTZ) -> None:
        self.rig = rig
        self.daemon: Daemon = rig.daemon()
        self.daemon.start()
        self.straps: list[Strap] = []
        self.subscriber = listen(self.daemon)
        for _ in range(count):
            self.add(hertz)
        self.all_stream(30)

    def __enter__(self) -> Ride:
        return self

    def __exit__(self, *_: object) -> None:
        self.subscriber.__exit__()

    @property
    def strap(self) -> Strap:
        return self.straps[0]

    def add(self, hertz: float = HERTZ) -> Strap:
        name = f"HRM{len(self.straps)}"
        address = self.rig.air.add(name, KIND, hertz)
        self.straps.append(Strap(name, address, self.daemon.pair(address)))
        return self.straps[-1]

    def advertise_every(self, milliseconds: float, *straps: Strap) -> None:
        """Applies from now on. The straps were paired at the usual 100 ms."""
        for strap in straps or self.straps:
            self.rig.air.order("interval", strap.name, milliseconds)

    def require_no_ghost(self) -> None:
        """The kernel and the controller have the same links."""
        bluetooth = self.rig.bluetooth
        wait_for(lambda: not bluetooth.ghosts(), 10, f"the same links in kernel and controller, not {bluetooth.ghosts()} in one only", every=0.2)

    def restart(self) -> None:
        """Restarts the daemon and its subscriber after the daemon was killed."""
        self.subscriber.__exit__()
        self.daemon.start()
        self.subscriber = listen(self.daemon)

    def streams(self, seconds: float, since: float, strap: Strap | None = None) -> float:
        """When the first sample arrived that was measured after `since`."""
        return self.subscriber.wait_for_sample((strap or self.strap).id, KIND, seconds, since)[0]

    def all_stream(self, seconds: float, since: float | None = None) -> float:
        """When the first such sample of the last strap arrived."""
        since = now() if since is None else since
        end = now() + seconds
        return max(self.streams(max(0.1, end - now()), since, each) for each in self.straps)

    def reported(self, reasons: tuple[str, ...] | str, seconds: float, since: float, strap: Strap | None = None) -> tuple[float, Record]:
        """The first state record with one of the reasons. It is never a streaming one."""
        reasons = (reasons,) if isinstance(reasons, str) else reasons
        arrived, record = self.subscriber.wait_for_state(
            (strap or self.strap).id, lambda record: record.get("reason") in reasons, seconds,
            f"a state record with {' or '.join(reasons)}", since,
        )
        require(record["state"] != "streaming", f"it is reported as streaming, with {record['reason']}")
        return arrived, record

    def cut_and_back(self, seconds: float, strap: Strap | None = None) -> float:
        """The time from a cut link to the next sample."""
        strap = strap or self.strap
        self.streams(15, now(), strap)
        # The time of the cut is only known to lie between the order and its answer.
        ordered = now()
        cut = self.rig.air.drop(strap.name)
        arrived, _ = self.reported("link_lost", 20, ordered, strap)
        return self.streams(seconds, arrived, strap) - cut

    def require_honest(self, most_missed: int = 0, first_of_ours: int | None = None) -> None:
        """Checks every strap. Each sample was sent, is published once and only while streaming, and
        `seq` has no gap. Of the frames sent between the first and the last sample, at most
        `most_missed` are missing. Frames right before the sample with the `seq` `first_of_ours` are
        not counted: they were for another program."""
        for strap in self.straps:
            samples = samples_while_streaming(self.subscriber, strap.id)
            holes = missed_frames(samples, self.rig.air.sent(strap.name, "2a37"))
            holes.pop(first_of_ours, None)
            missed = sum(holes.values())
            what = f"{strap.name}: {missed} values are missing, at most {most_missed} may be"
            require(missed <= most_missed, f"{what}; number missing by the seq after them: {holes}")


def listen(daemon: Daemon) -> Subscriber:
    subscriber = Subscriber(daemon.metrics)
    subscriber.ask("subscribe", snapshot=False)
    return subscriber


def samples_while_streaming(subscriber: Subscriber, sensor: str) -> list[Record]:
    state, samples = "streaming", []
    with subscriber.changed:
        came = [record for _, record in subscriber.came if record.get("sensor") == sensor]
    for record in came:
        if record["class"] == "state":
            state = record["state"]
        elif record["class"] == "sample" and record["kind"] == KIND:
            require(state == "streaming", f"seq {record['seq']} arrived in state {state}")
            if samples:
                require(record["seq"] == samples[-1]["seq"] + 1, f"seq goes from {samples[-1]['seq']} to {record['seq']}")
            samples.append(record)
    return samples


def missed_frames(samples: list[Record], sent: list[Sent]) -> dict[int, int]:
    """Matches each sample to one frame, in order. Returns the number of frames without a sample, by
    the `seq` of the sample after them."""
    at, holes = -1, {}
    for sample in samples:
        value = seen(sample)
        fits = (index for index in range(at + 1, len(sent))
                if expected(sent[index].value) == value and abs(sample["t"] - sent[index].at) < MOST_APART)
        found = next(fits, None)
        if found is None:
            raise Failure(f"seq {sample['seq']} at {sample['t']} has {value}, which was not sent then or is a repeat")
        if 0 <= at < found - 1:
            holes[sample["seq"]] = found - at - 1
        at = found
    return holes
