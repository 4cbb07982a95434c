"""The machine under test: systemd, the journal, users, `cyclo`, and the sensors in range."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from air import Air
from cyclometer import Record, Subscriber
from processes import run
from waiting import Failure, now, require, wait_for

RUNTIME = Path("/run/cyclometer")
METRICS, CONTROL = RUNTIME / "metrics.sock", RUNTIME / "control.sock"
SERVICE = "cyclometerd.service"
MEMBER, STRANGER = "rider", "stranger"
"""Users: one in the group cyclometer, and one outside it."""


@dataclass
class Reboot:
    """Returned by a case to reboot the machine. `then` continues the case and gets `keeps`."""

    then: Callable
    keeps: dict[str, Any] = field(default_factory=dict)


def basis(case: Callable) -> Callable:
    """Marks a case that later ones depend on."""
    case.is_basis = True
    return case


class Machine:
    def __init__(self, share: Path) -> None:
        self.share, self.logs = share, share / "logs"
        self.packages = share / "packages"
        self.air = Air()
        self.figures: list[str] = []

    def measured(self, name: str, value: float, unit: str, digits: int = 1) -> None:
        self.figures.append(f"{name} {value:.{digits}f} {unit}".strip())

    # Commands

    def run(self, *words: str, seconds: float = 120) -> str:
        """Runs a command that must succeed, and returns its standard output."""
        done = run(list(words), seconds, {"DEBIAN_FRONTEND": "noninteractive"})
        output = (done.stderr.strip() or done.stdout.strip())[-2000:]
        require(done.returncode == 0, f"`{' '.join(words)}` exited with {done.returncode}: {output}")
        return done.stdout

    def as_user(self, user: str, *words: str, seconds: float = 90) -> subprocess.CompletedProcess:
        return run(["runuser", "-u", user, "--", *words], seconds)

    def cyclo(self, *words: str, seconds: float = 90) -> str:
        """Runs `cyclo` as the user with access. It must succeed."""
        done = self.as_user(MEMBER, "cyclo", *words, seconds=seconds)
        require(done.returncode == 0, f"`cyclo {' '.join(words)}` exited with {done.returncode}: {(done.stderr or done.stdout).strip()}")
        return done.stdout

    # systemd

    def systemctl(self, *words: str) -> str:
        return self.run("systemctl", *words)

    def property(self, name: str, unit: str = SERVICE) -> str:
        return self.systemctl("show", "--value", "--property", name, unit).strip()

    def main_process(self) -> int:
        """The daemon's process id, or 0."""
        return int(self.property("MainPID"))

    def is_active(self, unit: str = SERVICE) -> bool:
        return self.property("ActiveState", unit) == "active"

    def systemd_release(self) -> str:
        return self.run("systemctl", "--version").split()[1]

    # The journal

    def here(self) -> str:
        """The current position of the journal, for `journal`."""
        return json.loads(self.run("journalctl", "--lines=1", "--output=json"))["__CURSOR"]

    def journal(self, since: str = "", unit: str = SERVICE) -> list[dict[str, Any]]:
        """The unit's lines and systemd's lines about it, in this boot."""
        return [json.loads(line) for line in self.run(*self._journal_command(since, unit)).splitlines()]

    def logged(self, text: str, since: str, seconds: float, unit: str = SERVICE) -> dict[str, Any]:
        """The first line of the journal that contains the text. One journalctl waits for it, because starting
        one takes a second of an emulated processor."""
        pending = b""

        def found() -> dict[str, Any] | None:
            nonlocal pending
            read = following.stdout.read(1 << 20)
            require(read != b"", "journalctl has ended")
            *lines, pending = (pending + (read or b"")).split(b"\n")
            return next((each for each in map(json.loads, lines) if text in str(each.get("MESSAGE"))), None)

        command = [*self._journal_command(since, unit), "--follow", "--no-tail"]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, bufsize=0) as following:
            os.set_blocking(following.stdout.fileno(), False)
            try:
                return wait_for(found, seconds, f"`{text}` in the journal of {unit}", every=0.1)
            finally:
                following.kill()

    def _journal_command(self, since: str, unit: str) -> list[str]:
        words = ["journalctl", "--boot", f"--unit={unit}", "--output=json", "--quiet", "--all"]
        return words + ([f"--after-cursor={since}"] if since else [])

    # The daemon

    def request(self, method: str, **parameters: Any) -> Record:
        with Subscriber(CONTROL) as client:
            return client.ask(method, **parameters)

    def sensors(self) -> list[Record]:
        return self.request("sensors")["sensors"]

    def instance(self) -> str:
        """Differs for each start of the daemon."""
        with Subscriber(CONTROL) as client:
            return client.wait(lambda record: record["class"] == "hello", 30, "a greeting")[1]["instance"]

    def listen(self) -> Subscriber:
        subscriber = Subscriber(METRICS)
        subscriber.ask("subscribe", snapshot=False)
        return subscriber

    def pair(self, name: str, kind: str, hertz: float) -> float:
        """Adds a sensor and pairs it like a user. Returns the duration."""
        address = self.air.add(name, kind, hertz)
        begun = now()
        self.cyclo("pair", address, "--name", name, "--yes")
        return now() - begun

    def all_stream(self, seconds: float, since: float | None = None) -> float:
        """When the last of the sensors sent a sample measured after `since` (default: now)."""
        since = now() if since is None else since
        names = {each["id"]: each["name"] for each in self.sensors()}
        require(names, "no sensor is paired")
        with self.listen() as subscriber:
            end = now() + seconds
            return max(
                subscriber.wait(
                    lambda record: record["class"] == "sample" and record["sensor"] == sensor and record["t"] >= since,
                    max(0.1, end - now()), f"a sample of {name}")[0]
                for sensor, name in names.items())

    def links(self) -> dict[str, int]:
        """The number of links that each sensor has ever had."""
        return {each["name"]: each["links"] for each in self.air.order("sensors")["sensors"]}

    def settle(self, case: str) -> None:
        """Before the next case: waits until all paired sensors stream."""
        if Path("/usr/sbin/cyclometerd").exists() and (names := [each["name"] for each in self.sensors()]):
            try:
                self.all_stream(90)
            except Failure as failure:
                raise Failure(f"before {case}, not all of {', '.join(names)} streamed: {failure}") from None

    def keep_evidence(self, name: str) -> None:
        """Saves the journal, and what each process does, to investigate failures."""
        (self.logs / f"processes-{name}.log").write_text("".join(each + "\n" for each in processes()))
        with open(self.logs / f"journal-{name}.log", "w") as file:
            subprocess.run(["journalctl", "--boot", "--output=short-monotonic"], stdout=file, stderr=file, stdin=subprocess.DEVNULL, check=False)


def processes() -> list[str]:
    """Each process with its state, where it sleeps, and its processor time in clock ticks."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (folder / "stat").read_text().partition(" (")[2].rpartition(") ")
            fields = rest.split()
            found.append(f"{folder.name} {name} {fields[0]} {(folder / 'wchan').read_text() or '-'} {int(fields[11]) + int(fields[12])}")
        except OSError:
            # It has ended.
            continue
    return found


def status_of(process: int) -> dict[str, str]:
    """/proc/PID/status."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def processor_seconds(process: int) -> float:
    """The processor time, from the scheduler's count in nanoseconds."""
    return sum(int(each.read_text().split()[0]) for each in Path(f"/proc/{process}/task").glob("*/schedstat")) / 1e9


def wake_ups(process: int) -> int:
    """How often one of its threads went to sleep voluntarily."""
    return sum(
        int(line.split()[1]) for each in Path(f"/proc/{process}/task").glob("*/status")
        for line in each.read_text().splitlines() if line.startswith("voluntary_ctxt_switches"))


def rest_seconds() -> float:
    return float(os.environ["REST"])


def sleep_until(moment: float) -> None:
    """Only for measurements; other code waits for a condition."""
    time.sleep(max(0.0, moment - now()))
