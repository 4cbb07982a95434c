"""The package cyclometer-recorder: rides are kept, and the sandbox holds."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

from cases.package import exposure, installed, verify
from machine import MEMBER, RUNTIME, SERVICE, STRANGER, Machine, basis, status_of
from sandbox import probe, require_hidden
from waiting import now, require, wait_for

RECORDER, SOCKET = "cyclometer-recorder.service", "cyclometer-recorder.socket"
LOGBOOK = RUNTIME / "logbook.sock"
STATE = Path("/var/lib/cyclometer-recorder")
EXPORTS = STATE / "export"
MOST_EXPOSED = 1.3
NOT_ALLOWED = 8
MOST_LOST = 5
"""Seconds of a restart that may be missing, on an emulated processor."""


def activities(machine: Machine) -> list[dict[str, Any]]:
    return json.loads(machine.cyclo("logbook", "list", "--json"))["activities"]


def recording(machine: Machine) -> dict[str, Any] | None:
    return next((each for each in activities(machine) if each["state"] == "recording"), None)


def wait_for_recording(machine: Machine, seconds: float = 30) -> dict[str, Any]:
    return wait_for(lambda: recording(machine), seconds, "the recorder to record the ride", every=0.5)


def process(machine: Machine) -> int:
    return int(machine.property("MainPID", RECORDER))


def goes_on(machine: Machine, before: list[dict[str, Any]], begun: float, seconds: float = 60) -> float:
    """After a restart that began at this time since boot: the same ride grows, no activity is added, and
    little is missing. Returns the length of what is missing."""
    ride = next(each for each in before if each["state"] == "recording")

    def grown() -> dict[str, Any] | None:
        found = recording(machine)
        return found if found and found["elapsed_time_s"] > ride["elapsed_time_s"] + 5 else None

    after = wait_for(grown, seconds, "the ride to go on", every=0.5)
    require(after["id"] == ride["id"], f"the ride was activity {ride['id']}, and is now {after['id']}")
    require(len(activities(machine)) == len(before), f"there were {len(before)} activities, and are {activities(machine)}")
    content = machine.cyclo("logbook", "export", str(ride["id"]), "--format", "ndjson", "-o", "-")
    times = sorted({int(record["t"]) for line in content.splitlines() if (record := json.loads(line)).get("class") == "sample"})
    return max((later - earlier for earlier, later in zip(times, times[1:]) if later > begun), default=1) - 1


def since_boot() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@basis
def case_installed(machine: Machine) -> None:
    """`apt install ./cyclometer-recorder_*.deb` beside the running daemon: service and socket are enabled and active, exports are opt-in"""
    daemon, begun = machine.main_process(), now()
    machine.run("apt", "install", "-y", str((machine.packages / "this-recorder.deb").resolve()), seconds=300)
    machine.measured("installed in", now() - begun, "s", 0)
    require(machine.main_process() == daemon, "the daemon was restarted")
    enabled = machine.systemctl("is-enabled", RECORDER, SOCKET).split()
    require(enabled == ["enabled", "enabled"], f"service and socket are {' and '.join(enabled)}")
    wait_for(lambda: machine.is_active(RECORDER), 20, "the recorder to be active", every=0.2)
    require(machine.is_active(SOCKET), "its socket is not active")
    for unit in ("cyclometer-export.path", "cyclometer-export.service"):
        require(not machine.is_active(unit), f"{unit} is active, but no user enabled it")
    mode = machine.run("stat", "--format=%a %U:%G", str(LOGBOOK)).strip()
    require(mode == "660 cyclometer-recorder:cyclometer", f"logbook.sock is {mode}")
    status = status_of(process(machine))
    machine.figures.append(f"idle: resident {status['VmRSS']}, private {status['RssAnon']}")


def case_units_of_the_recorder(machine: Machine) -> None:
    """`systemd-analyze verify` finds nothing, and the recorder's exposure is at most 1.3"""
    verify(machine)
    found = exposure(machine, RECORDER)
    machine.measured("exposure", found, "")
    require(found <= MOST_EXPOSED, f"exposure {found} is more than {MOST_EXPOSED}")


@basis
def case_recorded(machine: Machine) -> None:
    """a ride is recorded from its first second on, with a lap, and a member of the group lists and shows it"""
    machine.cyclo("ride", "new")
    ride = wait_for_recording(machine)
    machine.cyclo("ride", "lap")
    wait_for(lambda: (recording(machine) or {}).get("laps") == 2, 20, "the second lap", every=0.5)
    shown = machine.cyclo("logbook", "show", str(ride["id"]))
    require("Strap" in shown or "bpm" in shown, f"`cyclo logbook show` printed {shown}")
    machine.figures.append(f"activity {ride['id']}, {recording(machine)}")


