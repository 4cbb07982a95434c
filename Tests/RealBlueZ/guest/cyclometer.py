"""The programs under test: `cyclometerd` with its own folders, `cyclo` as a user types it, and a
subscriber on metrics.sock."""

from __future__ import annotations

import json
import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from processes import Process, run
from waiting import Failure, now, require, wait_for

Record = dict[str, Any]


class Daemon:
    """One `cyclometerd`, which keeps its state across restarts."""

    def __init__(self, program: str, cyclo: str, home: Path, logs: Path, options: list[str] | None = None) -> None:
        self.program, self.cyclo_program, self.home, self.logs, self.options = program, cyclo, home, logs, options or []
        self.state, self.runtime = home / "state", home / "run"
        for folder in (self.state, self.runtime):
            folder.mkdir(parents=True, exist_ok=True)
        self.config = home / "cyclometer.conf"
        self.config.write_text("")
        self.metrics, self.control = self.runtime / "metrics.sock", self.runtime / "control.sock"
        self.process: Process | None = None

    def start(self) -> None:
        self.process = Process(
            "cyclometerd",
            [self.program, "--config", str(self.config), "--state-dir", str(self.state), "--runtime-dir", str(self.runtime), *self.options],
            self.logs,
        )
        wait_for(self.is_listening, 20, "cyclometerd's sockets")

    def is_listening(self) -> bool:
        require(self.process.is_running, f"cyclometerd ended by itself with {self.process.child.poll()}: see its log")
        try:
            for path in (self.metrics, self.control):
                with socket.socket(socket.AF_UNIX) as probe:
                    probe.connect(str(path))
            return True
        except OSError:
            return False

    def end(self, number: int = signal.SIGTERM) -> tuple[int, float]:
        process, self.process = self.process, None
        return process.end(number)

    def cyclo(self, *words: str, seconds: float = 60):
        return run([self.cyclo_program, *words], seconds, {"CYCLOMETER_SOCKET": str(self.control)})

    def pair(self, address: str) -> str:
        """Pairs like a user, and returns the sensor's id."""
        done = self.cyclo("pair", address)
        require(done.returncode == 0, f"cyclo pair {address} ended with {done.returncode}: {(done.stderr or done.stdout).strip()}")
        return self.sensor(address)["id"]

    def sensor(self, address: str) -> Record:
        """The daemon's SENSOR object."""
        for each in self.request("sensors")["sensors"]:
            if each.get("address", "").upper() == address:
                return each
        raise Failure(f"the daemon lists no sensor with address {address}")

    def request(self, method: str, **parameters: Any) -> Record:
        with Subscriber(self.control) as client:
            return client.ask(method, **parameters)


# For a guest whose processor has other work. How soon replies come is measured elsewhere.
REPLY_S = 60


class Subscriber:
    """A client of one socket. Keeps every line with its time of arrival, in order."""

    def __init__(self, path: Path) -> None:
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(None)
        self.connection.connect(str(path))
        self.came: list[tuple[float, Record]] = []
        self.changed = threading.Condition()
        self.closed = False
        self.asked = 0
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def __enter__(self) -> Subscriber:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        # It could still read from this number, which the next connection gets.
        self.reader.join()
        self.connection.close()

    def read(self) -> None:
        rest = b""
        while data := self.receive():
            arrived = now()
            *lines, rest = (rest + data).split(b"\n")
            with self.changed:
                self.came += [(arrived, json.loads(line)) for line in lines]
                self.changed.notify_all()
        with self.changed:
            self.closed = True
            self.changed.notify_all()

    def receive(self) -> bytes:
        try:
            return self.connection.recv(65536)
        except OSError:
            return b""

    def ask(self, method: str, **parameters: Any) -> Record:
        self.asked += 1
        number = self.asked
        self.send(number, method, parameters)
        _, answer = self.wait(lambda record: record.get("id") == number and record["class"] in ("reply", "error"), REPLY_S, f"reply to {method}")
        require(answer["class"] == "reply", f"{method} was refused: {answer.get('code')}: {answer.get('message')}")
        return answer["result"]

    def send(self, number: int, method: str, parameters: Record) -> None:
        self.connection.sendall(json.dumps({"id": number, "method": method, "params": parameters}).encode() + b"\n")

    def wait(self, fits: Callable[[Record], bool], seconds: float, what: str, since: float = 0) -> tuple[float, Record]:
        """The first matching record that arrived after `since`."""
        end, seen = now() + seconds, 0
        with self.changed:
            while True:
                for arrived, record in self.came[seen:]:
                    if arrived >= since and fits(record):
                        return arrived, record
                seen = len(self.came)
                require(not self.closed, f"the daemon closed the connection before: {what}")
                if not self.changed.wait(max(0, end - now())) and now() >= end:
                    raise Failure(f"not within {seconds:g} s: {what}")

    def wait_for_sample(self, sensor: str, kind: str, seconds: float, since: float = 0) -> tuple[float, Record]:
        """The first live sample. Samples of a snapshot are older."""
        return self.wait(
            lambda record: is_sample(record, sensor, kind) and record.get("age_ms", 0) == 0 and record["t"] >= since,
            seconds, f"a {kind} sample of {sensor}", since,
        )

    def wait_for_state(self, sensor: str, fits: Callable[[Record], bool], seconds: float, what: str, since: float = 0):
        return self.wait(
            lambda record: record["class"] == "state" and record["sensor"] == sensor and fits(record), seconds, what, since
        )

    def samples(self, sensor: str, kind: str) -> list[tuple[float, Record]]:
        with self.changed:
            return [each for each in self.came if is_sample(each[1], sensor, kind)]


def is_sample(record: Record, sensor: str, kind: str) -> bool:
    return record["class"] == "sample" and record["sensor"] == sensor and record["kind"] == kind
