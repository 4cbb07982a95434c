"""Users with access pair sensors, which stream. Other users have no access."""

from __future__ import annotations

import json
import sys

from machine import CONTROL, METRICS, STRANGER, Machine, basis
from waiting import require, wait_for

SENSORS = {"Strap": ("heart_rate", 1), "Wheel": ("speed_cadence", 1), "Crank": ("power", 4)}
"""By name: kind, and frames per second as such sensors send them."""
WATCHED = 20
NOT_ALLOWED = 8


@basis
def case_paired(machine: Machine) -> None:
    """a user of the group cyclometer pairs sensors with `cyclo pair ADDRESS --name NAME --yes`, and `cyclo watch --json` has their values"""
    longest = max(machine.pair(name, kind, hertz) for name, (kind, hertz) in SENSORS.items())
    machine.measured("sensors", len(SENSORS), "", 0)
    machine.measured("longest pairing", longest, "s")
    records = [json.loads(line) for line in machine.cyclo("watch", "--json", "-n", str(WATCHED)).splitlines()]
    samples = [each for each in records if each["class"] == "sample"]
    require(len(samples) == WATCHED, f"{len(samples)} samples came of {WATCHED}")
    machine.all_stream(20)
    count = len(SENSORS)
    line = wait_for(lambda: (text := machine.property("StatusText")).startswith(f"{count} of {count}") and text, 15, "the status line", every=0.5)
    machine.figures.append(f'status "{line}"')


def case_closed_to_others(machine: Machine) -> None:
    """a user outside the group cannot open either socket, and `cyclo` reports it and exits with 8"""
    probe = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
    for path in (CONTROL, METRICS):
        done = machine.as_user(STRANGER, sys.executable, "-c", probe, str(path))
        require(done.returncode != 0 and "PermissionError" in done.stderr, f"{path} is open to {STRANGER}: {done.stderr}")
    for words in (["status"], ["watch", "-n", "1"], ["pair", "F0:F1:F2:F3:00:00", "--yes"]):
        done = machine.as_user(STRANGER, "cyclo", *words)
        require(done.returncode == NOT_ALLOWED, f"`cyclo {' '.join(words)}` ended with {done.returncode}: {done.stderr.strip()}")
        require("cyclometer" in done.stderr, f"the message does not name the group: {done.stderr.strip()}")
    machine.figures.append(f"printed: {done.stderr.strip().splitlines()[0]}")
    for path in ("/var/lib/cyclometer", "/var/lib/cyclometer/roster.json"):
        done = machine.as_user(STRANGER, "cat" if path.endswith("json") else "ls", path)
        require(done.returncode != 0, f"{path} is readable to {STRANGER}")
