"""Runs what docs/fleet.md shows: its commands, its configurations of Mosquitto and of the bridge, with
the right users and with wrong ones.

Above each block that is not JSON, a comment says what the block is:
  file PATH            a file; a later block replaces it
  file PATH alone      a file that is used without the others of its folder
  add to PATH          more of a file
  run                  commands, which succeed
  not run: WHY

/etc is a folder of the test, broker.example is this computer, and ports are free ones. sudo, chown and
mosquitto_passwd are stand-ins: nothing needs root or a terminal."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from fake_server import daemon_program, repository
from fleet_services import MOSQUITTO, Service, free_port, mosquitto, wait_until

PAGE = repository() / "docs/fleet.md"
UNIT = repository() / "systemd/mqtt/cyclometer-mqtt.service"
BLOCK = re.compile(r"^(?:<!-- ([^\n]+) -->\n)?```(\w*)\n(.*?)^```$", re.M | re.S)
PORTS = "8883", "8884", "8885", "8886"
GROUP = "cyclometer/v1/studio-7/"
SUDO = """#!/bin/sh
[ "$1" = chown ] || exec "$@"
"""
PASSWD = """#!/bin/sh
for user; do :; done
exec /usr/bin/mosquitto_passwd -b "$@" "secret-of-$user"
"""


class Bridge:
    """A daemon and a bridge, with the page's mqtt.conf."""

    def __init__(self, folder, configuration):
        self.folder, programs = folder, Path(daemon_program()).parent
        folder.mkdir()
        run = folder / "run"
        common = ["--runtime-dir", run, "--state-dir"]
        self.services = [
            Service(folder, None, programs / "cyclometerd", "--simulate", "bike", *common, folder / "daemon"),
            Service(folder, None, programs / "cyclometer-mqtt", "--config", configuration, "--socket", run / "control.sock", *common, folder / "bridge"),
        ]
        self.cyclo = programs / "cyclo"

    def start(self):
        for service, socket in zip(self.services, ("control.sock", "mqtt.sock")):
            service.start_until((self.folder / "run" / socket).exists)

    def stop(self):
        for service in reversed(self.services):
            service.stop()

    def status(self):
        words = [self.cyclo, "--socket", self.folder / "run/control.sock", "--json", "fleet", "status"]
        done = subprocess.run(words, capture_output=True, text=True)
        # The bridge does not answer while it starts.
        return json.loads(done.stdout) if done.returncode == 0 else {"broker": {"state": done.stderr}}

    def wait_for(self, state, reason=None):
        return wait_until(lambda: (found := self.status()["broker"])["state"] == state and found.get("reason") == reason and found,
                          f"the bridge is {state}: {self.status()}")


