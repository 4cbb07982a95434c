"""Rows of a fleet that works: steady, with a reader that stops, and with a client that floods."""
import signal
import subprocess
import threading
import time
from pathlib import Path

from fleet import Bridge, Broker, Comparison, Fleet
from programs import BUILD, HERE, ROOT, Helper, Program, built_c, ends_with_parent, until
from reader import BARE, OURS
from table import Row

# For the same samples, to what the bare bridge takes.
MOST_MEDIAN, MOST_TAIL = 2.5, 4
# Of batches, which both collect for five seconds.
MOST_BATCH = 1.2
# Milliseconds, on a machine of its own.
NOW_LIMIT, LOG_LIMIT = 250, 6000
PRIVATE_LIMIT_KIB = 4096
IS_OPTIMIZED = BUILD.name == "release"
# Of the broker's memory, for its queue for one client: see `fleet.Broker`.
QUEUE_LIMIT_MIB = 32
RIGHTS = ["topic readwrite cyclometer/#", "topic readwrite bare/#", "topic read $SYS/#"]
DROPPED, RECEIVED = "$SYS/broker/publish/messages/dropped", "$SYS/broker/messages/received"


class Live:
    """The fleet of these rows, with bare bridges of some of its receivers."""

    def __init__(self, test):
        self.test, self.folder = test, test.folder / "live"
        self.folder.mkdir()
        rights = self.folder / "rights"
        rights.write_text("\n".join(RIGHTS) + "\n")
        self.broker = Broker(self.folder / "broker", [f"acl_file {rights}"])
        self.fleet = Fleet(test.receivers, self.folder / "bridges", self.broker.port)
        program = built_c(HERE / "bare_bridge.c", "-lmosquitto")
        self.sample = [receiver.name for receiver in test.receivers[:test.scale.bare]]
        self.bare = [Program([program, receiver.metrics, self.broker.port, receiver.name], self.folder / f"bare-{receiver.name}.log")
                     for receiver in test.receivers[:test.scale.bare]]
        self.allocations = Allocations(test.receivers[0], self.folder / "counted", self.broker.port)

    def start(self):
        self.fleet.start()
        self.fleet.want(hertz=4)
        for program in [*self.bare, self.allocations]:
            program.start()
        until(lambda: self.fleet.reader.delays(OURS, "now", self.sample)["count"], "live values")

    def end(self):
        for program in self.bare:
            program.kill()
        self.allocations.end()
        self.fleet.end()
        self.broker.end()

    def judge(self, row, judges_times=True):
        """Latencies of what the bare bridge has published as well."""
        reader, scale = self.fleet.reader, self.test.scale
        for program in self.bare:
            row.require(program.is_running, f"the bare bridge has ended: {program.log}")
        for topic, limit in (("now", NOW_LIMIT), ("log", LOG_LIMIT)):
            ours, bare = (reader.delays(source, topic, self.sample) for source in (OURS, BARE))
            everywhere = reader.delays(OURS, topic, None)
            if not ours["count"] or not bare["count"]:
                row.require(False, f"{topic}: {ours['count']} latencies of the bridge, {bare['count']} of the bare one")
                continue
            median, tail = ours["median"] / bare["median"], ours["p99"] / bare["p99"]
            row.figure(f"`{topic}` {median:.2f} times the bare median, {tail:.2f} times its 99 % "
                       f"({milliseconds(everywhere)} ms; bare {milliseconds(bare)})")
            if topic == "now":
                row.require(median <= MOST_MEDIAN and tail <= MOST_TAIL, f"now: {median:.2f} and {tail:.2f} times the bare latencies")
            else:
                row.require(tail <= MOST_BATCH, f"log: {tail:.2f} times the bare latency")
            if scale.judges_times and judges_times:
                row.require(everywhere["p99"] * 1000 <= limit, f"{topic}: 99 % within {everywhere['p99'] * 1000:.0f} ms instead of {limit}")


class Allocations:
    """A bridge whose allocations are counted while it only stores. Those of a batch, of its answer and of
    timers come at few moments, those of records would come with each."""

    STEP = 0.02

    def __init__(self, receiver, folder, port):
        library = built_c(ROOT / "Benchmarks" / "Programs" / "allocations.c", "-shared", "-fPIC")
        folder.mkdir()
        self.file = folder / "count"
        self.name = "counted"
        settings = {"Broker": {"Address": f"mqtt://127.0.0.1:{port}"}, "Fleet": {"Receiver": self.name, "Live": "never"}}
        self.bridge = Bridge(receiver, folder / "bridge", settings, {"LD_PRELOAD": str(library), "ALLOCATIONS": str(self.file)})

    def start(self):
        self.bridge.start()

    def end(self):
        self.bridge.program.end()

    def count(self, seconds):
        """How many there were, and at how many moments."""
        end, total, moments, last = time.monotonic() + seconds, 0, 0, self.now()
        while time.monotonic() < end:
            time.sleep(self.STEP)
            current = self.now()
            total, moments, last = total + current - last, moments + (current > last), current
        return total, moments

    def now(self):
        return int.from_bytes(self.file.read_bytes()[:8], "little")


