"""The cost of eight straps for cyclometerd, Python clients on bleak and a bare C program, which
take turns, and for bluetoothd and the bus.

These are measurements that run as cases of the guest (see Benchmarks/guest). The figures go to
figures.json next to the logs. A turn starts without links, and is counted once every strap has
streamed to every subscriber for a while.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from cases.audience import Audience
from cases.keepers import BareC, Bleak, Cyclometerd, Keeper
from heart_rate import match
from processes import Process
from runner import Rig
from straps import add_straps
from waiting import Failure, now, wait_for

STRAPS = SUBSCRIBERS = 8
# Seconds after which the work of a start and a connect is over.
SETTLE = 5
HUNG_UP = "13"


def case_full(rig: Rig) -> None:
    """the cost of eight straps for cyclometerd and for clients on bleak, in five rounds"""
    measure(rig, rounds=5, seconds=8)


def case_quick(rig: Rig) -> None:
    """the cost of eight straps for cyclometerd and for clients on bleak, in one short round"""
    measure(rig, rounds=1, seconds=8)


def measure(rig: Rig, rounds: int, seconds: float) -> None:
    rig.bluetooth.trace.end()   # It also wakes for every packet.
    addresses = add_straps(rig, STRAPS)
    floor = alone(rig, seconds)
    ours = Cyclometerd(rig, addresses)
    keepers = [
        ours, BareC("bare C", rig, ours.straps), Bleak("bleak", rig, ours.straps, addresses),
        Bleak("bleak, by descriptors", rig, ours.straps, addresses, "--acquire"),
    ]
    windows: list[dict[str, Any]] = []
    for number in range(1, rounds + 1):
        for keeper in keepers:
            for window in turn(rig, keeper, seconds):
                print(f"     round {number} of {rounds}, {window['program']}: {described(window)}", flush=True)
                windows.append({"round": number, **window})
        # Each comes first in one of the rounds.
        keepers.append(keepers.pop(0))
    figures = {
        "bluez": ".".join(map(str, rig.bluetooth.release)), "kernel": os.uname().release, "emulated": is_emulated(),
        "straps": STRAPS, "subscribers": SUBSCRIBERS, "rounds": rounds, "seconds": seconds, "floor": floor, "windows": windows,
    }
    (rig.logs / "figures.json").write_text(json.dumps(figures))


def is_emulated() -> bool:
    """A guest without an emulated processor has the clock of its host's hypervisor."""
    return "kvm" not in Path("/sys/devices/system/clocksource/clocksource0/available_clocksource").read_text()


def alone(rig: Rig, seconds: float) -> dict[str, Any]:
    """The cost of bluetoothd and the bus by themselves: straps advertise, without a client."""
    watched = {"bluetoothd": rig.bluetooth.daemon, "dbus-daemon": rig.bluetooth.bus}
    before, begin = counted(watched), now()
    wait_for(lambda: now() > begin + seconds, seconds + 1, "the end of the silence", every=seconds / 2)
    return {"seconds": now() - begin, "processes": difference(before, counted(watched))}


def turn(rig: Rig, keeper: Keeper, seconds: float) -> list[dict[str, Any]]:
    """The counts of each phase that lasted as long as its measurement."""
    drop_all_links(rig)
    begun = now()
    watched = {"client": keeper.start(), "bluetoothd": rig.bluetooth.daemon, "dbus-daemon": rig.bluetooth.bus}
    windows = []
    try:
        with Audience(keeper.address, SUBSCRIBERS) as audience:
            wait_for(lambda: audience.has_each(set(keeper.straps)), 120, f"each strap through {keeper.name}")
            until_all_stream = now() - begun
            for name, most, lasts in keeper.phases(audience):
                audience.listen(SETTLE)
                counts = count(watched, audience, min(seconds, most))
                window = {"program": name, "until_all_stream_s": until_all_stream, **counts}
                if lasts():
                    windows.append({**window, **arrived(keeper, audience, window["begin"], window["seconds"])})
    finally:
        keeper.end()
    return windows


def drop_all_links(rig: Rig) -> None:
    for strap in rig.air.order("sensors")["sensors"]:
        rig.air.order("drop", strap["name"], HUNG_UP)
    wait_for(lambda: rig.air.order("computer")["links"] == 0, 20, "the end of all links", every=0.1)


def count(watched: dict[str, Process], audience: Audience, seconds: float) -> dict[str, Any]:
    before, begin = counted(watched), now()
    audience.listen(seconds)
    after, end = counted(watched), now()
    memory = {name: memory_kib(process.child.pid) for name, process in watched.items()}
    # Samples measured before the end may still arrive.
    audience.listen(1)
    return {"begin": begin, "seconds": end - begin, "processes": difference(before, after), "memory": memory}


def arrived(keeper: Keeper, audience: Audience, begin: float, seconds: float) -> dict[str, Any]:
    """The number of samples that the subscribers received from that time. `wrong` is empty if all
    of them got everything as it was sent, in order."""
    came = audience.samples_between(begin, begin + seconds)
    wrong = ""
    if any(each != came[0] for each in came):
        wrong = f"the subscribers received different samples: {[len(each) for each in came]}"
    try:
        for sensor in keeper.straps:
            match([each for each in came[0] if each["sensor"] == sensor], keeper.sent(sensor))
    except Failure as failure:
        wrong = str(failure)
    return {"samples": len(came[0]), "lines": sum(map(len, came)), "wrong": wrong}


def counted(watched: dict[str, Process]) -> dict[str, dict[str, int]]:
    return {name: counters(process.child.pid) for name, process in watched.items()}


def counters(pid: int) -> dict[str, int]:
    """Of all threads: processor time, voluntary sleeps and preemptions, as the scheduler counts
    them."""
    total = {"processor_ns": 0, "sleeps": 0, "preempted": 0}
    for task in Path(f"/proc/{pid}/task").iterdir():
        total["processor_ns"] += int((task / "schedstat").read_text().split()[0])
        status = dict(line.split(":", 1) for line in (task / "status").read_text().splitlines())
        total["sleeps"] += int(status["voluntary_ctxt_switches"])
        total["preempted"] += int(status["nonvoluntary_ctxt_switches"])
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return {**total, "user_ticks": int(fields[11]), "system_ticks": int(fields[12])}


def difference(before: dict[str, dict[str, int]], after: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    return {name: {key: value - before[name][key] for key, value in each.items()} for name, each in after.items()}


def memory_kib(pid: int) -> dict[str, int]:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    sizes = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    return {"resident": sizes["Rss"], "private": sizes["Anonymous"]}


def described(window: dict[str, Any]) -> str:
    spent = [f"{name} {each['processor_ns'] / 1e6 / window['seconds']:.1f} ms/s" for name, each in window["processes"].items()]
    return ", ".join([*spent, f"{window['samples']} samples", window["wrong"] or "nothing lost"])
