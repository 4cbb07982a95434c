"""One heart rate strap, from discovery to a subscriber. Also start and stop of the daemon."""

from __future__ import annotations

import json
import re
from statistics import median

from cases.bare import TIMES, bare_seconds
from cyclometer import Daemon, Subscriber
from heart_rate import match, require_no_hole
from runner import Rig
from waiting import now, require, wait_for

HERTZ = 4
STEADY_SECONDS = 30
ACQUIRED = re.compile(r'"NotifyAcquired"\s+variant\s+boolean true')
STREAMED_SECONDS = 30
MOST_BYTES = 9_000_000
# The virtual radio's links are stronger than its adverts, which have -58 dBm.
KERNEL_DEFAULTS = {"interval_ms": [30, 50], "latency": 0, "supervision_timeout_ms": 420}
"""The link parameters if bluetoothd's main.conf sets no others."""
LINK_DBM = -47
AWAY = ("bluetoothd_gone", "bus_gone", "adapter_absent")


def strap(rig: Rig, hertz: int = HERTZ) -> tuple[Daemon, str, str]:
    """A running daemon with a paired strap: the daemon, the strap's address, its id."""
    address = rig.air.add("HRM0", "heart_rate", hertz)
    daemon = rig.daemon()
    daemon.start()
    return daemon, address, daemon.pair(address)


def listen(daemon: Daemon) -> Subscriber:
    subscriber = Subscriber(daemon.metrics)
    subscriber.ask("subscribe", snapshot=False)
    return subscriber


def case_scan_then_pair(rig: Rig) -> None:
    """`cyclo scan --json` finds the sensor, `cyclo pair ADDRESS` makes it stream"""
    address = rig.air.add("HRM0", "heart_rate", HERTZ)
    daemon = rig.daemon()
    daemon.start()
    scan = daemon.cyclo("scan", "--json", "-t", "5")
    require(scan.returncode == 0, f"cyclo scan ended with {scan.returncode}: {scan.stderr.strip()}")
    records = [json.loads(line) for line in scan.stdout.splitlines()]
    found = [each for each in records if each["class"] == "found" and each["address"].upper() == address]
    require(found, f"cyclo scan did not find {address} but: {scan.stdout.strip() or 'nothing'}")
    require(found[-1].get("name") == "HRM0", f"it is called {found[-1].get('name')}")
    require("heart_rate" in found[-1]["plugins"], f"its plugins are {found[-1]['plugins']}")
    require(found[-1]["paired"] is False, "it is reported as paired already")
    begun = now()
    sensor = daemon.pair(address)
    rig.measured("pair", now() - begun, "s")
    with listen(daemon) as subscriber:
        subscriber.wait_for_sample(sensor, "heart_rate", 10)


def case_thirty_seconds_without_loss(rig: Rig) -> None:
    """30 s at 4 Hz arrive without a gap in seq and with the values that were sent"""
    daemon, _, sensor = strap(rig)
    with listen(daemon) as subscriber:
        _, first = subscriber.wait_for_sample(sensor, "heart_rate", 10)
        subscriber.wait(
            lambda record: record["class"] == "sample" and record["t"] >= first["t"] + STREAMED_SECONDS,
            STREAMED_SECONDS + 20, f"samples for {STREAMED_SECONDS} s",
        )
        came = subscriber.samples(sensor, "heart_rate")
    samples = [record for _, record in came]
    require_no_hole(samples)
    frames = match(samples, rig.air.sent("HRM0", "2a37"))
    require(len(samples) >= 0.95 * HERTZ * STREAMED_SECONDS, f"only {len(samples)} samples in {STREAMED_SECONDS} s")
    delays = [1000 * (arrived - frame.at) for (arrived, _), frame in zip(came, frames)]
    rig.measured("samples", len(samples), "", 0)
    rig.measured("sensor to subscriber: median", median(delays), "ms", 1)
    rig.measured("longest", max(delays), "ms", 1)


