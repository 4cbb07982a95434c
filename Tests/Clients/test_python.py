"""Tests of the Python client only: deadlines by method, prompts, cancelling, scanning, current
values, packaging."""
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from fake_server import FakeServer, hello, repository, sample
from test_real_daemon import Daemon

sys.path.insert(0, str(repository() / "clients/python"))
import cyclometer  # noqa: E402

WAYS = ["blocking", "asyncio"]


class Blocking:
    """Both clients with the same words: calls of the one for asyncio run in a loop that stays."""

    def __init__(self, way, path, **options):
        self.loop = asyncio.new_event_loop() if way == "asyncio" else None
        self.client = (cyclometer.AsyncClient if self.loop else cyclometer.Client)(path, **options)

    def __getattr__(self, name):
        def call(*arguments, **options):
            result = getattr(self.client, name)(*arguments, **options)
            return self.loop.run_until_complete(result) if self.loop and asyncio.iscoroutine(result) else result
        return call

    def until(self, condition):
        while not condition():
            self.next(timeout=10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
        if self.loop:
            self.loop.close()


class Requests(unittest.TestCase):
    def with_each(self, *scripts):
        for way in WAYS:
            with self.subTest(way), FakeServer(*scripts) as server, Blocking(way, server.path) as client:
                yield client

    def test_deadlines_follow_the_method(self):
        self.assertGreater(cyclometer.DEADLINES["pair"], 45)
        self.assertGreater(cyclometer.DEADLINES["command"], 30)

        def slow(peer):
            peer.welcome()
            first = peer.request()
            threading.Event().wait(0.6)
            peer.reply(first, {"id": "strap"})
            peer.wait_until_it_leaves()
        timeout = cyclometer.TIMEOUT
        try:
            for client in self.with_each(slow):
                client.next(timeout=10)
                cyclometer.TIMEOUT = 0.2
                self.assertEqual(client.pair("C0:FF:EE:00:00:02"), {"id": "strap"})
                cyclometer.TIMEOUT = timeout
        finally:
            cyclometer.TIMEOUT = timeout

    def test_a_timeout_sends_cancel_and_the_connection_can_be_used(self):
        seen = []

        def script(peer):
            peer.welcome()
            pairing = peer.request()
            cancel = peer.request()
            seen.append(cancel["method"])
            peer.refuse(pairing, "timeout")
            peer.reply(cancel)
            peer.reply(peer.request(), {"n": 1})
            peer.wait_until_it_leaves()
        for client in self.with_each(script):
            with self.assertRaises(cyclometer.TimedOut):
                client.pair("C0:FF:EE:00:00:02", timeout=0.3)
            self.assertEqual(client.request("ping"), {"n": 1})
        self.assertEqual(seen, ["cancel", "cancel"])

    def test_a_request_without_cancel_sends_none(self):
        def script(peer):
            peer.welcome()
            peer.request()
            peer.reply(peer.request(), {"n": 2})
            peer.wait_until_it_leaves()
        for client in self.with_each(script):
            with self.assertRaises(cyclometer.TimedOut):
                client.request("command", {"sensor": "strap"}, timeout=0.2)
            self.assertEqual(client.request("ping"), {"n": 2})

    def pairing(self, ask, answers):
        def script(peer):
            peer.welcome()
            pairing = peer.request()
            peer.send(sample(1) + json.dumps({"class": "prompt", "prompt": "p1", "sensor": "strap", **ask}) + "\n")
            answer = peer.request()
            answers.append((answer["method"], answer.get("params")))
            if answer["method"] == "cancel":
                peer.refuse(pairing, "timeout")
                peer.reply(answer)
                peer.reply(peer.request(), {"n": 3})
            else:
                peer.reply(answer)
                peer.reply(pairing, {"id": "strap"})
            peer.wait_until_it_leaves()
        return script

    def test_prompts_are_answered(self):
        confirm = {"ask": "confirm", "passkey": "004711"}
        for ask, options, value in [
                ({"ask": "passkey"}, {"passkey": "012345"}, "012345"), ({"ask": "passkey"}, {"on_prompt": lambda prompt: "7"}, "7"),
                (confirm, {"passkey": 4711}, True), (confirm, {"on_prompt": lambda prompt: prompt["passkey"] == "1"}, False)]:
            answers = []
            for client in self.with_each(self.pairing(ask, answers)):
                self.assertEqual(client.pair("C0:FF:EE:00:00:06", **options), {"id": "strap"})
                # The sample that arrived meanwhile is kept.
                client.until(lambda: client.live("heart_rate", "strap").last is not None)
            self.assertEqual(answers, [("answer", {"prompt": "p1", "value": value})] * 2)

    def test_a_prompt_without_an_answer_cancels(self):
        answers = []
        for client in self.with_each(self.pairing({"ask": "passkey"}, answers)):
            with self.assertRaisesRegex(cyclometer.Unanswered, "passkey"):
                client.pair("C0:FF:EE:00:00:06")
            self.assertEqual(client.request("ping"), {"n": 3})
        self.assertEqual(answers, [("cancel", None)] * 2)

    def test_a_coroutine_may_answer_the_async_client(self):
        answers = []

        async def answer(prompt):
            await asyncio.sleep(0)
            return "99"
        with FakeServer(self.pairing({"ask": "passkey"}, answers)) as server, Blocking("asyncio", server.path) as client:
            self.assertEqual(client.pair("C0:FF:EE:00:00:06", on_prompt=answer), {"id": "strap"})
        self.assertEqual(answers, [("answer", {"prompt": "p1", "value": "99"})])

    def test_a_scan_returns_the_last_of_each_and_leaves_the_updates(self):
        def script(peer):
            peer.welcome()
            peer.reply(peer.request())
            for address, rssi in ("A", -70), ("B", -60), ("A", -50):
                peer.send(json.dumps({"class": "found", "address": address, "rssi_dbm": rssi}) + "\n" + sample(1))
            peer.send('{"class":"scan_ended"}\n')
            peer.wait_until_it_leaves()
        for client in self.with_each(script):
            found = client.scan(1)
            self.assertEqual([(each["address"], each["rssi_dbm"]) for each in found], [("A", -50), ("B", -60)])
            self.assertIsInstance(client.next(timeout=10), cyclometer.Connected)
            self.assertEqual(client.next(timeout=10).cls, "sample")


class Picture(unittest.TestCase):
    def setUp(self):
        self.clock = 100.0
        time, cyclometer.time = cyclometer.time, self
        self.addCleanup(setattr, cyclometer, "time", time)
        self.picture = cyclometer._Picture()
        self.picture.connected()

    def clock_gettime(self, _):
        return self.clock

    def add(self, kind="heart_rate", sensor="strap", age=0, **members):
        self.picture.add(cyclometer.Record({"class": "sample", "sensor": sensor, "kind": kind, "age_ms": age * 1000, **members}))

    def state(self, state, sensor="strap"):
        self.picture.add(cyclometer.Record({"class": "state", "sensor": sensor, "state": state}))

    def check(self, is_current, state, sensor="strap", kind="heart_rate"):
        live = self.picture.live(kind, sensor)
        self.assertEqual((live.value is not None, live.state), (is_current, state))

    def test_a_value_is_current_while_its_sensor_streams_and_it_is_young(self):
        self.check(False, "unknown")
        self.add(bpm=142)
        self.check(False, "unknown")
        self.picture.learn({"sensors": [{"id": "strap", "state": "streaming"}, 7]})
        self.check(True, "streaming")
        self.clock += 5
        self.check(True, "streaming")
        self.clock += 0.1
        self.check(False, "streaming")
        live = self.picture.live("heart_rate", "strap")
        self.assertAlmostEqual(live.age, 5.1)
        self.assertEqual(live.last["bpm"], 142)
        self.add(bpm=143)
        self.check(True, "streaming")
        self.state("stale")
        self.check(False, "stale")

    def test_the_daemon_says_when_a_sample_is_old(self):
        self.picture.learn({"sensors": [{"id": "strap", "state": "streaming", "stale_after_ms": {"heart_rate": 2000}}],
                            "ride": {"stale_after_ms": {"heart_rate": 1000}}})
        self.add(bpm=142)
        self.clock += 1.9
        self.check(True, "streaming")
        self.clock += 0.2
        self.check(False, "streaming")
        self.picture.learn({"sensors": [{"id": "strap", "state": "streaming", "stale_after_ms": {}}]})
        self.clock += 1000
        self.check(True, "streaming")

    def test_the_age_of_a_snapshot_counts(self):
        self.state("streaming")
        self.add(age=4)
        self.check(True, "streaming")
        self.clock += 1.5
        self.check(False, "streaming")

    def test_a_lost_daemon_makes_everything_old(self):
        self.state("streaming")
        self.add()
        self.add(sensor="ride")
        self.picture.disconnected()
        self.check(False, "disconnected")
        self.check(False, "disconnected", "ride")
        self.clock += 0.1
        self.picture.connected()
        self.state("streaming")
        self.check(False, "streaming")
        self.check(False, "streaming", "ride")
        self.add()
        self.check(True, "streaming")

    def test_the_ride_has_the_state_of_its_source(self):
        self.check(False, "unknown", "ride")
        self.add(sensor="ride", source="strap")
        self.check(False, "unknown", "ride")
        self.state("streaming")
        self.check(True, "streaming", "ride")
        self.state("stale")
        self.check(False, "stale", "ride")
        for members in {"source": "gps"}, {}:
            self.add(sensor="ride", **members)
            self.check(True, "streaming", "ride")
        self.clock += 5.1
        self.check(False, "streaming", "ride")

    def test_the_clock_counts_sleep(self):
        self.assertEqual(cyclometer.CLOCK, time.CLOCK_BOOTTIME)

    def test_without_a_sensor_the_ride_comes_first_and_then_the_newest(self):
        self.assertEqual(self.picture.live("heart_rate", None), cyclometer.Live(None, None, "unknown", None))
        self.picture.learn({"sensors": [{"id": "strap", "state": "streaming"}, {"id": "belt", "state": "streaming"}]})
        self.add(bpm=1)
        self.clock += 1
        self.add(sensor="belt", bpm=2)
        self.assertEqual(self.picture.live("heart_rate", None).value["bpm"], 2)
        self.state("stale", "belt")
        self.assertEqual(self.picture.live("heart_rate", None).value["bpm"], 1)
        self.add(sensor="ride", source="strap", bpm=3)
        self.assertEqual(self.picture.live("heart_rate", None).value["bpm"], 3)

    def test_kinds_have_limits_of_their_own(self):
        self.state("streaming")
        for kind in "battery", "radar", "of_tomorrow":
            self.add(kind)
        self.clock += 2
        self.check(True, "streaming", kind="battery")
        self.check(False, "streaming", kind="radar")
        self.check(True, "streaming", kind="of_tomorrow")
        self.clock += 1e6
        self.check(True, "streaming", kind="battery")
        self.check(False, "streaming", kind="of_tomorrow")

    def test_a_removed_sensor_has_no_value(self):
        self.state("streaming")
        self.add()
        self.add(sensor="ride", source="strap")
        self.picture.add(cyclometer.Record({"class": "sensor", "change": "removed", "sensor": {"id": "strap"}}))
        # A sensor that is paired afterwards may have its id.
        self.state("streaming")
        for sensor in "strap", "ride", None:
            self.assertIsNone(self.picture.live("heart_rate", sensor).last)


class AgainstTheDaemon(unittest.TestCase):
    def test_a_bonded_strap_is_found_paired_and_shown(self):
        for way in WAYS:
            with self.subTest(way), Daemon() as daemon:
                daemon.start()
                with Blocking(way, daemon.path) as client:
                    self.assertIn("C0:FF:EE:00:00:06", [each["address"] for each in client.scan(1)])
                    with self.assertRaises(cyclometer.Unanswered):
                        client.pair("C0:FF:EE:00:00:06")
                    with self.assertRaises(cyclometer.Refused) as refused:
                        client.pair("C0:FF:EE:00:00:06", passkey="000000")
                    self.assertEqual(refused.exception.code, "pairing_failed")
                    self.assertEqual(client.pair("C0:FF:EE:00:00:06", passkey=123456)["id"], "bonded-strap")
                    client.until(lambda: client.live("heart_rate", "bonded-strap").value is not None)
                    client.request("disable", {"sensor": "bonded-strap"})
                    client.until(lambda: client.live("heart_rate", "bonded-strap").value is None)
                    self.assertEqual(client.live("heart_rate", "bonded-strap").state, "disabled")
                    client.request("ride", {"action": "new"})
                    client.until(lambda: client.live("heart_rate", "ride").value is not None)
                    client.request("forget", {"sensor": client.live("heart_rate", "ride").value["source"]})
                    self.assertIsNone(client.live("heart_rate", "ride").value)
                    daemon.kill()
                    client.until(lambda: client.live("heart_rate", "strap").state == "disconnected")
                    self.assertIsNone(client.live("heart_rate", "strap").value)


class Packaging(unittest.TestCase):
    folder = repository() / "clients/python"

    def test_the_version_is_the_release(self):
        release = subprocess.run([repository() / "scripts/release"], capture_output=True, text=True, check=True).stdout.strip()
        self.assertIn(f'\nversion = "{release}"\n', (self.folder / "pyproject.toml").read_text())

    @unittest.skipUnless(shutil.which("mypy"), "mypy is not installed (Debian: mypy)")
    def test_mypy_accepts_it_and_the_examples_strictly(self):
        command = ["mypy", "--strict", "--cache-dir=/dev/null", "cyclometer", "cyclometer_plugin.py", *sorted(each.name for each in self.folder.glob("example*.py"))]
        result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    @unittest.skipUnless(shutil.which("mypy"), "mypy is not installed (Debian: mypy)")
    def test_samples_have_the_fields_of_their_kind(self):
        program = "from cyclometer import Record, kinds\nradar = kinds.typed(Record(), \"radar\")\nif radar is not None:\n    print(radar[{!r}])\n"
        for field, is_known in [("clear", True), ("bpm", False)]:
            with tempfile.TemporaryDirectory() as folder, self.subTest(field):
                Path(folder, "program.py").write_text(program.format(field))
                result = subprocess.run(["mypy", "--strict", "--cache-dir=/dev/null", "program.py"], cwd=folder, capture_output=True, text=True,
                                        env={**os.environ, "MYPYPATH": str(self.folder)})
                self.assertEqual(result.returncode == 0, is_known, result.stdout + result.stderr)

    def test_typed_tells_kinds_apart(self):
        sys.path.insert(0, str(self.folder))
        from cyclometer import kinds
        sample = {"class": "sample", "kind": "radar", "clear": True, "targets": []}
        self.assertEqual(kinds.typed(sample, "radar"), sample)
        self.assertIsNone(kinds.typed(sample, "power"))
        self.assertIsNone(kinds.typed({"class": "state", "kind": "radar"}, "radar"))

    def test_it_is_typed_and_its_one_module_can_be_copied(self):
        self.assertTrue((self.folder / "cyclometer/py.typed").exists())
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "cyclometer.py").write_text((self.folder / "cyclometer/__init__.py").read_text())
            program = "import cyclometer; print(cyclometer.Client.__name__)"
            result = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True,
                                    env={**os.environ, "PYTHONPATH": ""})
        self.assertEqual((result.stdout, result.stderr), ("Client\n", ""))


if __name__ == "__main__":
    unittest.main()
