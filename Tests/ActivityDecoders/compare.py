"""Has the recorder's exports read by decoders of others: Garmin's, fitdecode and fitparse for FIT, gpxpy
for GPX, tcxreader for TCX, and gpsbabel for all three. Each must find the seconds and values that the
CSV export has, no more and no less. Totals are computed from the FIT file with numpy and compared with
those of `cyclo logbook show`.

  compare.py FOLDER [SECONDS]     with the programs; a simulated ride is recorded, and one that lasts an
                                  hour or SECONDS imported
"""
import csv
import datetime
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fitdecode
import fitparse
import garmin_fit_sdk
import gpxpy
import numpy
from tcxreader.tcxreader import TCXReader

UTC = datetime.timezone.utc
RECORDED_SECONDS = 20
IMPORTED_SECONDS = 3600
SEMICIRCLE = 180 / 2**31
GPX_EXTENSION = "{http://www.garmin.com/xmlschemas/TrackPointExtension/v2}"
Point = dict[str, float]
Track = dict[int, Point]
# How far a value of a format may be from that of CSV: half of its own step, and half of CSV's.
TOLERANCES = {
    "lat": 1.1e-7, "lon": 1.1e-7, "altitude_m": 0.11, "speed_mps": 0.0011, "distance_m": 0.011, "heart_rate_bpm": 0.51,
    "cadence_rpm": 0.51, "power_w": 0.51}


class Failed(Exception):
    pass


# MARK: The readers: for each second of UTC what a decoder finds


def read_csv(path: Path) -> Track:
    track = {}
    with open(path, newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            moment = datetime.datetime.fromisoformat(row["time"].replace("Z", "+00:00"))
            track[int(moment.timestamp())] = {name: float(row[name]) for name in TOLERANCES if row[name]}
    return track


def from_fit(fields: dict[str, Any]) -> Point:
    names = {
        "lat": "position_lat", "lon": "position_long", "altitude_m": "enhanced_altitude", "speed_mps": "enhanced_speed",
        "distance_m": "distance", "heart_rate_bpm": "heart_rate", "cadence_rpm": "cadence", "power_w": "power"}
    point = {name: float(fields[theirs]) for name, theirs in names.items() if fields.get(theirs) is not None}
    for name in ("lat", "lon"):
        if name in point:
            point[name] *= SEMICIRCLE
    if "cadence_rpm" in point:
        point["cadence_rpm"] += fields.get("fractional_cadence") or 0
    return point


def read_with_garmin(path: Path) -> Track:
    return {int(each["timestamp"].timestamp()): from_fit(each) for each in garmin_messages(path)["record_mesgs"]}


def garmin_messages(path: Path) -> dict[str, list[dict[str, Any]]]:
    # Each use consumes the stream.
    if not garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(str(path))).check_integrity():
        raise Failed("Garmin's decoder: the file is not intact")
    messages, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(str(path))).read()
    if errors:
        raise Failed(f"Garmin's decoder: {errors}")
    return messages


def read_with_fitdecode(path: Path) -> Track:
    track = {}
    with fitdecode.FitReader(path, check_crc=fitdecode.CrcCheck.RAISE, error_handling=fitdecode.ErrorHandling.RAISE) as frames:
        for frame in frames:
            if isinstance(frame, fitdecode.FitDataMessage) and frame.name == "record":
                fields = {field.name: field.value for field in frame.fields}
                track[int(fields["timestamp"].timestamp())] = from_fit(fields)
    return track


def read_with_fitparse(path: Path) -> Track:
    track = {}
    for message in fitparse.FitFile(str(path), check_crc=True).get_messages("record"):
        fields = message.get_values()
        track[int(fields["timestamp"].replace(tzinfo=UTC).timestamp())] = from_fit(fields)
    return track


def read_with_gpxpy(path: Path) -> Track:
    track = {}
    for point, *_ in gpxpy.parse(path.read_text(encoding="utf-8")).walk():
        found = {"lat": point.latitude, "lon": point.longitude}
        if point.elevation is not None:
            found["altitude_m"] = point.elevation
        for extension in point.extensions:
            if extension.tag == "power":
                found["power_w"] = float(extension.text)
            for name, theirs in (("heart_rate_bpm", "hr"), ("cadence_rpm", "cad"), ("speed_mps", "speed")):
                if (value := extension.find(GPX_EXTENSION + theirs)) is not None:
                    found[name] = float(value.text)
        track[int(point.time.timestamp())] = found
    return track


