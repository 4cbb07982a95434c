"""Runs the plugin helpers for Python, C and Swift: the same decoder in each language, with the real
daemon and with one whose every line the test controls."""
import json
import os
import queue
import re
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
from functools import reduce
from operator import xor
from pathlib import Path

from fake_server import FakeServer, daemon_program, repository
from probes import SANITIZED, STRICT
from test_real_daemon import Daemon, TIMEOUT

CLIENTS = repository() / "clients"
folder = tempfile.TemporaryDirectory(prefix="cyclometer-plugins-")
PROGRAMS = {}


def compiled(name, source):
    program = str(Path(folder.name) / name)
    subprocess.run(["gcc", *STRICT, *SANITIZED, "-o", program, source], check=True)
    return [program]


def setUpModule():
    PROGRAMS["python"] = [sys.executable, "-W", "error", str(CLIENTS / "python/example_plugin.py")]
    PROGRAMS["c"] = compiled("example_plugin", CLIENTS / "c/example_plugin.c")
    swift = Path(daemon_program()).parent / "decode-bottle"
    if swift.exists():
        PROGRAMS["swift"] = [str(swift)]
    else:
        print("the plugin helper for Swift is not tested: decode-bottle is not built", file=sys.stderr)


def frame(flags, level, temperature, tens):
    body = struct.pack("<BHhH", flags, level, temperature, tens)
    return body + bytes([reduce(xor, body)])


# Of the bottle: what arrives, and what is published of it.
PACKETS = [
    (frame(2, 1000, -50, 65530), {"level_ml": 1000, "temperature_c": -5, "lid_open": False, "drunk_ml": 0}),
    (frame(0, 999, 215, 65535), {"level_ml": 999, "lid_open": False, "drunk_ml": 50}),
    (b"\x02\xe8\x03", None),                                # too short
    (frame(3, 0xFFFF, 123, 4), {"temperature_c": 12.3, "lid_open": True, "drunk_ml": 100}),
    (frame(3, 900, 123, 4)[:7] + b"\x00", None),            # a wrong check
    (frame(2, 0, 32767, 5), {"level_ml": 0, "temperature_c": 3276.7, "lid_open": False, "drunk_ml": 110}),
]


class RealProgram:
    """A program that decodes for the real daemon, which plays a capture with its sensor."""

    def __init__(self, test, program, file, capture):
        self.daemon = Daemon()
        test.addCleanup(self.daemon.folder.cleanup)
        sensors = Path(self.daemon.folder.name) / "sensors"
        sensors.mkdir()
        (sensors / file.name).write_text(file.read_text())
        self.daemon.scene = [self.daemon.file("scene.capture", capture), "--sensors", str(sensors)]
        self.daemon.start()
        test.addCleanup(self.daemon.kill)
        self.socket = socket.socket(socket.AF_UNIX)
        test.addCleanup(self.socket.close)
        self.socket.settimeout(TIMEOUT)
        self.socket.connect(self.daemon.path)
        self.lines = self.socket.makefile("rw")
        test.addCleanup(self.lines.close)
        self.ask(1, "subscribe", {})
        self.program = subprocess.Popen([*program, str(Path(self.daemon.path).with_name("plugin.sock"))],
                                        stderr=subprocess.PIPE, text=True)
        test.addCleanup(self.end)

    def ask(self, number, method, params):
        self.lines.write(json.dumps({"id": number, "method": method, "params": params}) + "\n")
        self.lines.flush()

    def until(self, wanted):
        """The records up to the one that is wanted."""
        records = []
        for line in self.lines:
            records.append(json.loads(line))
            if wanted(records[-1]):
                return records
        raise AssertionError(f"the daemon went away after {records}")

    def end(self):
        self.program.kill()
        self.program.wait()
        self.program.stderr.close()


class RealDaemon(unittest.TestCase):
    def test_three_languages_publish_the_same(self):
        packets = [f"{1 + number / 10:.3f} bottle notify fff1 {value.hex()}" for number, (value, _) in enumerate(PACKETS)]
        capture = "\n".join(["#cyclometer-capture 1", "device bottle address=A0:9E:1A:00:00:02 name=HB-0001 services=fff0",
                             "0.0 bottle connected", *packets, ""])
        for language, program in PROGRAMS.items():
            with self.subTest(language):
                self.check(RealProgram(self, program, CLIENTS / "bottle.sensor", capture))

    def check(self, records):
        came = records.until(lambda each: each.get("lid_open") is False and each.get("drunk_ml") == 110)
        came += records.until(lambda each: each.get("event") == "lid" and not each["is_open"])
        header = ("class", "sensor", "kind", "seq", "t", "time", "age_ms")
        samples = [{name: value for name, value in each.items() if name not in header}
                   for each in came if each["class"] == "sample" and each["kind"] == "drink"]
        self.assertEqual(samples, [expected for _, expected in PACKETS if expected is not None])
        self.assertEqual([each["is_open"] for each in came if each.get("event") == "lid"], [True, False])
        sensor = next(each["sensor"] for each in came if each.get("kind") == "drink")
        records.ask(2, "command", {"sensor": sensor, "name": "light", "params": {"value": 1}})
        done = records.until(lambda each: each.get("id") == 2)[-1]
        self.assertEqual(done["class"], "reply", done)
        self.assertIsNone(records.program.poll())
        records.daemon.kill()
        self.assertEqual(records.program.wait(TIMEOUT), 1)
        self.assertIn("closed the connection", records.program.stderr.read())


