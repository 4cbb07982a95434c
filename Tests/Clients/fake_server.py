"""A server whose every byte a test controls. Each connection runs the next function, and later ones
the last."""
import json
import os
import socket
import tempfile
import threading
from pathlib import Path


def hello(instance="one", version="1.0"):
    return json.dumps({"class": "hello", "protocol": version, "release": "0.1.0", "instance": instance,
                       "limits": {"line": 65536, "clients": 256}}) + "\n"


def sample(number, kind="heart_rate"):
    return json.dumps({"class": "sample", "sensor": "strap", "kind": kind, "seq": number, "t": 1.5, "age_ms": 0, "bpm": 142}) + "\n"


class Peer:
    """One connection."""

    def __init__(self, connection):
        self.connection = connection
        self.lines = connection.makefile("rb")
        self.sensors = []

    def send(self, data):
        try:
            self.connection.sendall(data.encode() if isinstance(data, str) else data)
        except OSError:
            pass

    def request(self):
        """The next request. Answers the requests for sensors that clients with current values send
        by themselves."""
        while True:
            try:
                line = self.lines.readline()
            except OSError:
                return None
            request = json.loads(line) if line else None
            if request is None or request["method"] != "sensors":
                return request
            self.reply(request, {"sensors": self.sensors})

    def reply(self, request, result=None):
        if request:
            self.send(json.dumps({"class": "reply", "id": request["id"], "result": result or {}},
                                 separators=(",", ":")) + "\n")

    def refuse(self, request, code):
        self.send(json.dumps({"class": "error", "id": request["id"], "code": code, "message": f"it is {code}"}) + "\n")

    def welcome(self, instance="one"):
        """Sends the greeting and accepts the subscription."""
        self.send(hello(instance))
        request = self.request()
        self.reply(request)
        return request

    def wait_until_it_leaves(self):
        while self.request() is not None:
            pass


class FakeServer:
    def __init__(self, *scripts):
        self.folder = tempfile.TemporaryDirectory(prefix="cyclometer-")
        self.path = str(Path(self.folder.name) / "control.sock")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.scripts = scripts
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        for count in range(1000):
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            connection.settimeout(30)
            with connection:
                self.scripts[min(count, len(self.scripts) - 1)](Peer(connection))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Closing alone does not wake a thread that waits in accept.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.folder.cleanup()


def repository():
    return Path(__file__).resolve().parent.parent.parent


def daemon_program():
    return os.environ.get("CYCLOMETERD") or str(repository() / ".build/debug/cyclometerd")
