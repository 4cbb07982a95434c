"""Computes the statistics of the demo logbook from its exported files with numpy: totals by day, week, month, year
and sport, training loads, fitness, fatigue and form, records and streaks. Each must be what the recorder answers.
Nothing but the numbers of the files and the definitions in docs/logbook.md and docs/metrics.md is used.

  compare.py FOLDER     with the programs
"""
import base64
import collections
import csv
import datetime
import io
import json
import math
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy

# Those of the rider in Tests/DemoLogbook.
SEX, RESTING_BPM, MAX_BPM, THRESHOLD_BPM, THRESHOLD_W = "female", 52, 186, 170, 250
UTC_OFFSET = datetime.timedelta(hours=1)
TCX = "{http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2}"
DAY = datetime.timedelta(days=1)
Numbers = dict[str, Any]


class Failed(Exception):
    pass


class Logbook:
    """A connection to logbook.sock."""

    def __init__(self, path: Path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(path))
        self.lines = self.socket.makefile("rb")
        self.last = 0
        self.lines.readline()

    def ask(self, method: str, **params: Any) -> Numbers:
        self.last += 1
        self.socket.sendall(json.dumps({"id": self.last, "method": method, "params": params}).encode() + b"\n")
        reply = json.loads(self.lines.readline())
        if reply["class"] != "reply":
            raise Failed(f"{method} {params}: {reply}")
        return reply.get("result", {})

    def export(self, activity: int, form: str) -> bytes:
        self.ask("export", id=activity, format=form)
        content = b""
        while True:
            piece = json.loads(self.lines.readline())
            if piece["class"] != "data":
                raise Failed(f"export of activity {activity}: {piece}")
            content += base64.b64decode(piece["base64"])
            if piece.get("end"):
                return content

    def all(self, method: str, **params: Any) -> list[Numbers]:
        """The activities of all pages."""
        found = []
        while True:
            page = self.ask(method, **params)
            found += page["activities"]
            if not page.get("more"):
                return found
            params["before"] = found[-1]["id"]


# MARK: One activity, from its file alone


def read_hand(content: bytes) -> Numbers:
    """An entry by hand has totals only."""
    lap = ElementTree.fromstring(content).find(f".//{TCX}Lap")
    assert lap is not None
    start = datetime.datetime.fromisoformat(lap.attrib["StartTime"].replace("Z", "+00:00"))
    found = {"start": start, "moving_time_s": float(lap.findtext(f"{TCX}TotalTimeSeconds") or 0)}
    if metres := float(lap.findtext(f"{TCX}DistanceMeters") or 0):
        found |= {"distance_m": metres, "speed_avg_mps": metres / found["moving_time_s"]}
    return found


def read_points(content: bytes) -> Numbers:
    rows = list(csv.DictReader(io.StringIO(content.decode())))

    def column(name: str) -> Any:
        return numpy.array([float(row[name]) if row[name] else math.nan for row in rows])
    moments = [datetime.datetime.fromisoformat(rows[index]["time"].replace("Z", "+00:00")) for index in (0, -1)]
    seconds = numpy.array([to_seconds(row["time"]) for row in rows])
    power, speed, bpm = column("power_w"), column("speed_mps"), column("heart_rate_bpm")
    moving = (power > 0) | (speed >= 0.5)
    steps = numpy.diff(seconds)
    found: Numbers = {"start": moments[0], "distance_m": numpy.nanmax(column("distance_m")), "ascent_m": ascent(column("altitude_m"))}
    # A value of a file holds until the next one, up to ten seconds.
    held = numpy.concatenate([[1], numpy.where(steps <= 10, steps, 1)])
    found["moving_time_s"] = float(held[moving].sum())
    found["speed_avg_mps"] = found["distance_m"] / found["moving_time_s"]
    ridden = power[moving & ~numpy.isnan(power)]
    if len(ridden) >= 60:
        smooth = (numpy.cumsum(numpy.concatenate([[0], ridden]))[30:] - numpy.cumsum(numpy.concatenate([[0], ridden]))[:-30]) / 30
        normalized = numpy.mean(smooth**4) ** 0.25
        found["training_load"] = len(ridden) / 3600 * (normalized / THRESHOLD_W) ** 2 * 100
        found["training_stress_score"] = found["training_load"]
        found["work_j"] = ridden.sum()
        found["best"] = best_powers(ridden)
    elif not numpy.isnan(bpm).all():
        # Each value for the time since the one before, up to five seconds.
        weights = numpy.concatenate([[0], numpy.minimum(steps, 5)])
        found["training_load"] = (impulse(bpm) * weights).sum() / (impulse(THRESHOLD_BPM) * 3600) * 100
    return found


