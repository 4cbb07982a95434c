"""Rides for tests of the report: one of the demo logbook, and the same with what an import lacks."""

import copy
import json
import pathlib

LONG_RIDE = json.loads((pathlib.Path(__file__).parent / "rides/long-ride.json").read_text(encoding="utf-8"))


def long_ride(**changes):
    """The answers about the ride of the demo logbook, with changes of its summary."""
    report = copy.deepcopy(LONG_RIDE)
    report["show"].update(changes)
    return report


def recorded_ride():
    """The same ride as if the recorder had recorded it: with zones, events, gaps and sensors."""
    report = long_ride(
        id=12, source="recorded", bike="Gravel", note="Coffee at the mill", energy_kcal=1310, cars_passed=3,
        zone_times_s=[900, 2400, 2700, 1300, 298], zone_floors_bpm=[92, 111, 130, 148, 167],
        power_zone_times_s=[800, 2600, 2100, 1200, 600, 298],
        events=[{"at_s": 612, "event": "radar_approach", "sensor": "radar", "level": 2},
                {"at_s": 1800, "event": "battery_low", "sensor": "strap", "battery_pct": 9},
                {"at_s": 5400, "event": "tire_low", "sensor": "tire", "wheel": "front", "pressure_gauge_pa": 310000},
                {"at_s": 6000, "event": "hole", "sensor": "strap", "kind": "heart_rate", "lost": 3}],
        sensors=[{"sensor": "strap", "name": "Polar H10", "kinds": ["heart_rate", "battery"], "battery_pct": 9},
                 {"sensor": "radar", "name": "Varia", "kinds": ["radar"]},
                 {"sensor": "tire", "kinds": ["tire_pressure"], "battery_pct": 80}])
    lose(report, "bpm", 1392, 1800)
    return report


def routes():
    """The way of this ride as a route, and the ways out and back, the newest first."""
    pieces = [piece["points"] for piece in LONG_RIDE["track"]["pieces"]]
    cues = [{"distance_m": 5240, "kind": "left", "text": "Mill Street"}, {"distance_m": 17800, "kind": "summit", "text": "Pass"},
            {"distance_m": 31500, "kind": "right", "text": "Church Lane"}]
    return [make_route(4, "Mill loop", sum(pieces, []), cues), make_route(3, "To the pass", pieces[0]), make_route(2, "Home by the river", pieces[1])]


def make_route(number, name, track, cues=()):
    """What the recorder has of a route along these points of a track."""
    start = track[0]["distance_m"]
    points = [{**{key: value for key, value in point.items() if key != "at_s"}, "distance_m": point["distance_m"] - start} for point in track]
    heights = [point["altitude_m"] for point in points]
    ascent = sum(max(0, high - low) for low, high in zip(heights, heights[1:]))
    route = {"id": number, "name": name, "distance_m": points[-1]["distance_m"], "ascent_m": ascent, "points": len(points), "cues": len(cues)}
    return {"route": route, "points": points, "cues": list(cues)}


def lose(report, field, from_s, to_s):
    """Takes away the values of a field, as a strap does that is lost."""
    step = report["series"]["step_s"]
    for piece in report["series"]["pieces"]:
        for each in piece["fields"]:
            if each["field"] != field:
                continue
            for index in range(len(each["mean"])):
                if from_s <= piece["start_s"] + index * step < to_s:
                    for kind in ("min", "mean", "max"):
                        each[kind][index] = None
