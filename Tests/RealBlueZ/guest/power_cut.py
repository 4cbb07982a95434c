"""In a guest whose power will be cut: checks that the daemon's state is complete, then renames a
sensor repeatedly.

    power_cut.py PROGRAMS LOGS WRITE      WRITE: 0 only looks

LOGS/asked has a line for each requested name, LOGS/acknowledged for each name that the daemon
accepted. Both files are outside the guest, so they outlive it. The sensor must have the last
acknowledged name, or the one requested after it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TextIO

from cyclometer import Daemon
from waiting import Failure, require

DISK = Path("/mnt")
FILES = {"roster.json", "roster.json.new"}
ADDRESS = "F0:F1:F2:F3:00:00"
SENSOR = {"id": "strap", "address": ADDRESS, "name": "strap", "plugins": ["heart_rate"], "enabled": True}


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def main(programs: Path, logs: Path, is_to_write: bool) -> None:
    subprocess.run(["mount", "-t", "ext4", "/dev/vda", str(DISK)], check=True)
    home = DISK / "daemon"
    asked, acknowledged = logs / "asked", logs / "acknowledged"
    is_first = not home.exists()
    daemon = Daemon(str(programs / "cyclometerd"), str(programs / "cyclo"), home, logs)
    if is_first:
        (daemon.state / "roster.json").write_text(json.dumps({"version": 1, "sensors": [SENSOR]}))
        subprocess.run(["sync"], check=True)
    daemon.start()
    name = daemon.sensor(ADDRESS)["name"]
    may_be = [(lines(each) or ["strap"])[-1] for each in (acknowledged, asked)]
    require(name in may_be, f"the sensor is called {name}; acknowledged was {may_be[0]}, asked for last {may_be[1]}")
    others = {each.name for each in daemon.state.iterdir()} - FILES
    require(not others, f"the directory of the state also contains {' '.join(sorted(others))}")
    with open(asked, "a") as ask, open(acknowledged, "a") as take:

        def note(log: TextIO, text: str) -> None:
            log.write(text + "\n")
            log.flush()

        # By now the last request has been written or lost.
        note(ask, name)
        note(take, name)
        number = len(lines(asked))
        while is_to_write:
            number += 1
            next_name = f"strap {number}"
            note(ask, next_name)
            daemon.request("rename", sensor="strap", name=next_name)
            note(take, next_name)


try:
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "1")
except Failure as failure:
    print(failure)
    sys.exit(1)