def to_seconds(text: str) -> float:
    days = datetime.date(int(text[:4]), int(text[5:7]), int(text[8:10])).toordinal()
    return days * 86_400 + int(text[11:13]) * 3600 + int(text[14:16]) * 60 + float(text[17:].rstrip("Z"))


def impulse(bpm: Any) -> Any:
    """Banister's, per unit of time."""
    share = numpy.maximum(0, (bpm - RESTING_BPM) / (MAX_BPM - RESTING_BPM))
    return share * (0.86 * numpy.exp(1.67 * share) if SEX == "female" else 0.64 * numpy.exp(1.92 * share))


def ascent(heights: Any, threshold: float = 10) -> float:
    """What lies between each valley and the summit after it. A height is one of these when the way has come back
    from it by the threshold."""
    turns, direction, extreme = [heights[0]], 0, heights[0]
    low = high = heights[0]
    for height in heights:
        if direction == 0:
            low, high = min(low, height), max(high, height)
            if height - low >= threshold or high - height >= threshold:
                direction = 1 if height - low >= threshold else -1
                turns, extreme = [low if direction > 0 else high], height
        elif (height - extreme) * direction >= 0:
            extreme = height
        elif (extreme - height) * direction >= threshold:
            turns.append(extreme)
            direction, extreme = -direction, height
    if direction == 0:
        return 0.0
    rises = numpy.diff(turns + [extreme])
    return float(rises[rises > 0].sum())


def best_powers(watts: Any) -> dict[int, float]:
    minutes = [1, 2, 3, 5, 8, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 360]
    sums = numpy.concatenate([[0], numpy.cumsum(watts)])
    durations = [1, 2, 3, 5, 10, 15, 20, 30, 45] + [60 * each for each in minutes]
    return {each: float((sums[each:] - sums[:-each]).max() / each) for each in durations if each <= len(watts)}


# MARK: The comparison


checked: collections.Counter[str] = collections.Counter()


def equal(what: str, found: Any, wanted: Any, relative: float = 1e-4, absolute: float = 0.002) -> None:
    checked[what.split(" ")[0].rstrip(",")] += 1
    if found is None or wanted is None or not isinstance(wanted, float):
        same = found == wanted
    else:
        same = abs(found - wanted) <= absolute + relative * abs(wanted)
    if not same:
        raise Failed(f"{what}: the recorder has {found}, and the files {wanted}")


def add(activities: list[Numbers], name: str) -> float | None:
    known = [each[name] for each in activities if name in each]
    return float(numpy.sum(known)) if known else None


