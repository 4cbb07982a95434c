"""A sensor in a file, on the installed service: `cyclo plugin install`, reload, `remove`. And a sensor
that a Python program decodes, as a service."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import declared
from cases.package import MOST_EXPOSED, exposure
from machine import MEMBER, Machine
from processes import run
from waiting import now, require, wait_for

HOME = Path("/home") / MEMBER
INSTALLED = Path("/etc/cyclometer/sensors.d/bottle.sensor")
NEW_TITLE = declared.FILE.replace("Title = Drinking bottle", "Title = Bottle")
SECONDS = 30
PROGRAMS = Path("/etc/cyclometer/plugins")
PROGRAM, PROBE = "bottle", "probe"
"""The instances of cyclometer-plugin@.service: the decoder, and a program that tries the sandbox."""
BACK_WITHIN = 2
"""Seconds from when a program has started again to the next sample."""
TRIES = '''#!/usr/bin/python3
import json, os, signal, socket

def tried(attempt):
    try:
        attempt()
        return "allowed"
    except OSError as error:
        return error.strerror

def connect(name):
    socket.socket(socket.AF_UNIX).connect("/run/cyclometer/" + name)

def write(path):
    with open(path, "w"):
        pass

print("tried: " + json.dumps({
    "inet": tried(lambda: socket.socket(socket.AF_INET)),
    "bluetooth": tried(lambda: socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI)),
    "interfaces": sorted(line.split(":")[0].strip() for line in open("/proc/self/net/dev") if ":" in line),
    "plugin": tried(lambda: connect("plugin.sock")),
    "control": tried(lambda: connect("control.sock")),
    "bus": tried(lambda: socket.socket(socket.AF_UNIX).connect("/run/dbus/system_bus_socket")),
    "etc": tried(lambda: write("/etc/cyclometer/plugins/written")),
    "state": tried(lambda: os.listdir("/var/lib/cyclometer")),
    "home": tried(lambda: os.listdir("HOME")),
}), flush=True)
signal.pause()
'''


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



def unit(program: str) -> str:
    return f"cyclometer-plugin@{program}.service"


def sensor(machine: Machine) -> dict:
    return next(each for each in machine.sensors() if each["name"] == declared.NAME)


def has_state(machine: Machine, state: str, reason: str | None = None) -> bool:
    found = sensor(machine)
    return (found["state"], found.get("reason")) == (state, reason)


def case_program(machine: Machine) -> None:
    """a sensor that nothing built in knows is decoded by a Python program under systemd: paired by `cyclo pair`, with the samples that it sent"""
    machine.run("useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", f"cyclometer-{PROGRAM}")
    PROGRAMS.mkdir(exist_ok=True)
    shutil.copy(machine.share / "cyclometer_plugin.py", PROGRAMS)
    shutil.copy(machine.share / "example_plugin.py", PROGRAMS / PROGRAM)
    (PROGRAMS / PROGRAM).chmod(0o755)
    HOME.mkdir(exist_ok=True)
    shutil.copy(machine.share / "bottle.sensor", HOME)
    machine.run("cyclo", "plugin", "install", str(HOME / "bottle.sensor"))
    here = machine.here()
    machine.systemctl("enable", "--now", unit(PROGRAM))
    machine.logged("bottle_process: process", here, 30)
    machine.measured("pairing", machine.pair(declared.NAME, declared.KIND, declared.HERTZ), "s")
    with machine.listen() as subscriber:
        number = sensor(machine)["id"]
        _, first = subscriber.wait_for_sample(number, declared.SAMPLE, SECONDS)
        subscriber.wait(lambda record: record["class"] == "sample" and record["t"] >= first["t"] + 10, SECONDS, "samples for 10 s")
        samples = [record for _, record in subscriber.samples(number, declared.SAMPLE)]
    machine.measured("samples", len(samples), "", 0)
    require([each["seq"] for each in samples] == list(range(samples[0]["seq"], samples[0]["seq"] + len(samples))), "seq has a gap")
    declared.require_sent(machine.air, samples)
    machine.all_stream(SECONDS)


def case_program_sandbox(machine: Machine) -> None:
    """a program of cyclometer-plugin@.service reaches plugin.sock, and neither a network, Bluetooth, control.sock, a bus, nor files of others"""
    machine.run("useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", f"cyclometer-{PROBE}")
    (PROGRAMS / PROBE).write_text(TRIES.replace("HOME", str(HOME)))
    (PROGRAMS / PROBE).chmod(0o755)
    here = machine.here()
    machine.systemctl("start", unit(PROBE))
    found = json.loads(machine.logged("tried: ", here, 60, unit(PROBE))["MESSAGE"].removeprefix("tried: "))
    machine.systemctl("stop", unit(PROBE))
    (PROGRAMS / PROBE).unlink()
    require(found.pop("plugin") == "allowed", f"it cannot connect to plugin.sock: {found}")
    require(found.pop("interfaces") == ["lo"], f"it has other interfaces than its own loopback: {found}")
    require("allowed" not in found.values(), f"it may do too much: {found}")
    machine.figures += [f"{name}: {why}" for name, why in found.items()]
    rated = exposure(machine, unit(PROGRAM))
    machine.measured("exposure", rated, "")
    require(rated <= MOST_EXPOSED, f"exposure {rated} is more than {MOST_EXPOSED}")


def case_program_killed(machine: Machine) -> None:
    """if the program is killed, its sensor is stale with the reason plugin_gone while its link stays, and samples are back within 2 s of when it has started again"""
    # A fifth of an emulated processor would be a hundredth of a real one, and would measure only that.
    quota = Path(f"/run/systemd/system/{unit(PROGRAM)}.d/quota.conf")
    quota.parent.mkdir(parents=True)
    quota.write_text("[Service]\nCPUQuota=\n")
    machine.systemctl("daemon-reload")
    links, number, here = machine.links(), sensor(machine)["id"], machine.here()
    process = int(machine.property("MainPID", unit(PROGRAM)))
    with machine.listen() as subscriber:
        killed = now()
        os.kill(process, signal.SIGKILL)
        gone, _ = subscriber.wait_for_state(
            number, lambda each: (each["state"], each.get("reason")) == ("stale", "plugin_gone"), 10, "stale: plugin_gone", killed)
        back, _ = subscriber.wait_for_sample(number, declared.SAMPLE, SECONDS, gone)
    require(int(machine.property("MainPID", unit(PROGRAM))) != process, "it is the same process")
    # CLOCK_MONOTONIC, which is CLOCK_BOOTTIME in a machine that never sleeps.
    started = int(machine.property("ExecMainStartTimestampMonotonic", unit(PROGRAM))) / 1e6
    decoding = int(machine.logged("bottle_process: process", here, 10)["__MONOTONIC_TIMESTAMP"]) / 1e6
    machine.measured("stale after", gone - killed, "s", 3)
    machine.measured("restarted after", started - killed, "s")
    machine.measured("sandbox and Python of an emulated processor", decoding - started, "s")
    machine.measured("a sample after the program registered", back - decoding, "s", 3)
    require(back - decoding <= BACK_WITHIN, f"samples were back {back - decoding:.1f} s after the program registered")
    require(machine.links() == links, f"links before {links}, and after {machine.links()}")
    shutil.rmtree(quota.parent)
    machine.systemctl("daemon-reload")


def case_program_stopped(machine: Machine) -> None:
    """while the service is stopped, its sensor stays stale and connected, `cyclo doctor` says why, and other sensors stream"""
    links = machine.links()
    machine.systemctl("stop", unit(PROGRAM))
    wait_for(lambda: has_state(machine, "stale", "plugin_gone"), 20, "stale: plugin_gone", every=0.2)
    others = {each["id"] for each in machine.sensors() if each["name"] != declared.NAME}
    with machine.listen() as subscriber:
        begun = now()
        for each in others:
            subscriber.wait(lambda record: record["class"] == "sample" and record["sensor"] == each, SECONDS, f"a sample of {each}", begun)
    require(has_state(machine, "stale", "plugin_gone"), f"it is {sensor(machine)}")
    doctor = " ".join(run(["runuser", "-u", MEMBER, "--", "cyclo", "doctor"], 90).stdout.split())
    require("the program that decodes for it does not run" in doctor, f"`cyclo doctor` said {doctor}")
    machine.systemctl("start", unit(PROGRAM))
    machine.all_stream(SECONDS)
    require(machine.links() == links, f"links before {links}, and after {machine.links()}")


def case_program_removed(machine: Machine) -> None:
    """`cyclo plugin remove` takes its file away, the program is disconnected, and the sensor can be forgotten"""
    machine.run("cyclo", "forget", declared.NAME)
    machine.air.order("remove", declared.NAME)
    machine.run("cyclo", "plugin", "remove", "bottle")
    machine.systemctl("disable", "--now", unit(PROGRAM))
    require(not any(each["id"] == "bottle_process" for each in plugins(machine)), "the daemon still knows it")
    shutil.rmtree(PROGRAMS)
    for program in (PROGRAM, PROBE):
        machine.run("userdel", f"cyclometer-{program}")
    machine.all_stream(SECONDS)
