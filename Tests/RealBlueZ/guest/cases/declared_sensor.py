"""A sensor that only a file declares: paired, streaming, cut, back."""

from __future__ import annotations

import declared
from cyclometer import Subscriber
from runner import Rig
from waiting import now, require

SECONDS = 10


def case_declared_cut_and_back(rig: Rig) -> None:
    """a sensor that nothing built in knows is declared in a file, paired by `cyclo pair`, streams what it sent, is cut, comes back and counts on"""
    address = rig.air.add(declared.NAME, declared.KIND, declared.HERTZ)
    daemon = rig.daemon()
    folder = daemon.home / "sensors.d"
    folder.mkdir()
    (folder / "bottle.sensor").write_text(declared.FILE)
    daemon.options = ["--sensors", str(folder)]
    daemon.start()
    sensor = daemon.pair(address)
    with Subscriber(daemon.metrics) as subscriber:
        subscriber.ask("subscribe", snapshot=False)
        _, first = subscriber.wait_for_sample(sensor, declared.SAMPLE, SECONDS)
        subscriber.wait(lambda record: record["class"] == "sample" and record["t"] >= first["t"] + SECONDS, 3 * SECONDS, f"samples for {SECONDS} s")
        ordered = now()
        cut = rig.air.drop(declared.NAME)
        lost, _ = subscriber.wait_for_state(sensor, lambda record: record.get("reason") == "link_lost", 20, "the lost link", ordered)
        back, _ = subscriber.wait_for_sample(sensor, declared.SAMPLE, 30, lost)
        rig.measured("back after the cut", back - cut, "s")
        subscriber.wait(lambda record: record["class"] == "sample" and record["t"] >= back + 2, 20, "samples after the cut")
        samples = [record for _, record in subscriber.samples(sensor, declared.SAMPLE)]
    rig.measured("samples", len(samples), "", 0)
    require([each["seq"] for each in samples] == list(range(samples[0]["seq"], samples[0]["seq"] + len(samples))), "seq has a gap")
    declared.require_sent(rig.air, samples)
