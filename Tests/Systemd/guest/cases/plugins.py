"""A sensor in a file, on the installed service: `cyclo plugin install`, reload, `remove`."""

from __future__ import annotations

import json
from pathlib import Path

import declared
from machine import MEMBER, Machine
from waiting import require

HOME = Path("/home") / MEMBER
INSTALLED = Path("/etc/cyclometer/sensors.d/bottle.sensor")
NEW_TITLE = declared.FILE.replace("Title = Drinking bottle", "Title = Bottle")
SECONDS = 30


def plugins(machine: Machine) -> list[dict]:
    return json.loads(machine.cyclo("plugin", "list", "--json"))["plugins"]


def others(machine: Machine) -> dict[str, int]:
    """The number of links of each other sensor."""
    return {name: count for name, count in machine.links().items() if name != declared.NAME}


def install(machine: Machine, content: str, user: str = "root"):
    file = HOME / "bottle.sensor"
    file.parent.mkdir(exist_ok=True)
    file.write_text(content)
    return machine.as_user(user, "cyclo", "plugin", "install", str(file))


def case_installed(machine: Machine) -> None:
    """`cyclo plugin install` as root has the daemon read a file: its sensor is paired and streams, and no other link is touched"""
    process, links = machine.main_process(), others(machine)
    done = install(machine, declared.FILE, MEMBER)
    require(done.returncode != 0 and "sudo cyclo plugin install" in done.stderr, f"a user without rights is told: {done.stderr}")
    require(not INSTALLED.exists(), "a user without rights installed it")
    done = install(machine, declared.FILE)
    require(done.returncode == 0, f"`cyclo plugin install` ended with {done.returncode}: {done.stderr}")
    machine.figures.append(f"printed: {done.stdout.strip().splitlines()[-1]}")
    require(any(each["id"] == declared.ID for each in plugins(machine)), f"it is not among {plugins(machine)}")
    machine.measured("pairing", machine.pair(declared.NAME, declared.KIND, declared.HERTZ), "s")
    machine.all_stream(SECONDS)
    require(machine.main_process() == process, "the daemon was restarted")
    require(others(machine) == links, f"links before {links}, and after {others(machine)}")


def case_file_changed(machine: Machine) -> None:
    """a changed file is read and a wrong one refused with its line, in journal, status and doctor, while every link stays up"""
    links = others(machine)
    require(install(machine, NEW_TITLE).returncode == 0, "the changed file was not installed")
    require(any(each["title"] == "Bottle" for each in plugins(machine)), "the daemon has the old file")
    done = install(machine, declared.WRONG)
    require(done.returncode != 0 and f"bottle.sensor:{declared.WRONG_LINE}:" in done.stdout, f"`cyclo plugin install` said {done.stdout}")
    require(INSTALLED.read_text() == NEW_TITLE, "a wrong file was installed")
    machine.all_stream(SECONDS)
    here = machine.here()
    INSTALLED.write_text(declared.WRONG)
    machine.systemctl("reload", "cyclometerd")
    machine.logged(f"{INSTALLED}:{declared.WRONG_LINE}", here, 10)
    for verb, place in (("status", f"{INSTALLED}:{declared.WRONG_LINE}"), ("doctor", f"{INSTALLED} is not used: line {declared.WRONG_LINE}")):
        output = " ".join(machine.as_user(MEMBER, "cyclo", verb).stdout.split())
        require(place in output, f"`cyclo {verb}` does not name the line: {output}")
    require(install(machine, declared.FILE).returncode == 0, "the file was not installed again")
    machine.all_stream(SECONDS)
    require(others(machine) == links, f"links before {links}, and after {others(machine)}")


def case_file_removed(machine: Machine) -> None:
    """`cyclo plugin remove` takes the file away, and the sensor can be forgotten"""
    machine.run("cyclo", "forget", declared.NAME)
    machine.air.order("remove", declared.NAME)
    machine.run("cyclo", "plugin", "remove", "bottle")
    require(not INSTALLED.exists(), f"{INSTALLED} still exists")
    require(not any(each["id"] == declared.ID for each in plugins(machine)), "the daemon still knows it")
    machine.all_stream(SECONDS)
