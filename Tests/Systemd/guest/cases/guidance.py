"""The package cyclometer-guide beside the recorder's: a route is followed, and the sandbox holds."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from cases.package import exposure, verify
from cases.position import Receiver
from cases.recorder import LOGBOOK
from cases.recorder import STATE as LOGBOOK_FOLDER
from cyclometer import Record, Subscriber
from machine import RUNTIME, STRANGER, Machine, status_of
from sandbox import probe, require_hidden
from waiting import now, require, wait_for

GUIDE, SOCKET = "cyclometer-guide.service", "cyclometer-guide.socket"
ADDRESS = RUNTIME / "guide.sock"
STATE = Path("/var/lib/cyclometer-guide")
MOST_EXPOSED = 1.3
NOT_ALLOWED = 8
# North along the way of the receiver, with a point every 185 m, and further than it comes.
ROUTE = [(47 + (22 + tenth / 10) / 60, 8 + 32 / 60) for tenth in range(41)]
METRES_PER_DEGREE = 111_195.0
# The receiver moves by 0.0033 minutes of latitude in a second.
RECEIVER_MPS = 0.0033 / 60 * METRES_PER_DEGREE
# A past ride along this way, and the part of it that is the segment, in metres from its start.
PAST_MPS, SEGMENT = 8.0, (240, 464)


def process(machine: Machine) -> int:
    return int(machine.property("MainPID", GUIDE))


def case_guide_installed(machine: Machine) -> None:
    """`apt install ./cyclometer-guide_*.deb` beside the running daemon and recorder: service and socket are enabled and active"""
    daemon, begun = machine.main_process(), now()
    machine.run("apt", "install", "-y", str((machine.packages / "this-guide.deb").resolve()), seconds=300)
    machine.measured("installed in", now() - begun, "s", 0)
    require(machine.main_process() == daemon, "the daemon was restarted")
    enabled = machine.systemctl("is-enabled", GUIDE, SOCKET).split()
    require(enabled == ["enabled", "enabled"], f"service and socket are {' and '.join(enabled)}")
    wait_for(lambda: machine.is_active(GUIDE), 20, "the guide to be active", every=0.2)
    require(machine.is_active(SOCKET), "its socket is not active")
    mode = machine.run("stat", "--format=%a %U:%G", str(ADDRESS)).strip()
    require(mode == "660 cyclometer-guide:cyclometer", f"guide.sock is {mode}")
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip().replace("-", "")
    environment = Path(f"/proc/{process(machine)}/environ").read_text().split("\0")
    require(f"CYCLOMETER_BOOT_ID={boot}" in environment, "the unit does not pass the boot id, without which no segment is resumed")
    status = status_of(process(machine))
    machine.figures.append(f"idle: resident {status['VmRSS']}, private {status['RssAnon']}")
    verify(machine)
    found = exposure(machine, GUIDE)
    machine.measured("exposure", found, "")
    require(found <= MOST_EXPOSED, f"exposure {found} is more than {MOST_EXPOSED}")


def case_started_by_its_socket(machine: Machine) -> None:
    """a client of guide.sock starts a guide that was stopped; a user outside the group is refused"""
    machine.systemctl("stop", GUIDE)
    require(not machine.is_active(GUIDE), "the guide was not stopped")
    begun = now()
    with Subscriber(ADDRESS) as client:
        status = client.ask("status")
    machine.measured("answered", now() - begun, "s after the first connection")
    require(machine.is_active(GUIDE) and "following" not in status, f"the guide answers {status}")
    done = machine.as_user(STRANGER, "cyclo", "route", "leave")
    require(done.returncode == NOT_ALLOWED, f"`cyclo route leave` of {STRANGER} ended with {done.returncode}: {done.stderr}")


def add_route(machine: Machine) -> int:
    """Adds the route of the receiver to the logbook. Returns its id."""
    points = "".join(f'<rtept lat="{latitude:.8f}" lon="{longitude:.8f}"/>' for latitude, longitude in ROUTE)
    file = Path("/tmp/north.gpx")
    file.write_text('<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">'
                    f"<rte><name>North</name>{points}</rte></gpx>")
    file.chmod(0o644)
    machine.cyclo("route", "add", str(file))
    file.unlink()
    with Subscriber(LOGBOOK) as recorder:
        return next(each["id"] for each in recorder.ask("routes")["routes"] if each["name"] == "North")


def on_route(guide: Subscriber, beyond: float, seconds: float = 90) -> tuple[float, Record]:
    """The first sample on the route that is further along it."""
    def fits(record: Record) -> bool:
        return record["class"] == "sample" and record.get("state") == "on_route" and record.get("distance_m", 0) > beyond

    return guide.wait(fits, seconds, f"a position on the route beyond {beyond:.0f} m")


def case_route_followed(machine: Machine) -> None:
    """the guide follows the route of a ride by gpsd's positions, is killed (SIGKILL), and comes back following"""
    machine.run("apt-get", "install", "-q", "-y", "--no-install-recommends", "gpsd", seconds=240)
    daemon = machine.main_process()
    with Receiver() as receiver:
        receiver.plug_in()
        machine.systemctl("reload", "cyclometerd")
        route = add_route(machine)
        machine.cyclo("route", "follow", str(route))
        with Subscriber(ADDRESS) as guide:
            guide.ask("subscribe", kinds=["route"])
            first = on_route(guide, 0)[1]
            require(first["route"] == route and first["name"] == "North" and first["cross_track_m"] < 30, f"the sample is {first}")
            last = on_route(guide, first["distance_m"] + 20)[1]
        killed, begun = process(machine), now()
        os.kill(killed, signal.SIGKILL)
        wait_for(lambda: process(machine) not in (0, killed), 30, "a new guide", every=0.2)
        with Subscriber(ADDRESS) as guide:
            guide.ask("subscribe", kinds=["route"])
            arrived, after = on_route(guide, last["distance_m"])
        machine.measured("on the route again", arrived - begun, "s after the kill")
        length = last["distance_m"] + last["distance_to_go_m"]
        require(abs(after["distance_m"] + after["distance_to_go_m"] - length) < 1, f"the route was {length} m long: {after}")
        machine.measured("ridden", after["distance_m"], f"of {length:.0f} m", 0)
    require(machine.main_process() == daemon, "the daemon was restarted")


