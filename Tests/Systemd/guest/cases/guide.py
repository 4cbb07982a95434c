"""Runs all commands of docs/install.md in order, as the user of a new computer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from machine import CONTROL, METRICS, Machine
from processes import run
from waiting import require, wait_for

NEWCOMER = "pi"
ADDRESS_OF_THE_PAGE = "A0:9E:1A:00:00:01"
SECONDS = 300


@dataclass
class Block:
    line: int
    commands: str


def blocks(page: Path) -> Iterator[Block]:
    """The shell blocks of the page, except those under `<!-- not run`."""
    lines = page.read_text().splitlines()
    is_left_out = False
    for number, line in enumerate(lines):
        is_left_out = is_left_out or line.strip().startswith("<!-- not run")
        if line.strip() != "```sh":
            continue
        end = next(index for index in range(number + 1, len(lines)) if lines[index].strip() == "```")
        if not is_left_out:
            yield Block(number + 2, "\n".join(each.strip() for each in lines[number + 1:end]))
        is_left_out = False


def newcomer(machine: Machine) -> None:
    """A user with passwordless sudo and the package at home, whom apt asks nothing."""
    if Path("/usr/sbin/cyclometerd").exists():
        machine.run("apt", "purge", "-y", "cyclometer", seconds=SECONDS)
    # Like the first user of Raspberry Pi OS, who can read the journal.
    machine.run("useradd", "--create-home", "--shell", "/bin/bash", "--groups", "adm", NEWCOMER)
    Path("/etc/sudoers.d/newcomer").write_text(f"{NEWCOMER} ALL=(ALL) NOPASSWD: ALL\n")
    Path("/etc/apt/apt.conf.d/90yes").write_text('APT::Get::Assume-Yes "true";\n')
    for name in ("this.deb", "this-recorder.deb", "this-guide.deb"):
        machine.run("cp", str((machine.packages / name).resolve()), f"/home/{NEWCOMER}/")


def case_followed(machine: Machine) -> None:
    """every command of docs/install.md does what it should, from the package to a sensor that streams and to the purge"""
    newcomer(machine)
    address = machine.air.add("Chest", "heart_rate", 1)
    outputs: dict[str, str] = {}
    count = 0
    for block in blocks(machine.share / "install.md"):
        words = block.commands.replace(ADDRESS_OF_THE_PAGE, address)
        # One login per command, so that new group memberships take effect.
        done = run(["runuser", "--login", NEWCOMER, "--command", f"set -e\nUSER={NEWCOMER}\n{words}"], SECONDS)
        require(done.returncode == 0, f"docs/install.md:{block.line}: `{words}` ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}")
        outputs[words] = done.stdout
        count += 1
        check(words)
    machine.measured("blocks of commands", count, "", 0)
    output = "\n".join(outputs.values())
    for text in ("No sensor is paired", address, "bpm", "is paired as"):
        require(text in output, f"no command printed `{text}`: {output[-2000:]}")


def check(words: str) -> None:
    """Checks the effect of a command."""
    if "ConnectionSupervisionTimeout" in words:
        wait_for(lambda: re.search(r"hci\d+ drops a link after 4000 ms", doctor()), 30, "doctor to show the longer timeout", every=1)
    elif "MetricsAccess" in words:
        wait_for(lambda: METRICS.stat().st_mode & 0o777 == 0o666, 10, "metrics.sock to be open to everyone", every=0.2)
        require(CONTROL.stat().st_mode & 0o777 == 0o660, "control.sock is not open to the group only")
    elif re.search(r"\bpurge\b", words):
        for path in ("/etc/cyclometer", "/var/lib/cyclometer", "/run/cyclometer", "/usr/sbin/cyclometerd"):
            require(not Path(path).exists(), f"{path} still exists")


def doctor() -> str:
    return run(["runuser", "--login", NEWCOMER, "--command", "cyclo doctor"], 60).stdout
