"""Processes of the guest, with their output in a log of the share. They are stopped by id, and none
survives a case."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

from waiting import Failure, now


class Process:
    def __init__(self, name: str, arguments: list[str], logs: Path, environment: dict[str, str] | None = None) -> None:
        self.name, self.arguments = name, arguments
        # Appends, so that a daemon that is started twice in one case has one log.
        self.log = open(logs / f"{name}.log", "ab")
        self.log.write(f"--- {now():.3f} {' '.join(arguments)}\n".encode())
        self.log.flush()
        self.started = now()
        self.child = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env=os.environ | (environment or {}), start_new_session=True,
        )

    @property
    def is_running(self) -> bool:
        return self.child.poll() is None

    def end(self, number: int = signal.SIGTERM, seconds: float = 10) -> tuple[int, float]:
        """The exit status (negative: killed by that signal) and duration. SIGKILL and a failure if
        it does not end."""
        begun = now()
        if self.is_running:
            self.child.send_signal(number)
        try:
            status = self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
            raise Failure(f"{self.name} still ran {seconds:g} s after signal {number}") from None
        finally:
            self.log.close()
        return status, now() - begun

    def kilobytes(self, field: str) -> int:
        """A line of /proc/PID/status: VmRSS, RssAnon, VmHWM …"""
        for line in Path(f"/proc/{self.child.pid}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name == field:
                return int(value.split()[0])
        raise Failure(f"the kernel does not say {field} of {self.name}")

    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.child.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(arguments: list[str], seconds: float, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess:
    """Runs a command and returns its output as text."""
    try:
        return subprocess.run(
            arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=seconds, env=os.environ | (environment or {}),
        )
    except subprocess.TimeoutExpired as late:
        output = (late.stderr or b"").decode(errors="replace").strip() or "nothing"
        raise Failure(f"{' '.join(arguments)} did not end within {seconds:g} s; it printed: {output}") from None