def add_segment(machine: Machine) -> None:
    """Imports a past ride along the way of the receiver, at 8 m/s, and makes a segment of a part of it."""
    seconds = 120
    points = "".join(f'<trkpt lat="{ROUTE[0][0] + PAST_MPS * second / METRES_PER_DEGREE:.8f}" lon="{ROUTE[0][1]:.8f}">'
                     f"<time>2026-05-01T08:{second // 60:02d}:{second % 60:02d}Z</time></trkpt>" for second in range(seconds))
    file = Path("/tmp/past.gpx")
    file.write_text('<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">'
                    f"<trk><name>Past</name><trkseg>{points}</trkseg></trk></gpx>")
    file.chmod(0o644)
    machine.cyclo("logbook", "import", str(file))
    file.unlink()
    with Subscriber(LOGBOOK) as recorder:
        past = next(each["id"] for each in recorder.ask("list")["activities"] if each.get("name") == "Past")
    begin, end = (metres / PAST_MPS for metres in SEGMENT)
    # The position at the end of a part is not in it.
    machine.cyclo("segment", "add", str(past), f"0:{begin:02.0f}-0:{end + 1:02.0f}", "Straight")


def case_segment_ridden(machine: Machine) -> None:
    """a segment of a past ride is recognized; the guide is killed (SIGKILL) on it, goes on after its restart, and has the time"""
    daemon = machine.main_process()
    add_segment(machine)
    with Receiver() as receiver:
        receiver.plug_in()
        machine.systemctl("reload", "cyclometerd")
        with Subscriber(ADDRESS) as guide:
            wait_for(lambda: guide.ask("status").get("segments") == 1, 30, "the segment to be read", every=0.5)
            guide.ask("subscribe", kinds=["segment"])
            near = on_segment(guide, "approaching")
            require(near["name"] == "Straight" and min(near["start_bearing_deg"], 360 - near["start_bearing_deg"]) < 10, f"the sample is {near}")
            on_segment(guide, "on")
        killed, begun = process(machine), now()
        os.kill(killed, signal.SIGKILL)
        wait_for(lambda: process(machine) not in (0, killed), 30, "a new guide", every=0.2)
        with Subscriber(ADDRESS) as guide:
            guide.ask("subscribe", kinds=["segment"])
            again = on_segment(guide, "on")
            machine.measured("on the segment again", now() - begun, "s after the kill")
            require(again["time_s"] > 0, f"the sample is {again}")
            end = on_segment(guide, "finished")
    length = SEGMENT[1] - SEGMENT[0]
    machine.measured("time on the segment", end["time_s"], f"s, truth {length / RECEIVER_MPS:.1f} s")
    require(abs(end["time_s"] - length / RECEIVER_MPS) < 2, f"the time is wrong: {end}")
    require(abs(end["best_time_s"] - length / PAST_MPS) < 0.5, f"the past ride took {length / PAST_MPS} s: {end}")
    require(machine.main_process() == daemon, "the daemon was restarted")