def check_statistics(logbook: Logbook, activities: list[Numbers]) -> None:
    periods = {
        "day": lambda day: day.isoformat(), "week": lambda day: "{}-W{:02}".format(*day.isocalendar()[:2]),
        "month": lambda day: day.isoformat()[:7], "year": lambda day: day.isoformat()[:4]}
    for by, name in periods.items():
        for sport in [None] + sorted({each["sport"] for each in activities}):
            groups = collections.defaultdict(list)
            for each in activities:
                if sport in (None, each["sport"]):
                    groups[name(each["day"])].append(each)
            params = {"by": by} | ({"sport": sport} if sport else {})
            rows = logbook.ask("stats", **params)["rows"]
            wanted = sorted(groups, reverse=True)
            if [row["period"] for row in rows] != wanted[:220]:
                raise Failed(f"stats by {by} of {sport}: the periods differ")
            for row in rows:
                group = groups[row["period"]]
                what = f"stats by {by} of {sport}, {row['period']}"
                equal(f"{what}, activities", row["activities"], len(group))
                equal(f"{what}, without_load", row.get("without_load", 0), sum("training_load" not in each for each in group))
                equal(f"{what}, moving_time_s", row["moving_time_s"], add(group, "moving_time_s"))
                for member in ("distance_m", "ascent_m", "work_j", "training_stress_score", "training_load"):
                    equal(f"{what}, {member}", row.get(member), add(group, member))


def check_fitness(logbook: Logbook, activities: list[Numbers]) -> None:
    first = min(each["day"] for each in activities)
    days = (datetime.date.today() - first).days + 1
    loads = numpy.zeros(days)
    for each in activities:
        loads[(each["day"] - first).days] += each.get("training_load", 0)

    def mean(constant: float) -> Any:
        share = math.exp(-1 / constant)
        return numpy.convolve(loads, (1 - share) * share ** numpy.arange(days))[:days]
    fitness, fatigue = mean(42), mean(7)
    form = numpy.concatenate([[0], (fitness - fatigue)[:-1]])
    end = (first + days * DAY).isoformat()
    reply = logbook.ask("fitness", **{"from": "2000-01-01T00:00:00.000Z", "to": f"{end}T00:00:00.000Z"})
    equal("fitness, rows", len(reply["rows"]), days)
    equal("fitness, activities", reply["activities"], len(activities))
    equal("fitness, without_load", reply["without_load"], sum("training_load" not in each for each in activities))
    for index, row in enumerate(reversed(reply["rows"])):
        equal("fitness, day", row["day"], (first + index * DAY).isoformat())
        for member, series in (("training_load", loads), ("fitness", fitness), ("fatigue", fatigue), ("form", form)):
            equal(f"fitness of {row['day']}, {member}", row[member], float(series[index]))
    print(f"  fitness of {days} days, now {fitness[-1]:.1f}; {reply['without_load']} of {len(activities)} activities have no load")


