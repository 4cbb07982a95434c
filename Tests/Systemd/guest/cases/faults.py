"""The service or something it depends on fails: sensors stream again without help."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

from machine import CONTROL, Machine
from waiting import now, require, wait_for

DROP_IN = Path("/usr/share/doc/cyclometer/examples/bluetooth-restart.conf")
DROPPED_IN = Path("/etc/systemd/system/bluetooth.service.d/restart.conf")
BLUETOOTH = "bluetooth.service"


def case_bluetooth_restarted(machine: Machine) -> None:
    """`systemctl restart bluetooth`: sensors stream again, and the daemon is not restarted"""
    process = machine.main_process()
    begun = now()
    machine.systemctl("restart", "bluetooth")
    machine.measured("streaming again after", machine.all_stream(90, now()) - begun, "s")
    require(machine.main_process() == process, "the daemon was restarted")


def case_bluetoothd_crashed(machine: Machine) -> None:
    """bluetoothd crashes (SIGSEGV): with the example drop-in systemd restarts it, and sensors stream"""
    machine.run("install", "-D", "-m", "644", str(DROP_IN), str(DROPPED_IN))
    machine.systemctl("daemon-reload")
    process = machine.main_process()
    crashed = int(machine.property("MainPID", BLUETOOTH))
    here, begun = machine.here(), now()
    os.kill(crashed, signal.SIGSEGV)
    wait_for(lambda: int(machine.property("MainPID", BLUETOOTH)) not in (0, crashed), 30, "a new bluetoothd", every=0.2)
    machine.measured("bluetoothd again after", now() - begun, "s")
    machine.measured("streaming again after", machine.all_stream(90, now()) - begun, "s")
    require(machine.main_process() == process, "the daemon was restarted")
    machine.logged("bluetoothd", here, 10)


def case_daemon_crashed(machine: Machine) -> None:
    """the daemon crashes (SIGSEGV): it is restarted, clients that connect meanwhile wait, and sensors stream"""
    crashed = machine.main_process()
    before = CONTROL.stat().st_ino
    instance = machine.instance()
    begun = now()
    os.kill(crashed, signal.SIGSEGV)
    wait_for(lambda: not Path(f"/proc/{crashed}").exists(), 10, "the daemon's end")
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(30)
        client.connect(str(CONTROL))
        connected = now()
        hello = client.recv(4096)
        greeted = now()
        require(b'"hello"' in hello, f"the first line is {hello!r}")
    started = int(machine.property("ExecMainStartTimestampMonotonic")) / 1e6
    require(connected < started, "the daemon was back before the client could connect, so this shows nothing")
    machine.measured("connected after", connected - begun, "s", 2)
    machine.measured("greeted after", greeted - begun, "s")
    require(machine.instance() != instance, "the daemon is still the same")
    machine.measured("streaming again after", machine.all_stream(60, begun + 0.5) - begun, "s")
    require(CONTROL.stat().st_ino == before, "the socket was replaced")


def case_bus_crashed(machine: Machine) -> None:
    """the message bus crashes (SIGKILL) and ends bluetoothd: with the same drop-in sensors stream again, and the daemon is not restarted"""
    process = machine.main_process()
    bus = int(machine.property("MainPID", "dbus.service"))
    here, begun = machine.here(), now()
    os.kill(bus, signal.SIGKILL)
    machine.logged("no D-Bus", here, 20)
    machine.measured("streaming again after", machine.all_stream(90, now()) - begun, "s")
    require(int(machine.property("MainPID", "dbus.service")) not in (0, bus), "the bus is still the same")
    require(machine.main_process() == process, "the daemon was restarted")


def case_bus_stopped(machine: Machine) -> None:
    """`systemctl stop dbus.socket dbus.service`, which also stops bluetoothd: the daemon reports what is missing, and streams when both are started"""
    process = machine.main_process()
    here, begun = machine.here(), now()
    machine.systemctl("stop", "dbus.socket", "dbus.service")
    machine.logged("start it with systemctl start dbus", here, 20)
    require(machine.main_process() == process, "the daemon was restarted")
    reasons = {each.get("reason") for each in machine.sensors()}
    require(reasons == {"bus_gone"}, f"the sensors' reasons are {reasons}")
    machine.systemctl("start", "dbus.socket")
    machine.measured("without a bus for", now() - begun, "s")
    machine.logged("start it with systemctl start bluetooth", here, 20)
    back = now()
    machine.systemctl("start", "bluetooth")
    machine.measured("streaming again after", machine.all_stream(90, back) - back, "s")
    require(machine.main_process() == process, "the daemon was restarted")


def case_hung(machine: Machine) -> None:
    """a daemon that hangs (SIGSTOP) is killed by the watchdog within WatchdogSec and restarted, and the journal shows it"""
    hung = machine.main_process()
    setting = machine.property("WatchdogUSec")
    timeout = int(setting.removesuffix("s")) if setting.endswith("s") else 60
    here, begun = machine.here(), now()
    os.kill(hung, signal.SIGSTOP)
    machine.logged("Watchdog timeout", here, timeout + 5)
    noticed = now()
    machine.measured("noticed after", noticed - begun, "s", 0)
    wait_for(lambda: machine.main_process() not in (0, hung), 30, "a new daemon", every=0.2)
    machine.measured("started again", now() - noticed, "s later")
    machine.measured("streaming again", machine.all_stream(60, noticed) - noticed, "s later")
