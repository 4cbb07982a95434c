"""The measured programs, each with its source of packets: Cyclometer's daemon, a bare C program,
Python clients and gpsd."""
import json
import os
import re
import select
import signal
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

STRAPS = 8
ADDRESSES = [f"C0:00:00:00:00:{number:02X}" for number in range(1, 65)]


class BenchmarkFailed(Exception):
    pass


def go_first():
    """Takes precedence over other programs, if permitted, to reduce noise in the figures."""
    try:
        os.nice(-10)
    except PermissionError:
        pass


class Process:
    """A child whose output is read by lines, with timeouts. It ends when its input does, or is
    killed."""

    def __init__(self, words, environment=None, log=None, speaks=True):
        self.name = Path(words[0]).name
        self.child = subprocess.Popen(
            [str(word) for word in words], stdin=subprocess.PIPE, stderr=log,
            stdout=subprocess.PIPE if speaks else subprocess.DEVNULL, env={**os.environ, **(environment or {})},
            start_new_session=True)
        self.buffer = b""
        try:
            # With autogroup scheduling, niceness counts only within a session. This sets the
            # session's own.
            Path(f"/proc/{self.pid}/autogroup").write_text(str(os.nice(0)))
        except OSError:
            pass

    @property
    def pid(self):
        return self.child.pid

    def tell(self, line):
        self.child.stdin.write(line.encode() + b"\n")
        self.child.stdin.flush()

    def read_line(self, seconds):
        """The next line of its output."""
        deadline = time.monotonic() + seconds
        output = self.child.stdout.fileno()
        while b"\n" not in self.buffer:
            if not select.select([output], [], [], max(0, deadline - time.monotonic()))[0]:
                raise BenchmarkFailed(f"{self.name} printed nothing for {seconds} s")
            some = os.read(output, 65536)
            if not some:
                raise BenchmarkFailed(f"{self.name} ended with {self.child.wait()}")
            self.buffer += some
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.decode()

    def expect(self, word, seconds):
        line = self.read_line(seconds)
        if line != word:
            raise BenchmarkFailed(f"{self.name} printed {line!r} instead of {word!r}")

    def end(self):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(5)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()

    def processor_ns(self):
        """Its own processor time, of all its threads."""
        total = 0
        for task in Path(f"/proc/{self.pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
        return total

    def memory_kib(self):
        """Resident memory, and its anonymous part, without the pages of files that come and go."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return tuple(int(re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)[1]) for name in ("VmRSS", "RssAnon"))

    def wake_ups(self):
        """How often it has slept, and so was woken."""
        total = 0
        for task in Path(f"/proc/{self.pid}/task").iterdir():
            total += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text(), re.MULTILINE)[1])
        return total


class Radio:
    """The straps, and the bus on which the daemon finds them."""

    def __init__(self, program, folder, straps=STRAPS, has_radar=False):
        self.folder = folder
        self.straps = straps
        self.packets = folder / "packets"
        self.process = Process([program, straps, self.packets, *(["radar"] if has_radar else [])])
        self.bus = self.process.read_line(20).removeprefix("bus ")

    def send(self, target, rate, first, count, times, progress=None, window=None):
        words = ["send", target, rate, first, count, times]
        if progress is not None:
            words += [progress, window]
        self.process.tell(" ".join(str(word) for word in words))

    def sent(self, seconds):
        self.process.expect("sent", seconds)

    def rest(self):
        """The straps send nothing by themselves for two seconds, and then until the end of the next
        `send`."""
        self.process.tell("rest")
        self.process.expect("rested", 10)

    def report_car(self, metres):
        """A packet of the radar. The time right before it was written, in nanoseconds of CLOCK_BOOTTIME."""
        self.process.tell(f"car {metres}")
        return int(self.process.read_line(10).removeprefix("car "))

    def be_quiet(self):
        """Begins after a last packet of each strap. After five quiet seconds a strap counts as
        silent."""
        self.process.tell("quiet")

    def speak(self):
        self.process.tell("speak")


class Fed:
    """A server that gets numbered packets. The numbers continue from run to run."""

    def __init__(self, radio):
        self.radio = radio
        self.straps = radio.straps
        self.next_number = 1

    def one_line(self, folder):
        """Its line for one packet of the first strap, without members that vary."""
        changing = rb'"seq":\d+,"t":\d+\.\d{1,6},"time":"[-\d]{10}T[:\d]{8}\.\d{3}Z"'
        return re.sub(changing, b"", self._line_of_one_packet(folder))

    def one_record(self, folder):
        """The same line as members, in their order. Numbers are rounded to six digits, because
        programs differ there."""
        record = json.loads(self._line_of_one_packet(folder), parse_float=lambda digits: round(float(digits), 6))
        return [each for each in record.items() if each[0] not in ("seq", "t", "time")]

    def _line_of_one_packet(self, folder):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(10)
        connection.connect(str(self.address))
        with connection, connection.makefile("rwb") as lines:
            lines.write(self.request.encode())
            lines.flush()
            while not lines.readline().startswith(self.ready.encode()):
                pass
            self.radio.send(self.target, 100, self.begin(1), 1, folder / "times")
            self.radio.sent(10)
            while b"energy" not in (line := lines.readline()):
                pass
        return line

    def begin(self, count):
        first = self.next_number
        self.next_number += count
        return first


class Daemon(Fed):
    name = "cyclometerd"
    target = "bus"
    ready = '{"class":"reply"'
    request = '{"id":1,"method":"subscribe","params":{"kinds":["heart_rate"],"snapshot":false}}\n'

    def __init__(self, program, radio, folder, environment=None, under=(), paired=None, sensors=None):
        """`paired`: the number of straps (default: all). `under`: the command of a tool that runs
        the daemon. `sensors`: a folder with sensor files."""
        super().__init__(radio)
        self.log = open(folder / "cyclometerd.log", "wb")
        configuration = folder / "cyclometer.conf"
        # Looking for an absent gpsd would add unrelated work.
        configuration.write_text("[Position]\nGPSD=none\n")
        words = [
            *under, program, "--config", configuration, "--runtime-dir", folder / "run", "--state-dir", folder / "state",
            *(["--sensors", sensors] if sensors else [])]
        self.process = Process(words, {"DBUS_SYSTEM_BUS_ADDRESS": radio.bus, **(environment or {})}, self.log, speaks=False)
        self.address = folder / "run/metrics.sock"
        self.control = folder / "run/control.sock"
        self.sensors = self.pair(radio.straps if paired is None else paired)

    def pair(self, count, first=0):
        """The ids of so many sensors, beginning with the first address or a later one."""
        connection = await_listener(self, socket.AF_UNIX, str(self.control), 0.05)
        connection.settimeout(60)
        with connection, connection.makefile("rwb") as lines:
            return [self._pair_one(lines, address) for address in ADDRESSES[first:first + count]]

    def _pair_one(self, lines, address):
        # The radio's adapter may not be ready yet.
        for attempt in range(50):
            request = {"id": address, "method": "pair", "params": {"address": address}}
            lines.write(json.dumps(request).encode() + b"\n")
            lines.flush()
            while (answer := json.loads(lines.readline())).get("id") != address:
                pass
            if answer["class"] == "reply":
                return answer["result"]["id"]
            if answer["code"] != "adapter_unavailable":
                break
            time.sleep(0.1)
        raise BenchmarkFailed(f"pairing {address}: {answer}")


@contextmanager
def paired_daemon(program, radio, folder, environment=None, under=()):
    """A daemon with its own radio, in a new folder. Both end with the context."""
    folder.mkdir()
    air = Radio(radio, folder)
    try:
        daemon = Daemon(program, air, folder, environment, under)
        try:
            yield daemon
        finally:
            daemon.process.end()
    finally:
        air.process.end()


class Relay(Fed):
    name = "bare C"
    target = "socket"
    ready = '{"class":"hello"'
    request = "\n"

    def __init__(self, program, radio, folder, sensors, environment=None):
        super().__init__(radio)
        self.sensors = sensors
        self.address = folder / "relay.sock"
        self.process = Process([program, radio.packets, self.address, ",".join(sensors)], environment, speaks=False)
        await_listener(self, socket.AF_UNIX, str(self.address), 0.05)


class Client(Fed):
    """A program of Peers with the arguments SOCKET ID=ADDRESS..., which prints `connected` once all
    straps are."""

    ready = '{"class":"hello"'
    request = "\n"

    def __init__(self, name, target, words, radio, folder, sensors, environment=None):
        super().__init__(radio)
        self.name = name
        self.target = target
        self.sensors = sensors
        self.address = folder / f"{name}.sock"
        self.log = open(folder / f"{name}.log", "wb")
        straps = [f"{sensor}={address}" for sensor, address in zip(sensors, ADDRESSES)]
        environment = {"DBUS_SYSTEM_BUS_ADDRESS": radio.bus, **(environment or {})}
        self.process = Process([*words, self.address, *straps], environment, self.log)
        try:
            self.process.expect("connected", 60)
        except BenchmarkFailed:
            self.process.end()
            raise


class Gpsd:
    """Debian's gpsd, which gets a sentence instead of a packet, and sends a TPV for it."""

    name = "gpsd"
    ready = '{"class":"WATCH"'
    request = '?WATCH={"enable":true,"json":true};\n'
    sensors = None
    straps = STRAPS

    def __init__(self, folder):
        self.feed_port, self.port = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_STREAM)
        self.address = f"tcp:{self.port}"
        self.log = open(folder / "gpsd.log", "wb")
        words = ["gpsd", "-n", "-N", "-b", "-S", self.port, f"udp://127.0.0.1:{self.feed_port}"]
        self.process = Process(words, {"PATH": os.environ["PATH"] + ":/usr/sbin"}, self.log, speaks=False)
        self.epoch = 0
        await_listener(self, socket.AF_INET, ("127.0.0.1", self.port), 0.1)
        # It must have detected the type of receiver before anything is counted.
        self.feed(100, 100)

    def feed(self, rate, count):
        feed = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        start = time.monotonic()
        for index in range(count):
            time.sleep(max(0, start + index / rate - time.monotonic()))
            feed.sendto(self._sentence(), ("127.0.0.1", self.feed_port))
        feed.close()

    def _sentence(self):
        """Each has another time, because gpsd reports once per time."""
        self.epoch += 1
        seconds, hundredths = divmod(self.epoch, 100)
        clock = f"{seconds // 3600 % 24:02}{seconds // 60 % 60:02}{seconds % 60:02}.{hundredths:02}"
        minutes = 30 + self.epoch % 10000 / 10000
        body = f"GPRMC,{clock},A,52{minutes:.4f},N,013{minutes:.4f},E,12.{self.epoch % 10},271.3,211126,,,A"
        check = 0
        for letter in body.encode():
            check ^= letter
        return f"${body}*{check:02X}\r\n".encode()


def await_listener(server, family, address, pause):
    """Connects as soon as a program listens at the address."""
    deadline = time.monotonic() + 20
    while True:
        connection = socket.socket(family)
        if connection.connect_ex(address) == 0:
            return connection
        connection.close()
        if time.monotonic() > deadline or server.process.child.poll() is not None:
            raise BenchmarkFailed(f"{server.name} does not listen")
        time.sleep(pause)


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
