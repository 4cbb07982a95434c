"""Runs every client against the real daemon: values stream, the daemon is killed and restarted, a
client falls behind. The daemon is .build/debug/cyclometerd, or the one that CYCLOMETERD names."""
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from fake_server import daemon_program, repository
from probes import CLIENTS, build, command

TIMEOUT = 30


def setUpModule():
    build()


class Daemon:
    def __init__(self, scene=()):
        self.folder = tempfile.TemporaryDirectory(prefix="cyclometer-")
        self.scene = scene
        self.path = str(Path(self.folder.name) / "run/control.sock")
        self.metrics = str(Path(self.folder.name) / "run/metrics.sock")

    def file(self, name, text):
        path = Path(self.folder.name) / name
        path.write_text(text)
        return str(path)

    def start(self):
        folder = self.folder.name
        # Not the files of this computer.
        sensors = [] if "--sensors" in self.scene else ["--sensors", f"{folder}/sensors"]
        self.process = subprocess.Popen(
            [daemon_program(), "--runtime-dir", f"{folder}/run", "--state-dir", f"{folder}/state", *sensors,
             "--simulate", *self.scene],
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + TIMEOUT
        while not self.answers():
            assert self.process.poll() is None and time.monotonic() < deadline, "the daemon does not listen"
            time.sleep(0.02)

    def answers(self):
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(self.path) == 0

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.folder.cleanup()


class Running:
    """A client whose lines a thread collects."""

    def __init__(self, arguments, **options):
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.PIPE,
                                        text=True, start_new_session=True, **options)
        self.lines = []
        self.news = threading.Condition()
        self.thread = threading.Thread(target=self.collect, daemon=True)
        self.thread.start()

    def collect(self):
        for line in self.process.stdout:
            with self.news:
                self.lines.append(line.rstrip("\n"))
                self.news.notify_all()

    def wait_for(self, test, after=0):
        """The index of the first line that passes the test."""
        def index():
            return next((index for index, line in enumerate(self.lines) if index >= after and test(line)), None)
        with self.news:
            if not self.news.wait_for(lambda: index() is not None, TIMEOUT):
                raise AssertionError(f"no such line: {self.lines}")
            return index()

    def end(self):
        # Its own group: a shell's children too.
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.thread.join()
        self.process.stdout.close()
        self.process.stdin.close()


class RealDaemon(unittest.TestCase):
    def test_clients_outlive_the_daemon(self):
        with Daemon() as daemon:
            daemon.start()
            running = {client: Running(command(client, daemon.path, '{"kinds":["heart_rate"]}', 10000)) for client in CLIENTS}
            shell = running["shell"] = Running([repository() / "clients/shell/heart-rate", daemon.metrics])
            try:
                for client in CLIENTS:
                    running[client].wait_for(lambda line: line.startswith("sample "))
                shell.wait_for(lambda line: line.endswith(" bpm"))
                daemon.kill()
                lost = {client: each.wait_for(lambda line: line.startswith(("disconnected ", "lost: ")))
                        for client, each in running.items()}
                daemon.start()
                for client in CLIENTS:
                    with self.subTest(client):
                        each = running[client]
                        each.wait_for(lambda line: line.startswith("sample "), after=lost[client])
                        self.assert_story(each.lines, lost[client])
                again = shell.wait_for(lambda line: line.startswith("connected "), after=lost["shell"])
                shell.wait_for(lambda line: line.endswith(" bpm"), after=again)
            finally:
                for each in running.values():
                    each.end()

    def assert_story(self, lines, lost):
        self.assertRegex(lines[0], r"^connected \S+$")
        first, second = lines[0].split()[1], lines[lost + 1].split()[1]
        self.assertNotEqual(first, second)
        self.assertEqual(lines[lost + 1], f"connected {second} new")
        # `seq` restarted with the daemon, which is not a gap.
        self.assertFalse([line for line in lines if line.startswith("gap ")])

    def test_who_falls_behind_is_told_what_was_lost(self):
        with Daemon() as daemon:
            beats = [f"{1 + number / 2000:.6f} strap notify 2a37 0048" for number in range(12000)]
            daemon.scene = [daemon.file("fast.capture", "\n".join([
                "#cyclometer-capture 1", "device strap address=A0:9E:1A:00:00:01 name=Strap services=180d", "0.0 strap connected",
                *beats, ""]))]
            daemon.start()
            running = {client: Running(command(client, daemon.path, '{"kinds":["heart_rate"]}', 10**6))
                       for client in ("python", "asyncio", "c")}
            try:
                for each in running.values():
                    each.wait_for(lambda line: line.startswith("sample "))
                    each.process.send_signal(signal.SIGSTOP)
                time.sleep(3.5)
                for each in running.values():
                    each.process.send_signal(signal.SIGCONT)
                for client, each in running.items():
                    with self.subTest(client):
                        self.assert_losses(each, each.wait_for(lambda line: line.startswith("lag ")))
            finally:
                for each in running.values():
                    each.end()

    def assert_losses(self, running, lag):
        """The number of lost samples that the daemon reports matches the gap in `seq`."""
        next_lag = running.wait_for(lambda line: line.startswith("sample "), after=lag)
        running.wait_for(lambda line: line.startswith("sample "), after=next_lag + 50)
        lines = running.lines[:next_lag + 50]
        dropped = sum(int(line.split()[1]) for line in lines if line.startswith("lag "))
        missed = sum(int(line.split()[2]) for line in lines if line.startswith("gap "))
        self.assertGreater(dropped, 0)
        self.assertEqual(missed, dropped)
        numbers = [int(line.split()[1]) for line in lines if line.startswith("sample ")]
        self.assertEqual(numbers[-1] - numbers[0] + 1, len(numbers) + missed)

    def test_the_examples_run(self):
        clients = repository() / "clients"
        open_end, its_input = socket.socketpair()
        with Daemon() as daemon, open_end, its_input:
            daemon.start()
            example = str(Path(daemon.folder.name) / "example")
            subprocess.run(["gcc", "-std=c99", "-Wall", "-Werror", "-o", example, clients / "c/example.c"], check=True)
            # The example of a plugin program has tests of its own.
            examples = sorted(set(clients.glob("python/example*.py")) - {clients / "python/example_plugin.py"})
            programs = [[example], *([sys.executable, each] for each in examples)]
            if "node" in CLIENTS:
                programs.append(["node", clients / "node/example.js"])
            for program in programs:
                with self.subTest(str(program[-1])):
                    result = subprocess.run([*program, daemon.path, "2"], capture_output=True, text=True, timeout=TIMEOUT,
                                            stdin=its_input)
                    self.assertEqual((result.returncode, result.stderr), (0, ""))
                    self.assertRegex(result.stdout, "strap")
                    self.assertRegex(result.stdout, "bpm|battery")


if __name__ == "__main__":
    unittest.main()
