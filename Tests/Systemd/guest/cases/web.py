"""The package cyclometer-web: a screen needs a link, and stays let in over a crash and an upgrade."""

from __future__ import annotations

import http.client
import json
import os
import signal
from pathlib import Path
from typing import Any

from cases.package import exposure, installed, verify
from machine import MEMBER, RUNTIME, SERVICE, STRANGER, Machine, basis, status_of
from outside import Browser
from sandbox import probe
from waiting import now, require, wait_for

WEB = "cyclometer-web.service"
SOCKETS = ["cyclometer-web.socket", "cyclometer-web-http.socket", "cyclometer-web-front.socket"]
LAN = "cyclometer-web-lan.socket"
STATE = Path("/var/lib/cyclometer-web")
MOST_EXPOSED = 1.5
NOT_ALLOWED = 8
PORT, LAN_PORT = 8080, 8081


class Screen:
    """A browser's requests, with the cookie that lets it in."""

    def __init__(self, host: str = "127.0.0.1", port: int = PORT) -> None:
        self.host, self.port, self.cookie = host, port, ""

    def ask(self, method: str, path: str, body: Any = None, seconds: float = 20) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=seconds)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), self.headers(body is not None))
            answer = connection.getresponse()
            for each in answer.headers.get_all("Set-Cookie", []):
                self.cookie = each.partition(";")[0]
            return answer.status, answer.read()
        finally:
            connection.close()

    def headers(self, writes: bool = False) -> dict[str, str]:
        own = {"Origin": f"http://{self.host}:{self.port}", "Content-Type": "application/json", "X-Cyclometer": "1"}
        return (own if writes else {}) | ({"Cookie": self.cookie} if self.cookie else {})

    def pair(self, link: str) -> int:
        return self.ask("POST", "/api/1/pair", {"code": link.partition("#")[2]})[0]

    def first_value(self, kind: str, seconds: float = 30) -> dict[str, Any]:
        """The first sample of this kind in the stream of events."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=seconds)
        end = now() + seconds
        try:
            connection.request("GET", "/events?hz=4", headers=self.headers())
            answer = connection.getresponse()
            require(answer.status == 200, f"/events answers {answer.status}")
            while now() < end:
                line = answer.readline().decode()
                require(line, "the stream ended")
                if not line.startswith("data:"):
                    continue
                for record in json.loads(line.removeprefix("data:")).get("records", []):
                    if record.get("class") == "sample" and record["kind"] == kind and record["sensor"] != "ride":
                        return record
        finally:
            connection.close()
        require(False, f"no sample of {kind} in {seconds} s")


def link(machine: Machine, *words: str) -> str:
    return json.loads(machine.cyclo("web", "link", "--json", *words))["url"]


def process(machine: Machine) -> int:
    return int(machine.property("MainPID", WEB))


PAIRED: dict[str, Screen] = {}
OUTSIDE: dict[str, Browser] = {}


@basis
def case_dashboard_installed(machine: Machine) -> None:
    """`apt install ./cyclometer-web_*.deb` beside the running daemon: service and sockets are enabled and active, the one for the network is not"""
    daemon, begun = machine.main_process(), now()
    machine.run("apt", "install", "-y", str((machine.packages / "this-web.deb").resolve()), seconds=300)
    machine.measured("installed in", now() - begun, "s", 0)
    require(machine.main_process() == daemon, "the daemon was restarted")
    wait_for(lambda: machine.is_active(WEB), 20, "the server to be active", every=0.2)
    enabled = machine.systemctl("is-enabled", WEB, *SOCKETS).split()
    require(enabled == ["enabled"] * 4, f"service and sockets are {enabled}")
    for each in SOCKETS:
        require(machine.is_active(each), f"{each} is not active")
    require(not machine.is_active(LAN), f"{LAN} is active, but no user enabled it")
    for name, wanted in (("web.sock", "660 cyclometer-web:cyclometer"), ("front.sock", "660 cyclometer-web:cyclometer-front")):
        mode = machine.run("stat", "--format=%a %U:%G", str(RUNTIME / name)).strip()
        require(mode == wanted, f"{name} is {mode}")
    status = status_of(process(machine))
    machine.figures.append(f"idle: resident {status['VmRSS']}, private {status['RssAnon']}")


def case_units_of_the_dashboard(machine: Machine) -> None:
    """`systemd-analyze verify` finds nothing, and the server's exposure is at most 1.5"""
    verify(machine)
    found = exposure(machine, WEB)
    machine.measured("exposure", found, "")
    require(found <= MOST_EXPOSED, f"exposure {found} is more than {MOST_EXPOSED}")


