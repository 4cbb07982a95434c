"""What the daemon costs before any sensor is paired."""

from __future__ import annotations

from cases.figures import cost, show
from machine import Machine
from waiting import require

SOON = 10
"""Seconds, on an emulated processor that may have other work."""


def case_no_sensors(machine: Machine) -> None:
    """with nothing paired the daemon is almost idle, and it listens soon after its start"""
    require(not machine.sensors(), "a sensor is paired")
    found = cost(machine)
    show(machine, "0 sensors", found)
    begun, active = (int(machine.property(name)) for name in ("ExecMainStartTimestampMonotonic", "ActiveEnterTimestampMonotonic"))
    machine.measured("listens after", (active - begun) / 1e3, "ms", 0)
    require(0 < active - begun < SOON * 1e6, f"it listened {(active - begun) / 1e6:.1f} s after its start")
    require(found.wake_ups < 1, f"{found.wake_ups:.2f} wake-ups a second")