def case_from_signals_to_a_descriptor(rig: Rig) -> None:
    """after half a minute a link switches to a descriptor, and at 1 Hz no value is missed"""
    daemon, _, sensor = strap(rig, hertz=1)
    with listen(daemon) as subscriber:
        subscriber.wait_for_sample(sensor, "heart_rate", 10)
        wait_for(lambda: ACQUIRED.search(rig.bluetooth.objects()), STEADY_SECONDS + 10, "an acquired notification", every=0.5)
        at = now()
        subscriber.wait_for_sample(sensor, "heart_rate", 10, since=at + 3)
        samples = [record for _, record in subscriber.samples(sensor, "heart_rate")]
    require_no_hole(samples)
    match(samples, rig.air.sent("HRM0", "2a37"))
    # A sensor sends nothing without a subscription, so this is not counted as a gap in seq.
    apart = max(after["t"] - before["t"] for before, after in zip(samples, samples[1:]))
    rig.measured("longest time between values", apart, "s", 3)
    require(apart < 1.8, f"two values are {apart:.3f} s apart, at 1 Hz")


def case_held_and_listened_to(rig: Rig) -> None:
    """`disable` with `while_connected` and `listen`: adverts arrive, at most four per second, until the client leaves"""
    daemon, address, sensor = strap(rig)
    with listen(daemon) as subscriber:
        subscriber.wait_for_sample(sensor, "heart_rate", 10)
        with Subscriber(daemon.control) as holder:
            held = holder.ask("disable", sensor=sensor, while_connected=True, listen=True)
            require((held["state"], held.get("reason")) == ("disabled", "elsewhere"), f"it is {held['state']}, {held.get('reason')}")
            begun = now()
            wait_for(lambda: len(adverts(holder)) >= 8, 20, "eight adverts", every=0.1)
            seconds = now() - begun
            rig.measured("adverts per second", len(adverts(holder)) / seconds, "", 1)
            times = [each["t"] for each in adverts(holder)]
            require(all(later - earlier >= 0.24 for earlier, later in zip(times, times[1:])), f"adverts came faster: {times}")
            require(all(each["sensor"] == sensor and -127 <= each["rssi_dbm"] < 0 for each in adverts(holder)), "wrong adverts")
            require(rig.air.sensor("HRM0")["links"] == 1, "the daemon connected it meanwhile")
        left = now()
        subscriber.wait_for_sample(sensor, "heart_rate", 15, since=left)
        rig.measured("back after the client left", now() - left, "s")


def adverts(client: Subscriber) -> list[dict]:
    with client.changed:
        return [record for _, record in client.came if record["class"] == "advert"]


def case_strength_of_a_link(rig: Rig) -> None:
    """sensors report signal strength and packets, and the kernel reports the default link parameters"""
    daemon, address, sensor = strap(rig)
    with listen(daemon) as subscriber:
        subscriber.wait_for_sample(sensor, "heart_rate", 10)
        wait_for(lambda: daemon.sensor(address).get("rssi_dbm") == LINK_DBM, 10, f"a strength of {LINK_DBM} dBm")
        wait_for(lambda: daemon.sensor(address)["link"].get("packets", 0) >= 3 * HERTZ, 10, "packets that are counted")
    require(daemon.sensor(address)["link"]["missed"] == 0, "packets are reported as missed")
    links = daemon.request("status")["adapters"][0].get("links")
    require(links == KERNEL_DEFAULTS, f"the default link parameters are reported as {links}")


def case_cut_link_comes_back(rig: Rig) -> None:
    """a cut link is reported within 1 s with its reason, and samples resume within twice the time of a bare reconnect"""
    _, bare = bare_seconds(rig)
    daemon, _, sensor = strap(rig)
    reported, back = [], []
    with listen(daemon) as subscriber:
        for _ in range(TIMES):
            subscriber.wait_for_sample(sensor, "heart_rate", 15, since=now())
            cut = rig.air.drop("HRM0")
            arrived, record = subscriber.wait_for_state(
                sensor, lambda record: record["state"] != "streaming", 20, "a state record that reports the cut", since=cut
            )
            require(record.get("reason"), f"the state record has no reason: {record}")
            reported.append(arrived - cut)
            back.append(subscriber.wait_for_sample(sensor, "heart_rate", 60, since=arrived)[0] - cut)
        require_no_hole([record for _, record in subscriber.samples(sensor, "heart_rate")])
    rig.measured("reported after at most", max(reported), "s", 3)
    rig.measured("samples again: median", median(back), "s")
    rig.measured("longest", max(back), "s")
    rig.measured("bare", bare, "s")
    require(max(reported) <= 1, f"the cut was reported after {max(reported):.3f} s")
    require(median(back) <= 2 * bare, f"{median(back):.2f} s is more than twice the {bare:.2f} s of bluetoothctl")


