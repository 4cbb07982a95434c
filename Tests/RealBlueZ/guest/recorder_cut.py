"""In a guest whose power will be cut: checks the rides of the boots before, then rides on with laps
and pauses.

    recorder_cut.py PROGRAMS LOGS FILE_SYSTEM RIDE      RIDE: 0 only looks

LOGS/sent has a line for each sample that the daemon sent to a subscriber while the recorder was
connected. It is outside the guest, so it outlives it. Of each boot only samples of the last two
seconds may be missing in the logbook, no ride may be in two activities, and no activity may have
two rides. LOGS/lost has what was missing.
"""

from __future__ import annotations

import json
import math
import random
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from cyclometer import Daemon, Record
from processes import Process
from waiting import Failure, require, wait_for

DISK = Path("/mnt")
MOST_LOST = 2.0
RIDE_SECONDS = 600


class Sample(NamedTuple):
    """Of its time the logbook keeps milliseconds."""

    sensor: str
    kind: str
    t: float


class Sent(NamedTuple):
    """What LOGS/sent says: the samples of each boot in order, and when each ride was seen first and
    last, by its id."""

    boots: dict[int, list[Sample]]
    rides: dict[str, tuple[int, float, float]]


def sample_of(record: Record) -> Sample:
    microseconds = round(record["t"] * 1_000_000)
    return Sample(record["sensor"], record["kind"], (microseconds + 500) // 1000 / 1000)


def read_sent(path: Path, before: int) -> Sent:
    boots, rides = defaultdict(list), {}
    # The last line may be torn.
    for line in path.read_text().split("\n")[:-1] if path.exists() else []:
        boot, sensor, kind, t, ride = line.split("\t")
        if int(boot) < before:
            boots[int(boot)].append(Sample(sensor, kind, float(t)))
            if ride:
                rides[ride] = (int(boot), rides.get(ride, (0, float(t), 0))[1], float(t))
    return Sent(boots, rides)


class Recorder:
    def __init__(self, program: str, daemon: Daemon, home: Path, logs: Path) -> None:
        self.daemon, self.state, self.logs = daemon, home, logs
        self.state.mkdir(parents=True, exist_ok=True)
        self.socket = daemon.runtime / "logbook.sock"
        configuration = home / "recorder.conf"
        configuration.write_text("[Export]\nExportTo=none\n")
        self.arguments = [program, "--config", str(configuration), "--state-dir", str(self.state), "--runtime-dir", str(daemon.runtime),
                          "--socket", str(daemon.control)]

    def start(self) -> None:
        self.process = Process("cyclometer-recorder", self.arguments, self.logs)
        wait_for(self.is_connected, 30, "the recorder to be connected", every=0.1)

    def is_connected(self) -> bool:
        require(self.process.is_running, f"the recorder ended by itself with {self.process.child.poll()}: see its log")
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(self.socket))
            except (FileNotFoundError, ConnectionRefusedError):
                # The second: the socket is from before the cut.
                return False
            lines = client.makefile("rw")
            lines.readline()
            lines.write('{"id":1,"method":"status"}\n')
            lines.flush()
            return json.loads(lines.readline())["result"].get("connected", False)

    def logbook(self, *words: str) -> str:
        done = self.daemon.cyclo("logbook", *words)
        require(done.returncode == 0, f"`cyclo logbook {' '.join(words)}` ended with {done.returncode}: {done.stderr}")
        return done.stdout


def check_files(state: Path) -> None:
    """Checks copies of the databases, before the recorder opens them."""
    for path in state.glob("*.db"):
        copies = Path("/tmp/copies")
        shutil.rmtree(copies, ignore_errors=True)
        copies.mkdir()
        for each in state.glob(f"{path.name}*"):
            shutil.copy(each, copies)
        with sqlite3.connect(copies / path.name) as database:
            found = database.execute("PRAGMA integrity_check").fetchall()
        require(found == [("ok",)], f"{path.name} is damaged: {found}")
    others = [each.name for each in state.iterdir() if each.name.endswith((".damaged", ".newer")) or "damaged" in each.name]
    require(not others, f"the recorder moved aside {' '.join(others)}")


