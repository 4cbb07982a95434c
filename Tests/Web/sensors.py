"""Sensors of the simulated radio, played packet by packet while a test runs.

The daemon's method `replay` plays lines of a capture. All lines here are due at once, so a packet
reaches the daemon as soon as it is sent.
"""

import itertools
import threading
import time

from stack import Lines

HEART_RATE, WHEEL, POWER = "2a37", "2a5b", "2a63"
RADAR = "6a4e3203667b11e3949a0800200c9a66"
CIRCUMFERENCE_M = 2.105
NAMES = ("strap", "wheel", "pedals", "radar")
# Each sends once a second, at its own moment.
STEP_S = 1 / len(NAMES)
# Turns per second.
CADENCE = 1.4
HEAD = """#cyclometer-capture 1
device strap address=C0:FF:EE:00:00:01 name="Strap" services=180d,180f
device wheel address=C0:FF:EE:00:00:02 name="Wheel" services=1816
device pedals address=C0:FF:EE:00:00:03 name="Pedals" services=1818
device radar address=C0:FF:EE:00:00:04 name="Varia" services=6a4e3200667b11e3949a0800200c9a66
set wheel circumference_mm=2105
0 strap read 2a19 57
0 strap connected
0 wheel connected
0 pedals connected
0 radar connected"""


class Sensors:
    """A strap, a wheel, pedals and a radar. Each sends once a second, until it is silenced."""

    def __init__(self, stack):
        # A test may suspend the daemon for a while.
        self._lines = Lines(stack.run / "control.sock", timeout=600)
        self._lock = threading.Lock()
        self._ends = threading.Event()
        self.silent = set()
        self._way = 0.0
        self._turns = 0.0
        self._began = self._last = time.monotonic()
        self._count = 0
        self.play(*HEAD.split("\n"))
        self.reset()
        self._thread = threading.Thread(target=self._ride, daemon=True)
        self._thread.start()

    def reset(self):
        """All are there and send; the bike moves, and the road is clear."""
        self.bpm = 148
        self.speed = 8.0
        self.watts = 213
        self.cars = []
        for name in list(self.silent):
            self.wake(name)

    def play(self, *lines):
        """Plays lines of a capture now."""
        with self._lock:
            self._lines.ask("replay", lines=list(lines), speed=1)

    def notify(self, *packets):
        """Sends packets: sensor, characteristic, bytes."""
        self.play(*(f"0 {sensor} notify {characteristic} {bytes(value).hex()}" for sensor, characteristic, value in packets))

    def silence(self, name):
        """The sensor stays connected and sends nothing more."""
        self.silent.add(name)

    def disconnect(self, name):
        """The sensor is out of range."""
        self.silent.add(name)
        self.play(f"0 {name} disconnected")

    def send(self, name):
        """One packet of a sensor now, also of a silent one."""
        self.notify(self._packet(name))

    def wake(self, name):
        """The sensor is there and sends again."""
        self.play(f"0 {name} connected")
        self.silent.discard(name)

    def show_cars(self, *cars):
        """Sends one packet of the radar now, with these cars, and goes on with them: distance in m,
        approach in m/s."""
        self.cars = cars
        self.send("radar")

    def close(self):
        """Ends the sensors. They stay paired."""
        self._ends.set()
        self._thread.join()
        self._lines.close()

    def _ride(self):
        for name in itertools.cycle(NAMES):
            if self._ends.wait(max(0, self._last + STEP_S - time.monotonic())):
                return
            self._last += STEP_S
            self._way += STEP_S * self.speed / CIRCUMFERENCE_M
            self._turns += STEP_S * CADENCE if self.watts else 0
            if name in self.silent:
                continue
            try:
                self.send(name)
            except (OSError, ValueError):
                # The daemon was ended; a test that minds sees it by itself.
                return

    def _packet(self, name):
        now = self._last - self._began
        match name:
            case "strap":
                return name, HEART_RATE, [0, self.bpm]
            case "wheel":
                # Whole turns, and the time of the last one.
                turns = int(self._way)
                ago = (self._way - turns) * CIRCUMFERENCE_M / self.speed if self.speed else 0
                return name, WHEEL, [1, *little(turns, 4), *little(int((now - ago) * 1024), 2)]
            case "pedals":
                turns = int(self._turns)
                ago = (self._turns - turns) / CADENCE
                return name, POWER, [0x20, 0, *little(self.watts, 2), *little(turns, 2), *little(int((now - ago) * 1024), 2)]
            case _:
                self._count = (self._count + 1) % 16
                cars = [[0x81 + index, round(distance), round(approach * 4)]
                        for index, (distance, approach) in enumerate(self.cars)]
                return name, RADAR, [self._count << 4 | 2, *sum(cars, [])]


def little(number, count):
    """The bytes of a whole number, the lowest first."""
    return (number % (1 << 8 * count)).to_bytes(count, "little")
