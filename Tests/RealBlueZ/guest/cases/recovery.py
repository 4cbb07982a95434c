"""The time until samples resume, compared to bluetoothctl in the same guest."""

from __future__ import annotations

import os
from statistics import median

from bluetoothctl import Bluetoothctl
from cases.bare import first_connect, reconnect
from runner import Rig
from straps import KIND, Ride
from waiting import now, require, wait_for

CUTS = int(os.environ.get("CUTS", "10"))
BARE_TIMES = 10
EIGHT = 8
IN_THE_AIR = 2
# The limit in units of eight bare connects. Ours include discovery, which the bare ones did before.
MOST_BARE_CONNECTS = 2


def eight_bare_connects(rig: Rig) -> float:
    """Each to its first notification, one after the other, after all were discovered."""
    addresses = [rig.air.add(f"BARE{index}", KIND) for index in range(EIGHT)]
    with Bluetoothctl(rig.logs) as client:
        client.discover(*addresses)
        begun = now()
        measurement = None
        for address in addresses:
            measurement = client.listen_to(address, measurement)
            client.expect("Value:", 15)
        seconds = now() - begun
        for address in addresses:
            client.type(f"remove {address}")
            client.expect("Device has been removed", 15)
    rig.air.clear()
    return seconds


def case_cut_and_advertising_again(rig: Rig) -> None:
    """after a cut, samples resume 95 times of 100 within twice the time of a bare reconnect"""
    address = rig.air.add("BARE0", KIND)
    bare: list[float] = []
    back: list[float] = []
    with Bluetoothctl(rig.logs) as client:
        client.discover(address)
        first_connect(client, address)
        with Ride(rig) as ride:
            # In turns, because other load slows down both.
            for number in range(CUTS):
                if number % max(1, CUTS // BARE_TIMES) == 0:
                    bare.append(reconnect(rig, client, address))
                back.append(ride.cut_and_back(30))
            ride.require_honest(IN_THE_AIR * CUTS)
    back.sort()
    limit = 2 * median(bare)
    # One may be late even if 5 % of the cuts round to zero.
    late = [each for each in back if each > limit]
    allowed = max(1, CUTS // 20)
    rig.measured("cuts", CUTS, "", 0)
    rig.measured("bare: median", median(bare), "s")
    rig.measured("longest", max(bare), "s")
    rig.measured("median", median(back), "s")
    rig.measured("95 of 100", back[-1 - allowed], "s")
    rig.measured("longest", back[-1], "s")
    require(len(late) <= allowed, f"{len(late)} of {CUTS} took more than {limit:.2f} s, twice a bare reconnect: {late}")


def case_bluetoothd_killed_with_eight(rig: Rig) -> None:
    """bluetoothd is killed and started: all of eight straps stream within twice what eight bare connects take"""
    eight_come_back(rig, rig.bluetooth.kill_bluetoothd, rig.bluetooth.start_bluetoothd, "bluetoothd_gone")


def case_adapter_gone_with_eight(rig: Rig) -> None:
    """the adapter is unplugged and plugged in: all of eight straps stream within twice what eight bare connects take"""
    eight_come_back(rig, rig.bluetooth.unplug, rig.bluetooth.plug, "adapter_absent")


def eight_come_back(rig: Rig, remove, restore, reason: str) -> None:
    bare = eight_bare_connects(rig)
    with Ride(rig, EIGHT) as ride:
        gone = now()
        remove()
        for strap in ride.straps:
            ride.reported(reason, 10, gone, strap)
        restore()
        # It counts from power-on, because no program can connect before.
        wait_for(rig.bluetooth.is_powered, 30, "a powered adapter", every=0.05)
        begun = now()
        seconds = ride.all_stream(120, begun) - begun
        ride.require_honest(EIGHT * IN_THE_AIR)
    rig.measured("all eight", seconds, "s")
    rig.measured("eight bare connects", bare, "s")
    rig.measured("ratio", seconds / bare, "")
    require(seconds <= MOST_BARE_CONNECTS * bare, f"{seconds:.2f} s is more than {MOST_BARE_CONNECTS} times {bare:.2f} s")


def case_one_always_absent(rig: Rig) -> None:
    """an absent strap changes nothing for three others: each recovers from its cuts as fast as before"""
    with Ride(rig, 4) as ride:
        *others, absent = ride.straps
        before = [ride.cut_and_back(30, strap) for strap in others for _ in range(3)]
        rig.air.order("off", absent.name)
        cut = now()
        rig.air.drop(absent.name)
        ride.reported("link_lost", 10, cut, absent)
        with_absent = [ride.cut_and_back(30, strap) for strap in others for _ in range(3)]
        ride.straps.remove(absent)
        ride.require_honest(IN_THE_AIR * 6)
        state = ride.daemon.sensor(absent.address)
    rig.measured("all there: median", median(before), "s")
    rig.measured("longest", max(before), "s")
    rig.measured("one absent: median", median(with_absent), "s")
    rig.measured("longest", max(with_absent), "s")
    rig.figures.append(f"the absent one is {state['state']}, {state.get('reason')}")
    require(median(with_absent) <= 1.5 * median(before) + 0.1, "the absent one delays the others")
    require(max(with_absent) <= 5, "the absent one delays one of the others for long")
