"""Eight straps, handled in turns by cyclometerd, a Python client on bleak and a bare C program: the cost of each, and of bluetoothd
and the bus meanwhile.

These are measurements that run as cases of the guest (see Benchmarks/guest). The figures go to figures.json next to the
logs. A turn starts without links, and is counted once every strap has streamed to every subscriber for a while.
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
# What a start and a connect bring along is over by then.
SETTLE = 5
HUNG_UP = "13"


def case_full(rig: Rig) -> None:
    """what eight straps cost cyclometerd, and what they cost clients on bleak, in five rounds"""
    measure(rig, rounds=5, seconds=8)


def case_quick(rig: Rig) -> None:
    """what eight straps cost cyclometerd, and what they cost clients on bleak, in one short round"""
    measure(rig, rounds=1, seconds=8)


def measure(rig: Rig, rounds: int, seconds: float) -> None:
    rig.bluetooth.trace.end()   # It wakes for every packet, too.
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
                print(f"     round {number} of {rounds}, {window['program']}: {said(window)}", flush=True)
                windows.append({"round": number, **window})
        # Each comes first in its turn.
        keepers.append(keepers.pop(0))
    figures = {
        "bluez": ".".join(map(str, rig.bluetooth.release)), "kernel": os.uname().release, "emulated": is_emulated(),
        "straps": STRAPS, "subscribers": SUBSCRIBERS, "rounds": rounds, "seconds": seconds, "floor": floor, "windows": windows,
    }
    (rig.logs / "figures.json").write_text(json.dumps(figures))


def is_emulated() -> bool:
    """A guest whose processor is not has a clock of its host's hypervisor."""
    return "kvm" not in Path("/sys/devices/system/clocksource/clocksource0/available_clocksource").read_text()


def alone(rig: Rig, seconds: float) -> dict[str, Any]:
    """The cost of bluetoothd and the bus by themselves: straps advertise, without a client."""
    watched = {"bluetoothd": rig.bluetooth.daemon, "dbus-daemon": rig.bluetooth.bus}
    before, begin = counted(watched), now()
    wait_for(lambda: now() > begin + seconds, seconds + 1, "the end of the silence", every=seconds / 2)
    return {"seconds": now() - begin, "processes": difference(before, counted(watched))}


def turn(rig: Rig, keeper: Keeper, seconds: float) -> list[dict[str, Any]]:
    """What was counted in each phase that lasted for as long as it was counted."""
    let_go(rig)
    begun = now()
    watched = {"client": keeper.start(), "bluetoothd": rig.bluetooth.daemon, "dbus-daemon": rig.bluetooth.bus}
    windows = []
    try:
        with Audience(keeper.address, SUBSCRIBERS) as audience:
            wait_for(lambda: audience.hears_each(set(keeper.straps)), 120, f"each strap through {keeper.name}")
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


def let_go(rig: Rig) -> None:
    for strap in rig.air.order("sensors")["sensors"]:
        rig.air.order("drop", strap["name"], HUNG_UP)
    wait_for(lambda: rig.air.order("computer")["links"] == 0, 20, "the end of all links", every=0.1)


def count(watched: dict[str, Process], audience: Audience, seconds: float) -> dict[str, Any]:
    before, begin = counted(watched), now()
    audience.listen(seconds)
    after, end = counted(watched), now()
    memory = {name: memory_kib(process.child.pid) for name, process in watched.items()}
    # What was measured before the end is still to come.
    audience.listen(1)
    return {"begin": begin, "seconds": end - begin, "processes": difference(before, after), "memory": memory}


def arrived(keeper: Keeper, audience: Audience, begin: float, seconds: float) -> dict[str, Any]:
    """How much the subscribers were told of that time, and what was wrong with it: nothing where all came as it was sent, in order,
    to everybody."""
    told = audience.told(begin, begin + seconds)
    wrong = ""
    if any(each != told[0] for each in told):
        wrong = f"the subscribers were told different things: {[len(each) for each in told]} samples"
    try:
        for sensor in keeper.straps:
            match([each for each in told[0] if each["sensor"] == sensor], keeper.sent(sensor))
    except Failure as failure:
        wrong = str(failure)
    return {"samples": len(told[0]), "lines": sum(map(len, told)), "wrong": wrong}


def counted(watched: dict[str, Process]) -> dict[str, dict[str, int]]:
    return {name: counters(process.child.pid) for name, process in watched.items()}


def counters(pid: int) -> dict[str, int]:
    """Of all threads: the processor time that the scheduler gave, how often it slept, how often it had to make room for another."""
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


def said(window: dict[str, Any]) -> str:
    spent = [f"{name} {each['processor_ns'] / 1e6 / window['seconds']:.1f} ms/s" for name, each in window["processes"].items()]
    return ", ".join([*spent, f"{window['samples']} samples", window["wrong"] or "nothing lost"])
