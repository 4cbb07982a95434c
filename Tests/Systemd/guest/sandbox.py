"""The sandbox of a service, seen from inside."""

from __future__ import annotations

import re
from pathlib import Path

from machine import RUNTIME, Machine
from waiting import require, wait_for

# Where units are that last until the next boot.
UNITS = Path("/run/systemd/system")
# What concerns the start of the service itself.
DROPPED = ("ExecStart=", "ExecReload=", "Type=", "NotifyAccess=", "WatchdogSec=", "Restart", "PartOf=", "Wants=", "After=")
# The start of each probe: prints one line for each thing that it could do, or could not.
BEGIN = r"""
import os, socket
def could(what, attempt):
    try:
        attempt()
        print("CAN", what)
    except (OSError, ConnectionError) as error:
        print("cannot", what, error)
def connect(path):
    socket.socket(socket.AF_UNIX).connect(path)
"""
END = "end of the probe"


def probe(machine: Machine, service: str, attempts: str) -> tuple[set[str], str]:
    """Runs the attempts in a copy of the service's unit, with all of its sandbox. Returns the lines about
    what they could do, and the whole output."""
    program, unit = Path("/usr/share/sandbox-probe.py"), UNITS / "sandbox-probe.service"
    lines = [line for line in machine.run("systemctl", "cat", service).splitlines() if not line.startswith(DROPPED)]
    text = "\n".join(lines).replace("[Service]", f"[Service]\nType=oneshot\nExecStart=/usr/bin/python3 -I -S {program}", 1)
    program.write_text(f'{BEGIN}{attempts}\nprint("{END}")\n')
    # Drop-ins come after it.
    unit.write_text(re.sub(r"^\[Install\]\n[^\[]*", "", text, flags=re.M))
    machine.systemctl("daemon-reload")
    here = machine.here()
    machine.systemctl("start", unit.name)

    def printed() -> str | None:
        output = "\n".join(str(each["MESSAGE"]) for each in machine.journal(here, unit.name))
        return output if END in output else None

    output = wait_for(printed, 10, "the probe's output", every=0.2)
    unit.unlink()
    program.unlink()
    machine.systemctl("daemon-reload")
    return {line for line in output.splitlines() if line.startswith("CAN")}, output


def require_hidden(process: int, name: str) -> None:
    """Checks what the running service itself sees of a socket."""
    real, seen = (RUNTIME / name).stat(), Path(f"/proc/{process}/root{RUNTIME}/{name}").stat()
    require((real.st_dev, real.st_ino) != (seen.st_dev, seen.st_ino), f"the service sees {name}")
    require(seen.st_mode & 0o777 == 0, f"what the service sees in place of {name} has the mode {seen.st_mode:o}")
