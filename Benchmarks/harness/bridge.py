"""A bridge between a daemon that is played and Debian's Mosquitto."""
import fcntl
import shutil
import socket
import struct
import termios
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.guidance import PlayedDaemon
from harness.servers import BenchmarkFailed, Process
from harness.services import Service, service

MOSQUITTO = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
# As the bridge has it: a batch ends with so many records.
BATCH = 200
SENSORS = {"strap": ("heart_rate", "bpm"), "pedals": ("power", "power_w"), "wheel": ("speed", "speed_mps"), "crank": ("cadence", "cadence_rpm"),
           "tire": ("tire_pressure", "pressure_gauge_pa"), "radar": ("radar", "cars")}


class MeasuringDaemon(PlayedDaemon):
    """It has six sensors, which measure when they are told to."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.sent = 0
        self.wall_offset = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)

    def measure(self, records: int) -> None:
        """Returns when the bridge has read them."""
        for _ in range(records):
            sensor, (kind, field) = list(SENSORS.items())[self.sent % len(SENSORS)]
            sequence = self.sent // len(SENSORS) + 1
            # The bridge would publish its status again if these two moved against each other.
            t = round(time.clock_gettime(time.CLOCK_BOOTTIME), 6)
            moment = datetime.fromtimestamp(t + self.wall_offset, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            self.write({"class": "sample", "sensor": sensor, "kind": kind, "seq": sequence, "t": t, "time": moment, "age_ms": 0, field: sequence % 200})
            self.sent += 1
        deadline = time.monotonic() + 60
        while struct.unpack("i", fcntl.ioctl(self.guide, termios.TIOCOUTQ, bytes(4)))[0]:
            if time.monotonic() > deadline:
                raise BenchmarkFailed("the bridge does not read the daemon's records")
            time.sleep(0.01)
        # It handles the last of them.
        time.sleep(0.1)


class Bridge:
    def __init__(self, daemon: MeasuringDaemon, program: Service) -> None:
        self.daemon, self.program, self.process = daemon, program, program.process

    def await_status(self, fits: Any, what: str) -> None:
        deadline = time.monotonic() + 60
        while not fits(status := self.program.ask("status")):
            if time.monotonic() > deadline:
                raise BenchmarkFailed(f"{what}: {status}")
            time.sleep(0.1)

    def store(self, batches: int) -> None:
        self.complete(batches * BATCH)

    def complete(self, records: int) -> None:
        """With what was measured before, they are whole batches. Returns when the broker has them all."""
        self.daemon.measure(records)
        self.await_status(lambda status: status["spool"]["records"] == 0, "the bridge sends what was measured")


@contextmanager
def mosquitto(folder: Path) -> Iterator[int]:
    """The port of a broker."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    configuration = folder / "mosquitto.conf"
    configuration.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
    with open(folder / "mosquitto.log", "wb") as log:
        broker = Process([MOSQUITTO, "-c", configuration], log=log, speaks=False)
        try:
            yield port
        finally:
            broker.end()


@contextmanager
def bridging(folder: Path, live: str, **options: Any) -> Iterator[Bridge]:
    """Connected on both sides. The options are those of the bridge's process."""
    run = folder / "run"
    run.mkdir(parents=True)
    with ExitStack() as stack:
        port = stack.enter_context(mosquitto(folder))
        daemon = MeasuringDaemon(run)
        stack.callback(daemon.close)
        configuration = folder / "mqtt.conf"
        configuration.write_text(f"[Broker]\nAddress=mqtt://127.0.0.1:{port}\n[Fleet]\nReceiver=bench\nLive={live}\n[Log]\nBatchSeconds=60\n")
        program = stack.enter_context(service(
            "cyclometer-mqtt", run / "mqtt.sock", "--socket", run / "control.sock", "--state-dir", folder / "mqtt", "--config", configuration,
            **options))
        if not daemon.subscribed.wait(20):
            raise BenchmarkFailed("the bridge does not connect to the daemon")
        bridge = Bridge(daemon, program)
        bridge.await_status(lambda status: status["broker"]["state"] == "connected", "the bridge connects to the broker")
        yield bridge
