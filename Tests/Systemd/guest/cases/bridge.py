"""The package cyclometer-mqtt beside the daemon, with Debian's Mosquitto: the strap's values arrive at the
broker, a lost strap is lost and never zero, and the sandbox holds."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

from cases.package import exposure, verify
from cyclometer import Subscriber
from machine import MEMBER, RUNTIME, STRANGER, Machine, status_of
from processes import Process
from sandbox import probe
from waiting import now, require, wait_for

BRIDGE, SOCKET = "cyclometer-mqtt.service", "cyclometer-mqtt.socket"
ADDRESS = RUNTIME / "mqtt.sock"
STATE = Path("/var/lib/cyclometer-mqtt")
SECRETS = Path("/etc/cyclometer/mqtt")
CONFIGURATION = Path("/etc/cyclometer/mqtt.conf")
DROP_IN = Path("/etc/systemd/system/cyclometer-mqtt.service.d/control.conf")
TOPICS = "cyclometer/v1/home/bike-7/"
STRAP = "Strap"
MOST_EXPOSED = 1.3
USERS = {"bike-7": "of the bike", "wall": "of the wall"}
RIGHTS = """pattern write cyclometer/v1/home/%u/#
pattern read cyclometer/v1/home/%u/want
pattern read cyclometer/v1/home/%u/status
user wall
topic read cyclometer/#
"""


def process(machine: Machine) -> int:
    return int(machine.property("MainPID", BRIDGE))


def status() -> dict[str, Any]:
    with Subscriber(ADDRESS) as client:
        return client.ask("status")


def connected(seconds: float = 60) -> None:
    wait_for(lambda: status()["broker"]["state"] == "connected", seconds, "the bridge to be connected to the broker", every=0.5)


class Wall:
    """Everything that the broker gives to a reader, in order."""

    def __init__(self, machine: Machine, name: str) -> None:
        self.file = machine.logs / f"{name}.log"
        self.file.unlink(missing_ok=True)
        self.reader = Process(
            name, ["mosquitto_sub", "-i", name, "-u", "wall", "-P", USERS["wall"], "-t", f"{TOPICS}#", "-F", "%j"], machine.logs)

    def messages(self, below: str) -> list[dict[str, Any]]:
        # The last line may not be complete yet.
        lines = [line for line in self.file.read_text().rpartition("\n")[0].splitlines() if line.startswith("{")]
        return [each for line in lines if (each := json.loads(line))["topic"].startswith(TOPICS + below)]

    def wait(self, below: str, fits: Any, seconds: float, what: str, after: int = 0) -> tuple[int, dict[str, Any]]:
        """The place and the payload of the first message that fits."""
        def found() -> tuple[int, dict[str, Any]] | None:
            for place, each in list(enumerate(self.messages(below)))[after:]:
                if each["payloadlen"] and fits(payload := json.loads(each["payload"])):
                    return place, payload
            return None

        return wait_for(found, seconds, what, every=0.2)

    def __enter__(self) -> Wall:
        return self

    def __exit__(self, *_: object) -> None:
        self.reader.end(signal.SIGTERM)


def case_bridge_installed(machine: Machine) -> None:
    """`apt install ./cyclometer-mqtt_*.deb` beside the running daemon: service and socket are enabled and active, and without a broker the bridge rests"""
    daemon, begun = machine.main_process(), now()
    machine.run("apt", "install", "-y", str((machine.packages / "this-mqtt.deb").resolve()), seconds=300)
    machine.measured("installed in", now() - begun, "s", 0)
    require(machine.main_process() == daemon, "the daemon was restarted")
    enabled = machine.systemctl("is-enabled", BRIDGE, SOCKET).split()
    require(enabled == ["enabled", "enabled"], f"service and socket are {' and '.join(enabled)}")
    wait_for(lambda: machine.is_active(BRIDGE), 20, "the bridge to be active", every=0.2)
    mode = machine.run("stat", "--format=%a %U:%G", str(ADDRESS)).strip()
    require(mode == "660 cyclometer-mqtt:cyclometer", f"mqtt.sock is {mode}")
    require(status()["broker"]["state"] == "unset", f"the bridge answers {status()}")
    held = status_of(process(machine))
    machine.figures.append(f"idle: resident {held['VmRSS']}, private {held['RssAnon']}")
    verify(machine)
    found = exposure(machine, BRIDGE)
    machine.measured("exposure", found, "")
    require(found <= MOST_EXPOSED, f"exposure {found} is more than {MOST_EXPOSED}")


def case_broker_named(machine: Machine) -> None:
    """with a broker, a user and a password in mqtt.conf the bridge connects; only its group can read the password"""
    machine.run("apt-get", "install", "-q", "-y", "--no-install-recommends", "mosquitto-clients", seconds=240)
    folder = Path("/etc/mosquitto")
    (folder / "conf.d/bikes.conf").write_text(
        f"listener 1883 127.0.0.1\nallow_anonymous false\npassword_file {folder}/passwd\nacl_file {folder}/acl\n")
    (folder / "acl").write_text(RIGHTS)
    for number, (user, password) in enumerate(USERS.items()):
        machine.run("mosquitto_passwd", *([] if number else ["-c"]), "-b", str(folder / "passwd"), user, password)
    for name in ("passwd", "acl"):
        machine.run("chown", "mosquitto:", str(folder / name))
    machine.systemctl("restart", "mosquitto")
    mode = machine.run("stat", "--format=%a %U:%G", str(SECRETS)).strip()
    require(mode == "750 root:cyclometer-mqtt", f"{SECRETS} is {mode}")
    secret = SECRETS / "password"
    machine.run("install", "-m", "640", "-g", "cyclometer-mqtt", "/dev/null", str(secret))
    secret.write_text(USERS["bike-7"] + "\n")
    CONFIGURATION.write_text(
        f"[Broker]\nAddress=mqtt://127.0.0.1:1883\nUser=bike-7\nPasswordFile={secret}\n[Fleet]\nReceiver=bike-7\nLive=always\n[Log]\nBatchSeconds=1\n")
    machine.systemctl("restart", BRIDGE)
    begun = now()
    connected()
    machine.measured("connected", now() - begun, "s after the restart")
    for user in ("root", "cyclometer-mqtt", MEMBER, STRANGER, "cyclometer", "cyclometer-recorder", "daemon"):
        done = machine.as_user(user, "cat", str(secret))
        require((done.returncode == 0) == (user in ("root", "cyclometer-mqtt")), f"`cat {secret}` of {user} ended with {done.returncode}")
    members = machine.run("getent", "group", "cyclometer-mqtt").strip().split(":")[3]
    require(not members, f"the group cyclometer-mqtt has the members {members}")


def case_strap_at_the_broker(machine: Machine) -> None:
    """the strap's values arrive at the broker; it falls silent: `stale` arrives; it goes out of range: `link_lost` arrives; never a zero, and it is back"""
    strap = next(each["id"] for each in machine.sensors() if each["name"] == STRAP)
    values, state = f"now/{strap}/heart_rate", f"sensor/{strap}"
    with Wall(machine, "wall") as wall, machine.listen() as daemon:
        wall.wait(state, lambda payload: payload["state"] == "streaming", 60, "the strap to stream at the broker")
        wall.wait(values, lambda payload: payload.get("bpm", 0) > 0, 30, "a heart rate at the broker")
        same = daemon.wait(lambda record: record["class"] == "sample" and record["sensor"] == strap and "bpm" in record, 30, "a heart rate")
        is_same = {name: same[1][name] for name in ("sensor", "kind", "seq", "bpm")}.items()
        wall.wait("log", lambda payload: any(is_same <= record.items() for record in payload["records"]), 30, "the daemon's heart rate in a batch")

        machine.air.order("mute", STRAP)
        begun = now()
        place, lost = wall.wait(state, lambda payload: payload["state"] == "stale", 30, "`stale` at the broker")
        machine.measured("stale", now() - begun, f"s after the last value: {lost['reason']}")
        require(lost["reason"] == "silent", f"the strap is {lost}")
        machine.air.order("off", STRAP)
        # Its link may be rebuilt at this moment.
        if machine.air.sensor(STRAP)["connected"]:
            machine.air.drop(STRAP)
        begun = now()
        place, lost = wall.wait(
            state, lambda payload: payload["state"] != "streaming" and payload.get("reason") == "link_lost", 30, "`link_lost` at the broker", place)
        machine.measured("link_lost", now() - begun, f"s after the cut: {lost['state']}")
        with Wall(machine, "late-wall") as late:
            _, kept = late.wait(values, lambda payload: True, 30, "the last value, for a reader who comes later")
            _, known = late.wait(state, lambda payload: True, 30, "the state of the strap, for a reader who comes later")
        require(kept.get("bpm") != 0 and known["state"] != "streaming", f"a late reader gets {kept} and {known}")

        machine.air.order("unmute", STRAP)
        machine.air.order("on", STRAP)
        begun = now()
        wall.wait(state, lambda payload: payload["state"] == "streaming", 90, "the strap to stream again at the broker", place)
        machine.measured("streaming", now() - begun, "s after it is back")
        sent = wall.messages(values)
        require(all(each["payloadlen"] and json.loads(each["payload"]).get("bpm") != 0 for each in sent), f"one of these is empty or zero: {sent}")
        records = [record for each in wall.messages("log") for record in json.loads(each["payload"])["records"]]
        rates = [record["bpm"] for record in records if record.get("sensor") == strap and "bpm" in record]
        require(rates and min(rates) > 0, f"the batches have {rates}")
        machine.figures.append(f"{len(sent)} values and {len(records)} records")