def case_closed_to_strangers(machine: Machine) -> None:
    """a user outside the group reads neither logbook.sock nor the database nor an export; members read exports, but not the database"""
    EXPORTS.joinpath("probe.fit").write_text("probe")
    machine.run("chgrp", "cyclometer", str(EXPORTS / "probe.fit"))
    EXPORTS.joinpath("probe.fit").chmod(0o640)
    probe = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
    done = machine.as_user(STRANGER, sys.executable, "-c", probe, str(LOGBOOK))
    require(done.returncode != 0 and "PermissionError" in done.stderr, f"logbook.sock is open to {STRANGER}: {done.stderr}")
    done = machine.as_user(STRANGER, "cyclo", "logbook", "list")
    require(done.returncode == NOT_ALLOWED and "cyclometer" in done.stderr, f"`cyclo logbook list` ended with {done.returncode}: {done.stderr}")
    machine.figures.append(f"printed: {done.stderr.strip().splitlines()[0]}")
    for user, path, may in ((STRANGER, EXPORTS / "probe.fit", False), (MEMBER, EXPORTS / "probe.fit", True), (STRANGER, STATE / "logbook.db", False),
                            (MEMBER, STATE / "logbook.db", False), (MEMBER, STATE / "reserve", False)):
        done = machine.as_user(user, "cat", str(path))
        require((done.returncode == 0) == may, f"{path} is {'' if may else 'not '}to be readable to {user}: {done.stderr.strip()}")
    for user in (STRANGER, MEMBER):
        require(machine.as_user(user, "ls", str(STATE)).returncode != 0, f"{user} can list {STATE}")
    EXPORTS.joinpath("probe.fit").unlink()


# What the recorder's sandbox should allow and refuse.
ATTEMPTS = r"""
could("connect metrics.sock", lambda: connect("/run/cyclometer/metrics.sock"))
could("connect control.sock", lambda: connect("/run/cyclometer/control.sock"))
could("connect gpsd", lambda: socket.create_connection(("127.0.0.1", 2947), 2))
could("open an internet socket", lambda: socket.socket(socket.AF_INET))
could("open a Bluetooth socket", lambda: socket.socket(31, socket.SOCK_RAW, 1))
could("open a packet socket", lambda: socket.socket(17, socket.SOCK_RAW, 0))
could("read the roster", lambda: open("/var/lib/cyclometer/roster.json").read())
could("list the daemon's state", lambda: os.listdir("/var/lib/cyclometer"))
could("connect to the system bus", lambda: connect("/run/dbus/system_bus_socket"))
could("write to /etc", lambda: open("/etc/cyclometer/recorder.conf", "a"))
could("write elsewhere in /var/lib", lambda: open("/var/lib/probe", "w"))
could("read a home", lambda: os.listdir(os.path.join("/home", "rider")))
could("write its own state", lambda: open("/var/lib/cyclometer-recorder/probe", "w").close() or os.unlink("/var/lib/cyclometer-recorder/probe"))
"""
MAY = {"CAN connect metrics.sock", "CAN write its own state"}
# The bus is open to every process of the machine, and its policy decides who may call what.
NOT_HIDDEN = {"CAN connect to the system bus"}


def case_confined(machine: Machine) -> None:
    """from inside the recorder's unit control.sock, the network and other services' state cannot be reached, also after `cyclometer.socket` was restarted"""
    can, output = probe(machine, RECORDER, ATTEMPTS)
    require(MAY <= can, f"the probe could not do what the recorder has to: {output}")
    require(can <= MAY | NOT_HIDDEN, f"the recorder's unit can do more than it should: {sorted(can - MAY - NOT_HIDDEN)}")
    require_hidden(process(machine), "control.sock")
    before, ride, start = process(machine), activities(machine), since_boot()
    networks = {os.readlink(f"/proc/{each}/ns/net") for each in (before, "self")}
    require(len(networks) == 2, "the recorder is in the machine's network")
    begun = now()
    machine.systemctl("restart", "cyclometer.socket")
    wait_for(lambda: process(machine) not in (0, before) and machine.is_active(RECORDER), 30, "the recorder to be started again", every=0.2)
    machine.measured("the recorder is back", now() - begun, "s after a restart of cyclometer.socket")
    require_hidden(process(machine), "control.sock")
    require("CAN connect control.sock" not in probe(machine, RECORDER, ATTEMPTS)[0], "after a restart of cyclometer.socket control.sock can be reached")
    machine.all_stream(60)
    machine.measured("missing in the ride", goes_on(machine, ride, start), "s", 0)


