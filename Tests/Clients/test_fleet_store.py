"""Runs clients/mqtt/fleet_store.py between Debian's Mosquitto and InfluxDB: every record is stored
once, however often its batch arrives."""
import json
import re
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from pathlib import Path

from fake_server import repository
from fleet_services import INFLUXD, MOSQUITTO, Authority, InfluxDB, free_port, mosquitto, wait_until

PROGRAM = repository() / "clients/mqtt/fleet_store.py"
PAGE = repository() / "docs/fleet.md"
# Debian's Python has the library, and another one in PATH may not.
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
HAS_LIBRARY = subprocess.run([PYTHON, "-c", "import paho.mqtt.client"], stderr=subprocess.DEVNULL).returncode == 0
TOPIC = "cyclometer/v1/home/bike-7/log"
SECOND = 1_000_000_000
CLOCK = {"t": 81234.1, "time": "2026-11-22T15:00:02.417Z"}
AT_CLOCK = 1_795_359_602_417_000_000


def sample(seq, t, **members):
    return {"class": "sample", "sensor": "pedals", "kind": "power", "seq": seq, "t": t, "power_w": 200 + seq, **members}


def state(name):
    return {"class": "state", "sensor": "strap", "state": name, "since": "2026-11-22T15:00:02.417Z"}


def batch(number, *records, clock=CLOCK, boot="b6f1c2d0"):
    members = {"batch": number, "instance": "5e0c9d1d72f34cf0", "boot": boot, "clock": clock, "records": records}
    return json.dumps({name: value for name, value in members.items() if value is not None}, separators=(",", ":")).encode()


