"""The machine reboots, and no user logs in."""

from __future__ import annotations

from typing import Any

from machine import SERVICE, Machine, Reboot
from waiting import require


def case_rebooted(machine: Machine) -> Reboot:
    """after `systemctl reboot` every sensor streams again by itself"""
    return Reboot(back, {"sensors": sorted(each["id"] for each in machine.sensors())})


def back(machine: Machine, kept: dict[str, Any]) -> None:
    # `t` counts from the kernel's start.
    streaming = machine.all_stream(120, 0)
    sensors = sorted(each["id"] for each in machine.sensors())
    require(sensors == kept["sensors"], f"there were {kept['sensors']}, and are {sensors}")
    sessions = machine.run("loginctl", "list-sessions", "--no-legend").strip()
    require(not sessions, f"there are login sessions: {sessions}")
    active = int(machine.property("ActiveEnterTimestampMonotonic")) / 1e6
    begun = int(machine.property("ExecMainStartTimestampMonotonic")) / 1e6
    machine.measured("the daemon is started", begun, "s after the kernel")
    machine.measured("listens", active - begun, "s later", 2)
    machine.measured("all stream", streaming, "s after the kernel")
    require(machine.property("NRestarts") == "0", f"{SERVICE} was restarted {machine.property('NRestarts')} times")