# What the bridge's sandbox should allow and refuse.
ATTEMPTS = r"""
for name in ("metrics", "control", "plugin", "web", "logbook", "guide"):
    could(f"connect {name}.sock", lambda: connect(f"/run/cyclometer/{name}.sock"))
for name in ("cyclometer", "cyclometer-recorder", "cyclometer-guide", "cyclometer-web"):
    could(f"list the state of {name}", lambda: os.listdir(f"/var/lib/{name}"))
could("read the logbook", lambda: open("/var/lib/cyclometer-recorder/logbook.db", "rb").read(1))
could("connect to the broker", lambda: socket.create_connection(("127.0.0.1", 1883), 2))
could("open a Bluetooth socket", lambda: socket.socket(31, socket.SOCK_RAW, 1))
could("open a packet socket", lambda: socket.socket(17, socket.SOCK_RAW, 0))
could("read the password", lambda: open("/etc/cyclometer/mqtt/password").read())
could("write the password", lambda: open("/etc/cyclometer/mqtt/password", "a"))
could("write to /etc", lambda: open("/etc/cyclometer/mqtt.conf", "a"))
could("write elsewhere in /var/lib", lambda: open("/var/lib/probe", "w"))
could("read a home", lambda: os.listdir(os.path.join("/home", "rider")))
could("write its own state", lambda: open("/var/lib/cyclometer-mqtt/probe", "w").close() or os.unlink("/var/lib/cyclometer-mqtt/probe"))
"""
MAY = {"CAN connect metrics.sock", "CAN connect to the broker", "CAN read the password", "CAN write its own state"}


