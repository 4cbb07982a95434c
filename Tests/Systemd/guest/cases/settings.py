"""`systemctl reload` with a valid configuration and with an invalid one, and a start with an invalid one."""

from __future__ import annotations

from pathlib import Path

from machine import MEMBER, METRICS, Machine
from processes import run
from waiting import now, require, wait_for

CONFIGURATION = Path("/etc/cyclometer/cyclometer.conf")
DROP_IN = Path("/etc/cyclometer/conf.d/50-test.conf")
ERROR = "3"


def mode() -> int:
    return METRICS.stat().st_mode & 0o777


def case_reloaded(machine: Machine) -> None:
    """`systemctl reload` applies another configuration, and every link stays up"""
    process, links = machine.main_process(), machine.links()
    require(mode() == 0o660, f"metrics.sock has mode {mode():o}")
    DROP_IN.parent.mkdir(exist_ok=True)
    DROP_IN.write_text("[Sockets]\nMetricsAccess=everyone\n")
    with machine.listen() as subscriber:
        here, begun = machine.here(), now()
        machine.systemctl("reload", "cyclometerd")
        wait_for(lambda: mode() == 0o666, 10, "metrics.sock to be everyone's")
        machine.measured("followed after", now() - begun, "s", 2)
        machine.told("reloaded", here, 10)
        DROP_IN.unlink()
        machine.systemctl("reload", "cyclometerd")
        wait_for(lambda: mode() == 0o660, 10, "metrics.sock to be the group's again")
        machine.all_stream(10)
        states = [record for _, record in subscriber.came if record["class"] == "state"]
        require(not states, f"sensors changed their states: {states}")
    require(machine.main_process() == process, "the daemon was started anew")
    require(machine.links() == links, f"links before {links}, and after {machine.links()}")


def case_reloaded_with_an_error(machine: Machine) -> None:
    """`systemctl reload` with an error logs file, line and expected value as an error, and settings and links stay unchanged"""
    process, links, before = machine.main_process(), machine.links(), CONFIGURATION.read_text()
    line = before.count("\n") + 2
    CONFIGURATION.write_text(f"{before}[Sockets]\nMetricsAccess=nobody\n")
    try:
        here = machine.here()
        machine.systemctl("reload", "cyclometerd")
        said = machine.told(str(CONFIGURATION), here, 10)
        text = said["MESSAGE"]
        require(f"{CONFIGURATION}:{line}" in text, f"it does not say line {line}: {text}")
        require("group" in text and "everyone" in text, f"it does not say what was expected: {text}")
        require(said["PRIORITY"] == ERROR, f"its level is {said['PRIORITY']}")
        machine.figures.append(f"it says: {text}")
        require(mode() == 0o660, f"metrics.sock has mode {mode():o}")
    finally:
        CONFIGURATION.write_text(before)
    machine.all_stream(10)
    require(machine.main_process() == process, "the daemon was started anew")
    require(machine.links() == links, f"links before {links}, and after {machine.links()}")


def case_started_with_an_error(machine: Machine) -> None:
    """a start with an error exits with status 78 without repeated restarts; the journal, cyclo and doctor tell the fix; once fixed, it starts"""
    here = machine.here()
    DROP_IN.write_text("[Bluetooth]\nPowerOn=maybe\n")
    try:
        done = run(["systemctl", "restart", "cyclometerd"], 60)
        require(done.returncode != 0, "systemctl says that it was started")
        require(machine.property("ExecMainStatus") == "78", f"it ended with {machine.property('ExecMainStatus')}")
        said = machine.told(f"{DROP_IN}:2", here, 10)["MESSAGE"]
        machine.figures.append(f"it says: {said}")
        # Each of them connects to the socket of systemd, which starts the daemon on demand, and gives up in the end.
        for _ in range(8):
            begun = now()
            asked = machine.as_user(MEMBER, "cyclo", "list")
            # The daemon does not run, or does not answer in time.
            require(asked.returncode in (3, 5), f"cyclo ended with {asked.returncode}: {asked.stderr}")
            require("systemctl" in asked.stderr, f"cyclo says: {asked.stderr}")
            require(now() - begun < 20, f"cyclo took {now() - begun:.0f} s")
        machine.figures.append(f"cyclo says: {asked.stderr.strip()}")
        doctor = machine.as_user(MEMBER, "cyclo", "doctor")
        require("journalctl -u cyclometerd" in doctor.stdout, f"doctor says: {doctor.stdout}")
        count = sum(f"{DROP_IN}:2" in str(each.get("MESSAGE")) for each in machine.journal(here))
        require(count <= 12, f"it was started {count} times")
        machine.figures.append(f"started {count} times")
    finally:
        DROP_IN.unlink()
        machine.systemctl("reset-failed", "cyclometerd.service", "cyclometer.socket")
        machine.systemctl("restart", "cyclometerd")
    machine.all_stream(60)