def line(name, /, **members):
    return json.dumps({"class": name, **members}) + "\n"


HELLO = line("hello", plugin="1.0", release="1", instance="i", limits={"line": 65536, "unanswered": 64})
READY = line("ready", id="bottle_process", packets=["level"], unanswered=32, within_ms=250)
OPEN = line("open", session=3, sensor="hb", name="HB-0001", settings={"circumference_mm": 2100}, quirks=["q"])
UP, DOWN = line("link", session=3, state="up"), line("link", session=3, state="down")


def packet(number, value, session=3):
    return line("packet", session=session, packet=number, t=1.5, **{"from": "level"}, hex=value.hex())


class Conversation(unittest.TestCase):
    """A program and a daemon whose every line the test controls."""

    def converse(self, program, script):
        """What `script` returns, the exit status, and what the program printed."""
        results = queue.Queue()
        with FakeServer(lambda peer: results.put(script(peer))) as server:
            ended = subprocess.run([*program, server.path], capture_output=True, text=True, timeout=TIMEOUT)
            # A program can end before its script does.
            return results.get(timeout=TIMEOUT), ended.returncode, ended.stderr

    def each(self, script):
        for language, program in PROGRAMS.items():
            with self.subTest(language):
                yield self.converse(program, script)

    @staticmethod
    def answers(peer, count):
        return [json.loads(peer.lines.readline()) for _ in range(count)]

    @staticmethod
    def begin(peer):
        peer.send(HELLO)
        registered = json.loads(peer.lines.readline())
        peer.send(READY + OPEN + UP)
        return registered

class FakeDaemon(Conversation):
    """What a program sends and how it ends, in every language."""

    def test_answers(self):
        def script(peer):
            registered = self.begin(peer)
            # In two pieces, and with a class and members of a later daemon.
            text = packet(1, PACKETS[0][0]) + line("weather", sky="blue") + packet(2, b"\x01\x02") + line(
                "settings", session=3, settings={}, later=1)
            peer.send(text[:40])
            peer.send(text[40:])
            peer.send(line("tick", session=3, tick=1, t=2.5) + line("command", session=3, command=1, name="light", value=1))
            answers = self.answers(peer, 5)
            peer.send(DOWN + line("command", session=3, command=2, name="light", value=0))
            return [registered, *answers, *self.answers(peer, 1)]
        for said, status, printed in self.each(script):
            write = {"service": "fff0", "characteristic": "fff2"}
            self.assertEqual(said, [
                {"class": "register", "id": "bottle_process", "plugin": "1.0"},
                {"class": "done", "packet": 1, "records": [{"sample": "drink", **PACKETS[0][1]}], "tick_ms": 20000},
                {"class": "done", "packet": 2, "refused": "bad_length", "at": 2},
                {"class": "said", "tick": 1, "answers": [], "writes": [{**write, "hex": "00"}], "tick_ms": 20000},
                {"class": "log", "text": "HB-0001: light 1"},
                {"class": "said", "command": 1, "answers": [{"answer": {"light": "on"}}], "writes": [{**write, "hex": "0101"}]},
                {"class": "said", "command": 2, "error": "the bottle is not connected"}])
            self.assertEqual(status, 1)
            self.assertIn("the daemon closed the connection", printed)

    def test_a_closed_session_is_forgotten(self):
        def script(peer):
            self.begin(peer)
            peer.send(packet(1, PACKETS[0][0]) + line("close", session=3) + OPEN.replace("3", "4") + packet(2, PACKETS[1][0], 4))
            return self.answers(peer, 2)
        for said, _, _ in self.each(script):
            self.assertEqual(said[1]["records"], [{"sample": "drink", **PACKETS[1][1], "drunk_ml": 0}])

    def test_the_reason_of_the_daemon_is_printed(self):
        for said, status, printed in self.each(
                lambda peer: [self.begin(peer), peer.send(line("error", code="busy", message="another program decodes"))]):
            self.assertEqual(status, 1)
            self.assertIn("the daemon disconnected the program: busy: another program decodes\n", printed)

    def test_lines_that_are_not_of_the_protocol_end_it(self):
        for text, reason in (
                ("{nonsense}\n", "not JSON"), ("\xff\n".encode("latin-1"), "not JSON"), ("[1]\n", "not an object with a class"),
                ('{"session":3}\n', "not an object with a class"), (packet(1, b"", 9), "session"),
                (packet(1, b"\x01").replace('"01"', '"0g"'), "hex"), (line("link", session="x", state="up"), "session"),
                (line("tick", session=3, t=1.5), "tick"), ("[" * 70000 + "\n", "")):
            for _, status, printed in self.each(lambda peer: [self.begin(peer), peer.send(text)]):
                with self.subTest(text[:40]):
                    self.assertEqual(status, 1, printed)
                    self.assertIn(reason, printed)
                    self.assertEqual(len(printed.splitlines()), 1, printed)

    def test_another_version_is_refused(self):
        for _, status, printed in self.each(lambda peer: peer.send(HELLO.replace("1.0", "2.0"))):
            self.assertEqual(status, 1)
            self.assertIn("version", printed)

    def test_without_a_daemon_the_path_is_named(self):
        for language, program in PROGRAMS.items():
            with self.subTest(language):
                ended = subprocess.run([*program, "/nonexistent/plugin.sock"], capture_output=True, text=True, timeout=TIMEOUT)
                self.assertEqual(ended.returncode, 1)
                self.assertIn("cannot connect to /nonexistent/plugin.sock: No such file or directory\n", ended.stderr)