def require_seen(bridge: int, wanted: set[str]) -> None:
    """Checks which sockets of services the running bridge sees, and that they are the services' own."""
    seen = Path(f"/proc/{bridge}/root{RUNTIME}")
    names = {each.name for each in seen.iterdir()}
    require(names == wanted, f"the bridge sees {' '.join(sorted(names))} in {RUNTIME}")
    for name in names:
        require((seen / name).stat().st_ino == (RUNTIME / name).stat().st_ino, f"the bridge sees another {name}")


class OpenStates:
    """The state of every service exists and is open to everyone, so that only the unit hides it."""

    FOLDERS = [Path("/var/lib") / name for name in ("cyclometer", "cyclometer-recorder", "cyclometer-guide", "cyclometer-web")]

    def __enter__(self) -> None:
        self.made = [each for each in self.FOLDERS if not each.exists()]
        for each in self.made:
            each.mkdir()
        self.modes = {each: each.stat().st_mode & 0o7777 for each in self.FOLDERS}
        for each in self.FOLDERS:
            each.chmod(0o755)

    def __exit__(self, *_: object) -> None:
        for each, mode in self.modes.items():
            each.chmod(mode)
        for each in self.made:
            each.rmdir()


def case_bridge_confined(machine: Machine) -> None:
    """from inside the bridge's unit control.sock, the logbook and the state of other services cannot be reached, also after `cyclometer.socket` was restarted"""
    with OpenStates():
        can, output = probe(machine, BRIDGE, ATTEMPTS)
    require(can == MAY, f"the bridge's unit can do other things than it should: {output}")
    before = process(machine)
    with (RUNTIME / "later.sock").open("w"):
        require_seen(before, {"metrics.sock"})
    (RUNTIME / "later.sock").unlink()
    machine.systemctl("restart", "cyclometer.socket")
    wait_for(lambda: process(machine) not in (0, before) and machine.is_active(BRIDGE), 30, "the bridge to be started again", every=0.2)
    require_seen(process(machine), {"metrics.sock"})
    machine.all_stream(60)
    connected()


