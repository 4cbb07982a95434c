"""The dashboard's server with readers of its stream, for a simulated bike."""
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
from harness.servers import BenchmarkFailed
from harness.services import Service, recorder, service


class Reader:
    """A page's stream. It counts messages, and keeps nothing else."""

    def __init__(self, port: int, cookie: str, hertz: int) -> None:
        self.messages = 0
        self.connection = socket.create_connection(("127.0.0.1", port))
        self.connection.sendall(f"GET /events?hz={hertz} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n".encode())
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

    def close(self) -> None:
        self.connection.close()


class Dashboard:
    def __init__(self, server: Service) -> None:
        self.server, self.process, self.name = server, server.process, server.name
        self.port = int(server.ask("status")["listening"][0].rpartition(":")[2])

    def let_in(self, right: str = "view") -> str:
        """The cookie of a new screen."""
        code = self.server.ask("link", right=right)["url"].partition("#")[2]
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        own = {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json", "X-Cyclometer": "1"}
        connection.request("POST", "/api/1/pair", json.dumps({"code": code}), own)
        answer = connection.getresponse()
        if answer.status != 200:
            raise BenchmarkFailed(f"a link lets no screen in: {answer.status} {answer.read()!r}")
        return re.match(r"[^;]*", answer.headers["Set-Cookie"])[0]

    @contextmanager
    def readers(self, count: int, hertz: int = 4) -> Iterator[list[Reader]]:
        cookie = self.let_in()
        with ExitStack() as stack:
            all_readers = [Reader(self.port, cookie, hertz) for _ in range(count)]
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


@contextmanager
def dashboard(folder: Path, environment: dict[str, str] | None = None, **options: Any) -> Iterator[Dashboard]:
    """With a daemon and its simulated bike, whose ride is recorded."""
    run = folder / "run"
    run.mkdir(parents=True)
    configuration = folder / "empty.conf"
    configuration.write_text("")
    with ExitStack() as stack:
        stack.enter_context(service(
            "cyclometerd", run / "metrics.sock", "--simulate", "bike", "--state-dir", folder / "daemon", "--config", configuration))
        stack.enter_context(recorder(folder, folder / "recorder"))
        server = stack.enter_context(service(
            "cyclometer-web", run / "web.sock", "--socket", run / "control.sock", "--state-dir", folder / "web", "--config", configuration,
            "--page", ROOT / "Sources" / "Page", "--listen", "127.0.0.1:0", environment=environment, **options))
        yield Dashboard(server)
