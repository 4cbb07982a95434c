"""Contexts that count a program's system calls, allocations or instructions from outside."""
import re
import signal
import subprocess

from harness.programs import built_c
from harness.servers import BenchmarkFailed


class SystemCalls:
    """System calls of all threads, by name. Tracing slows the program down."""

    def __init__(self, server, folder):
        self.server = server
        self.table = folder / "calls"
        self.by_name = {}

    @property
    def total(self):
        return sum(self.by_name.values())

    def __enter__(self):
        words = ["strace", "-f", "-c", "-U", "name,calls", "-o", self.table, "-p", str(self.server.process.pid)]
        self.tracer = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        if "attached" not in (first_line := self.tracer.stderr.readline()):
            self.tracer.wait()
            raise BenchmarkFailed(f"{self.server.name} cannot be traced, except by root: {first_line.strip()}")

    def __exit__(self, *_):
        self.tracer.send_signal(signal.SIGINT)
        self.tracer.communicate(timeout=10)
        for line in self.table.read_text().splitlines():
            words = line.split()
            if len(words) == 2 and words[1].isdigit() and words[0] != "total":
                self.by_name[words[0]] = int(words[1])


class Allocations:
    """Allocations by all threads of a program that is started with this environment."""

    def __init__(self, file):
        self.file = file
        self.environment = {
            "LD_PRELOAD": str(built_c("allocations", "-shared", "-fPIC")), "ALLOCATIONS": str(file),
            # Python has its own allocator in front of the system's.
            "PYTHONMALLOC": "malloc"}
        self.total = 0

    def __enter__(self):
        self.before = self._now()

    def __exit__(self, *_):
        self.total = self._now() - self.before

    def _now(self):
        return int.from_bytes(self.file.read_bytes(), "little")


def callgrind(file, *options):
    """The command that runs a program so that its calls and instructions are in the file when it
    ends."""
    return ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", *options]


class Instructions:
    """Instructions of a program that runs under `tool`, which makes it fifty times as slow."""

    def __init__(self, folder):
        self.file = folder / "instructions"
        self.tool = callgrind(self.file)
        self.total, self.dumps, self.last_dump = 0, 0, None

    def of(self, server):
        self.server = server
        return self

    def __enter__(self):
        self._control("--zero")

    def __exit__(self, *_):
        self._control("--dump")
        self.dumps += 1
        self.last_dump = self.file.with_name(f"{self.file.name}.{self.dumps}")
        found = re.search(r"^totals: (\d+)", self.last_dump.read_text(), re.MULTILINE)
        if not found:
            raise BenchmarkFailed(f"callgrind reported no total in {self.last_dump.name}")
        self.total = int(found[1])

    def _control(self, word):
        result = subprocess.run(["callgrind_control", word, str(self.server.process.pid)], capture_output=True, text=True)
        if result.returncode:
            raise BenchmarkFailed(f"callgrind_control {word} ended with {result.returncode}: {result.stderr.strip()}")
