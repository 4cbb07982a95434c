"""The project's services while they are measured: each answers on a socket in a folder."""
import json
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.programs import RELEASE
from harness.servers import BenchmarkFailed, Process, await_listener


class Service:
    """A program of the service that listens on a socket of the folder."""

    def __init__(
            self, program: str, listener: Path, *options: Any, environment: dict[str, str] | None = None, under: Sequence[str] = ()):
        self.name = program
        self.address = listener
        self.log = open(listener.parent.parent / f"{program}.log", "wb")
        words = [*under, RELEASE / program, "--runtime-dir", listener.parent, *options]
        self.process = Process(words, environment, self.log, speaks=False)
        self.connection = await_listener(self, socket.AF_UNIX, str(listener), 0.05)
        self.connection.settimeout(60)
        self.lines = self.connection.makefile("rwb")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self.send(method, **parameters)
        while (answer := json.loads(self.lines.readline())).get("id") != method:
            pass
        if answer["class"] != "reply":
            raise BenchmarkFailed(f"{self.name}: {method}: {answer}")
        return answer["result"]

    def send(self, method: str, **parameters: Any) -> None:
        self.lines.write(json.dumps({"id": method, "method": method, "params": parameters}).encode() + b"\n")
        self.lines.flush()

    def end(self) -> None:
        self.connection.close()
        self.process.end()


@contextmanager
def service(*words: Any, **options: Any) -> Iterator[Service]:
    one = Service(*words, **options)
    try:
        yield one
    finally:
        one.end()


@contextmanager
def recorder(folder: Path, state: Path, run: str = "run", **options: Any) -> Iterator[Service]:
    configuration = folder / "recorder.conf"
    configuration.write_text("")
    with service(
            "cyclometer-recorder", folder / run / "logbook.sock", "--socket", folder / "run" / "metrics.sock", "--state-dir", state, "--config",
            configuration, **options) as one:
        yield one


@contextmanager
def guide(folder: Path, **options: Any) -> Iterator[Service]:
    run, configuration = folder / "run", folder / "guide.conf"
    configuration.write_text("")
    with service(
            "cyclometer-guide", run / "guide.sock", "--socket", run / "control.sock", "--state-dir", folder / "guide", "--config", configuration,
            **options) as one:
        yield one
