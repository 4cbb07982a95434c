"""Debian's Mosquitto and InfluxDB for one test, on free ports of the loopback, and certificates for
them. Each is ended by its process."""
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from pathlib import Path

DEADLINE = 30
MOSQUITTO = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
INFLUXD = shutil.which("influxd") or "/usr/bin/influxd"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def wait_until(condition, what):
    end = time.monotonic() + DEADLINE
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"{what}: waited {DEADLINE} s")
        time.sleep(0.05)
    return found


class Service:
    """A program that runs from `start` to `stop`, and answers on a port if it has one."""

    def __init__(self, folder, port, *command):
        self.folder, self.port, self.command = folder, port, [str(each) for each in command]
        self.process = None

    def start(self):
        self.start_until(self.listens)

    def start_until(self, is_ready):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)
        wait_until(lambda: self.is_running() and is_ready(), f"{self.command[0]} is ready")

    def is_running(self):
        if self.process.poll() is not None:
            raise AssertionError(f"{self.command[0]} ended with {self.process.returncode}: {self.log()}")
        return True

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    def stop(self):
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None


def mosquitto(folder, lines, port):
    """A broker with these lines of its configuration, which make it listen on the port."""
    # As root it would become another user, who cannot read the folder.
    user = "user root\n" if os.geteuid() == 0 else ""
    (folder / "mosquitto.conf").write_text(user + lines)
    return Service(folder, port, MOSQUITTO, "-c", folder / "mosquitto.conf")


class InfluxDB(Service):
    def __init__(self, folder):
        port = free_port()
        (folder / "influxdb.conf").write_text(f"""
reporting-disabled = true
bind-address = "127.0.0.1:{free_port()}"
[meta]
  dir = "{folder}/meta"
[data]
  dir = "{folder}/data"
  wal-dir = "{folder}/wal"
  query-log-enabled = false
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:{port}"
  log-enabled = false
""")
        super().__init__(folder, port, INFLUXD, "run", "-config", folder / "influxdb.conf")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def query(self, text, database="bikes"):
        """The rows of all series, each as a dictionary."""
        body = urllib.parse.urlencode({"db": database, "q": text, "epoch": "ns"}).encode()
        with urllib.request.urlopen(f"{self.url}/query", body, timeout=DEADLINE) as answer:
            [result] = json.load(answer)["results"]
        if "error" in result:
            raise AssertionError(f"{text}: {result['error']}")
        return [{"name": each["name"], **each.get("tags", {}), **dict(zip(each["columns"], row))}
                for each in result.get("series", []) for row in each["values"]]


class Authority:
    """Certificates that openssl makes in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=test authority",
                 "-keyout", "ca.key", "-out", "ca.crt")

    def issue(self, name, common_name, alternative="DNS:localhost"):
        """Writes NAME.crt and NAME.key."""
        self.run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={common_name}", "-keyout", f"{name}.key",
                 "-out", f"{name}.request")
        (self.folder / "extensions").write_text(f"subjectAltName={alternative}\n")
        self.run("x509", "-req", "-days", "2", "-in", f"{name}.request", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "extensions",
                 "-out", f"{name}.crt")

    def run(self, *words):
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)

    def path(self, name):
        return Path(self.folder, name)
