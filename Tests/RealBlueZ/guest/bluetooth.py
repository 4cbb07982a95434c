"""The Bluetooth of the guest: message bus, adapter, bluetoothd. Each can be absent, killed and brought back."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

from air import Air
from processes import Process, run
from waiting import wait_for

DAEMONS = ("/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd")
BRIDGE = Path(__file__).with_name("vhci_bridge.py")
STATE = Path("/var/lib/bluetooth")
ADAPTERS = Path("/sys/class/bluetooth")


class Bluetooth:
    def __init__(self, air: Air, logs: Path) -> None:
        self.air, self.logs = air, logs
        self.bus: Process | None = None
        self.bridge: Process | None = None
        self.daemon: Process | None = None
        # Everything between the kernel and the radio, for `btmon -r`.
        self.trace = Process("btmon", ["btmon", "-w", str(logs / "hci.btsnoop")], logs)

    def start_bus(self) -> None:
        os.makedirs("/run/dbus", exist_ok=True)
        for left in ("/run/dbus/pid", "/run/dbus/system_bus_socket"):
            Path(left).unlink(missing_ok=True)
        self.bus = Process("dbus-daemon", ["dbus-daemon", "--system", "--nofork", "--nopidfile"], self.logs)
        wait_for(lambda: Path("/run/dbus/system_bus_socket").exists(), 20, "the bus's socket")

    def kill_bus(self) -> None:
        if self.bus:
            self.bus.end(signal.SIGKILL)
            self.bus = None

    def plug(self) -> None:
        """An adapter appears, driven by the kernel."""
        self.bridge = Process("vhci-bridge", [sys.executable, str(BRIDGE)], self.logs)
        wait_for(lambda: any(ADAPTERS.glob("hci*")), 20, "an adapter")

    def unplug(self) -> None:
        """The links end and the adapter vanishes. The radio falls silent first: nothing stale waits for the next adapter."""
        self.air.order("unplug")
        wait_for(lambda: not any(ADAPTERS.glob("hci*:*")), 20, "the end of the adapter's links")
        if self.bridge:
            self.bridge.end()
            self.bridge = None
        wait_for(lambda: not any(ADAPTERS.glob("hci*")), 20, "the adapter's end")

    def start_bluetoothd(self, *options: str, wait: bool = True) -> None:
        path = next(each for each in DAEMONS if os.access(each, os.X_OK))
        self.daemon = Process("bluetoothd", [path, "--nodetach", *options], self.logs)
        if wait:
            wait_for(self.is_powered, 60, "a powered adapter at bluetoothd", every=0.1)

    def is_powered(self) -> bool:
        return "boolean true" in run(
            ["dbus-send", "--system", "--print-reply", "--reply-timeout=5000", "--dest=org.bluez", "/org/bluez/hci0",
             "org.freedesktop.DBus.Properties.Get", "string:org.bluez.Adapter1", "string:Powered"], 20
        ).stdout

    def kill_bluetoothd(self) -> None:
        if self.daemon:
            self.daemon.end(signal.SIGKILL)
            self.daemon = None

    def is_whole(self) -> bool:
        return all(each is not None and each.is_running for each in (self.bus, self.bridge, self.daemon))

    def forget_devices(self) -> None:
        """As after a fresh installation; only while bluetoothd is not running."""
        for each in STATE.iterdir():
            shutil.rmtree(each, ignore_errors=True)

    def make_fresh(self) -> None:
        """Everything there, nothing known: the state each case begins in."""
        self.kill_bluetoothd()
        self.forget_devices()
        if not (self.bus and self.bus.is_running):
            self.start_bus()
        if not (self.bridge and self.bridge.is_running):
            self.plug()
        self.start_bluetoothd()

    def stop(self) -> None:
        self.kill_bluetoothd()
        if self.bridge:
            self.unplug()
        self.kill_bus()
        self.trace.end()