@basis
def case_let_in(machine: Machine) -> None:
    """the page opens on this computer, and shows nothing without a link; with one of `cyclo web link` it has the strap's value"""
    screen = Screen()
    for path in ("/", "/pair", "/rides"):
        status, page = screen.ask("GET", path)
        require(status == 200 and b"<html" in page, f"{path} answers {status}")
    for path in ("/events", "/api/1/now", "/api/1/activities"):
        status = screen.ask("GET", path)[0]
        require(status == 401, f"without a token {path} answers {status}")
    url = link(machine)
    require(screen.pair(url) == 200, "the link does not let a screen in")
    require(Screen().pair(url) in (403, 410), "the link lets a second screen in")
    sample = screen.first_value("heart_rate")
    require(sample["bpm"] > 0, f"the stream has {sample}")
    machine.figures.append(f"heart rate {sample['bpm']}")
    PAIRED["screen"] = screen


def case_dashboard_closed_to_strangers(machine: Machine) -> None:
    """a user outside the group can neither let a screen in nor read its secrets"""
    done = machine.as_user(STRANGER, "cyclo", "web", "link")
    require(done.returncode == NOT_ALLOWED, f"`cyclo web link` ended with {done.returncode}: {done.stderr}")
    machine.figures.append(f"printed: {done.stderr.strip().splitlines()[0]}")
    for user in (STRANGER, MEMBER):
        require(machine.as_user(user, "ls", str(STATE)).returncode != 0, f"{user} can list {STATE}")
    done = machine.as_user(MEMBER, "cyclo", "web", "phones")
    require(done.returncode == 0 and done.stdout.strip(), f"`cyclo web phones` of a member ended with {done.returncode}: {done.stderr}")


def case_server_killed(machine: Machine) -> None:
    """the server is killed (SIGKILL): it is restarted, and the screen is still let in"""
    require("screen" in PAIRED, "no screen was let in")
    killed, begun = process(machine), now()
    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: process(machine) not in (0, killed), 30, "a new server", every=0.2)
    PAIRED["screen"].first_value("heart_rate")
    machine.measured("values again", now() - begun, "s after the kill")


def case_network(machine: Machine) -> None:
    """`systemctl enable cyclometer-web-lan.socket` and a restart of the server open the port for the network"""
    screen = PAIRED["screen"]
    machine.systemctl("enable", LAN)
    machine.systemctl("restart", WEB)
    wait_for(lambda: machine.is_active(WEB) and machine.is_active(LAN), 20, "server and port", every=0.2)
    status, _ = Screen(port=LAN_PORT).ask("GET", "/pair")
    require(status == 200, f"port {LAN_PORT} answers {status}")
    other = Screen(port=LAN_PORT)
    other.cookie = screen.cookie
    require(other.first_value("heart_rate")["bpm"] > 0, "no value on the port for the network")
    machine.systemctl("disable", "--now", LAN)
    machine.systemctl("restart", WEB)
    screen.first_value("heart_rate")
    require(not machine.is_active(LAN), f"{LAN} is active again")


def outside(machine: Machine) -> Browser:
    """The browser outside, with the dashboard open. The first call lets it in over the network."""
    if "browser" not in OUTSIDE:
        browser = Browser(machine)
        machine.systemctl("enable", LAN)
        machine.systemctl("restart", WEB)
        wait_for(lambda: machine.is_active(WEB) and machine.is_active(LAN), 20, "server and port", every=0.2)
        browser.open(link(machine))
        OUTSIDE["browser"] = browser
    return OUTSIDE["browser"]


def straps(machine: Machine) -> list[str]:
    return [each["name"] for each in machine.sensors() if "heart_rate" in each["kinds"]]


def case_browser_outside(machine: Machine) -> None:
    """a browser on another machine opens the link, and shows the heart rate that the strap sends"""
    begun = now()
    browser = outside(machine)
    shown = browser.wait_for_state("heart_rate", {"live"}, 60)
    machine.measured("live", now() - begun, "s after the link")
    sent = {str(each["bpm"]) for each in (PAIRED["screen"].first_value("heart_rate") for _ in range(3))}
    wait_for(lambda: (shown := browser.widget("heart_rate"))["number"] in sent, 20, f"one of {sent} in the browser, which shows {shown}", every=0.2)
    machine.figures.append(f"shows {shown['number']}")


def case_strap_cut(machine: Machine) -> None:
    """the strap goes out of range: the browser outside shows its value as old and never as 0, and is live again when it is back"""
    browser = outside(machine)
    browser.wait_for_state("heart_rate", {"live"}, 60)
    begun = now()
    for name in straps(machine):
        machine.air.order("off", name)
        machine.air.drop(name)
    shown = browser.wait_for_state("heart_rate", {"stale", "lost", "searching"}, 60)
    machine.measured(shown["state"], now() - begun, "s after the cut")
    require(shown["number"] != "0", f"the browser shows {shown}")
    begun = now()
    for name in straps(machine):
        machine.air.order("on", name)
    browser.wait_for_state("heart_rate", {"live"}, 90)
    machine.measured("live", now() - begun, "s after it is back")


