"""The daemon's cost at rest and with eight sensors, for docs/frugality.md. The machine does nothing
else."""

from __future__ import annotations

from dataclasses import dataclass

from cases.sensors import SENSORS
from machine import Machine, processor_seconds, rest_seconds, sleep_until, status_of, wake_ups
from waiting import now, require, wait_for

EIGHT = {
    "Strap2": ("heart_rate", 1), "Wheel2": ("speed_cadence", 1), "Crank2": ("power", 4),
    "Strap3": ("heart_rate", 1), "Wheel3": ("speed_cadence", 1),
}
STEADY_SECONDS = 45
"""After that time a link uses a descriptor, and costs less."""


@dataclass
class Cost:
    wake_ups: float
    milliseconds: float
    """Processor time per second."""
    frames: float
    resident: int
    private: int
    memory: int


def cost(machine: Machine) -> Cost:
    process = machine.main_process()
    begun, spent, woken, sent = now(), processor_seconds(process), wake_ups(process), frames(machine)
    sleep_until(begun + rest_seconds())
    ended, spent_then, woken_then = now(), processor_seconds(process), wake_ups(process)
    seconds = ended - begun
    require(machine.main_process() == process, "the daemon was restarted during the measurement")
    status = status_of(process)
    return Cost(
        (woken_then - woken) / seconds, 1000 * (spent_then - spent) / seconds, (frames(machine) - sent) / seconds,
        int(status["VmRSS"].split()[0]), int(status["RssAnon"].split()[0]), int(machine.property("MemoryCurrent")) // 1024)


def frames(machine: Machine) -> int:
    """The notifications that all sensors have sent."""
    return sum(each["sent"] for each in machine.air.order("sensors")["sensors"])


def show(machine: Machine, what: str, found: Cost) -> None:
    machine.figures.append(
        f"{what}: {found.frames:.1f} notifications/s, {found.wake_ups:.2f} wake-ups/s, {found.milliseconds:.2f} ms/s of an emulated "
        f"processor, resident {found.resident} kB, private {found.private} kB, with cached files {found.memory} kB")


def case_eight_sensors(machine: Machine) -> None:
    """with eight sensors connected the daemon wakes at most twice per notification, with and without a subscriber"""
    for name, (kind, hertz) in EIGHT.items():
        machine.pair(name, kind, hertz)
    since = now()
    machine.all_stream(30)
    require(len(machine.sensors()) == len(SENSORS) + len(EIGHT), "there are not eight sensors")
    sleep_until(since + STEADY_SECONDS)
    alone = cost(machine)
    show(machine, "8 sensors", alone)
    with machine.listen():
        show(machine, "8 sensors, one subscriber", cost(machine))
    require(alone.frames >= 12, f"only {alone.frames:.1f} notifications a second arrived")
    require(alone.wake_ups <= 2 * alone.frames, f"{alone.wake_ups:.1f} wake-ups a second for {alone.frames:.1f} notifications")
    for name in EIGHT:
        machine.cyclo("forget", name)
        machine.air.order("remove", name)
    wait_for(lambda: len(machine.sensors()) == len(SENSORS), 10, "five sensors to be forgotten")