@unittest.skipUnless(Path(MOSQUITTO).exists(), "mosquitto is not installed")
class FleetPage(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="fleet-page-")))
        self.ports = {port: str(free_port()) for port in PORTS}
        for name in ("etc/mosquitto/conf.d", "etc/mosquitto/certs", "etc/cyclometer/mqtt", "programs", "broker"):
            (self.folder / name).mkdir(parents=True)
        for name, text in ("sudo", SUDO), ("mosquitto_passwd", PASSWD):
            (self.folder / "programs" / name).write_text(text)
            (self.folder / "programs" / name).chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{self.folder}/programs:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        self.blocks = list(BLOCK.finditer(PAGE.read_text()))

    # The page

    def here(self, text):
        """The page's text with the names of this computer."""
        for page, here in self.ports.items():
            text = re.sub(rf"\b{page}\b", here, text)
        return text.replace("/etc/", f"{self.folder}/etc/").replace("broker.example", "localhost")

    def path(self, name):
        return self.folder / name.lstrip("/")

    def content(self, what, number=0):
        """Of the block with this comment, or of the one after it."""
        return [self.here(block[3]) for block in self.blocks if block[1] == what][number]

    def run_commands(self, text, fails=False):
        done = subprocess.run(["bash", "-euc", text], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode != 0, fails, f"{text}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def prepare(self, *more):
        """Certificates, users, and the files of the broker; then those of the blocks `more`."""
        commands = [self.here(block[3]) for block in self.blocks if block[1] == "run"]
        for text in commands:
            if "mosquitto_sub" not in text:
                self.run_commands(text)
        for block in self.blocks:
            what = block[1] or ""
            if (found := re.fullmatch(r"file (/etc/mosquitto/\S+)", what)) or what in more and (found := re.fullmatch(r"add to (\S+)", what)):
                with self.path(found[1]).open("a" if what.startswith("add") else "w") as file:
                    file.write(self.here(block[3]))

    def start_broker(self, lines=None):
        """With Debian's own configuration, which includes the files of conf.d, or with these lines."""
        (self.folder / "broker/data").mkdir()
        lines = lines or f"persistence true\npersistence_location {self.folder}/broker/data/\ninclude_dir {self.path('/etc/mosquitto/conf.d')}\n"
        port = int(self.ports["8883" if "include_dir" in lines else "8885"])
        self.broker = mosquitto(self.folder / "broker", lines, port)
        self.addCleanup(self.broker.stop)
        self.broker.start()

    def start_bridge(self, number, more=""):
        """With the first or the second mqtt.conf of the page."""
        file = self.path("/etc/cyclometer/mqtt.conf")
        file.write_text(self.content("file /etc/cyclometer/mqtt.conf", number) + more)
        secrets = self.path("/etc/cyclometer/mqtt")
        for name in ("ca.crt", "bike-8.crt", "bike-8.key"):
            (secrets / name).write_bytes(self.path(f"/etc/mosquitto/certs/{name}").read_bytes())
            (secrets / name).chmod(0o640)
        if not (secrets / "password").exists():
            self.set_password("secret-of-bike-7")
        bridge = Bridge(self.folder / "bike", file)
        self.addCleanup(bridge.stop)
        bridge.start()
        return bridge

    def set_password(self, text):
        file = self.path("/etc/cyclometer/mqtt/password")
        file.write_text(text + "\n")
        file.chmod(0o640)

    # Clients of the broker

    def client(self, program, user, *words, port="8883", password=None, authority=None):
        authority = authority or self.path("/etc/mosquitto/certs/ca.crt")
        command = [program, "-h", "localhost", "-p", self.ports[port], "--cafile", authority, "-u", user, "-P", password or f"secret-of-{user}", *words]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def read(self, user, topic, seconds=20, count=1, **options):
        """Topics and payloads; fewer if no more come in time."""
        done = self.client("mosquitto_sub", user, "-t", topic, "-q", "1", "-C", str(count), "-W", str(seconds), "-F", "%t %p", **options)
        return [line.split(" ", 1) for line in done.stdout.splitlines()]

    def publish(self, user, topic, payload="{}", **options):
        done = self.client("mosquitto_pub", user, "-t", topic, "-q", "1", "-r", "-m", payload, **options)
        self.assertEqual(done.returncode, 0, done.stderr)

    def assert_refused(self, done, words):
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(words, done.stdout + done.stderr)

    # Tests

    def test_every_block_has_a_comment_that_a_test_knows(self):
        for block in self.blocks:
            if block[2] == "json":
                self.assertIsNone(block[1])
                for line in block[3].splitlines():
                    json.loads(line)
            else:
                self.assertRegex(block[1] or f"no comment above {block[0]}", r"^(file /etc/\S+( alone)?|add to /etc/\S+|run|not run: .+)$")

    def test_the_bridge_connects_with_its_password_and_the_wall_reads_it(self):
        self.prepare()
        self.start_broker()
        bridge = self.start_bridge(0)
        bridge.wait_for("connected")
        [[topic, payload]] = self.read("wall-of-studio-7", f"{GROUP}+/status")
        self.assertEqual((topic, json.loads(payload)["state"]), (f"{GROUP}bike-7/status", "online"))
        self.assertEqual(self.read("wall-of-studio-7", f"{GROUP}bike-7/now/#", 3), [], "it is not wanted")
        self.publish("wall-of-studio-7", f"{GROUP}bike-7/want", json.dumps({"until": "2099-01-01T00:00:00Z"}))
        [[topic, payload], *_] = self.read("wall-of-studio-7", f"{GROUP}bike-7/now/#", count=3)
        self.assertIn("instance", json.loads(payload))
        [[topic, payload]] = self.read("wall-of-studio-7", f"{GROUP}+/log")
        self.assertGreater(len(json.loads(payload)["records"]), 10)
        command = next(self.here(block[3]) for block in self.blocks if block[1] == "run" and "mosquitto_sub" in block[3])
        # Its time is over, which is not a success.
        shown = self.run_commands(command.replace("PASSWORD", "secret-of-wall-of-studio-7"), fails=True)
        self.assertIn(f"{GROUP}bike-7/status", shown)
        self.set_password("wrong")
        for service in bridge.services[1:]:
            service.stop()
            service.start_until(lambda: True)
        self.assertIn("PasswordFile=", bridge.wait_for("waiting", "denied")["message"])

    def test_wrong_users_and_topics_are_refused(self):
        self.prepare()
        self.start_broker()
        sub = ["-t", f"{GROUP}#", "-W", "3"]
        self.assert_refused(self.client("mosquitto_sub", "bike-7", *sub, password="wrong"), "not authorised")
        self.assert_refused(self.client("mosquitto_sub", "stranger", *sub), "not authorised")
        other = self.folder / "other.crt"
        self.run_commands(f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=other -keyout /dev/null -out {other}")
        self.assertNotEqual(self.client("mosquitto_sub", "bike-7", *sub, authority=other).returncode, 0)
        plain = subprocess.run(["mosquitto_sub", "-h", "localhost", "-p", self.ports["8883"], "-u", "bike-7", "-P", "secret-of-bike-7", *sub],
                               capture_output=True, timeout=60)
        self.assertNotEqual(plain.returncode, 0)
        # Each of these but the last of a topic is discarded.
        for user, topic in (("bike-7", "bike-8/log"), ("bike-8", "bike-7/status"), ("wall-of-studio-7", "bike-7/status"), ("wall-of-studio-7", "bike-7/do"),
                            ("bike-7", "bike-7/status"), ("bike-8", "bike-8/log"), ("wall-of-studio-7", "bike-7/want")):
            self.publish(user, GROUP + topic, user)
        kept = self.read("wall-of-studio-7", f"{GROUP}#", 3, 9)
        self.assertEqual(sorted(map(tuple, kept)), [(f"{GROUP}bike-7/status", "bike-7"), (f"{GROUP}bike-7/want", "wall-of-studio-7"),
                                                    (f"{GROUP}bike-8/log", "bike-8")])
        self.assertEqual(self.read("bike-7", f"{GROUP}+/log", 3), [], "a bike does not read the records of others")
        self.assertEqual(self.read("bike-8", f"{GROUP}bike-7/want", 3), [], "nor what others want of them")
        self.assertEqual(self.read("bike-7", f"{GROUP}bike-7/want", 3), [[f"{GROUP}bike-7/want", "wall-of-studio-7"]])

    def test_a_bridge_with_a_certificate_is_the_user_in_it(self):
        self.prepare()
        self.start_broker()
        bridge = self.start_bridge(1)
        bridge.wait_for("connected")
        [[topic, payload]] = self.read("wall-of-studio-7", f"{GROUP}+/status")
        self.assertEqual((topic, json.loads(payload)["state"]), (f"{GROUP}bike-8/status", "online"))
        self.assert_refused(self.client("mosquitto_sub", "wall-of-studio-7", "-t", "#", "-W", "3", port="8884"), "")

    def test_home_assistant_reads_its_messages_and_says_that_it_has_started(self):
        self.prepare("add to /etc/mosquitto/acl")
        self.start_broker()
        bridge = self.start_bridge(0, self.content("add to /etc/cyclometer/mqtt.conf"))
        bridge.wait_for("connected")
        messages = self.read("home-assistant", "homeassistant/device/#", count=3)
        self.assertEqual(len(messages), 3)
        for topic, payload in messages:
            self.assertTrue(topic.startswith("homeassistant/device/bike-7/cyclometer"), topic)
            self.assertTrue(json.loads(payload)["cmps"])
        self.assertTrue(self.read("home-assistant", f"{GROUP}bike-7/now/#"), "its values are live")
        self.publish("home-assistant", "homeassistant/status", "online")
        self.assertEqual(self.read("bike-7", "homeassistant/status"), [["homeassistant/status", "online"]])
        self.publish("home-assistant", f"{GROUP}bike-7/want", "it")
        self.publish("bike-8", "homeassistant/device/bike-7/x/config", "foreign")
        self.assertEqual(self.read("wall-of-studio-7", f"{GROUP}bike-7/want", 3), [])
        self.assertEqual(self.read("home-assistant", "homeassistant/device/bike-7/x/config", 3), [])

    def test_the_broker_keeps_more_than_its_default_for_a_store_that_is_away(self):
        self.prepare()
        self.start_broker()
        store = ["-i", "store", "-c", "-q", "1", "-t", f"{GROUP}+/log"]
        self.client("mosquitto_sub", "wall-of-studio-7", *store, "-W", "2")
        count = 1_500
        words = ["mosquitto_pub", "-h", "localhost", "-p", self.ports["8883"], "--cafile", self.path("/etc/mosquitto/certs/ca.crt"), "-u", "bike-7", "-P",
                 "secret-of-bike-7", "-q", "1", "-t", f"{GROUP}bike-7/log", "-l"]
        subprocess.run(words, input="".join(f"{number}\n" for number in range(count)), text=True, check=True, timeout=60)
        came = self.client("mosquitto_sub", "wall-of-studio-7", *store, "-C", str(count), "-W", "30").stdout.split()
        self.assertEqual(came, [str(number) for number in range(count)])

    def start_tenants(self, change=lambda text: text):
        self.prepare()
        rights = change(self.path("/etc/mosquitto/studio-7.acl").read_text())
        for studio in ("studio-7", "studio-8"):
            self.path(f"/etc/mosquitto/{studio}.acl").write_text(rights.replace("studio-7", studio))
            file = self.path(f"/etc/mosquitto/{studio}.passwd")
            self.run_commands(f"mosquitto_passwd -c {file} wall && mosquitto_passwd {file} bike-1")
        self.start_broker(change(self.content("file /etc/mosquitto/conf.d/tenants.conf alone")))

    def test_tenants_do_not_see_each_other(self):
        self.start_tenants()
        for port, group in (("8885", "studio-7"), ("8886", "studio-8")):
            topic = f"cyclometer/v1/{group}/bike-1/status"
            self.publish("bike-1", topic, group, port=port)
            self.assertEqual(self.read("wall", "cyclometer/v1/#", 3, 9, port=port), [[topic, group]])
        # One studio cannot use the name of the other.
        self.publish("bike-1", "cyclometer/v1/studio-7/bike-1/status", "foreign", port="8886")
        self.publish("wall", "cyclometer/v1/studio-7/bike-1/want", "foreign", port="8886")
        for topic in ("#", "cyclometer/v1/studio-7/#", "+/+/+/bike-1/#"):
            found = [payload for _, payload in self.read("wall", topic, 2, 9, port="8886")]
            self.assertNotIn("studio-7", found, topic)
        self.assertEqual(self.read("wall", "#", 3, 9, port="8885"), [["cyclometer/v1/studio-7/bike-1/status", "studio-7"]])

    def test_a_mount_point_separates_tenants_and_before_2_0_12_it_stays_in_the_topic(self):
        def mounted(text):
            text = re.sub(r"^(listener .*\n)((?:.*\n)*?password_file \S+/(studio-\d)\.passwd)", r"\1mount_point \3/\n\2", text, flags=re.M)
            return text.replace(" cyclometer/v1/studio-7/", " studio-7/cyclometer/v1/studio-7/")

        self.start_tenants(mounted)
        version = subprocess.run([MOSQUITTO, "-h"], capture_output=True, text=True).stdout
        numbers = tuple(map(int, re.search(r"version (\d+)\.(\d+)\.(\d+)", version).groups()))
        prefix = "" if numbers >= (2, 0, 12) else "studio-7/"
        topic = "cyclometer/v1/studio-7/bike-1/status"
        self.publish("bike-1", topic, "studio-7", port="8885")
        self.assertEqual(self.read("wall", "#", 3, 9, port="8885"), [[prefix + topic, "studio-7"]])
        for foreign in ("#", topic, f"studio-7/{topic}"):
            self.assertEqual(self.read("wall", foreign, 2, 9, port="8886"), [], foreign)

    def test_the_drop_in_shows_control_sock_and_nothing_else(self):
        def shown(text):
            return set(" ".join(re.findall(r"^Bind(?:ReadOnly)?Paths=(.*)$", text, re.M)).split())

        drop_in = self.content("file /etc/systemd/system/cyclometer-mqtt.service.d/control.conf")
        self.assertEqual(shown(UNIT.read_text()), {"-/run/cyclometer/metrics.sock", "/var/lib/cyclometer-mqtt"})
        self.assertEqual(shown(drop_in), {"/run/cyclometer/control.sock"})
        self.assertEqual([line for line in drop_in.splitlines() if "=" in line], ["BindReadOnlyPaths=/run/cyclometer/control.sock"])


if __name__ == "__main__":
    unittest.main()
