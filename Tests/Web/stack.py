"""The real programs for tests in a browser: cyclometerd with a simulated radio, cyclometer-recorder,
cyclometer-guide and cyclometer-web, with sockets and state of their own.

They are those of .build/debug, or of the folder that CYCLOMETER_BUILD names. Only processes that
a stack started are ended, by their id.
"""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("CYCLOMETER_BUILD", ".build/debug")
TIMEOUT = 60


class Lines:
    """A connection to one of the control sockets: JSON, one object per line."""

    def __init__(self, path, timeout=TIMEOUT):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        self._socket.connect(str(path))
        self._file = self._socket.makefile("rw")
        self._id = 0

    def ask(self, method, **parameters):
        """The result of a request. A refusal fails the test."""
        self._id += 1
        self._file.write(json.dumps({"id": self._id, "method": method, "params": parameters}) + "\n")
        self._file.flush()
        for line in self._file:
            record = json.loads(line)
            if record.get("id") != self._id:
                continue
            assert record["class"] == "reply", record
            return record["result"]
        raise AssertionError(f"no answer to {method}")

    def close(self):
        """Ends the connection, which the program may have ended before."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._socket.close()


class Stack:
    """The programs, running. `scene` is what `--simulate` takes; the default has no sensors.
    `logbook` is a folder with a logbook that the recorder begins with, such as `make-demo-logbook` makes."""

    def __init__(self, scene=None, has_recorder=True, has_guide=False, web_options=(), logbook=None):
        # Short: the path of a socket has 107 characters at most.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="web-"))
        self.run = self.folder / "run"
        self.run.mkdir()
        for name in ("daemon", "recorder", "guide", "web"):
            (self.folder / f"{name}.conf").touch()
        empty = self.folder / "empty.capture"
        empty.write_text("#cyclometer-capture 1\n")
        self.scene = scene or str(empty)
        self.address = "127.0.0.1:0"
        self.web_options = list(web_options)
        self.processes = {}
        try:
            self.start("daemon")
            if has_recorder:
                if logbook:
                    copy_database(pathlib.Path(logbook) / "logbook.db", self.folder / "recorder")
                self.start("recorder")
            if has_guide:
                self.start("guide")
            self.start("web")
        except BaseException:
            self.close()
            raise

    @property
    def origin(self):
        """Where the page is, such as http://127.0.0.1:8080."""
        return f"http://{self.address}"

    @property
    def url(self):
        """The address of the dashboard, as a player has it."""
        return self.origin + "/"

    def _command(self, name):
        options = ["--runtime-dir", self.run, "--config", self.folder / f"{name}.conf", "--state-dir", self.folder / name]
        daemon = ["--socket", self.run / "control.sock"]
        return {
            "daemon": ["cyclometerd", *options, "--sensors", self.folder / "sensors", "--simulate", self.scene],
            "recorder": ["cyclometer-recorder", *options, *daemon],
            "guide": ["cyclometer-guide", *options, *daemon],
            "web": ["cyclometer-web", *options, *daemon, "--page", ROOT / "Sources/Page", "--listen", self.address,
                    *self.web_options],
        }[name]

    def start(self, name):
        """Starts a program, and returns when it listens. The web server keeps its port."""
        program, *options = self._command(name)
        with open(self.log(name), "a", encoding="utf-8") as log:
            process = subprocess.Popen([BUILD / program, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=log, text=True)
        self.processes[name] = process
        if name == "web":
            line = process.stdout.readline()
            assert line.startswith("http://"), self.read_log(name)
            self.address = line.strip().removeprefix("http://").rstrip("/")
        path = self.run / {"daemon": "control.sock", "recorder": "logbook.sock", "guide": "guide.sock", "web": "web.sock"}[name]
        end = time.monotonic() + TIMEOUT
        while not accepts(path):
            assert process.poll() is None and time.monotonic() < end, f"{name} does not listen\n{self.read_log(name)}"
            time.sleep(0.02)

    def suspend(self, name):
        """SIGSTOP: the program keeps its sockets and answers nothing."""
        self.processes[name].send_signal(signal.SIGSTOP)

    def resume(self, name):
        """SIGCONT."""
        self.processes[name].send_signal(signal.SIGCONT)

    def end(self, name, number=signal.SIGTERM):
        """Ends a program and returns its exit status."""
        process = self.processes.pop(name)
        process.send_signal(number)
        try:
            return process.wait(timeout=TIMEOUT)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            process.stdout.close()

    def kill(self, name):
        """SIGKILL."""
        return self.end(name, signal.SIGKILL)

    def log(self, name):
        """The file of a program's log."""
        return self.folder / f"{name}.log"

    def read_log(self, name):
        """What a program logged."""
        return self.log(name).read_text(encoding="utf-8")

    def ask(self, method, **parameters):
        """Asks the daemon."""
        return self._ask_once("control.sock", method, parameters)

    def ask_guide(self, method, **parameters):
        """Asks the guide."""
        return self._ask_once("guide.sock", method, parameters)

    def ask_web(self, method, **parameters):
        """Asks the web server over web.sock."""
        return self._ask_once("web.sock", method, parameters)

    def _ask_once(self, name, method, parameters):
        lines = Lines(self.run / name)
        try:
            return lines.ask(method, **parameters)
        finally:
            lines.close()

    def pair(self, right="manage"):
        """Pairs a screen as its page does, and returns its cookie for `BrowserContext.add_cookies`."""
        code = self.ask_web("link", right=right)["url"].partition("#")[2]
        status, fields, body = self.request("POST", "/api/1/pair", json.dumps({"code": code}))
        assert status == 200, (status, body)
        name, _, value = fields["Set-Cookie"].partition(";")[0].partition("=")
        return {"name": name, "value": value, "url": self.origin, "httpOnly": True, "sameSite": "Strict"}

    def request(self, method, path, body=None, fields=None, timeout=TIMEOUT):
        """One request outside of a browser: status, fields and text of the answer."""
        sent = {} if method == "GET" else {"Origin": self.origin, "X-Cyclometer": "1", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection(self.address, timeout=timeout)
        try:
            connection.request(method, path, body, {**sent, **(fields or {})})
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()
        finally:
            connection.close()

    def close(self):
        """Ends all programs, also those that a test suspended, and removes their files."""
        try:
            for name in list(self.processes)[::-1]:
                self.resume(name)
                self.end(name)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


def copy_database(file, folder):
    """Copies a database with what its log has."""
    folder.mkdir(mode=0o700)
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as source, \
            contextlib.closing(sqlite3.connect(folder / file.name)) as copy:
        source.backup(copy)


def accepts(path):
    """Whether a program listens on this socket."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0
