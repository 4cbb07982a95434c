"""A GPS receiver: the real gpsd, started by its own socket, and the daemon that connects to it from
its sandbox."""

from __future__ import annotations

import os
import socket
import threading
import tty

from machine import Machine
from waiting import now, require

CONTROL = "/run/gpsd.sock"
"""The socket on which gpsd accepts new receivers."""


class Receiver:
    """A pseudo-terminal that reports a ride north at 12 knots every second, like a receiver with
    nine satellites."""

    def __enter__(self) -> Receiver:
        self.near, self.far = os.openpty()
        tty.setraw(self.far)
        self.path = os.ttyname(self.far)
        # gpsd opens it without privileges.
        os.chmod(self.path, 0o666)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.ride)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()
        os.close(self.near)
        os.close(self.far)

    def ride(self) -> None:
        second = 0
        while not self.ended.wait(1):
            second += 1
            moment = f"12{second // 60 % 60:02d}{second % 60:02d}.00"
            place = f"47{22 + 0.0033 * second:07.4f},N,00832.0000,E"
            for sentence in (
                f"GPRMC,{moment},A,{place},012.00,000.0,211126,,,A",
                f"GPGGA,{moment},{place},1,09,0.9,420.0,M,47.0,M,,",
                "GPGSA,A,3,04,05,09,12,24,25,29,31,32,,,,1.8,0.9,1.5",
            ):
                checksum = 0
                for byte in sentence.encode():
                    checksum ^= byte
                os.write(self.near, f"${sentence}*{checksum:02X}\r\n".encode())

    def plug_in(self) -> None:
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(30)
            control.connect(CONTROL)
            control.sendall(f"+{self.path}\r\n".encode())
            answer = control.recv(64)
            # In words, and in JSON from 3.26 on.
            require(answer.startswith(b"OK") or b'"ACK"' in answer, f"gpsd answers {answer!r}")


def case_from_gpsd(machine: Machine) -> None:
    """with gpsd started by its socket and a receiver, the sandboxed daemon publishes positions, also after a restart of gpsd"""
    machine.run("apt-get", "install", "-q", "-y", "--no-install-recommends", "gpsd", seconds=240)
    with Receiver() as receiver, machine.listen() as subscriber:
        for name in ("position after", "position after gpsd was restarted"):
            receiver.plug_in()
            begun = now()
            machine.systemctl("reload", "cyclometerd")
            sample = subscriber.wait(
                lambda record: record["class"] == "sample" and record["kind"] == "position" and record["t"] >= begun, 60, "a position")[1]
            machine.measured(name, now() - begun, "s")
            require(abs(sample["longitude_deg"] - 8.533333) < 1e-5, f"the position is {sample}")
            if name == "position after":
                status = machine.cyclo("status")
                require("by gpsd at localhost:2947" in status, f"`cyclo status` printed {status}")
                machine.systemctl("restart", "gpsd")
    machine.all_stream(30)