@unittest.skipUnless(Path(MOSQUITTO).exists() and Path(INFLUXD).exists() and HAS_LIBRARY, "mosquitto, influxdb or python3-paho-mqtt is not installed")
class FleetStore(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="fleet-store-")))
        for name in ("broker", "influx", "certificates"):
            (self.folder / name).mkdir()
        self.influx = InfluxDB(self.folder / "influx")
        self.addCleanup(self.influx.stop)
        self.influx.start()
        self.influx.query("CREATE DATABASE bikes")
        self.log = open(self.folder / "store.log", "wb")
        self.addCleanup(self.log.close)
        self.options, self.publish_options, self.program = [], [], None
        self.addCleanup(self.stop_program)

    def start_broker(self, lines="allow_anonymous true\n"):
        self.port = free_port()
        lines = f"listener {self.port} 127.0.0.1\nlog_type notice\nlog_type warning\nlog_type error\nlog_type subscribe\n{lines}"
        self.broker = mosquitto(self.folder / "broker", lines, self.port)
        self.addCleanup(self.broker.stop)
        self.broker.start()

    def start_program(self, *more):
        self.program = subprocess.Popen(
            [PYTHON, PROGRAM, "--port", str(self.port), "--influx", self.influx.url, *self.options, *more], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def start(self):
        """Everything, until the program is subscribed."""
        self.start_broker()
        self.start_program()
        self.wait_for_subscription()

    def wait_for_subscription(self):
        wait_until(lambda: "cyclometer/v1/home/+/log" in self.broker.log(), "the program subscribes")

    def stop_program(self):
        if self.program:
            self.program.kill()
            self.program.wait()

    def ended(self):
        """The exit status of the program."""
        return self.program.wait(30)

    def said(self):
        return (self.folder / "store.log").read_text()

    def publish(self, payload, topic=TOPIC):
        """Returns when the broker has it."""
        subprocess.run(["mosquitto_pub", "-h", "localhost", "-p", str(self.port), *self.publish_options, "-q", "1", "-t", topic, "-s"],
                       input=payload, check=True, capture_output=True, timeout=30)

    def rows(self, measurement, count):
        """All points, when there are so many of them, and the last message was stored."""
        self.publish(batch(9999, {"class": "event", "event": "end", "t": 81234.1, "n": (mark := time.monotonic_ns() // 1000)}, boot="end"))
        found = lambda: any(row["n"] == mark for row in self.influx.query('SELECT * FROM "end"'))
        wait_until(found, f"the last message is stored: {self.said()}")
        rows = self.influx.query(f'SELECT * FROM "{measurement}"')
        self.assertEqual(len(rows), count, rows)
        return rows

    def test_a_batch_that_arrives_again_is_stored_once_plain_and_compressed(self):
        self.start()
        twins = [sample(seq, 81234.1 + (seq - 90) // 2 / 4) for seq in range(90, 96)]
        payload = batch(812, *twins, state("stale"), state("streaming"))
        for again in (payload, payload, zlib.compress(payload), payload, zlib.compress(payload)):
            self.publish(again)
        rows = sorted(self.rows("power", 6), key=lambda row: row["seq"])
        self.assertEqual([row["power_w"] for row in rows], [290, 291, 292, 293, 294, 295])
        self.assertEqual({(row["receiver"], row["instance"], row["sensor"]) for row in rows}, {("bike-7", "5e0c9d1d72f34cf0", "pedals")})
        # Two samples of the same microsecond are two points.
        expected = [AT_CLOCK + (seq - 90) // 2 * SECOND // 4 + seq for seq in range(90, 96)]
        self.assertEqual([row["time"] for row in rows], expected)
        states = self.rows("state", 2)
        self.assertEqual({row["state"] for row in states}, {"stale", "streaming"})
        self.assertEqual({row["time"] // 1000 for row in states}, {(AT_CLOCK + SECOND // 2) // 1000})
        self.publish(payload.replace(b"5e0c", b"5e0d"))
        self.publish(payload, "cyclometer/v1/home/bike-8/log")
        self.rows("power", 18)

    def test_the_batch_of_the_page_is_stored(self):
        payload = re.search(r'^\{"batch":812.*\}$', PAGE.read_text(), re.M)[0]
        loss = re.search(r'^\{"batch":199.*\}$', PAGE.read_text(), re.M)[0]
        self.start()
        for each in (payload, loss, loss, payload):
            self.publish(each.encode())
        [power] = self.rows("power", 1)
        self.assertEqual((power["time"], power["power_w"]), (AT_CLOCK + 90, 213))
        [state] = self.rows("state", 1)
        self.assertEqual((state["time"] // 1000, state["sensor"], state["reason"]), (AT_CLOCK // 1000, "strap", "silent"))
        [loss] = self.rows("loss", 1)
        self.assertEqual((loss["records"], loss["batches"]), (9000, "[100, 199]"))
        self.assertEqual(loss["time"] // 1_000_000, 1_795_360_100_100, "its last record was measured then")

    def test_a_damaged_message_is_dropped_with_a_reason_and_the_next_one_is_stored(self):
        self.start()
        good = batch(1, sample(1, 81234.1))
        packed = zlib.compress(good)
        damaged = [good[:-1], good[:40], packed[:-1], packed[:20], packed[:10] + b"\0" + packed[11:], b"{}", b"[]", b"7", b"\xff\xfe",
                   b'{"batch":1,"records":[7]}', batch("x", sample(1, 1.0)), batch(1, sample(1, "now")),
                   batch(1, clock={"t": 1, "time": "yesterday"}), b"[" * 60_000, batch(1, {"seq": 1, "t": 1.0})]
        for payload in damaged:
            self.publish(payload)
        self.publish(batch(2, sample(2, 81235.1)))
        [row] = self.rows("power", 1)
        self.assertEqual(row["seq"], 2)
        lines = [line for line in self.said().splitlines() if line.startswith(f"{TOPIC}: dropped a message that is not a batch")]
        self.assertEqual(len(lines), len(damaged), self.said())

    def test_points_that_influxdb_refuses_are_reported_and_the_others_are_stored(self):
        self.start()
        self.publish(batch(1, sample(1, 81234.1)))
        self.publish(batch(2, sample(2, 81235.1, power_w="much"), sample(3, 81236.1)))
        self.publish(batch(3, sample(4, 1e300)))
        self.rows("power", 2)
        self.assertIn("field type conflict", self.said())
        self.assertEqual(self.said().count("InfluxDB: HTTP Error 400"), 2, self.said())

    def test_without_influxdb_it_ends_and_the_broker_keeps_the_batch(self):
        self.start()
        self.publish(batch(1, sample(1, 81234.1)))
        self.rows("power", 1)
        self.influx.stop()
        self.publish(batch(2, sample(2, 81235.1)))
        self.assertNotEqual(self.ended(), 0)
        self.assertIn("Connection refused", self.said())
        self.publish(batch(3, sample(3, 81236.1)))
        self.influx.start()
        self.start_program()
        self.rows("power", 3)

    def test_without_the_database_it_ends_with_what_influxdb_says(self):
        self.options = ["--database", "cars"]
        self.start()
        self.publish(batch(1, sample(1, 81234.1)))
        self.assertNotEqual(self.ended(), 0)
        self.assertIn("database not found", self.said())

    def test_batches_from_before_the_clock_was_set_are_dated_by_a_later_one_and_stored_once(self):
        self.start()
        early = [batch(1, state("searching"), sample(1, 81134.1), clock=None), batch(2, state("stale"), clock=None), batch(3, state("streaming"), clock=None)]
        for each in early:
            self.publish(each)
        self.publish(batch(1, sample(1, 20.0), clock=None, boot="another"))
        self.rows("power", 0)
        self.stop_program()
        self.start_program()
        self.publish(batch(4, sample(2, 81234.1)))
        self.rows("power", 2)
        # The clock is corrected meanwhile. The late copies have the times of the first ones.
        self.publish(batch(5, sample(3, 81244.1), clock={"t": 81244.1, "time": "2026-11-22T15:00:12.511Z"}))
        for each in early:
            self.publish(each)
        rows = self.rows("power", 3)
        self.assertEqual([row["time"] // 1_000_000 for row in rows], [AT_CLOCK // 1_000_000 + offset for offset in (-100_000, 0, 10_094)])
        self.assertEqual({row["state"] for row in self.rows("state", 3)}, {"searching", "stale", "streaming"})
        left = {each.name for each in (self.folder / "undated").glob("*/[0-9]*")}
        self.assertEqual(left, {"1"}, "only that of the other boot waits")

    def test_a_password_and_encryption_are_used_and_a_wrong_password_is_reported(self):
        authority = Authority(self.folder / "certificates")
        authority.issue("broker", "localhost")
        (self.folder / "password").write_text("right\n")
        (self.folder / "wrong").write_text("other\n")
        passwords = self.folder / "broker/passwords"
        subprocess.run(["mosquitto_passwd", "-c", "-b", passwords, "store", "right"], check=True, capture_output=True)
        self.start_broker(f"cafile {authority.path('ca.crt')}\ncertfile {authority.path('broker.crt')}\nkeyfile {authority.path('broker.key')}\n"
                          f"allow_anonymous false\npassword_file {passwords}\n")
        self.options = ["--ca", authority.path("ca.crt"), "--user", "store"]
        self.start_program("--password-file", "wrong")
        self.assertNotEqual(self.ended(), 0)
        self.assertIn("the broker refused the connection", self.said())
        self.start_program("--password-file", "password")
        self.wait_for_subscription()
        self.publish_options = ["--cafile", authority.path("ca.crt"), "-u", "store", "-P", "right"]
        self.publish(batch(1, sample(1, 81234.1)))
        self.rows("power", 1)


if __name__ == "__main__":
    unittest.main()
