"""BlueZ's own client in a terminal, controlled by its output: the baseline for the daemon."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import threading
from pathlib import Path

from waiting import Failure, now

# Colors, cursor movements and the marks that readline puts around them.
DECORATION = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x01\x02\r]")
HEART_RATE_MEASUREMENT = "00002a37-0000-1000-8000-00805f9b34fb"


class Bluetoothctl:
    def __init__(self, logs: Path) -> None:
        self.log = open(logs / "bluetoothctl.log", "a")
        self.terminal, client = pty.openpty()
        self.child = subprocess.Popen(["bluetoothctl"], stdin=client, stdout=client, stderr=client, start_new_session=True)
        os.close(client)
        self.unread = self.everything = ""
        self.printed = threading.Condition()
        # Always read, even if no case waits, because a full terminal would block the client.
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.expect("Agent registered", 20)

    def __enter__(self) -> Bluetoothctl:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.kill()
        self.child.wait()
        self.reader.join()
        os.close(self.terminal)
        self.log.close()

    def read(self) -> None:
        while True:
            try:
                text = DECORATION.sub("", os.read(self.terminal, 65536).decode(errors="replace"))
            except OSError:  # EIO: the other end is closed
                return
            self.log.write(text)
            self.log.flush()
            with self.printed:
                self.unread += text
                self.everything += text
                self.printed.notify_all()

    def type(self, line: str) -> None:
        self.log.write(f"\n--- {now():.3f} typed: {line}\n")
        os.write(self.terminal, line.encode() + b"\n")

    def expect(self, pattern: str, seconds: float) -> re.Match[str]:
        """Waits until the pattern is printed, and discards the output up to there."""
        end = now() + seconds
        with self.printed:
            while not (found := re.search(pattern, self.unread)):
                left = end - now()
                if left <= 0:
                    output = self.unread[-300:].strip()
                    raise Failure(f"bluetoothctl did not print /{pattern}/ within {seconds:g} s but: {output}")
                self.printed.wait(left)
            self.unread = self.unread[found.end():]
            return found

    def expect_of(self, address: str, change: str, seconds: float) -> None:
        """Waits for a change of this device, such as `Connected: no`."""
        self.expect(f"Device {address} {change}", seconds)

    def discover(self, *addresses: str) -> None:
        self.type("scan on")
        # A known device is printed at once, and a discovery that has not started cannot be stopped.
        self.expect("Discovery started", 15)
        missing = set(addresses)
        while missing:
            missing.discard(self.expect(r"Device ((?:[0-9A-F]{2}:){5}[0-9A-F]{2})", 30)[1])
        self.type("scan off")
        self.expect("Discovering: no", 15)

    def connect(self, address: str) -> None:
        self.type(f"connect {address}")
        if self.expect("Connection successful|Failed to connect.*", 60)[0] != "Connection successful":
            raise Failure("bluetoothctl could not connect")

    def select(self, attribute: str = HEART_RATE_MEASUREMENT) -> str:
        """Selects by UUID (of the first device that has it) or by path. Returns the path below the
        device."""
        self.type(f"gatt.select-attribute {attribute}")
        return self.expect(r":/(service[0-9a-f]+/char[0-9a-f]+)\][#>]", 15)[1]

    def listen_to(self, address: str, measurement: str | None) -> str:
        """Connects to a discovered device and subscribes by signals. Returns the path of the
        measurement below the device, which is the same for equal devices and is looked up if not
        given."""
        self.connect(address)
        self.expect_of(address, "ServicesResolved: yes", 30)
        measurement = measurement or self.select()
        self.select(f"/org/bluez/hci0/dev_{address.replace(':', '_')}/{measurement}")
        self.type("gatt.notify on")
        self.expect("Notify started", 15)
        return measurement

    def acquire_notify(self) -> None:
        """Waits for the first notification."""
        self.select()
        self.type("gatt.acquire-notify")
        self.expect("AcquireNotify success", 15)
        self.notification()

    def notification(self) -> bytes:
        self.expect("Notification:", 15)
        return bytes.fromhex(self.expect(r"\n?.*?((?:[0-9a-f]{2} )+) ", 15)[1])
