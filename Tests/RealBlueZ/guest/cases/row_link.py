"""Failures of links in the field, one case per row. Names start with the row's number. The other
rows are in `row_system`.

Always: the state and its reason are published, samples come again without a user or a restart, and
none is invented.
"""

from __future__ import annotations

import signal

from bluetoothctl import Bluetoothctl
from runner import Rig, known
from straps import KIND, HERTZ, Ride
from waiting import now, require, wait_for

IN_THE_AIR = 2
"""Frames that may be lost with a link: sent, but not yet read by the kernel."""


def case_01_dropped_right_after_connect(rig: Rig) -> None:
    """row 1: three links in a row drop at once; samples resume within 15 s of the first cut"""
    with Ride(rig) as ride:
        before = rig.air.sensor("HRM0")["links"]
        rig.air.order("doom", "HRM0", 3)
        rig.measured("samples again", ride.cut_and_back(15), "s")
        links = rig.air.sensor("HRM0")["links"] - before
        require(links == 4, f"three links were to drop at once, but there were {links}")
        ride.require_honest(IN_THE_AIR)


def case_01_dropped_while_services_come(rig: Rig) -> None:
    """row 1: three links drop during service discovery; samples resume within 20 s of the first cut"""
    with Ride(rig) as ride:
        rig.air.order("doom", "HRM0", 3, 0.08)
        rig.measured("samples again", ride.cut_and_back(20), "s")
        ride.require_honest(IN_THE_AIR)


def case_02_killed_while_connecting(rig: Rig) -> None:
    """row 2: killed during a connect that bluetoothd continues; restarted, it streams within 10 s of the sensor's answer"""
    with Ride(rig) as ride:
        rig.air.order("deaf", "HRM0")
        rig.air.drop("HRM0")
        wait_for(lambda: rig.air.order("computer")["connecting"], 20, "a connect under way", every=0.05)
        ride.daemon.end(signal.SIGKILL)
        ride.restart()
        begun = now()
        wait_for(lambda: ride.daemon.sensor(ride.strap.address)["state"] == "connecting", 60, "its next attempt", every=0.1)
        rig.measured("next attempt after", now() - begun, "s")
        rig.air.order("hearing", "HRM0")
        answering = now()
        rig.measured("samples again", ride.streams(10, answering) - answering, "s")
        ride.require_honest(IN_THE_AIR)


def case_02_killed_while_streaming(rig: Rig) -> None:
    """row 2: killed while streaming and restarted, it streams within 10 s"""
    with Ride(rig) as ride:
        ride.daemon.end(signal.SIGKILL)
        begun = now()
        ride.restart()
        rig.measured("samples again", ride.streams(10, begun) - begun, "s")
        ride.require_honest(IN_THE_AIR)


def case_04_devices_dropped_before_their_turn(rig: Rig) -> None:
    """row 4: with TemporaryTimeout=2, eight slow straps stream within 90 s although bluetoothd drops their devices meanwhile"""
    with Ride(rig, 8) as ride:
        rig.bluetooth.kill_bluetoothd()
        rig.bluetooth.forget_devices()
        for strap in ride.straps:
            rig.air.order("slow", strap.name, 0.1)
        started = now()
        rig.bluetooth.start_bluetoothd(settings="[General]\nTemporaryTimeout = 2\n")
        rig.measured("all stream", ride.all_stream(90, started) - started, "s")
        ride.require_honest(8 * HERTZ)


def case_05_two_sensors_at_once_with_slow_services(rig: Rig) -> None:
    """row 5: two straps that answer each request 0.15 s late are cut together, and both stream again within 40 s"""
    with Ride(rig, 2) as ride:
        for strap in ride.straps:
            rig.air.order("slow", strap.name, 0.15)
        cut = now()
        for strap in ride.straps:
            rig.air.drop(strap.name)
        for strap in ride.straps:
            ride.reported("link_lost", 10, cut, strap)
        rig.measured("both stream again", ride.all_stream(40, cut + 1) - cut, "s")
        ride.require_honest(IN_THE_AIR)