def case_memory(rig: Rig) -> None:
    """resident memory stays under 9 MB with the sensor streaming"""
    daemon, _, sensor = strap(rig)
    with listen(daemon) as subscriber:
        subscriber.wait(lambda record: record.get("seq", 0) >= 20, 30, "twenty samples")
        resident = 1024 * daemon.process.kilobytes("VmRSS")
        rig.measured("resident", resident / 1e6, "MB")
        rig.measured("private", 1024 * daemon.process.kilobytes("RssAnon") / 1e6, "MB")
    require(resident < MOST_BYTES, f"{resident} bytes are resident")


def case_terminated(rig: Rig) -> None:
    """SIGTERM while streaming: exit 0 within 1 s, both sockets unlinked"""
    daemon, _, sensor = strap(rig)
    with listen(daemon) as subscriber:
        subscriber.wait_for_sample(sensor, "heart_rate", 15)
        status, seconds = daemon.end()
    rig.measured("ended after", seconds, "s", 3)
    require(status == 0, f"it ended with {status}")
    require(seconds <= 1, f"it took {seconds:.2f} s")
    for path in (daemon.metrics, daemon.control):
        require(not path.exists(), f"{path.name} is still there")


def case_bluetoothd_killed(rig: Rig) -> None:
    """bluetoothd is killed and started: the state reports it, and samples resume"""
    daemon, _, sensor = strap(rig)
    with listen(daemon) as subscriber:
        subscriber.wait_for_sample(sensor, "heart_rate", 15, since=now())
        killed = now()
        rig.bluetooth.kill_bluetoothd()
        arrived, record = subscriber.wait_for_state(
            sensor, lambda record: record.get("reason") == "bluetoothd_gone", 20, "a state record with bluetoothd_gone", since=killed
        )
        require(record["state"] != "streaming", "it is reported as streaming without bluetoothd")
        rig.measured("reported after", arrived - killed, "s", 3)
        started = now()
        rig.bluetooth.start_bluetoothd()
        again, _ = subscriber.wait_for_sample(sensor, "heart_rate", 90, since=arrived)
        rig.measured("samples again", again - started, "s")


def case_started_before_bluetoothd(rig: Rig) -> None:
    """started before bluetoothd, the daemon runs, reports it, and streams once bluetoothd runs"""
    start_without(rig, rig.bluetooth.kill_bluetoothd, rig.bluetooth.start_bluetoothd)


def case_started_before_the_bus(rig: Rig) -> None:
    """started before the message bus, the daemon runs, reports it, and streams once everything runs"""

    def remove() -> None:
        rig.bluetooth.kill_bluetoothd()
        rig.bluetooth.kill_bus()

    def restore() -> None:
        rig.bluetooth.start_bus()
        rig.bluetooth.start_bluetoothd()

    start_without(rig, remove, restore)


def case_started_before_the_adapter(rig: Rig) -> None:
    """started without an adapter, the daemon runs, reports it, and streams once one is plugged in"""
    start_without(rig, rig.bluetooth.unplug, rig.bluetooth.plug)


def start_without(rig: Rig, remove, restore) -> None:
    daemon, address, sensor = strap(rig)
    status, _ = daemon.end()
    require(status == 0, f"it ended with {status}")
    remove()
    daemon.start()
    shown = wait_for(lambda: away(daemon, address), 15, "a status that names the missing part")
    require(daemon.cyclo("status").returncode == 0, "cyclo status does not end with 0")
    with listen(daemon) as subscriber:
        came = now()
        restore()
        again, _ = subscriber.wait_for_sample(sensor, "heart_rate", 90, since=came)
        rig.measured("streaming after its return", again - came, "s")
    require(daemon.process.is_running, "the daemon ended")
    rig.figures.append(f"reported {shown}")


def away(daemon: Daemon, address: str) -> str | None:
    """The reason of the sensor's state, if status has a matching one and no adapter is on."""
    status = daemon.request("status")
    if any(adapter.get("state") == "on" for adapter in status.get("adapters", [])):
        return None
    reason = daemon.sensor(address).get("reason")
    return reason if reason in AWAY else None
