"""Without the daemon: checks and times the behaviour of BlueZ and the virtual sensors that other
cases need."""

from __future__ import annotations

from statistics import median

from bluetoothctl import Bluetoothctl
from runner import Rig
from waiting import now, require, wait_for

TIMES = 3
CUTS = 20


def bare_seconds(rig: Rig) -> tuple[float, float]:
    """With bluetoothctl at full speed: from `connect` to the first notification, and from a cut to
    the next, on a fresh BlueZ."""
    address = rig.air.add("BARE0", "heart_rate")
    with Bluetoothctl(rig.logs) as client:
        client.discover(address)
        connect = first_connect(client, address)
        again = median(reconnect(rig, client, address) for _ in range(TIMES))
        client.type(f"remove {address}")
        client.expect("Device has been removed", 15)
    rig.air.order("remove", "BARE0")
    return connect, again


def first_connect(client: Bluetoothctl, address: str) -> float:
    begun = now()
    client.connect(address)
    client.expect_of(address, "ServicesResolved: yes", 30)
    client.acquire_notify()
    return now() - begun


def reconnect(rig: Rig, client: Bluetoothctl, address: str) -> float:
    client.notification()
    cut = rig.air.drop("BARE0")
    client.expect_of(address, "Connected: no", 20)
    client.connect(address)
    client.expect_of(address, "ServicesResolved: yes", 30)
    client.acquire_notify()
    return now() - cut


def case_connect_and_reconnect(rig: Rig) -> None:
    """bluetoothctl connects, gets notifications, loses the link and connects again"""
    connect, again = bare_seconds(rig)
    rig.measured("connect", connect, "s")
    rig.measured("reconnect", again, "s")


def case_every_notification_arrives(rig: Rig) -> None:
    """bluetoothctl gets every notification that the sensor sent"""
    address = rig.air.add("HRM0", "heart_rate")
    with Bluetoothctl(rig.logs) as client:
        client.discover(address)
        client.connect(address)
        client.expect_of(address, "ServicesResolved: yes", 30)
        client.acquire_notify()
        first = client.notification()
        came = [first] + [client.notification() for _ in range(19)]
    sent = [each.value for each in rig.air.sent("HRM0", "2a37")]
    require(first in sent, f"{first.hex()} was never sent")
    begin = sent.index(first)
    require(came == sent[begin : begin + len(came)], "the received values differ from the sent ones")
    rig.measured("notifications", len(came), "", 0)


def case_silence_and_absence(rig: Rig) -> None:
    """a muted sensor stays connected, and one that is off is not found"""
    address = rig.air.add("HRM0", "heart_rate")
    with Bluetoothctl(rig.logs) as client:
        client.discover(address)
        client.connect(address)
        client.expect_of(address, "ServicesResolved: yes", 30)
        client.acquire_notify()
        rig.air.order("mute", "HRM0")
        before = rig.air.sensor("HRM0")["sent"]
        require(rig.air.sensor("HRM0")["connected"] == 1, "the muted sensor lost its link")
        require(rig.air.sensor("HRM0")["sent"] == before, "the muted sensor sent something")
        rig.air.order("unmute", "HRM0")
        wait_for(lambda: rig.air.sensor("HRM0")["sent"] > before, 15, "a notification after `unmute`")
        rig.air.order("off", "HRM0")
        rig.air.drop("HRM0")
        client.expect_of(address, "Connected: no", 20)
        client.type(f"connect {address}")
        rig.air.order("on", "HRM0")
        client.expect("Connection successful", 30)


def case_cut_while_connecting(rig: Rig) -> None:
    """a link that drops during service discovery does no harm"""
    address = rig.air.add("HRM0", "heart_rate")
    with Bluetoothctl(rig.logs) as client:
        client.discover(address)
        for _ in range(CUTS):
            client.connect(address)
            rig.air.drop("HRM0")
            client.expect_of(address, "Connected: no", 20)
        client.connect(address)
        client.expect_of(address, "ServicesResolved: yes", 30)
    rig.measured("cuts", CUTS, "", 0)


def case_held_elsewhere(rig: Rig) -> None:
    """a sensor held by another computer is found once it is released, and a slow one is only slow"""
    address = rig.air.add("HRM0", "heart_rate")
    other = rig.air.add("HRM1", "heart_rate")
    rig.air.order("hold", "HRM0")
    with Bluetoothctl(rig.logs) as client:
        client.discover(other)
        require(address not in client.everything, "the held sensor was found")
        rig.air.order("release", "HRM0")
        rig.air.order("slow", "HRM0", 0.1)
        client.discover(address)
        begun = now()
        client.connect(address)
        client.expect_of(address, "ServicesResolved: yes", 60)
        rig.measured("slow connect", now() - begun, "s")


def case_adapter_unplugged_and_back(rig: Rig) -> None:
    """after the adapter was removed and added, a sensor can be connected again"""
    address = rig.air.add("HRM0", "heart_rate")
    with Bluetoothctl(rig.logs) as client:
        client.discover(address)
        client.connect(address)
        rig.bluetooth.unplug()
        client.expect("DEL.*Controller", 20)
        require(rig.air.sensor("HRM0")["connected"] == 0, "the sensor's link outlived the adapter")
        rig.bluetooth.plug()
        client.expect("NEW.*Controller", 20)
        wait_for(rig.bluetooth.is_powered, 30, "the adapter's return, powered", every=0.1)
        client.expect("NEW.*Device", 20)
        client.discover(address)
        client.connect(address)


def case_eight_sensors_at_once(rig: Rig) -> None:
    """eight sensors are connected and notify at the same time"""
    addresses = [rig.air.add(f"HRM{index}", "heart_rate") for index in range(8)]
    with Bluetoothctl(rig.logs) as client:
        client.discover(*addresses)
        begun = now()
        measurement = None
        for address in addresses:
            measurement = client.listen_to(address, measurement)
        rig.measured("connecting all", now() - begun, "s")
        wait_for(lambda: all(each["sent"] > 8 for each in rig.air.order("sensors")["sensors"]), 30, "two seconds of each")
