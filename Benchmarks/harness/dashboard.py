"""The dashboard's server and a bare C program, each with readers of its stream."""
import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from harness.programs import ROOT
from harness.servers import BenchmarkFailed, Process
from harness.services import Service, guide, recorder, service

PAGE = ROOT / "Sources" / "Page"


class Reader:
    """A page's stream. It counts messages, and keeps nothing else unless it keeps them."""

    def __init__(self, port: int, cookie: str | None, hertz: int, keeps: bool = False) -> None:
        self.messages = 0
        self.text = b"" if keeps else None
        self.connection = socket.create_connection(("127.0.0.1", port))
        token = f"Cookie: {cookie}\r\n" if cookie else ""
        self.connection.sendall(f"GET /events?hz={hertz} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{token}\r\n".encode())
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        while True:
            try:
                some = self.connection.recv(1 << 16)
            except OSError:
                return
            if not some:
                return
            self.messages += some.count(b"\ndata:")
            self.arrived()
            if self.text is not None:
                self.text += some

    def arrived(self) -> None:
        """Called when something came."""

    def records(self, event: str) -> list[dict[str, Any]]:
        """Those of the messages with this name that were kept."""
        found = re.findall(rb"event: " + event.encode() + rb"\n(?:id: .*\n)?data: (.*)\n\n", self.text or b"")
        return [record for data in found for record in json.loads(data)["records"]]

    def close(self) -> None:
        self.connection.close()


class PageServer:
    """What serves pages on a port of 127.0.0.1."""

    def __init__(self, name: str, process: Process, port: int) -> None:
        self.name, self.process, self.port = name, process, port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def let_in(self) -> str | None:
        """The cookie of a new screen; None if the server wants none."""
        return None

    @contextmanager
    def readers(self, count: int, hertz: int = 4, keeps: bool = False) -> Iterator[list[Reader]]:
        cookie = self.let_in()
        with ExitStack() as stack:
            all_readers = [Reader(self.port, cookie, hertz, keeps) for _ in range(count)]
            for each in all_readers:
                stack.callback(each.close)
            yield all_readers

    def await_messages(self, readers: list[Reader], more: int, seconds: float = 60) -> None:
        """Until each reader has got so many more messages."""
        wanted = {reader: reader.messages + more for reader in readers}
        end = time.monotonic() + seconds
        while any(reader.messages < most for reader, most in wanted.items()):
            if time.monotonic() > end:
                raise BenchmarkFailed(f"{self.name} sent {[reader.messages for reader in readers]} messages in {seconds} s")
            time.sleep(0.05)


class BareServer(PageServer):
    """Programs/web.c for the daemon of a folder."""

    def __init__(self, program: Path, folder: Path) -> None:
        process = Process([program, folder / "run" / "metrics.sock", PAGE])
        super().__init__("bare C", process, int(process.read_line(10)))


class Dashboard(PageServer):
    def __init__(self, server: Service) -> None:
        self.server = server
        super().__init__(server.name, server.process, int(server.ask("status")["listening"][0].rpartition(":")[2]))

    def let_in(self) -> str:
        code = self.server.ask("link", right="view")["url"].partition("#")[2]
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        own = {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json", "X-Cyclometer": "1"}
        connection.request("POST", "/api/1/pair", json.dumps({"code": code}), own)
        answer = connection.getresponse()
        if answer.status != 200:
            raise BenchmarkFailed(f"a link lets no screen in: {answer.status} {answer.read()!r}")
        return re.match(r"[^;]*", answer.headers["Set-Cookie"])[0]


@contextmanager
def dashboard_of(folder: Path, environment: dict[str, str] | None = None, **options: Any) -> Iterator[Dashboard]:
    """For the daemon of this folder."""
    configuration = folder / "web.conf"
    configuration.write_text("")
    run = folder / "run"
    with service(
            "cyclometer-web", run / "web.sock", "--socket", run / "control.sock", "--state-dir", folder / "web", "--config", configuration,
            "--page", PAGE, "--listen", "127.0.0.1:0", environment=environment, **options) as server:
        yield Dashboard(server)


@contextmanager
def dashboard(folder: Path, environment: dict[str, str] | None = None, **options: Any) -> Iterator[Dashboard]:
    """With a daemon and its simulated bike, whose ride is recorded, and a guide."""
    run = folder / "run"
    run.mkdir(parents=True)
    configuration = folder / "empty.conf"
    configuration.write_text("")
    with ExitStack() as stack:
        stack.enter_context(service(
            "cyclometerd", run / "metrics.sock", "--simulate", "bike", "--state-dir", folder / "daemon", "--config", configuration))
        stack.enter_context(recorder(folder, folder / "recorder"))
        stack.enter_context(guide(folder))
        yield stack.enter_context(dashboard_of(folder, environment, **options))
