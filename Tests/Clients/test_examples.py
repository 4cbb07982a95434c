"""Runs the programs of README.md and clients/README.md and the examples against a server that omits
optional members. Also tests what all clients share."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from fake_server import FakeServer, repository

sys.path.insert(0, str(repository() / "clients/python"))
import cyclometer  # noqa: E402

METRICS = "/run/cyclometer/metrics.sock"
MARKS = METRICS, "import cyclometer", "live("


def heart_rate(sensor, **members):
    return json.dumps({"class": "sample", "sensor": sensor, "kind": "heart_rate", "seq": 1, "t": 1.5, "time": "2026-11-21T09:15:02.417Z",
                       "age_ms": 0, **members}) + "\n"


def script(peer):
    """Intervals without a rate, a beat of the strap, the same beat of the ride, and the next
    beat."""
    peer.welcome()
    peer.send(heart_rate("strap", rr_ms=[1000]) + heart_rate("strap", bpm=141) + heart_rate("ride", bpm=141, source="strap"))
    peer.send(heart_rate("strap", bpm=142))
    peer.wait_until_it_leaves()


def displayed(peer):
    """Records without the value that a display shows, and two seconds later with it."""
    peer.welcome()
    peer.reply(json.loads(peer.lines.readline()), {"sensors": [{"id": "strap", "state": "streaming"}]})
    peer.send(heart_rate("strap", rr_ms=[1000]) + heart_rate("strap", pedal_balance_pct=50).replace("heart_rate", "power"))
    time.sleep(2)
    peer.send(heart_rate("strap", bpm=142) + heart_rate("strap", power_w=142).replace("heart_rate", "power"))
    peer.wait_until_it_leaves()


def lost_while_asked(peer):
    """Leaves a request without an answer."""
    peer.welcome()
    peer.request()


def battery_and_beat(peer):
    peer.welcome()
    poll = peer.request()
    peer.reply(poll, {"records": [{"class": "sample", "sensor": "strap", "kind": "battery", "battery_pct": 141}]})
    time.sleep(0.5)
    peer.send(heart_rate("strap", bpm=142))
    peer.wait_until_it_leaves()


def snippets(page, language):
    text = (repository() / page).read_text()
    return [each for each in re.findall(rf"```{language}\n(.*?)```", text, re.S) if any(mark in each for mark in MARKS)]


class Examples(unittest.TestCase):
    def beats(self, command, text=None, *scripts):
        """The rates that it prints until 142."""
        with FakeServer(*(scripts or [script])) as server, tempfile.TemporaryDirectory() as folder:
            if text is not None:
                program = Path(folder) / "program"
                program.write_text(text.replace(METRICS, server.path))
                command = [*command, program]
            else:
                command = [*command, server.path, "3"]
            environment = {"PATH": "/usr/bin:/bin:" + str(Path(shutil.which("node") or "/bin/sh").parent),
                           "PYTHONPATH": str(repository() / "clients/python"), "CYCLOMETER_SOCKET": server.path}
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  env=environment, start_new_session=True) as process:
                rates, printed = [], ""
                for line in process.stdout:
                    printed += line
                    rates += [int(each) for each in re.findall(r"\b(?:14[0-9])\b", line)]
                    if 142 in rates:
                        break
                subprocess.run(["pkill", "-KILL", "-s", str(process.pid)], check=False)
        self.assertNotIn("Traceback", printed)
        return rates

    def test_every_beat_is_printed_once_and_a_record_without_a_rate_ends_nothing(self):
        clients = repository() / "clients"
        programs = {each.name: [sys.executable, "-u", each] for each in (clients / "python/example.py", clients / "python/example_asyncio.py")}
        if shutil.which("node"):
            programs["node"] = ["node", clients / "node/example.js"]
        programs["shell"] = [clients / "shell/heart-rate"]
        with tempfile.TemporaryDirectory() as folder:
            programs["c"] = [Path(folder) / "example"]
            subprocess.run(["gcc", "-std=c99", "-o", *programs["c"], clients / "c/example.c"], check=True)
            for name, command in programs.items():
                with self.subTest(name):
                    self.assertEqual(self.beats(command), [141, 142])

    def test_the_programs_of_the_pages_do_too(self):
        count = 0
        for page in "README.md", "clients/README.md":
            for language, command in ("python", [sys.executable, "-u"]), ("sh", ["bash"]):
                for text in snippets(page, language):
                    if "live(" in text:
                        continue
                    with self.subTest(f"{page}, {language}"):
                        self.assertEqual(self.beats(command, text), [141, 142])
                    count += 1
        self.assertGreaterEqual(count, 4)

    def test_displays_of_the_page_survive_a_record_without_their_value(self):
        page, node = "clients/README.md", repository() / "clients/node/cyclometer"
        displays = [([sys.executable, "-u"], "import cyclometer\n" + text) for text in snippets(page, "python") if "live(" in text]
        if shutil.which("node"):
            displays += [(["node"], text.replace("./cyclometer", str(node))) for text in snippets(page, "js")]
        self.assertEqual(len(displays), 2 if shutil.which("node") else 1)
        for command, text in displays:
            with self.subTest(command[0]):
                self.assertEqual(self.beats(command, text, displayed), [142])

    def test_the_asyncio_example_asks_for_batteries_again_after_the_daemon_was_lost(self):
        example = repository() / "clients/python/example_asyncio.py"
        self.assertEqual(self.beats([sys.executable, "-u", example], None, lost_while_asked, battery_and_beat), [141, 142])


class Limits(unittest.TestCase):
    """One table, in each language."""

    def test_c_has_those_of_python(self):
        text = (repository() / "clients/c/cyclometer.h").read_text()
        table = {kind: int(limit) for kind, limit in re.findall(r'\{"(\w+)", (-?\d+)\}', text)}
        self.assertEqual(table, {kind: -1 if limit is None else limit * 1000 for kind, limit in cyclometer.LIMITS.items()})
        self.assertIn(f"#define CYC_DEFAULT_LIMIT_MS {cyclometer.DEFAULT_LIMIT * 1000:.0f}\n", text)

    @unittest.skipUnless(shutil.which("node"), "node is not installed (Debian: nodejs)")
    def test_node_has_those_of_python(self):
        program = f"console.log(JSON.stringify(require({json.dumps(str(repository() / 'clients/node/cyclometer.js'))}).LIMITS))"
        result = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(result.stdout), cyclometer.LIMITS)

    def test_swift_has_those_of_python(self):
        text = (repository() / "Sources/CyclometerClient/LiveValues.swift").read_text()
        found = re.findall(r'"(\w+)": \.(seconds|milliseconds)\((\d+)\)', text)
        table = {kind: int(limit) / (1 if unit == "seconds" else 1000) for kind, unit, limit in found}
        unlimited = re.search(r"unlimited: Set = \[(.*)\]", text)[1]
        self.assertEqual({**table, **dict.fromkeys(re.findall(r"\w+", unlimited))}, cyclometer.LIMITS)
        self.assertIn(f"defaultLimit = Duration.seconds({cyclometer.DEFAULT_LIMIT:.0f})\n", text)

    def test_the_page_has_those_of_python(self):
        text = (repository() / "clients/README.md").read_text()
        table = {}
        for kinds, limit in re.findall(r"^\| ((?:`\w+`,? ?)+) \| ([\d.]+ s|no limit) \|$", text, re.M):
            for kind in re.findall(r"`(\w+)`", kinds):
                table[kind] = None if limit == "no limit" else float(limit.split()[0])
        self.assertEqual(table, cyclometer.LIMITS)


if __name__ == "__main__":
    unittest.main()