def check_rides(recorder: Recorder, sent: Sent) -> list[float]:
    """The lost seconds of each boot."""
    recorded: set[Sample] = set()
    activities: dict[str, set[int]] = defaultdict(set)
    for activity in json.loads(recorder.logbook("list", "--json"))["activities"]:
        content = recorder.logbook("export", str(activity["id"]), "--format", "ndjson", "-o", "-")
        samples = [record for line in content.splitlines() if (record := json.loads(line)).get("class") == "sample"]
        recorded |= {sample_of(record) for record in samples}
        rides = {record["ride_id"] for record in samples if "ride_id" in record}
        require(len(rides) <= 1, f"activity {activity['id']} has the rides {rides}")
        for ride in rides:
            activities[ride].add(activity["id"])
    for ride, ids in activities.items():
        require(len(ids) == 1, f"the ride {ride} is in the activities {ids}")
    for ride, (boot, first, last) in sent.rides.items():
        require(ride in activities or last - first <= MOST_LOST, f"the ride {ride} of boot {boot}, of {last - first:.1f} s, is missing")
    lost = []
    for boot, samples in sent.boots.items():
        end = max(each.t for each in samples)
        missing = [each for each in samples if each not in recorded]
        lost.append(end - min((each.t for each in missing), default=end))
        require(lost[-1] <= MOST_LOST, f"of boot {boot} {lost[-1]:.2f} s are missing: {len(missing)} of {len(samples)} samples, first {missing[:1]}")
    return lost


def log_sent(daemon: Daemon, path: Path, boot: int) -> None:
    """Writes a line for each sample of a ride that a subscriber receives. The charge of a battery is
    published up to a second after it was read: a sample from before the ride belongs to no ride."""
    client = socket.socket(socket.AF_UNIX)
    client.connect(str(daemon.metrics))
    client.sendall(b'{"id":1,"method":"subscribe","params":{"snapshot":false}}\n')
    ride, begun = None, math.inf
    with open(path, "a") as log:
        for line in client.makefile():
            record = json.loads(line)
            if record["class"] != "sample":
                continue
            if record.get("ride_id", ride) != ride:
                ride, begun = record["ride_id"], record["t"]
            if record["t"] >= begun:
                log.write("\t".join([str(boot), *map(str, sample_of(record)), record.get("ride_id", "")]) + "\n")
                log.flush()


def ride(daemon: Daemon) -> None:
    """Until the power is cut."""
    end = time.monotonic() + RIDE_SECONDS
    while time.monotonic() < end:
        time.sleep(random.uniform(0.2, 3))
        action = random.choices(["lap", "pause", "new"], [6, 6, 1])[0]
        daemon.request("ride", action=action)
        if action == "pause":
            time.sleep(random.uniform(0.2, 3))
            daemon.request("ride", action="resume")


def main(programs: Path, logs: Path, file_system: str, is_to_ride: bool) -> None:
    subprocess.run(["mount", "-t", file_system, "/dev/vda", str(DISK)], check=True)
    boots = logs / "boots"
    boot = len(boots.read_text()) if boots.exists() else 0
    with open(boots, "a") as count:
        count.write(".")
    daemon = Daemon(str(programs / "cyclometerd"), str(programs / "cyclo"), DISK / "daemon", logs, ["--simulate", "bike"])
    recorder = Recorder(str(programs / "cyclometer-recorder"), daemon, DISK / "recorder", logs)
    check_files(recorder.state)
    daemon.start()
    recorder.start()
    lost = check_rides(recorder, read_sent(logs / "sent", boot))
    (logs / "lost").write_text("".join(f"{each:.3f}\n" for each in lost))
    if is_to_ride:
        threading.Thread(target=log_sent, args=[daemon, logs / "sent", boot], daemon=True).start()
        ride(daemon)
    require(recorder.process.end()[0] == 0, "the recorder failed")


try:
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4] == "1")
except Failure as failure:
    print(failure)
    sys.exit(1)