def read_with_tcxreader(path: Path) -> Track:
    track = {}
    for point in TCXReader().read(str(path), only_gps=False).trackpoints:
        values = {
            "lat": point.latitude, "lon": point.longitude, "altitude_m": point.elevation, "distance_m": point.distance,
            "heart_rate_bpm": point.hr_value, "cadence_rpm": point.cadence, "power_w": point.tpx_ext.get("Watts"),
            "speed_mps": point.tpx_ext.get("Speed")}
        track[int(point.time.replace(tzinfo=UTC).timestamp())] = {
            name: float(value) for name, value in values.items() if value is not None}
    return track


def read_with_gpsbabel(path: Path, form: str) -> Track:
    """Its points have positions, and mostly heart rates."""
    command = ["gpsbabel", "-t", "-i", form, "-f", str(path), "-o", "unicsv,utc=0", "-F", "-"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if ended.returncode:
        raise Failed(f"gpsbabel cannot read {path.name}: {ended.stderr.strip()}")
    track = {}
    for row in csv.DictReader(ended.stdout.splitlines()):
        moment = datetime.datetime.strptime(f"{row['Date']} {row['Time'].split('.')[0]}", "%Y/%m/%d %H:%M:%S").replace(tzinfo=UTC)
        track[int(moment.timestamp())] = {"lat": float(row["Latitude"]), "lon": float(row["Longitude"])}
    return track


# MARK: The comparison


def compare(reader: str, found: Track, wanted: Track, names: tuple[str, ...]) -> int:
    """The number of equal values. A value that only one of them has is a difference."""
    if found.keys() != wanted.keys():
        missing, more = sorted(wanted.keys() - found.keys()), sorted(found.keys() - wanted.keys())
        raise Failed(f"{reader}: seconds are missing ({missing[:3]}) or too many ({more[:3]})")
    count = 0
    for second, point in wanted.items():
        for name in names:
            one, other = point.get(name), found[second].get(name)
            if (one is None) != (other is None):
                raise Failed(f"{reader}: {name} at {second} is {other}, and {one} in CSV")
            if one is not None and other is not None:
                if abs(one - other) > TOLERANCES[name] * (10 if reader.startswith("gpsbabel") else 1):
                    raise Failed(f"{reader}: {name} at {second} is {other}, and {one} in CSV")
                count += 1
    return count


def check_formats(files: dict[str, Path]) -> None:
    wanted = read_csv(files["csv"])
    with_position = {second: point for second, point in wanted.items() if "lat" in point}
    everything = tuple(TOLERANCES)
    without_distance = tuple(name for name in TOLERANCES if name != "distance_m")
    fit, gpx, tcx = files["fit"], files["gpx"], files["tcx"]
    readings = [
        ("Garmin's decoder", read_with_garmin(fit), wanted, everything), ("fitdecode", read_with_fitdecode(fit), wanted, everything),
        ("fitparse", read_with_fitparse(fit), wanted, everything), ("gpxpy", read_with_gpxpy(gpx), with_position, without_distance),
        ("tcxreader", read_with_tcxreader(tcx), wanted, everything)]
    readings += [
        (f"gpsbabel, {form}", read_with_gpsbabel(path, form), with_position, ("lat", "lon"))
        for form, path in (("garmin_fit", fit), ("gpx", gpx), ("gtrnctr", tcx))]
    for reader, found, expected, names in readings:
        print(f"  {reader}: {compare(reader, found, expected, names)} values of {len(expected)} seconds are equal")


def check_totals(fit: Path, shown: dict[str, Any]) -> None:
    """From the records of the FIT file alone, with numpy."""
    track = read_with_garmin(fit)
    seconds = numpy.array(sorted(track))
    def series(name: str) -> Any:
        return numpy.array([track[second].get(name, math.nan) for second in seconds])
    power, distance, altitude = series("power_w"), series("distance_m"), series("altitude_m")
    checks = {
        "elapsed_time_s": (seconds[-1] - seconds[0], 1.0),
        "distance_m": (numpy.nanmax(distance), 0.001 * numpy.nanmax(distance) + 1)}
    # In a shorter ride a mean depends on the first and the last second.
    if len(seconds) >= 1200:
        checks |= {"power_avg_w": (numpy.nanmean(power), 1.0), "bpm_avg": (numpy.nanmean(series("heart_rate_bpm")), 1.0)}
        # The fourth power's mean of the moving average of half a minute.
        smooth = numpy.convolve(power, numpy.ones(30) / 30, "valid")
        checks["normalized_power_w"] = (numpy.mean(smooth**4) ** 0.25, 1.0)
        rises = numpy.diff(altitude)
        ascent = rises[rises > 0].sum()
        checks["ascent_m"] = (ascent, 0.02 * ascent + 2)
    for name, (value, tolerance) in checks.items():
        if name not in shown or abs(shown[name] - value) > tolerance:
            raise Failed(f"{name}: {value:.2f} by numpy, {shown.get(name)} in show")
        print(f"  {name}: {value:.2f} by numpy, {shown[name]} in show")


# MARK: The rides


def ride_over_hills(seconds: int) -> bytes:
    """As GPX."""
    points = []
    for second in range(seconds):
        clock = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_750_000_000 + second))
        height = 600 + 60 * math.sin(second / 240)
        points.append(
            f'<trkpt lat="{47 + second * 6e-5:.7f}" lon="{11 + math.sin(second / 500) / 200:.7f}"><ele>{height:.2f}</ele>'
            f"<time>{clock}</time><extensions><power>{200 + 80 * math.sin(second / 90):.0f}</power><gpxtpx:TrackPointExtension>"
            f"<gpxtpx:hr>{130 + second % 30}</gpxtpx:hr><gpxtpx:cad>{84 + second % 9}</gpxtpx:cad>"
            "</gpxtpx:TrackPointExtension></extensions></trkpt>")
    return ('<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx='
            '"http://www.garmin.com/xmlschemas/TrackPointExtension/v1"><trk><trkseg>' + "".join(points) + "</trkseg></trk></gpx>").encode()


