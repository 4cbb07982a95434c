"""Beside bluetoothctl: what it started continues, and what the daemon started ends."""

from __future__ import annotations

from bluetoothctl import Bluetoothctl
from runner import Rig
from straps import KIND, HERTZ, Ride
from waiting import now, require, wait_for


def is_scanning(rig: Rig) -> bool:
    return rig.air.order("computer")["scanning"]


def case_discovery_is_off_when_all_are_connected(rig: Rig) -> None:
    """with every paired strap connected no discovery runs: after pairing, a cut, `cyclo scan` and another's scan"""
    with Ride(rig, 2) as ride, Bluetoothctl(rig.logs) as other:
        require_no_discovery(rig, "pairing")
        ride.cut_and_back(10)
        require_no_discovery(rig, "a cut")
        ride.daemon.cyclo("scan", "-t", "2")
        require_no_discovery(rig, "cyclo scan")
        other.type("scan on")
        other.expect("Discovery started", 15)
        ride.cut_and_back(10)
        require(is_scanning(rig) or wait_for(lambda: is_scanning(rig), 10, "the other's scan"), "")
        other.type("scan off")
        other.expect("Discovery stopped", 15)
        require_no_discovery(rig, "the other's scan")
        other.type("show")
        other.expect("Discovering: no", 15)


def require_no_discovery(rig: Rig, after: str) -> None:
    """Asks the controller itself, for longer than bluetoothd's pause between two rounds of a
    discovery."""
    wait_for(lambda: not is_scanning(rig), 10, f"no discovery after {after}", every=0.1)
    quiet = now()
    wait_for(lambda: is_scanning(rig) or now() > quiet + 7, 10, "seven seconds", every=0.1)
    require(not is_scanning(rig), f"discovery runs again {now() - quiet:.1f} s after {after}, with all connected")


def case_session_of_another_program_continues(rig: Rig) -> None:
    """what bluetoothctl connected and subscribed to stays unaffected while we scan, pair, lose links, forget and stop"""
    own = rig.air.add("OTHER", KIND, HERTZ)
    with Bluetoothctl(rig.logs) as other:
        other.discover(own)
        other.connect(own)
        other.expect_of(own, "ServicesResolved: yes", 30)
        other.select()
        other.type("gatt.notify on")
        other.expect("Notify started", 15)
        with Ride(rig) as ride:
            ride.daemon.cyclo("scan", "-t", "3")
            ride.cut_and_back(10)
            ride.daemon.request("forget", sensor=ride.strap.id)
            ride.daemon.end()
        rig.measured("its values during that time", values_seen(other), "", 0)
        require(rig.air.sensor("OTHER")["links"] == 1, "its link was cut")
        require("2a37" in rig.air.sensor("OTHER")["subscribed"], "its subscription is gone")


def values_seen(other: Bluetoothctl) -> int:
    before = other.everything.count("Value:")
    for _ in range(3):
        other.unread = ""
        other.expect("Value:", 5)
    return before


def case_devices_of_another_program_stay(rig: Rig) -> None:
    """a device that another program trusts is never removed, even when we pair and forget it"""
    with Bluetoothctl(rig.logs) as other:
        address = rig.air.add("OTHER", KIND, HERTZ)
        absent = rig.air.add("AWAY", KIND, HERTZ)
        other.discover(address, absent)
        for each in (address, absent):
            other.type(f"trust {each}")
            other.expect("trust succeeded", 15)
        rig.air.order("off", "AWAY")
        with Ride(rig) as ride:
            sensor = ride.daemon.pair(address)
            ride.daemon.request("forget", sensor=sensor)
            ride.daemon.request("forget", sensor=ride.strap.id)
            ride.daemon.end()
        for each in (address, absent):
            require(each in rig.bluetooth.objects(), f"{each} is no longer in bluetoothd")
        other.type(f"info {absent}")
        other.expect("Trusted: yes", 15)
