"""`cyclo metrics` with a real daemon, read by the parser of prometheus_client for OpenMetrics."""
import os
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from fake_server import daemon_program, repository

try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
except ImportError:
    text_string_to_metric_families = None

PAGE = repository() / "docs/recipes.md"


@unittest.skipUnless(text_string_to_metric_families, "python3-prometheus-client is not installed")
class Metrics(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="metrics-")))

    def start_daemon(self):
        daemon = subprocess.Popen([daemon_program(), "--simulate", "bike", "--runtime-dir", self.folder, "--state-dir", self.folder],
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.terminate)

    def run_cyclo(self):
        cyclo = Path(daemon_program()).with_name("cyclo")
        return subprocess.run([cyclo, "metrics"], env={**os.environ, "CYCLOMETER_SOCKET": f"{self.folder}/control.sock"},
                              capture_output=True, text=True, check=True).stdout

    def families(self, text):
        return {family.name: family for family in text_string_to_metric_families(text)}

    def wait_for_streaming(self):
        deadline = time.monotonic() + 60
        while True:
            text = self.run_cyclo()
            if 'cyclometer_sensors{state="streaming"} 4\n' in text:
                return text
            self.assertLess(time.monotonic(), deadline, text)
            time.sleep(0.2)

    def test_a_daemon_with_sensors(self):
        self.start_daemon()
        families = self.families(self.wait_for_streaming())
        values = {(sample.name, tuple(sorted(sample.labels.items()))): sample.value for family in families.values() for sample in family.samples}
        self.assertEqual(values["cyclometer_up", (("service", "cyclometerd"),)], 1)
        self.assertEqual(values["cyclometer_adapter_state", (("adapter", "simulated"), ("state", "on"))], 1)
        for sensor in ("strap", "wheel", "pedals", "radar"):
            self.assertEqual(values["cyclometer_sensor_state", (("sensor", sensor), ("state", "streaming"))], 1)
            self.assertEqual(values["cyclometer_sensor_state", (("sensor", sensor), ("state", "stale"))], 0)
            self.assertGreater(values["cyclometer_sensor_packets_total", (("sensor", sensor),)], 0)
            self.assertTrue(0 < values["cyclometer_sensor_battery_ratio", (("sensor", sensor),)] <= 1)
        self.assertTrue(1 << 20 < values["cyclometer_resident_memory_bytes", ()] < 1 << 27)
        self.assertEqual(families["cyclometer_sensor_packets"].type, "counter")
        for family in families.values():
            self.assertRegex(family.documentation, r"^[A-Z0-9].*\.$", family.name)

    def test_no_samples_of_riders(self):
        self.start_daemon()
        text = self.wait_for_streaming()
        for word in ("bpm", "heart", "speed", "power_w", "latitude", "distance"):
            self.assertNotIn(word, text)

    def test_no_daemon(self):
        families = self.families(self.run_cyclo())
        self.assertEqual({sample.labels["service"]: sample.value for sample in families["cyclometer_up"].samples}, {"cyclometerd": 0})
        self.assertEqual(list(families), ["cyclometer_up"])

    def test_the_parser_refuses_other_texts(self):
        text = self.run_cyclo()
        for broken in (text.removesuffix("# EOF\n"), text.replace('"} 0', '"} '), text.replace("# TYPE", "# TYPES"), text + text):
            with self.assertRaises(ValueError):
                self.families(broken)

    def test_the_timer_runs_the_command_of_the_recipe(self):
        page = PAGE.read_text()
        [command] = re.findall(r"^cyclo metrics .*$", page, re.M)
        self.assertIn(f"ExecStart=/bin/sh -c '{command}'\n", page)


if __name__ == "__main__":
    unittest.main()
