"""apt installs the package, and everything works without a further command."""

from __future__ import annotations

import re
from pathlib import Path

from machine import MEMBER, SERVICE, STRANGER, Machine, basis
from processes import run
from waiting import now, require

MOST_EXPOSED = 1.5
INSTANCE = "test_instance"
PROGRAM = Path("/usr/local/bin", INSTANCE)
SOURCES = Path("/etc/apt/sources.list")
NOT_YET = ("libbluetooth3", "libinih1", "cyclometer")


def installed(machine: Machine) -> dict[str, str]:
    lines = machine.run("dpkg-query", "-W", "-f", "${Package} ${Version} ${db:Status-Abbrev}\n").splitlines()
    return {name: version for name, version, status in (line.split()[:3] for line in lines) if status == "ii"}


@basis
def case_installed_by_apt(machine: Machine) -> None:
    """`apt install ./cyclometer_*_amd64.deb` installs its libraries, and the service is enabled and active"""
    before = installed(machine)
    there = [name for name in NOT_YET if name in before]
    require(not there, f"{' '.join(there)} is there already: nothing would be shown")
    # No mirror, only packages that were downloaded before.
    SOURCES.unlink(missing_ok=True)
    Path("/etc/apt/sources.list.d/debian.sources").unlink(missing_ok=True)
    SOURCES.write_text(f"deb [trusted=yes] file:{machine.share}/repository ./\n")
    machine.run("apt-get", "-q", "update")
    begun = now()
    machine.run("apt", "install", "-y", str((machine.packages / "this.deb").resolve()), seconds=300)
    machine.measured("installed in", now() - begun, "s", 0)
    machine.run("cp", "/var/log/dpkg.log", str(machine.logs))
    after = installed(machine)
    machine.figures.append(f"cyclometer {after['cyclometer']}, BlueZ {after['bluez']}, {len(after) - len(before)} packages")
    enabled = machine.systemctl("is-enabled", SERVICE, "cyclometer.socket").split()
    require(enabled == ["enabled", "enabled"], f"service and socket are {' and '.join(enabled)}")
    for unit in (SERVICE, "cyclometer.socket", "bluetooth.service"):
        require(machine.is_active(unit), f"{unit} is {machine.property('ActiveState', unit)}")
    machine.run("useradd", "--create-home", MEMBER)
    machine.run("useradd", "--create-home", STRANGER)
    machine.run("usermod", "--append", "--groups", "cyclometer", MEMBER)


def case_status_line(machine: Machine) -> None:
    """`systemctl status cyclometerd` shows a status line, and `cyclo status` finds the adapter"""
    line = machine.property("StatusText")
    require(line, "there is no status line")
    status = machine.systemctl("status", SERVICE)
    require(f'Status: "{line}"' in status, f"the status is: {status}")
    machine.figures.append(f'"{line}"')
    adapters = machine.request("status")["adapters"]
    require([each["state"] for each in adapters] == ["on"], f"adapters: {adapters}")


def verify(machine: Machine) -> list[str]:
    """Names of the installed units, in which `systemd-analyze verify` must find nothing."""
    units = sorted(str(each) for each in Path("/usr/lib/systemd/system").glob("cyclometer*"))
    require(len(units) >= 2, f"the units are {units}")
    # `verify` gives a template this instance, and looks for its program in the default path only.
    PROGRAM.symlink_to("/bin/true")
    # man is not installed here.
    done = run(["systemd-analyze", "verify", "--man=no", *units], 200)
    findings = (done.stdout + done.stderr).strip()
    PROGRAM.unlink()
    require(not findings, f"verify reports: {findings}")
    return [Path(each).name.replace("@.", f"@{INSTANCE}.") for each in units]


def exposure(machine: Machine, service: str) -> float:
    text = machine.run("systemd-analyze", "security", "--no-pager", service, seconds=200)
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", text)
    require(found, f"systemd-analyze security reports for {service}: {text[-300:]}")
    return float(found[1])


def case_units_are_sound(machine: Machine) -> None:
    """`systemd-analyze verify` finds nothing, and `systemd-analyze security` rates the exposure of every service as low"""
    units = verify(machine)
    for service in (each for each in units if each.endswith(".service")):
        rated = exposure(machine, service)
        machine.measured(f"exposure of {service.removesuffix('.service')}", rated, "")
        require(rated <= MOST_EXPOSED, f"{service}: exposure {rated} is more than {MOST_EXPOSED}")
    machine.measured("units", len(units), "", 0)
