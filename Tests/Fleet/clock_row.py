"""The row in which the clock is set during a ride: from 1970 to now, for the receiver's programs only."""
import time

from fleet import Broker, Comparison, Fleet, Receiver
from programs import HERE, Failed, Helper, built_c, now, until, wall_offset
from reader import seconds
from table import Row

# Of the wall clock, for the time of a record: on a machine of its own, and where programs wait for the processor.
TOLERANCE, LOADED_TOLERANCE = 0.1, 2


class WallClock:
    """What the preloaded library shows to a program."""

    def __init__(self, folder):
        self.file = folder / "ahead"
        self.set(0)
        library = built_c(HERE / "wall_clock.c", "-shared", "-fPIC")
        self.environment = {"LD_PRELOAD": str(library), "WALL_CLOCK": str(self.file)}

    def set(self, ahead):
        """So many seconds ahead of the real one, for all programs at once."""
        with open(self.file, "r+b" if self.file.exists() else "wb", buffering=0) as file:
            file.write(round(ahead * 1e9).to_bytes(8, "little", signed=True))


def clock_set(test, row):
    folder = test.folder / "clock"
    folder.mkdir()
    clock = WallClock(folder)
    clock.set(-time.time())
    broker = Broker(folder / "broker")
    receiver = Receiver("late", folder / "receiver", environment=clock.environment)
    fleet = Fleet([receiver], folder / "bridges", broker.port, {"Fleet": {"Live": "always"}})
    fleet.bridges[0].program.environment = clock.environment
    witness = None
    try:
        receiver.start()
        until(receiver.listens, receiver.name)
        witness = Helper("witness", f"{receiver.name}={receiver.metrics}")
        fleet.start()
        until(lambda: witness.connected() == 1, "the daemon")
        comparison = Comparison(fleet, witness)
        time.sleep(test.scale.clock_seconds)
        early = fleet.reader.clock_count()
        statuses = [status for *_, status in fleet.reader.status_history() if "clock" in status]
        row.require(early == 0 and not statuses, f"{early} batches and {len(statuses)} statuses have a clock that is not set")
        set_at = now()
        clock.set(0)
        told = until(lambda: first_clock(fleet, set_at), "a status with the clock") - set_at
        time.sleep(test.scale.clock_seconds)
        comparison.finish()
        judge(row, fleet, comparison, set_at, told, TOLERANCE if test.scale.judges_times else LOADED_TOLERANCE)
        row.problems += comparison.problems()
    finally:
        fleet.end()
        broker.end()
        receiver.program.end()
        if witness:
            witness.end()


def first_clock(fleet, since):
    return next((arrived for arrived, *_, status in fleet.reader.status_history(since) if "clock" in status), None)


def judge(row, fleet, comparison, set_at, told, tolerance):
    """All samples, also those before, get their time from the newest clock of their boot."""
    clocks = fleet.reader.newest_clocks().get("late", {})
    if len(clocks) != 1:
        raise Failed(f"clocks of {list(clocks)} instead of one boot")
    clock = next(iter(clocks.values()))
    error = abs(seconds(clock["time"]) - clock["t"] - wall_offset())
    before = fleet.reader.samples_before(set_at)
    row.figure(f"{comparison.count} samples, {before} of them from before: all right to {error * 1000:.0f} ms; the status had the clock after {told:.1f} s")
    row.require(error <= tolerance, f"times are wrong by {error * 1000:.0f} ms")
    row.require(before > 0, "no sample is from before the clock was set")
    wrong = fleet.reader.wrong_times(tolerance)
    row.require(not wrong, f"samples have a time of their own that is wrong: {wrong}; set at {set_at}")


def lane(test):
    row = Row("the clock is set from 1970 to now during a ride", "times of the whole ride right to 100 ms")
    return [row], lambda: row.run(lambda row: clock_set(test, row))