class Programs:
    def __init__(self, programs: Path, folder: Path):
        self.programs, self.folder = programs, folder

    def cyclo(self, *words: Any) -> str:
        command = [self.programs / "cyclo", "--socket", self.folder / "run" / "control.sock", *words]
        ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)
        if ended.returncode:
            raise Failed(f"cyclo {' '.join(map(str, words))} exited with {ended.returncode}: {ended.stderr}")
        return ended.stdout

    def newest(self) -> dict[str, Any] | None:
        found = json.loads(self.cyclo("logbook", "list", "--json"))["activities"]
        return found[0] if found else None

    def check(self, what: str, activity: int) -> None:
        print(what)
        files = {}
        for form in ("csv", "fit", "gpx", "tcx"):
            files[form] = self.folder / f"{activity}.{form}"
            self.cyclo("logbook", "export", activity, "--format", form, "-o", files[form])
        check_formats(files)
        check_totals(files["fit"], json.loads(self.cyclo("logbook", "show", activity, "--json")))


@contextmanager
def running(programs: Path, folder: Path) -> Iterator[Programs]:
    (folder / "run").mkdir()
    (folder / "conf").write_text("")
    started = []
    try:
        for name, listener, options in (
                ("cyclometerd", "control.sock", ["--simulate", "bike", "--sensors", folder / "sensors", "--state-dir", folder / "daemon"]),
                ("cyclometer-recorder", "logbook.sock", [
                    "--state-dir", folder / "logbook", "--socket", folder / "run" / "metrics.sock", "--config", folder / "conf"])):
            command = [programs / name, "--runtime-dir", folder / "run", *options]
            started.append(subprocess.Popen(list(map(str, command)), stderr=open(folder / f"{name}.log", "wb")))
            await_true(lambda path=folder / "run" / listener: path.exists(), f"{name} to listen")
        yield Programs(programs, folder)
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(20)


def await_true(condition: Any, what: str) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        if time.monotonic() > deadline:
            raise Failed(f"waited 30 s for {what}")
        time.sleep(0.1)


def main() -> int:
    if not 2 <= len(sys.argv) <= 3:
        print(__doc__, file=sys.stderr)
        return 2
    seconds = int(sys.argv[2]) if len(sys.argv) == 3 else IMPORTED_SECONDS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with running(Path(sys.argv[1]), folder) as programs:
            (folder / "hills.gpx").write_bytes(ride_over_hills(seconds))
            await_true(lambda: programs.newest() is not None, "the ride to be recorded")
            # It takes as long as it lasts.
            time.sleep(RECORDED_SECONDS)
            programs.cyclo("ride", "end")
            def is_complete() -> bool:
                ride = programs.newest()
                return ride is not None and ride["state"] == "complete"
            await_true(is_complete, "the ride to be complete")
            programs.check("a recorded ride", 1)
            programs.cyclo("logbook", "import", folder / "hills.gpx")
            programs.check(f"an imported ride of {seconds} s", 2)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        print(f"FAIL {failure}")
        sys.exit(1)
