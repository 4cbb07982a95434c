"""Installed units that users can enable."""

from __future__ import annotations

import os
import struct
from pathlib import Path

from machine import RUNTIME, Machine
from waiting import now, require, wait_for

REQUEST = RUNTIME / "reset-wanted"
RESET = "cyclometer-reset.service"
UNBLOCK = "cyclometer-unblock.service"
RFKILL_BLUETOOTH, RFKILL_CHANGE_ALL = 2, 3


def case_reset_carried_out(machine: Machine) -> None:
    """with cyclometer-reset.path enabled, root carries out a request of the daemon's user once, and sensors stream again"""
    machine.systemctl("enable", "--now", "cyclometer-reset.path")
    here, begun = machine.here(), now()
    done = machine.as_user("cyclometer", "sh", "-c", f"echo hci0 >{REQUEST}")
    require(done.returncode == 0, f"the daemon's user cannot request it: {done.stderr}")
    message = machine.logged("reset-adapter: hci0", here, 20, RESET)["MESSAGE"]
    machine.measured("carried out after", now() - begun, "s")
    wait_for(lambda: not REQUEST.exists(), 10, "the request to be gone")
    wait_for(lambda: not machine.is_active(RESET), 30, "the end of the reset", every=0.2)
    require(machine.property("Result", RESET) == "success", f"its result is {machine.property('Result', RESET)}")
    machine.measured("streaming again after", machine.all_stream(90, now()) - begun, "s")
    count = sum("reset-adapter: hci0" in str(each.get("MESSAGE")) for each in machine.journal(here, RESET))
    require(count == 1, f"it was carried out {count} times")
    machine.figures.append(f"logged: {message}")


def case_reset_of_nothing(machine: Machine) -> None:
    """a request that does not name an adapter is refused and removed"""
    here = machine.here()
    REQUEST.write_text("../../sda\n")
    machine.logged("names no adapter", here, 20, RESET)
    wait_for(lambda: not REQUEST.exists(), 10, "the request to be gone")
    machine.systemctl("reset-failed", RESET)


def case_reset_traps(machine: Machine) -> None:
    """a link or a pipe in place of the request is removed, and neither followed nor read"""
    target = RUNTIME / "target"
    target.write_text("hci0\n")
    for make in (lambda: REQUEST.symlink_to(target), lambda: os.mkfifo(REQUEST)):
        here = machine.here()
        make()
        machine.logged("names no adapter", here, 20, RESET)
        wait_for(lambda: not os.path.lexists(REQUEST), 10, "the request to be gone")
        machine.systemctl("reset-failed", RESET)
    target.unlink()


def case_unblocked(machine: Machine) -> None:
    """with cyclometer-unblock.service enabled, a radio blocked by rfkill is unblocked when an adapter is added, and sensors stream"""
    machine.systemctl("enable", UNBLOCK)
    with open("/dev/rfkill", "wb", buffering=0) as switch:
        switch.write(struct.pack("IBBBB", 0, RFKILL_BLUETOOTH, RFKILL_CHANGE_ALL, True, 0))
    soft = next(Path("/sys/class/rfkill").glob("*/soft"))
    wait_for(lambda: soft.read_text().strip() == "1", 10, "the radio to be blocked")
    wait_for(lambda: {each.get("reason") for each in machine.sensors()} == {"adapter_blocked"}, 20, "adapter_blocked", every=0.1)
    machine.systemctl("stop", "guest-adapter.service")
    wait_for(lambda: not any(Path("/sys/class/bluetooth").glob("hci*")), 20, "the adapter to go")
    begun = now()
    machine.systemctl("start", "guest-adapter.service")
    machine.measured("streaming again after", machine.all_stream(90, now()) - begun, "s")
    machine.systemctl("disable", UNBLOCK)