def case_recorder_killed(machine: Machine) -> None:
    """the recorder is killed (SIGKILL) in mid-ride: it is restarted, the same ride goes on, and the daemon notices nothing"""
    daemon, before, begun = machine.main_process(), activities(machine), since_boot()
    killed = process(machine)
    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: process(machine) not in (0, killed), 30, "a new recorder", every=0.2)
    missing = goes_on(machine, before, begun)
    machine.measured("missing in the ride", missing, "s", 0)
    require(missing <= MOST_LOST, f"{missing} s of the ride are missing")
    require(machine.main_process() == daemon, "the daemon was restarted")


def case_daemon_restarted_below(machine: Machine) -> None:
    """a restart of the daemon in mid-ride: the same ride goes on"""
    before, begun = activities(machine), since_boot()
    machine.systemctl("restart", SERVICE)
    machine.all_stream(60)
    machine.measured("missing in the ride", goes_on(machine, before, begun), "s", 0)


def case_recorder_upgraded(machine: Machine) -> None:
    """an upgrade and a downgrade of the package in mid-ride: the same ride goes on"""
    before, begun = activities(machine), since_boot()
    for package, options in (("later-recorder.deb", ()), ("this-recorder.deb", ("--allow-downgrades",))):
        old = process(machine)
        machine.run("apt", "install", "-y", *options, str((machine.packages / package).resolve()), seconds=300)
        require(process(machine) != old and machine.is_active(RECORDER), "the recorder was not restarted")
        missing = goes_on(machine, before, begun)
        machine.measured(f"{installed(machine)['cyclometer-recorder']}: missing", missing, "s", 0)
        before = activities(machine)


RECIPE = Path("/etc/cyclometer/export.d/intervals")
KEY = Path("/etc/cyclometer/intervals.key")
# In place of the real one, which is not installed here: sends the file to the inbox.
CURL = """#!/usr/bin/python3 -IS
import socket, sys
path = next(word.removeprefix("file=@") for word in sys.argv if word.startswith("file=@"))
if "--fail" not in sys.argv or "API_KEY:s3cret" not in sys.stdin.read():
    sys.exit(2)
with socket.create_connection(("127.0.0.1", {port})) as server:
    server.sendall(open(path, "rb").read())
    server.shutdown(socket.SHUT_WR)
    sys.exit(0 if server.recv(9) == b"ok" else 22)
"""


class Inbox:
    """A server for uploads. The first one fails."""

    def __enter__(self) -> Inbox:
        self.files: list[bytes] = []
        self.attempts = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.close()

    def serve(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client:
                content = b"".join(iter(lambda: client.recv(65536), b""))
                self.attempts += 1
                if self.attempts > 1:
                    self.files.append(content)
                client.sendall(b"no" if self.attempts == 1 else b"ok")


def install_recipe(machine: Machine, port: int) -> None:
    """The program of docs/recipes.md, as the recipe installs it."""
    found = re.search(r"<!-- file intervals -->\s*```sh\n(.*?)```", (machine.share / "recipes.md").read_text(), re.S)
    require(found, "docs/recipes.md has no program for exports")
    for path, text, mode in ((RECIPE, found[1], 0o755), (Path("/usr/local/bin/curl"), CURL.format(port=port), 0o755), (KEY, "s3cret\n", 0o640)):
        path.write_text(text)
        path.chmod(mode)
    machine.run("chgrp", "cyclometer-export", str(KEY))


def case_exported(machine: Machine) -> None:
    """at the end of a ride its file appears for the group, and cyclometer-export passes it to the recipe's program until that succeeds once"""
    ride = recording(machine)
    require(ride, "no ride is recorded")
    unit = "cyclometer-export.service"
    with Inbox() as inbox:
        install_recipe(machine, inbox.port)
        machine.systemctl("enable", "--now", "cyclometer-export.path")
        here = machine.here()
        # A program gets no files that are older than it.
        older = set(EXPORTS.glob("*.fit"))
        machine.cyclo("ride", "new")
        file = wait_for(lambda: next(iter(set(EXPORTS.glob("*.fit")) - older), None), 30, "the exported file", every=0.5)
        machine.figures.append(machine.run("stat", "--format=%n: %s bytes, %a %U:%G", str(file)).strip())
        require(machine.as_user(MEMBER, "cat", str(file)).returncode == 0, "a member of the group cannot read it")
        machine.logged("will run again", here, 30, unit)
        # Sooner than in five minutes.
        machine.systemctl("restart", unit)
        wait_for(lambda: inbox.files, 20, "the upload", every=0.2)
        require(inbox.files == [file.read_bytes()], "what was uploaded is not the file")
        machine.systemctl("start", unit)
        require(len(inbox.files) == 1, "the file was uploaded twice")
    shown = next(each for each in activities(machine) if each["id"] == ride["id"])
    require(shown["state"] == "complete", f"the ride is {shown}")
    machine.systemctl("disable", "--now", "cyclometer-export.path")
    for path in (RECIPE, KEY, Path("/usr/local/bin/curl")):
        path.unlink()