def case_06_other_handles_after_a_restart(rig: Rig) -> None:
    """row 6: the strap restarts with firmware in which every handle differs; samples resume within 60 s, and none is wrong"""
    with Ride(rig) as ride:
        rig.air.order("update", "HRM0")
        changed = now()
        ride.reported(("link_lost", "connecting_failed"), 20, changed - 1)
        rig.measured("samples again", ride.streams(60, changed + 1) - changed, "s")
        ride.require_honest(IN_THE_AIR)


def case_07_notification_acquired_by_another(rig: Rig) -> None:
    """row 7: bluetoothctl has acquired the notification: the state reports it, bluetoothctl keeps it, and 20 s after its release samples arrive"""
    with Ride(rig) as ride, Bluetoothctl(rig.logs) as other:
        ride.daemon.request("disable", sensor=ride.strap.id)
        wait_for(lambda: not rig.air.sensor("HRM0")["connected"], 15, "the end of our link", every=0.1)
        other.discover(ride.strap.address)
        other.connect(ride.strap.address)
        other.expect_of(ride.strap.address, "ServicesResolved: yes", 30)
        other.acquire_notify()
        links = rig.air.sensor("HRM0")["links"]
        asked = now()
        ride.daemon.request("enable", sensor=ride.strap.id)
        ride.reported("held_elsewhere", 20, asked)
        for _ in range(5 * HERTZ):
            other.notification()
        require(rig.air.sensor("HRM0")["links"] == links, "the link that bluetoothctl uses was cut")
        other.type("gatt.release-notify")
        released = now()
        rig.measured("samples after its release", ride.streams(20, released) - released, "s")


@known("with bluetoothd 5.87, once no sample arrived", lambda release: release >= (5, 83))
def case_07_notification_shared_with_another(rig: Rig) -> None:
    """row 7: bluetoothctl and the daemon both get every value by signals"""
    with Ride(rig) as ride, Bluetoothctl(rig.logs) as other:
        ride.daemon.request("disable", sensor=ride.strap.id)
        wait_for(lambda: not rig.air.sensor("HRM0")["connected"], 15, "the end of our link", every=0.1)
        other.discover(ride.strap.address)
        other.connect(ride.strap.address)
        other.expect_of(ride.strap.address, "ServicesResolved: yes", 30)
        other.select()
        other.type("gatt.notify on")
        other.expect("Notify started", 15)
        asked = now()
        ride.daemon.request("enable", sensor=ride.strap.id)
        first, sample = ride.subscriber.wait_for_sample(ride.strap.id, KIND, 20, asked)
        rig.measured("samples", first - asked, "s")
        ride.streams(15, first + 3)
        other.expect("Value:", 5)
        require(rig.air.sensor("HRM0")["links"] == 2, "the link that bluetoothctl uses was cut")
        ride.require_honest(IN_THE_AIR, first_of_ours=sample["seq"])


def case_08_connected_and_silent(rig: Rig) -> None:
    """row 8: a silent strap is stale after 5 s, its link is rebuilt after 15 s, and samples arrive within 3 s of its next values"""
    with Ride(rig) as ride:
        links = rig.air.sensor("HRM0")["links"]
        rig.air.order("mute", "HRM0")
        muted = now()
        arrived, record = ride.reported("silent", 10, muted)
        require(record["state"] == "stale", f"it is {record['state']}")
        rig.measured("stale after", arrived - muted, "s")
        wait_for(lambda: rig.air.sensor("HRM0")["links"] > links, 25, "a new link", every=0.1)
        rig.measured("new link after", now() - muted, "s")
        rig.air.order("unmute", "HRM0")
        unmuted = now()
        rig.measured("samples again", ride.streams(3, unmuted) - unmuted, "s")
        ride.require_honest(IN_THE_AIR)


def case_14_supervision_timeouts(rig: Rig) -> None:
    """row 14: the controller reports reason 0x08 six times in a row; each is reported as link_lost, and samples resume within 5 s"""
    with Ride(rig) as ride:
        back = [ride.cut_and_back(5) for _ in range(6)]
        rig.measured("longest", max(back), "s")
        reconnects = ride.daemon.sensor(ride.strap.address).get("link", {}).get("reconnects")
        require(reconnects in (None, 6), f"six reconnects are counted as {reconnects}")
        ride.require_honest(IN_THE_AIR * 6)