def milliseconds(delays):
    return f"{delays['median'] * 1000:.1f} / {delays['p99'] * 1000:.1f}"


def steady(live, row):
    test, reader, counted = live.test, live.fleet.reader, live.allocations
    # The second batch is on its way, and everything has its final size.
    until(lambda: reader.counts()["batches"] > 2 * len(test.receivers), "two batches of each")
    comparison = Comparison(live.fleet, test.witness)
    reader.forget()
    stored, batches = reader.samples_of(counted.name), reader.batches_of(counted.name)
    total, moments = counted.count(test.scale.steady_seconds)
    stored, batches = reader.samples_of(counted.name) - stored, reader.batches_of(counted.name) - batches
    live.judge(row)
    private = [bridge.program.private_kib() for bridge in live.fleet.bridges]
    comparison.finish()
    row.figures.insert(0, f"{comparison.count} samples of {len(test.receivers)} receivers, {comparison.missing_count} missing")
    row.figure(f"{max(private) / 1024:.1f} MiB private at most")
    row.figure(f"{total} allocations at {moments} moments for {stored} samples in {batches} batches")
    row.problems += comparison.problems()
    row.require(max(private) <= PRIVATE_LIMIT_KIB, f"a bridge has {max(private)} KiB of private memory")
    row.require(batches >= 3, f"only {batches} batches while allocations were counted")
    # Sending, the answer, storing that, and syncing the spool. Only optimized code does without others.
    row.require(not IS_OPTIMIZED or moments <= 5 * batches + 5, f"allocations at {moments} moments in {batches} batches")


def stopped_reader(live, row):
    """Another reader of everything stops in the middle."""
    test, broker = live.test, live.broker
    comparison = Comparison(live.fleet, test.witness)
    stopped = Helper("reader", broker.port, "id=stopped")
    try:
        until(stopped.subscription, "the second reader")
        before, dropped = resident_mib(broker), live.fleet.reader.number(DROPPED)
        stopped.process.send_signal(signal.SIGSTOP)
        live.fleet.reader.forget()
        time.sleep(test.scale.stopped_seconds)
        grown = resident_mib(broker) - before
        live.judge(row)
        comparison.finish()
    finally:
        stopped.end()
    dropped = live.fleet.reader.number(DROPPED) - dropped
    row.figure(f"{comparison.missing_count} of {comparison.count} samples missing for others")
    row.figure(f"the broker dropped {dropped} messages for it and grew by {grown:.1f} MiB")
    row.problems += comparison.problems()
    row.require(grown <= QUEUE_LIMIT_MIB, f"the broker grew by {grown:.1f} MiB")


def flood(live, row):
    """A client sends as fast as it can, to a topic that it may not write."""
    test, broker, reader = live.test, live.broker, live.fleet.reader
    comparison = Comparison(live.fleet, test.witness)
    begun, received = time.monotonic(), reader.number(RECEIVED)
    lines = subprocess.Popen(["yes", "x" * 200], stdout=subprocess.PIPE, preexec_fn=ends_with_parent)
    client = subprocess.Popen(["mosquitto_pub", "-p", str(broker.port), "-h", "127.0.0.1", "-i", "flood", "-t", "foreign/flood", "-l"],
                              stdin=lines.stdout, stderr=subprocess.DEVNULL, preexec_fn=ends_with_parent)
    lines.stdout.close()
    try:
        reader.forget()
        time.sleep(test.scale.flood_seconds)
        rate = (reader.number(RECEIVED) - received) / (time.monotonic() - begun)
        # A flood fills the broker's only thread: in milliseconds, this measures the machine.
        live.judge(row, judges_times=False)
    finally:
        for process in (client, lines):
            process.kill()
            process.wait()
    comparison.finish()
    arrived = sum(reader.message_counts("foreign/").values())
    row.figure(f"{rate:.0f} messages a second at the broker, {arrived} of the flood delivered; "
               f"{comparison.missing_count} of {comparison.count} samples of others missing")
    row.problems += comparison.problems()
    row.require(arrived == 0, f"{arrived} messages of the flood were delivered")
    row.require(rate > 1000, f"the flood was too slow: {rate:.0f} messages a second")


def resident_mib(broker):
    for line in Path(f"/proc/{broker.program.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0


def lane(test):
    rows = [
        Row("steady", "every `seq` once in the store; latencies near those of a bare C bridge (FULL: 99 % within 250 ms and 6 s); "
            "4 MiB private, no allocation per record"),
        Row("a reader that stops reading", "no other reader notices; the broker's queue has its bound"),
        Row("a client that floods", "refused; no other client is disturbed")]

    def run():
        live = Live(test)
        try:
            live.start()
            for row, body in zip(rows, (steady, stopped_reader, flood)):
                row.run(lambda row, body=body: body(live, row))
        finally:
            live.end()

    return rows, run