def case_page_without_recorder(machine: Machine) -> None:
    """without the recorder the browser outside says that the ride is not recorded, and its values are live"""
    browser = outside(machine)
    units = ["cyclometer-recorder.socket", "cyclometer-recorder.service"]
    running = machine.is_active(units[1])
    if running:
        machine.systemctl("stop", *units)
    machine.figures.append(browser.wait_for_line("not recorded", 30))
    browser.wait_for_state("heart_rate", {"live"}, 30)
    if running:
        machine.systemctl("start", *units)


def case_page_without_bluetooth(machine: Machine) -> None:
    """without bluetoothd the browser outside says that Bluetooth is missing, and is live when it is back"""
    browser = outside(machine)
    machine.systemctl("stop", "bluetooth.service")
    machine.figures.append(browser.wait_for_line("Bluetooth is", 30))
    machine.systemctl("start", "bluetooth.service")
    browser.wait_for_state("heart_rate", {"live"}, 90)


def case_page_without_daemon(machine: Machine) -> None:
    """without the daemon the browser outside says so, and is live when it is back"""
    browser = outside(machine)
    units = ["cyclometer.socket", SERVICE]
    # Masked, because a client that connects during the stop would start both again.
    machine.systemctl("mask", "--runtime", *units)
    machine.systemctl("stop", *units)
    browser.wait_for_notice("NO SENSOR SERVICE", 30)
    machine.systemctl("unmask", "--runtime", *units)
    machine.systemctl("reset-failed")
    machine.systemctl("start", *units)
    browser.wait_for_notice("", 60)
    browser.wait_for_state("heart_rate", {"live"}, 90)
    machine.systemctl("disable", "--now", LAN)
    machine.systemctl("restart", WEB)
    PAIRED["screen"].first_value("heart_rate")
    OUTSIDE.clear()


# What the server's sandbox should allow and refuse.
ATTEMPTS = r"""
could("connect metrics.sock", lambda: connect("/run/cyclometer/metrics.sock"))
could("connect control.sock", lambda: connect("/run/cyclometer/control.sock"))
could("connect gpsd", lambda: socket.create_connection(("127.0.0.1", 2947), 2))
could("send to the network", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)))
could("open a Bluetooth socket", lambda: socket.socket(31, socket.SOCK_RAW, 1))
could("open a packet socket", lambda: socket.socket(17, socket.SOCK_RAW, 0))
could("list the daemon's state", lambda: os.listdir("/var/lib/cyclometer"))
could("write to /etc", lambda: open("/etc/cyclometer/web.conf", "a"))
could("write elsewhere in /var/lib", lambda: open("/var/lib/probe", "w"))
could("read a home", lambda: os.listdir(os.path.join("/home", "rider")))
could("write its own state", lambda: open("/var/lib/cyclometer-web/probe", "w").close() or os.unlink("/var/lib/cyclometer-web/probe"))
"""
MAY = {"CAN connect metrics.sock", "CAN connect control.sock", "CAN write its own state"}


def case_server_confined(machine: Machine) -> None:
    """from inside the server's unit no address can be reached, and no state of other services"""
    can, output = probe(machine, WEB, ATTEMPTS)
    require(can == MAY, f"the server's unit can do other things than it should: {output}")


def case_dashboard_upgraded(machine: Machine) -> None:
    """an upgrade and a downgrade of the package: the screen is still let in"""
    for package, options in (("later-web.deb", ()), ("this-web.deb", ("--allow-downgrades",))):
        old = process(machine)
        machine.run("apt", "install", "-y", *options, str((machine.packages / package).resolve()), seconds=300)
        require(process(machine) != old and machine.is_active(WEB), "the server was not restarted")
        PAIRED["screen"].first_value("heart_rate")
        machine.figures.append(installed(machine)["cyclometer-web"])


def case_dashboard_purged(machine: Machine) -> None:
    """`apt purge` leaves nothing of the dashboard, and the daemon notices nothing"""
    daemon = machine.main_process()
    machine.run("apt", "purge", "-y", "cyclometer-web", seconds=300)
    left = [str(each) for each in (STATE, Path("/etc/cyclometer/web.conf"), RUNTIME / "web.sock", RUNTIME / "front.sock") if each.exists()]
    require(not left, f"after the purge there is {' '.join(left)}")
    for name in ("cyclometer-web", "cyclometer-front"):
        require(machine.as_user("root", "getent", "group", name).returncode != 0, f"the group {name} is left")
    require(machine.main_process() == daemon, "the daemon was restarted")
