"""Programs that a row of the table starts, helpers in processes of their own, and clocks. Only
processes that were started here are ended, by their id."""
import ctypes
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "Tests" / "Fleet"
BUILD = ROOT / os.environ.get("CYCLOMETER_BUILD", ".build/release")
BUILT_C = ROOT / ".build" / "fleet"
TIMEOUT = 60
PRCTL, DEATH_SIGNAL = ctypes.CDLL(None).prctl, 1   # PR_SET_PDEATHSIG


class Failed(Exception):
    """A row cannot go on: what is missing, and after how long."""


def now():
    """The clock of `t` in records."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def wall_offset():
    """The wall clock minus the clock of `t`."""
    return time.time() - now()


def until(condition, what, seconds=TIMEOUT, step=0.05):
    """Waits for a value that is true, and returns it."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise Failed(f"{what}: not within {seconds} s")
        time.sleep(step)
    return value


def built_c(source, *flags):
    """A program or a library in C, compiled with the options of the benchmarks."""
    BUILT_C.mkdir(parents=True, exist_ok=True)
    program = BUILT_C / Path(source).stem
    subprocess.run(["cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-o", program, source, *flags], check=True)
    return program


def free_port():
    """Below the kernel's own range: while a broker is away, no other connection gets its port."""
    for _ in range(100):
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise Failed("no port is free")


def ends_with_parent():
    """In a child: the kernel kills it when the thread that started it ends, and so if this process dies."""
    PRCTL(DEATH_SIGNAL, signal.SIGKILL)


class Program:
    """A process whose output goes into a log, which a later start continues."""

    # What has ended with an error, with its log.
    errors = []

    def __init__(self, words, log, environment=None):
        self.words, self.log_file, self.environment = [str(word) for word in words], Path(log), environment or {}
        self.process = None

    @property
    def pid(self):
        return self.process.pid

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def start(self):
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **self.environment},
                preexec_fn=ends_with_parent)

    @property
    def log(self):
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def send(self, number):
        if self.is_running:
            self.process.send_signal(number)

    def kill(self):
        """Like a crash."""
        if self.is_running:
            self.process.kill()
            self.process.wait()
        self.process = None

    def end(self):
        """As a service manager does it. Anything but a clean exit is kept in `errors`."""
        if self.process is None:
            return
        self.send(signal.SIGCONT)
        self.send(signal.SIGTERM)
        try:
            status = self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.kill()
            status = "15 s after SIGTERM"
        if status:
            self.errors.append(f"{' '.join(self.words)} ended with {status}\n{self.log[-2000:]}")

    def private_kib(self):
        """Memory that it shares with nothing: anonymous pages."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
        raise Failed(f"{self.words[0]} has no memory")


class Helper:
    """A module of this folder in a process of its own, so that it does not wait for others. Its
    methods are called by lines of JSON: see `serve`."""

    def __init__(self, module, *words):
        self.module = module
        self.buffer, self.lock = b"", threading.Lock()
        self.process = subprocess.Popen(
            [sys.executable, "-B", str(HERE / f"{module}.py"), *[str(word) for word in words]], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, preexec_fn=ends_with_parent)

    def __getattr__(self, name):
        return lambda *arguments: self.call(name, *arguments)

    def call(self, name, *arguments):
        # Several rows ask the same witness.
        with self.lock:
            return self.exchange(name, arguments)

    def exchange(self, name, arguments):
        self.process.stdin.write(json.dumps([name, arguments]).encode() + b"\n")
        self.process.stdin.flush()
        deadline = time.monotonic() + TIMEOUT
        output = self.process.stdout.fileno()
        while b"\n" not in self.buffer:
            if not select.select([output], [], [], max(0, deadline - time.monotonic()))[0]:
                raise Failed(f"{self.module}: {name} takes more than {TIMEOUT} s")
            some = os.read(output, 1 << 20)
            if not some:
                raise Failed(f"{self.module} ended with {self.process.wait()} during {name}")
            self.buffer += some
        line, _, self.buffer = self.buffer.partition(b"\n")
        return json.loads(line)

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()


def serve(service):
    """Calls the methods that the lines of standard input name, until it ends."""
    for line in sys.stdin:
        name, arguments = json.loads(line)
        print(json.dumps(getattr(service, name)(*arguments)), flush=True)


def percentile(values, share):
    ordered = sorted(values)
    if not ordered:
        raise Failed("there are no values")
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