def on_segment(guide: Subscriber, state: str) -> Record:
    """The next sample with this state."""
    return guide.wait(lambda record: record["class"] == "sample" and record.get("state") == state, 120, f"a segment that is {state}")[1]


# What the guide's sandbox should allow and refuse.
ATTEMPTS = r"""
could("connect metrics.sock", lambda: connect("/run/cyclometer/metrics.sock"))
could("connect logbook.sock", lambda: connect("/run/cyclometer/logbook.sock"))
could("connect control.sock", lambda: connect("/run/cyclometer/control.sock"))
could("connect gpsd", lambda: socket.create_connection(("127.0.0.1", 2947), 2))
could("open an internet socket", lambda: socket.socket(socket.AF_INET))
could("open a Bluetooth socket", lambda: socket.socket(31, socket.SOCK_RAW, 1))
could("list the daemon's state", lambda: os.listdir("/var/lib/cyclometer"))
could("list the exports", lambda: os.listdir("/var/lib/cyclometer-recorder/export"))
could("write to /etc", lambda: open("/etc/cyclometer/guide.conf", "a"))
could("write elsewhere in /var/lib", lambda: open("/var/lib/probe", "w"))
could("read a home", lambda: os.listdir(os.path.join("/home", "rider")))
could("write its own state", lambda: open("/var/lib/cyclometer-guide/probe", "w").close() or os.unlink("/var/lib/cyclometer-guide/probe"))
"""
MAY = {"CAN connect metrics.sock", "CAN connect logbook.sock", "CAN write its own state"}


def case_guide_confined(machine: Machine) -> None:
    """from inside the guide's unit control.sock, the network and other services' state cannot be reached, also after `cyclometer.socket` was restarted"""
    can, output = probe(machine, GUIDE, ATTEMPTS)
    require(can == MAY, f"the guide's unit can do other things than it should: {output}")
    before = process(machine)
    require_hidden(before, "control.sock")
    networks = {os.readlink(f"/proc/{each}/ns/net") for each in (before, "self")}
    require(len(networks) == 2, "the guide is in the machine's network")
    machine.systemctl("restart", "cyclometer.socket")
    wait_for(lambda: process(machine) not in (0, before) and machine.is_active(GUIDE), 30, "the guide to be started again", every=0.2)
    require_hidden(process(machine), "control.sock")
    machine.all_stream(60)
    with Subscriber(ADDRESS) as guide:
        wait_for(lambda: guide.ask("status")["connected"], 30, "the guide to be connected to the daemon", every=0.5)


def case_guide_purged(machine: Machine) -> None:
    """`apt purge` leaves nothing of the guide, and its routes stay in the logbook"""
    machine.run("apt", "purge", "-y", "cyclometer-guide", seconds=300)
    left = [str(each) for each in (STATE, Path("/etc/cyclometer/guide.conf"), ADDRESS) if each.exists()]
    require(not left, f"after the purge there is {' '.join(left)}")
    require(machine.as_user("root", "getent", "passwd", "cyclometer-guide").returncode != 0, "the user cyclometer-guide is left")
    require("North" in machine.cyclo("route", "list"), "the route is gone")


def case_recorder_purged(machine: Machine) -> None:
    """`apt purge` keeps the rides and says so; when they are deleted, nothing is left"""
    output = machine.run("sh", "-c", "apt purge -y cyclometer-recorder 2>&1", seconds=300)
    require("your rides are kept in" in output, f"apt printed {output}")
    require((LOGBOOK_FOLDER / "logbook.db").exists(), "the rides are gone")
    require(not LOGBOOK.exists(), "logbook.sock remains")
    # As the message tells, and as a purge without rides would do.
    machine.run("rm", "-r", str(LOGBOOK_FOLDER))
    machine.run("userdel", "cyclometer-recorder")
    left = machine.run("find", "/etc", "/usr", "/var/lib", "/run", "-name", "*cyclometer-*", "-not", "-path", "/var/lib/dpkg/*", "-not", "-path",
                       "/var/lib/apt/*", "-not", "-path", "/run/systemd/*", "-not", "-path", "/var/lib/systemd/*").split()
    own = [each for each in left if any(word in each for word in ("recorder", "export"))]
    require(not own, f"these files remain: {' '.join(own)}")
    users = [line.split(":")[0] for line in Path("/etc/passwd").read_text().splitlines()]
    require(not {"cyclometer-recorder", "cyclometer-export"} & set(users), f"the users are {users}")
