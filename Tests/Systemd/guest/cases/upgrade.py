"""Upgrade, downgrade, removal and purge of the package."""

from __future__ import annotations

from pathlib import Path

from cases.package import installed
from machine import Machine
from waiting import now, require

ROSTER = Path("/var/lib/cyclometer/roster.json")
CONFIGURATION = Path("/etc/cyclometer/cyclometer.conf")
PLACES = ("/etc", "/usr", "/var/lib", "/var/log", "/var/cache/cyclometer", "/run/cyclometer")
# dpkg and systemd keep these for every package that was ever installed.
OTHERS = ("/var/lib/dpkg/", "/var/lib/apt/", "/var/log/", "/var/lib/systemd/")


def version(machine: Machine) -> str:
    return installed(machine)["cyclometer"]


def change_to(machine: Machine, package: str, *options: str) -> None:
    """Installs another version over the running one, with sensors connected."""
    sensors = sorted(each["id"] for each in machine.sensors())
    instance = machine.instance()
    begun = now()
    machine.run("apt", "install", "-y", *options, str((machine.packages / package).resolve()), seconds=300)
    installed_at = now()
    machine.measured(f"{version(machine)} installed in", installed_at - begun, "s")
    require(machine.is_active() and machine.is_active("cyclometer.socket"), "service or socket is not active")
    require(machine.instance() != instance, "the old daemon still runs")
    machine.measured("streaming after", machine.all_stream(60, installed_at) - installed_at, "s")
    after = sorted(each["id"] for each in machine.sensors())
    require(after == sensors, f"the sensors were {sensors}, and are now {after}")


def case_upgraded_and_downgraded(machine: Machine) -> None:
    """after an upgrade and a downgrade the sensors are still paired, and stream"""
    first = version(machine)
    change_to(machine, "later.deb")
    require(version(machine) == f"{first}+later", f"{version(machine)} is installed")
    change_to(machine, "this.deb", "--allow-downgrades")
    require(version(machine) == first, f"{version(machine)} is installed")


def case_removed_and_installed_again(machine: Machine) -> None:
    """`apt remove` stops the service and keeps sensors and configuration; after another installation they stream"""
    sensors = sorted(each["id"] for each in machine.sensors())
    CONFIGURATION.write_text(CONFIGURATION.read_text() + "\n# mine\n")
    process = machine.main_process()
    machine.run("apt", "remove", "-y", "cyclometer", seconds=300)
    require(not Path(f"/proc/{process}").exists(), "the daemon still runs")
    require(not Path("/run/cyclometer/control.sock").exists(), "a socket remains without a daemon")
    require(ROSTER.exists() and "# mine" in CONFIGURATION.read_text(), "the list of sensors or the configuration is gone")
    begun = now()
    machine.run("apt", "install", "-y", str((machine.packages / "this.deb").resolve()), seconds=300)
    require("# mine" in CONFIGURATION.read_text(), "the configuration was replaced by the package's")
    machine.measured("streaming after", machine.all_stream(90, now()) - begun, "s")
    after = sorted(each["id"] for each in machine.sensors())
    require(after == sensors, f"the sensors were {sensors}, and are now {after}")


def case_purged(machine: Machine) -> None:
    """`apt purge` leaves nothing: no file, no folder, no user, no group, no unit, no socket"""
    machine.run("apt", "purge", "-y", "cyclometer", seconds=300)
    left = [
        path for path in machine.run("find", *[each for each in PLACES if Path(each).exists()], "-iname", "*cyclo*").splitlines()
        if not path.startswith(OTHERS)
    ]
    require(not left, f"these files remain: {' '.join(left)}")
    for kind in ("passwd", "group"):
        names = [line.split(":")[0] for line in Path(f"/etc/{kind}").read_text().splitlines()]
        left = [name for name in names if name in ("cyclometer", "cyclometer-plugin")]
        require(not left, f"{' '.join(left)} are still in /etc/{kind}")
    units = machine.run("systemctl", "list-units", "--all", "--plain", "--no-legend", "cyclometer*").strip()
    require(not units, f"systemd still lists: {units}")
    require("cyclometer" not in installed(machine), "dpkg still lists the package")
