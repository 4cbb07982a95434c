"""The rows of the test: how large each is, what was measured, and whether it holds."""
import threading
import time
import traceback
from dataclasses import dataclass, field

from programs import Failed


@dataclass
class Scale:
    """The sizes of all rows. Latencies are compared with those of the bare bridge in the same run; only
    `judges_times` also judges them in milliseconds."""
    receivers: int = 20
    bare: int = 4
    steady_seconds: int = 40
    stopped_seconds: int = 20
    flood_seconds: int = 10
    outage_seconds: int = 10
    broker_kills: int = 3
    kill_pause: tuple = (8, 12)
    bridge_kills: int = 20
    bridge_kills_seconds: int = 50
    cuts: int = 15
    torn: int = 1
    most_reconnects: int = 10
    small_spools: int = 2
    daemon_kills: int = 2
    clock_seconds: int = 14
    judges_times: bool = False


FULL = Scale(
    receivers=200, bare=10, steady_seconds=600, stopped_seconds=600, flood_seconds=60, outage_seconds=60, broker_kills=50, kill_pause=(4, 12),
    bridge_kills=100, bridge_kills_seconds=600, cuts=240, torn=5, most_reconnects=20, small_spools=20, daemon_kills=60, clock_seconds=300,
    judges_times=True)


@dataclass
class Row:
    """`figures` and `problems` are sentences. Without problems it holds."""
    name: str
    holds_when: str
    figures: list = field(default_factory=list)
    problems: list = field(default_factory=list)
    seconds: float = 0

    def figure(self, text):
        self.figures.append(text)

    def require(self, holds, problem):
        if not holds:
            self.problems.append(problem)

    def run(self, body):
        """Runs the row. What goes wrong is a problem of this row only."""
        began = time.monotonic()
        try:
            body(self)
        except Failed as error:
            self.problems.append(str(error))
        except Exception:   # The other rows are measured all the same.
            self.problems.append(traceback.format_exc())
        self.seconds = time.monotonic() - began


def run_beside(lanes):
    """Each lane has rows, and a function that runs them, in a thread of its own."""
    threads = [threading.Thread(target=run_lane, args=lane, daemon=True) for lane in lanes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def run_lane(rows, run):
    """If it cannot begin or end, that is a problem of all its rows."""
    try:
        run()
    except Exception:
        for row in rows:
            row.problems.append(traceback.format_exc())


def markdown(rows):
    lines = ["| row | holds when | measured | |", "| --- | --- | --- | --- |"]
    for row in rows:
        lines.append(f"| {row.name} | {row.holds_when} | {'; '.join(row.figures) or '-'} | {'FAILED' if row.problems else 'holds'} |")
    return "\n".join(lines)
