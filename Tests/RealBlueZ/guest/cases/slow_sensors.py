"""Sensors that rarely advertise, controllers with slow connects, and cancels while a connect
completes.

In every case, samples resume after each cut: 95 of 100 times within 2.5 intervals, the time of the
connect and a second. In the end the kernel and the controller have the same links.
"""

from __future__ import annotations

import os
from statistics import median

from bluetoothctl import Bluetoothctl
from cases.bare import first_connect, reconnect
from runner import Rig, only_by_name
from straps import KIND, Ride
from waiting import now, require, wait_for

CUTS = int(os.environ.get("CUTS", "10"))
INTERVALS = [int(each) for each in os.environ.get("INTERVALS", "100 1000 2500").split()]
BARE_TIMES = 3
EIGHT = 8
IN_THE_AIR = 2
LONGEST = 60
CANCELS = range(-20, 21)


def limit(interval: int, connect_time: float = 0) -> float:
    return 2.5 * interval / 1000 + connect_time + 1


def measure(rig: Rig, what: str, back: list[float], at_most: float | None, bare: list[float] | None = None) -> str | None:
    """Adds the figures and returns what is wrong with them. One may be late even if 5 % round to
    zero."""
    back.sort()
    allowed = max(1, len(back) // 20)
    baseline = f", bare {median(bare):.2f} to {max(bare):.2f}" if bare else ""
    rig.figures.append(
        f"{what}: {len(back)} cuts, median {median(back):.2f}, 95 of 100 {back[-1 - allowed]:.2f}, longest {back[-1]:.2f} s"
        f"{f' of {at_most:.2f}' if at_most else ''}{baseline}"
    )
    late = [each for each in back if at_most and each > at_most]
    return f"{what}: {len(late)} of {len(back)} took more than {at_most:.2f} s" if len(late) > allowed else None


def judge_all(complaints: list[str | None]) -> None:
    found = [each for each in complaints if each]
    require(not found, "; ".join(found))


def bare_reconnects(rig: Rig, interval: int) -> list[float]:
    address = rig.air.add("BARE0", KIND)
    with Bluetoothctl(rig.logs) as client:
        client.discover(address)
        first_connect(client, address)
        rig.air.order("interval", "BARE0", interval)
        times = [reconnect(rig, client, address) for _ in range(BARE_TIMES)]
        client.type(f"remove {address}")
        client.expect("Device has been removed", 15)
    rig.air.order("remove", "BARE0")
    return times


def cut_one(rig: Rig, count: int, intervals: list[int], connect_times: tuple[float, ...] = (0,)) -> None:
    complaints = []
    bare = {(each, time): [] for each in intervals for time in connect_times}
    for (interval, time), times in bare.items():
        with rig.air.connects(time):
            times += bare_reconnects(rig, interval)
    with Ride(rig, count) as ride:
        for (interval, time), times in bare.items():
            ride.advertise_every(interval)
            with rig.air.connects(time):
                back = [ride.cut_and_back(LONGEST, ride.straps[number % count]) for number in range(CUTS)]
            ride.require_no_ghost()
            what = f"{interval} ms" + (f", connects of {time:g} s" if time else "")
            complaints.append(measure(rig, what, back, limit(interval, time), times))
        ride.require_honest(IN_THE_AIR * CUTS * len(bare))
    judge_all(complaints)


def case_one_is_cut(rig: Rig) -> None:
    """a strap that rarely advertises recovers from repeated cuts within 2.5 intervals and a second"""
    cut_one(rig, 1, INTERVALS)


@only_by_name
def case_one_is_cut_and_connects_take_time(rig: Rig) -> None:
    """the same at 100 ms with a controller whose connects take 2 and 3 s"""
    cut_one(rig, 1, [100], (2, 3))


@only_by_name
def case_one_of_eight_is_cut(rig: Rig) -> None:
    """one of eight is cut while seven stream"""
    cut_one(rig, EIGHT, INTERVALS)


@only_by_name
def case_one_of_eight_is_cut_and_connects_take_time(rig: Rig) -> None:
    """the same at 100 ms with a controller whose connects take 2 and 3 s"""
    cut_one(rig, EIGHT, [100], (2, 3))


@only_by_name
def case_one_of_eight_is_always_absent(rig: Rig) -> None:
    """one of eight is absent, and another is cut while six stream: it recovers, with one more interval for discovery"""
    complaints = []
    with Ride(rig, EIGHT) as ride:
        absent = ride.straps.pop()
        rig.air.order("off", absent.name)
        cut = now()
        rig.air.drop(absent.name)
        ride.reported("link_lost", 10, cut, absent)
        for interval in INTERVALS:
            ride.advertise_every(interval)
            back = [ride.cut_and_back(LONGEST, ride.straps[number % len(ride.straps)]) for number in range(CUTS)]
            ride.require_no_ghost()
            complaints.append(measure(rig, f"{interval} ms", back, limit(interval) + interval / 1000 + 2))
    judge_all(complaints)


@only_by_name
def case_eight_are_cut_at_once(rig: Rig) -> None:
    """all eight are cut at once, and all recover"""
    with Ride(rig, EIGHT) as ride:
        for interval in INTERVALS:
            ride.advertise_every(interval)
            back = []
            for _ in range(max(1, CUTS // EIGHT)):
                ride.all_stream(LONGEST, now())
                cut = now()
                for strap in ride.straps:
                    rig.air.drop(strap.name)
                for strap in ride.straps:
                    ride.reported("link_lost", 20, cut, strap)
                back += [ride.streams(2 * LONGEST, cut + 0.5, strap) - cut for strap in ride.straps]
            ride.require_no_ghost()
            measure(rig, f"{interval} ms", back, None)


def case_cancelled_as_the_connect_completes(rig: Rig) -> None:
    """a connect completes 20 ms before to 20 ms after the answer to its cancel, in steps of 1 ms: the strap recovers"""
    back = []
    with Ride(rig) as ride:
        strap = ride.strap
        for milliseconds in CANCELS:
            ride.streams(LONGEST, now())
            rig.air.order("deaf", strap.name)
            rig.air.drop(strap.name)
            wait_for(lambda: rig.air.order("computer")["connecting"], 20, "a connect under way", every=0.02)
            rig.air.order("late", milliseconds)
            ride.daemon.request("disable", sensor=strap.id)
            ride.daemon.request("enable", sensor=strap.id)
            rig.air.order("hearing", strap.name)
            begun = now()
            back.append(ride.streams(LONGEST, begun) - begun)
        ride.require_no_ghost()
    measure(rig, "back after a cancel", back, None)
