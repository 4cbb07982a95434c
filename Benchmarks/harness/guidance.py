"""A guide that follows a long route, with a recorder that has it and a daemon that is played."""
import base64
import json
import math
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.servers import BenchmarkFailed
from harness.services import Service, guide, recorder

# 20 m apart, and so 1000 km.
POINTS, SPACING_M = 50_000, 20.0
METRES_PER_DEGREE = 111_194.93
SPEED_MPS = 8.0
# As many segments, and points of all, as the guide keeps. The rider is on some 130 of them at once.
SEGMENTS, SEGMENT_M, SEGMENT_SPACING_M = 500, 3980.0, 30.0
# Of the past ride, from place to place.
SECONDS = 4
# Of base64, so that a request fits in a line.
PIECE = 45_000
HELLO = {"class": "hello", "protocol": "1.0", "release": "0.1.0", "instance": "played", "limits": {"line": 65536, "clients": 256}}


def place(metres: float) -> tuple[float, float]:
    """Where the route is: north in long bends."""
    latitude = 40 + metres / METRES_PER_DEGREE
    return latitude, 8 + 0.002 * math.sin(metres / 900)


class PlayedDaemon:
    """Answers the guide on metrics.sock, and sends it the positions of a ride along the route."""

    def __init__(self, folder: Path) -> None:
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / "metrics.sock"))
        self.listener.listen()
        self.guide: socket.socket | None = None
        self.subscribed = threading.Event()
        self.fixes = 0
        # The ride began before, so that no position is of the future, but not before the machine started.
        self.begun = max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - 7200)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        self.guide, _ = self.listener.accept()
        self.write(HELLO)
        for line in self.guide.makefile("rb"):
            request = json.loads(line)
            self.write({"class": "reply", "id": request["id"], "result": {}})
            if request["method"] == "subscribe":
                self.write({"class": "snapshot_ended"})
                self.subscribed.set()

    def write(self, record: dict[str, Any]) -> None:
        self.guide.sendall(json.dumps(record, separators=(",", ":")).encode() + b"\n")

    def move(self) -> None:
        """A second later in the ride, with some metres of error."""
        self.fixes += 1
        latitude, longitude = place(SPEED_MPS * self.fixes)
        error = 3e-5 * math.sin(self.fixes)
        self.write({
            "class": "sample", "sensor": "ride", "kind": "position", "seq": self.fixes, "t": round(self.begun + self.fixes, 3), "age_ms": 0,
            "latitude_deg": round(latitude + error, 7), "longitude_deg": round(longitude - error, 7), "speed_mps": SPEED_MPS, "accuracy_m": 4.5})

    def close(self) -> None:
        self.listener.close()
        if self.guide:
            self.guide.close()


class Guide:
    """The guide that follows the route, and a display that reads from it."""

    def __init__(self, daemon: PlayedDaemon, program: Service) -> None:
        self.daemon, self.program, self.process = daemon, program, program.process
        # The last sample of a segment.
        self.segment: dict[str, Any] | None = None

    def ride(self, fixes: int) -> list[float]:
        """Each position follows when the display has the sample of the one before. Returns the seconds
        that each took."""
        took = []
        for _ in range(fixes):
            begun = time.perf_counter()
            self.daemon.move()
            # Other lines say that the recorder is gone.
            while (sample := json.loads(self.program.lines.readline())).get("kind") != "route":
                if sample.get("kind") == "segment":
                    self.segment = sample
            took.append(time.perf_counter() - begun)
            if sample.get("state") not in ("approaching", "on_route"):
                raise BenchmarkFailed(f"on the route, the guide sent {sample}")
        north = SPEED_MPS * self.daemon.fixes
        # The bends make the way at most a fiftieth longer.
        if sample["state"] != "on_route" or not north - 50 < sample["distance_m"] < 1.02 * north + 50:
            raise BenchmarkFailed(f"{north} m to the north, the guide sent {sample}")
        return took


def add_file(logbook: Service, name: str, content: bytes, **options: Any) -> dict[str, Any]:
    """Imports a file, and returns the recorder's last answer."""
    transfer = logbook.ask("import", name=name, bytes=len(content), **options)["transfer"]
    answer = {}
    for offset in range(0, len(content), PIECE):
        piece = content[offset:offset + PIECE]
        end = {"end": True, "bytes": len(content)} if offset + PIECE >= len(content) else {}
        answer = logbook.ask("put", transfer=transfer, offset=offset, base64=base64.b64encode(piece).decode(), **end)
    return answer


def add_segments(logbook: Service, count: int, length: float) -> None:
    """Adds overlapping segments along the way, as parts of one ride."""
    places = int((SEGMENT_SPACING_M * count + length) / SPACING_M) + 2
    text = "".join('<trkpt lat="%.6f" lon="%.6f"><time>%s</time></trkpt>' % (
        *place(SPACING_M * number), time.strftime("2026-05-01T%H:%M:%SZ", time.gmtime(SECONDS * number))) for number in range(places))
    content = f'<gpx version="1.1" creator="bench" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{text}</trkseg></trk></gpx>'.encode()
    activity = add_file(logbook, "past.gpx", content)["added"][0]
    for number in range(1, count + 1):
        begin = SEGMENT_SPACING_M * number
        logbook.ask("segment_add", activity=activity, name=f"Segment {number}", from_s=begin / SPACING_M * SECONDS,
                    to_s=(begin + length) / SPACING_M * SECONDS)


def add_route(logbook: Service, points: int) -> int:
    text = "".join('<rtept lat="%.6f" lon="%.6f"><ele>%d</ele></rtept>' % (*place(SPACING_M * number), 400 + 60 * math.sin(number / 70))
                   for number in range(points))
    content = f'<gpx version="1.1" creator="bench" xmlns="http://www.topografix.com/GPX/1/1"><rte><name>Far</name>{text}</rte></gpx>'.encode()
    return add_file(logbook, "far.gpx", content, **{"as": "route"})["routes"][0]


def await_segments(program: Service, count: int) -> None:
    deadline = time.monotonic() + 120
    while (found := program.ask("status")["segments"]) != count:
        if time.monotonic() > deadline:
            raise BenchmarkFailed(f"the guide has read {found} of {count} segments")
        time.sleep(0.2)


@contextmanager
def following(
    folder: Path, points: int = POINTS, segments: int = 0, segment_m: float = SEGMENT_M, **options: Any,
) -> Iterator[Guide]:
    """The options are those of the guide's process."""
    run = folder / "run"
    run.mkdir(parents=True)
    with guide(folder, **options) as program:
        with recorder(folder, folder / "logbook") as logbook:
            if segments:
                add_segments(logbook, segments, segment_m)
            followed = program.ask("follow", route=add_route(logbook, points))
            await_segments(program, segments)
        if followed["points"] != points:
            raise BenchmarkFailed(f"the guide follows {followed}")
        program.ask("subscribe", kinds=["route", "segment"], snapshot=False)
        # Only now, so that the recorder does not connect to it.
        daemon = PlayedDaemon(run)
        try:
            if not daemon.subscribed.wait(20):
                raise BenchmarkFailed("the guide does not connect to the daemon")
            yield Guide(daemon, program)
        finally:
            daemon.close()
