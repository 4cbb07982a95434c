"""`systemctl reload` with a valid configuration and with an invalid one, and a start with an
invalid one."""

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
        wait_for(lambda: mode() == 0o666, 10, "metrics.sock to be open to everyone")
        machine.measured("applied after", now() - begun, "s", 2)
        machine.logged("reloaded", here, 10)
        DROP_IN.unlink()
        machine.systemctl("reload", "cyclometerd")
        wait_for(lambda: mode() == 0o660, 10, "metrics.sock to be limited to the group again")
        machine.all_stream(10)
        states = [record for _, record in subscriber.came if record["class"] == "state"]
        require(not states, f"sensors changed state: {states}")
    require(machine.main_process() == process, "the daemon was restarted")
    require(machine.links() == links, f"links before {links}, and after {machine.links()}")


def case_reloaded_with_an_error(machine: Machine) -> None:
    """`systemctl reload` with an error logs file, line and expected value as an error, and settings and links stay unchanged"""
    process, links, before = machine.main_process(), machine.links(), CONFIGURATION.read_text()
    line = before.count("\n") + 2
    CONFIGURATION.write_text(f"{before}[Sockets]\nMetricsAccess=invalid\n")
    try:
        here = machine.here()
        machine.systemctl("reload", "cyclometerd")
        line_of_error = machine.logged(str(CONFIGURATION), here, 10)
        text = line_of_error["MESSAGE"]
        require(f"{CONFIGURATION}:{line}" in text, f"the message does not name line {line}: {text}")
        require("group" in text and "everyone" in text, f"the message does not name the valid values: {text}")
        level = line_of_error["PRIORITY"]
        require(level == ERROR, f"its level is {level}")
        machine.figures.append(f"logged: {text}")
        require(mode() == 0o660, f"metrics.sock has mode {mode():o}")
    finally:
        CONFIGURATION.write_text(before)
    machine.all_stream(10)
    require(machine.main_process() == process, "the daemon was restarted")
    require(machine.links() == links, f"links before {links}, and after {machine.links()}")


def case_started_with_an_error(machine: Machine) -> None:
    """an error at the start exits with 78 and few restarts; journal, cyclo and doctor name the fix; fixed, it starts"""
    here = machine.here()
    DROP_IN.write_text("[Bluetooth]\nPowerOn=maybe\n")
    try:
        done = run(["systemctl", "restart", "cyclometerd"], 60)
        require(done.returncode != 0, "systemctl reported success")
        require(machine.property("ExecMainStatus") == "78", f"it exited with {machine.property('ExecMainStatus')}")
        text = machine.logged(f"{DROP_IN}:2", here, 10)["MESSAGE"]
        machine.figures.append(f"logged: {text}")
        # Each command connects to systemd's socket, which starts the daemon on demand until systemd
        # gives up.
        for _ in range(8):
            begun = now()
            asked = machine.as_user(MEMBER, "cyclo", "list")
            # The daemon does not run, or does not answer in time.
            require(asked.returncode in (3, 5), f"cyclo exited with {asked.returncode}: {asked.stderr}")
            require("systemctl" in asked.stderr, f"cyclo printed: {asked.stderr}")
            require(now() - begun < 20, f"cyclo took {now() - begun:.0f} s")
        machine.figures.append(f"cyclo printed: {asked.stderr.strip()}")
        doctor = machine.as_user(MEMBER, "cyclo", "doctor")
        require("journalctl -u cyclometerd" in doctor.stdout, f"doctor printed: {doctor.stdout}")
        count = sum(f"{DROP_IN}:2" in str(each.get("MESSAGE")) for each in machine.journal(here))
        require(count <= 12, f"it was started {count} times")
        machine.figures.append(f"started {count} times")
    finally:
        DROP_IN.unlink()
        machine.systemctl("reset-failed", "cyclometerd.service", "cyclometer.socket")
        machine.systemctl("restart", "cyclometerd")
    machine.all_stream(60)
