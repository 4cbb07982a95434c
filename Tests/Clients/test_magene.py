"""The program of clients/magene publishes and refuses what the built-in plugin does, on all captures
of that radar."""
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from fake_server import FakeServer, repository
from test_plugins import HELLO, RealProgram, line
from test_real_daemon import TIMEOUT

EXAMPLE = repository() / "clients/magene"
CAPTURES = repository() / "Tests/Captures/MageneRadar"
HEADER = ("class", "sensor", "kind", "seq", "t", "time", "age_ms")
PROGRAM = [sys.executable, "-W", "error", str(EXAMPLE / "magene")]


def expected(capture):
    """Of the built-in plugin, by the time of the packet."""
    records = map(json.loads, capture.with_suffix(".expected").read_text().splitlines())
    return {each["t"]: each for each in records}


def radar(record):
    return {name: value for name, value in record.items() if name not in HEADER}


class Captures(unittest.TestCase):
    def setUp(self):
        os.environ["PYTHONPATH"] = str(repository() / "clients/python")
        self.addCleanup(os.environ.pop, "PYTHONPATH")

    def played(self, capture):
        """The answers to the packets of a capture, by their times. The daemon refuses empty ones itself."""
        answers = {}

        def script(peer):
            peer.send(HELLO)
            peer.lines.readline()
            peer.send(line("ready", id="magene_process", packets=["page"], unanswered=32, within_ms=250))
            peer.send(line("open", session=1, sensor="radar", name="L508", settings={}))
            for time, what in re.findall(r"^([\d.]+) magene (.*)$", capture.read_text(), re.MULTILINE):
                if what in ("connected", "disconnected"):
                    peer.send(line("link", session=1, state="up" if what == "connected" else "down"))
                elif what.startswith("notify") and not what.endswith("-"):
                    number = len(answers) + 1
                    peer.send(line("packet", session=1, packet=number, t=float(time), hex=what.split()[-1], **{"from": "page"}))
                    answers[float(time)] = json.loads(peer.lines.readline())
        with FakeServer(script) as server:
            ended = subprocess.run([*PROGRAM, server.path], capture_output=True, text=True, timeout=TIMEOUT)
        self.assertIn("the daemon closed the connection", ended.stderr)
        return answers

    def test_each_packet_gives_what_the_built_in_plugin_gives(self):
        captures = sorted(CAPTURES.glob("*.capture"))
        self.assertGreaterEqual(len(captures), 4)
        for capture in captures:
            wanted = expected(capture)
            for time, answer in self.played(capture).items():
                with self.subTest(capture.name, t=time):
                    record = wanted.pop(time, None)
                    if record is None:
                        self.assertEqual(answer["records"], [])
                    elif record["class"] == "refused":
                        self.assertEqual((answer["refused"], answer["at"]), (record["error"], record["offset"]))
                    else:
                        self.assertEqual(answer["records"], [{"sample": "radar", **radar(record)}])
            self.assertFalse([each for each in wanted.values() if each.get("error") != "empty"])

    def test_the_daemon_publishes_the_same(self):
        capture = CAPTURES / "l508-connect.capture"
        samples = [radar(each) for each in expected(capture).values()]
        records = RealProgram(self, PROGRAM, EXAMPLE / "magene.sensor", capture.read_text())
        came = []
        while len(came) < len(samples):
            came.append(records.until(lambda each: each.get("kind") == "radar" and "source" not in each)[-1])
        self.assertEqual([radar(each) for each in came], samples)


if __name__ == "__main__":
    unittest.main()