class Page(Conversation):
    def test_the_program_in_the_documentation_runs(self):
        page = (repository() / "docs/sensor-processes.md").read_text()
        program = Path(folder.name) / "page.py"
        program.write_text(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1])
        os.environ["PYTHONPATH"] = str(CLIENTS / "python")
        self.addCleanup(os.environ.pop, "PYTHONPATH")

        def script(peer):
            self.begin(peer)
            peer.send("".join(packet(number + 1, value) for number, value in enumerate([PACKETS[0][0], PACKETS[0][0], b"\x01"])))
            return self.answers(peer, 3)
        said, _, _ = self.converse([sys.executable, str(program)], script)
        self.assertEqual(said, [
            {"class": "done", "packet": 1, "records": [{"sample": "drink", "level_ml": 1000, "temperature_c": -5.0}]},
            {"class": "done", "packet": 2, "records": []}, {"class": "done", "packet": 3, "refused": "bad_length", "at": 1}])


PYTHON = """
import sys
import cyclometer_plugin
from cyclometer_plugin import answer, sample
class Probe(cyclometer_plugin.Session):
    def packet(self, packet):
        self.write("fff0", "fff2", b"\\x01")
        return [sample("drink", level_ml=1), sample("drink", targets=[{"level_ml": float("nan")}])]
    def command(self, name, value):
        return [answer(value=float("inf"))]
cyclometer_plugin.run("bottle_process", Probe, sys.argv[1])
"""
C = """
#define CYCLOMETER_IMPLEMENTATION
#include "cyclometer_plugin.h"
static void packet(cyclometer_session *session, const cyclometer_packet *packet) {
  cyclometer_write(session, "fff0", "fff2", packet->value, 1);
  cyclometer_sample(session, "drink");
  cyclometer_put_number(session, "level_ml", 1);
  cyclometer_sample(session, "drink");
  cyclometer_begin_list(session, "targets");
  cyclometer_begin_object(session);
  cyclometer_put_number(session, "level_ml", nan(""));
  cyclometer_end_object(session);
  cyclometer_end_list(session);
}
static void command(cyclometer_session *session, const char *name, const double *value) {
  (void)name;
  (void)value;
  cyclometer_answer(session);
  cyclometer_put_number(session, "value", HUGE_VAL);
}
int main(int count, char **words) {
  static const cyclometer_plugin plugin = {.id = "bottle_process", .packet = packet, .command = command};
  return cyclometer_plugin_run(&plugin, count > 1 ? words[1] : NULL);
}
"""


class NumbersThatAreNotFinite(Conversation):
    """They refuse the packet with all that it would publish and write, and fail a command. The suite
    CyclometerPluginTests tests that of Swift."""

    def programs(self):
        python, c = Path(folder.name) / "probe.py", Path(folder.name) / "probe.c"
        python.write_text(PYTHON)
        c.write_text(C)
        os.environ["PYTHONPATH"] = str(CLIENTS / "python")
        self.addCleanup(os.environ.pop, "PYTHONPATH")
        return [[sys.executable, str(python)], compiled("probe", c)]

    def test_they_are_refused(self):
        def script(peer):
            self.begin(peer)
            peer.send(packet(1, b"\x01") + line("command", session=3, command=1, name="light"))
            return self.answers(peer, 2)
        for program in self.programs():
            said, _, _ = self.converse(program, script)
            self.assertEqual(said, [
                {"class": "done", "packet": 1, "refused": "out_of_range", "at": 0},
                {"class": "said", "command": 1, "error": "a number is infinite or not a number"}])


if __name__ == "__main__":
    unittest.main()