def case_control_shown_by_the_drop_in(machine: Machine) -> None:
    """with the drop-in of docs/fleet.md the bridge's unit reaches control.sock, and nothing else that it did not"""
    page = (machine.share / "fleet.md").read_text()
    DROP_IN.parent.mkdir()
    DROP_IN.write_text(re.search(rf"<!-- file {DROP_IN} -->\n```ini\n(.*?)```", page, re.S)[1])
    machine.systemctl("daemon-reload")
    machine.systemctl("restart", BRIDGE)
    with OpenStates():
        can, output = probe(machine, BRIDGE, ATTEMPTS)
    require(can == MAY | {"CAN connect control.sock"}, f"with the drop-in the unit can do other things than it should: {output}")
    require_seen(process(machine), {"metrics.sock", "control.sock"})
    DROP_IN.unlink()
    DROP_IN.parent.rmdir()
    machine.systemctl("daemon-reload")
    machine.systemctl("restart", BRIDGE)
    require_seen(process(machine), {"metrics.sock"})
    connected()


def case_bridge_killed(machine: Machine) -> None:
    """the bridge is killed (SIGKILL): soon it is `online` again, without an `offline` between; when it is stopped, the broker says so; the daemon notices nothing"""
    daemon, killed = machine.main_process(), process(machine)
    with Wall(machine, "killed-wall") as wall:
        place, before = wall.wait("status", lambda payload: payload["state"] == "online", 30, "`online` at the broker")
        begun = now()
        os.kill(killed, signal.SIGKILL)
        again, _ = wall.wait(
            "status", lambda payload: payload["state"] == "online" and payload["since"] != before["since"], 60, "`online` of a new connection", place + 1)
        machine.measured("online", now() - begun, "s after the kill")
        between = [json.loads(each["payload"])["state"] for each in wall.messages("status")[place:again]]
        require("offline" not in between, f"the states were {between}")
        machine.systemctl("stop", BRIDGE)
        wall.wait("status", lambda payload: payload["state"] == "offline" and payload["reason"] == "stopped", 30, "`offline` at the broker", again + 1)
        machine.systemctl("start", BRIDGE)
        wall.wait("status", lambda payload: payload["state"] == "online", 60, "`online` after the start", again + 2)
    require(machine.main_process() == daemon, "the daemon was restarted")


def case_bridge_purged(machine: Machine) -> None:
    """`apt purge` leaves nothing of the bridge, neither the password nor unsent records, and the daemon notices nothing"""
    daemon = machine.main_process()
    machine.run("apt", "purge", "-y", "cyclometer-mqtt", seconds=300)
    machine.systemctl("stop", "mosquitto")
    left = [str(each) for each in (STATE, SECRETS, CONFIGURATION, ADDRESS) if each.exists()]
    require(not left, f"after the purge there is {' '.join(left)}")
    require(machine.as_user("root", "getent", "passwd", "cyclometer-mqtt").returncode != 0, "the user cyclometer-mqtt is left")
    require(machine.main_process() == daemon, "the daemon was restarted")