def check_records(logbook: Logbook, activities: list[Numbers]) -> None:
    reply = logbook.ask("records")
    sports = collections.Counter(each["sport"] for each in activities)
    found = {each["sport"]: each for each in reply["sports"]}
    equal("records, sports", sorted(found), sorted(sports))
    for sport, count in sports.items():
        group = [each for each in activities if each["sport"] == sport]
        equal(f"records of {sport}, activities", found[sport]["activities"], count)
        for name, member, least in (
                ("longest", "moving_time_s", 0), ("farthest", "distance_m", 0), ("most_ascent", "ascent_m", 0),
                ("fastest", "speed_avg_mps", 600)):
            values = [each[member] for each in group if each.get(member) and each["moving_time_s"] >= least]
            equal(f"records of {sport}, {name}", found[sport].get(name, {}).get(member), float(max(values)) if values else None)
            if values:
                check_holder(f"records of {sport}, {name}", found[sport][name], group, lambda each: each.get(member), max(values))
        best: dict[int, float] = {}
        for each in group:
            for duration, watts in each.get("best", {}).items():
                best[duration] = max(best.get(duration, 0), watts)
        powers = found[sport].get("best_powers", [])
        equal(f"records of {sport}, durations", [each["duration_s"] for each in powers], sorted(best))
        for power in powers:
            wanted = best[power["duration_s"]]
            equal(f"records of {sport}, power", power["power_w"], wanted)
            check_holder(
                f"records of {sport}, power", power, group, lambda each: each.get("best", {}).get(power["duration_s"]), wanted)
    days = {each["day"].toordinal() for each in activities}
    today = (datetime.datetime.now(datetime.timezone.utc) + UTC_OFFSET).date().toordinal()
    # The day 1 of the ordinals is a Monday.
    for name, numbers, now in (("days", days, today), ("weeks", {(day - 1) // 7 for day in days}, (today - 1) // 7)):
        runs = numpy.split(numpy.array(sorted(numbers)), numpy.where(numpy.diff(sorted(numbers)) > 1)[0] + 1)
        longest = max(runs, key=lambda run: (len(run), run[0]))
        current = [len(run) for run in runs if run[-1] >= now - 1]
        streak = reply["streaks"][name]
        equal(f"streaks of {name}, longest", streak["longest"], len(longest))
        equal(f"streaks of {name}, current", streak["current"], current[0] if current else 0)
        ends = [longest[0], longest[-1]] if name == "days" else [longest[0] * 7 + 1, longest[-1] * 7 + 7]
        equal(f"streaks of {name}, from and to", [streak["from"], streak["to"]], [datetime.date.fromordinal(int(each)).isoformat() for each in ends])


def check_holder(what: str, record: Numbers, group: list[Numbers], value: Any, best: float) -> None:
    """The activity that the recorder names holds the record by the files, too."""
    holder = next((each for each in group if each["id"] == record["activity"]), None)
    if holder is None or value(holder) is None or value(holder) < best * (1 - 1e-4) - 0.002:
        raise Failed(f"{what}: activity {record['activity']} does not hold it")
    start = datetime.datetime.fromisoformat(record["start"].replace("Z", "+00:00"))
    if abs(start - holder["start"]) > datetime.timedelta(seconds=1):
        raise Failed(f"{what}: activity {record['activity']} started at {holder['start']}, not {start}")


def check(path: Path) -> None:
    logbook = Logbook(path)
    activities = []
    for shown in logbook.all("list", limit=200):
        is_by_hand = shown["source"] == "hand"
        content = logbook.export(shown["id"], "tcx" if is_by_hand else "csv")
        activity = (read_hand if is_by_hand else read_points)(content)
        activity |= {"id": shown["id"], "sport": shown["sport"], "day": (activity["start"] + UTC_OFFSET).date()}
        members = ["moving_time_s", "distance_m", "ascent_m", "training_stress_score", "training_load"]
        # Only records derive the speed of an entry by hand.
        for member in members + ([] if is_by_hand else ["speed_avg_mps"]):
            equal(f"activity {shown['id']} ({shown['sport']}), {member}", shown.get(member), activity.get(member))
        activities.append(activity)
    if len(activities) < 150 or len({each["sport"] for each in activities}) < 4:
        raise Failed("the demo logbook has not the year of activities that this test needs")
    check_statistics(logbook, activities)
    check_fitness(logbook, activities)
    check_records(logbook, activities)
    print("  equal: " + ", ".join(f"{count} of {what}" for what, count in checked.items()))


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    programs = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([programs / "make-demo-logbook", folder / "logbook"], check=True)
        (folder / "run").mkdir()
        (folder / "conf").write_text("")
        options = ["--runtime-dir", folder / "run", "--state-dir", folder / "logbook", "--socket", folder / "run/metrics.sock"]
        with open(folder / "log", "wb") as log:
            recorder = subprocess.Popen([programs / "cyclometer-recorder", *options, "--config", folder / "conf"], stderr=log)
        try:
            deadline = time.monotonic() + 30
            while not (folder / "run/logbook.sock").exists():
                if time.monotonic() > deadline:
                    raise Failed("waited 30 s for the recorder: " + (folder / "log").read_text())
                time.sleep(0.1)
            print("statistics of the demo logbook, by numpy from its exported files")
            check(folder / "run/logbook.sock")
        finally:
            recorder.terminate()
            recorder.wait(20)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        print(f"FAIL {failure}")
        sys.exit(1)
