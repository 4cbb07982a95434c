"""The Bluetooth of the guest: message bus, adapter, bluetoothd. Each can be absent, killed and
restored."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import socket
import struct
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from air import Air
from processes import Process, run
from waiting import wait_for

DAEMONS = ("/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd")
PORT, SECOND_PORT = "/dev/radio.hci", "/dev/radio.second"
BRIDGE = Path(__file__).with_name("vhci_bridge.py")
STATE = Path("/var/lib/bluetooth")
RFKILL_BLUETOOTH, RFKILL_CHANGE_ALL = 2, 3
VENDOR, PRIMARY = 0xFF, 0x00
ADAPTERS = Path("/sys/class/bluetooth")
HCIGETCONNLIST, MOST_LINKS, LINK_SIZE = 0x800448D4, 64, 16


class Bluetooth:
    def __init__(self, air: Air, logs: Path) -> None:
        self.air, self.logs = air, logs
        self.path = next(each for each in DAEMONS if os.access(each, os.X_OK))
        self.release = tuple(int(each) for each in run([self.path, "--version"], 20).stdout.strip().split("."))
        self.index = 0
        self.bus: Process | None = None
        self.bridge: Process | None = None
        self.daemon: Process | None = None
        self.deaths = 0
        """How often bluetoothd crashed and was restarted."""
        # All packets between the kernel and the radio, for `btmon -r`.
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
        self.bridge = Process("vhci-bridge", [sys.executable, str(BRIDGE), PORT], self.logs)
        wait_for(lambda: any(ADAPTERS.glob(f"hci{self.index}")), 20, "an adapter")

    def unplug(self) -> None:
        """Like a stick that is pulled out: the radio is silent at once, and the driver is removed
        while links are up."""
        if self.bridge:
            self.bridge.end()
            self.bridge = None
        wait_for(lambda: not any(ADAPTERS.glob(f"hci{self.index}")), 20, "the adapter's end")
        self.air.order("unplug")
        if self.daemon:
            path = f"/org/bluez/hci{self.index}"
            wait_for(lambda: path not in self.objects(), 20, "bluetoothd's adapter to go")

    @contextmanager
    def second_adapter(self) -> Iterator[None]:
        """With another working controller as hci1."""
        bridge = Process("second-vhci-bridge", [sys.executable, str(BRIDGE), SECOND_PORT], self.logs)
        try:
            wait_for(lambda: any(ADAPTERS.glob("hci1")), 20, "a second adapter")
            yield
        finally:
            bridge.end()
            wait_for(lambda: not any(ADAPTERS.glob("hci1")), 20, "the second adapter's end")
            self.air.order("unplug", "second")

    @contextmanager
    def first_name_taken(self) -> Iterator[None]:
        """With another controller, which never answers, as hci0. Only without an adapter."""
        silent = os.open("/dev/vhci", os.O_RDWR)
        try:
            os.write(silent, bytes([VENDOR, PRIMARY]))
            wait_for(lambda: any(ADAPTERS.glob("hci0")), 20, "the other controller")
            self.index = 1
            yield
        finally:
            # A failed case may have left it under the other name.
            if self.bridge:
                self.unplug()
            self.index = 0
            os.close(silent)
            wait_for(lambda: not any(ADAPTERS.glob("hci0")), 30, "the end of the other controller")

    def block(self, blocked: bool) -> None:
        """Like `rfkill block bluetooth` and `unblock`."""
        descriptor = os.open("/dev/rfkill", os.O_WRONLY)
        os.write(descriptor, struct.pack("IBBBB", 0, RFKILL_BLUETOOTH, RFKILL_CHANGE_ALL, blocked, 0))
        os.close(descriptor)

    def start_bluetoothd(self, wait: bool = True, settings: str = "") -> None:
        """`settings` is the whole main.conf."""
        file = Path("/run/main.conf")
        file.write_text(settings)
        options = ["--configfile", str(file)] if settings else []
        self.daemon = Process("bluetoothd", [self.path, "--nodetach", *options], self.logs)
        threading.Thread(target=self.supervise, args=(self.daemon, settings), daemon=True).start()
        if wait:
            wait_for(self.is_powered, 60, "a powered adapter at bluetoothd", every=0.1)

    def supervise(self, daemon: Process, settings: str) -> None:
        """Restarts a bluetoothd that crashed, like a service manager. 5.82 sometimes crashes when
        an adapter is pulled out."""
        if daemon.child.wait() < 0 and self.daemon is daemon:
            self.deaths += 1
            self.start_bluetoothd(wait=False, settings=settings)

    def objects(self) -> str:
        """bluetoothd's objects as text, with device paths written with colons."""
        text = run(
            ["dbus-send", "--system", "--print-reply", "--reply-timeout=5000", "--dest=org.bluez", "/",
             "org.freedesktop.DBus.ObjectManager.GetManagedObjects"], 20
        ).stdout
        return text.replace("_", ":")

    def kernel_links(self) -> list[str]:
        """The addresses that the kernel has links to, as `hcitool con` lists them."""
        room = bytearray(struct.pack("HH", self.index, MOST_LINKS) + bytes(MOST_LINKS * LINK_SIZE))
        with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as kernel:
            fcntl.ioctl(kernel, HCIGETCONNLIST, room)
        count = struct.unpack_from("HH", room)[1]
        starts = (4 + LINK_SIZE * number + 2 for number in range(count))
        return sorted(":".join(f"{byte:02X}" for byte in reversed(room[start : start + 6])) for start in starts)

    def controller_links(self) -> list[str]:
        return self.air.order("computer")["peers"]

    def ghosts(self) -> set[str]:
        """Links that exist only in the kernel or only in the controller."""
        return set(self.kernel_links()) ^ set(self.controller_links())

    def is_powered(self) -> bool:
        return "boolean true" in run(
            ["dbus-send", "--system", "--print-reply", "--reply-timeout=5000", "--dest=org.bluez", f"/org/bluez/hci{self.index}",
             "org.freedesktop.DBus.Properties.Get", "string:org.bluez.Adapter1", "string:Powered"], 20
        ).stdout

    def kill_bluetoothd(self) -> None:
        daemon, self.daemon = self.daemon, None
        if daemon:
            daemon.end(signal.SIGKILL)

    def is_whole(self) -> bool:
        return all(each is not None and each.is_running for each in (self.bus, self.bridge, self.daemon))

    def forget_devices(self) -> None:
        """Resets it to a fresh installation. Only while bluetoothd is not running."""
        for each in STATE.iterdir():
            shutil.rmtree(each, ignore_errors=True)

    def make_fresh(self) -> None:
        """Starts everything, without known devices: the initial state of each case."""
        self.kill_bluetoothd()
        self.block(False)
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
