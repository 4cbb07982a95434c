"""Statistics of a logbook as the recorder answers, for tests of the page alone: a week of riding, again and again."""

import datetime
import math

TODAY = datetime.date(2026, 5, 6)
NOON = f"{TODAY}T12:00:00"


def stats(query):
    """Totals of the last year, with no activity in the third period before the last one."""
    by = query["by"]
    periods = []
    for day in (TODAY - datetime.timedelta(days=count) for count in range(366)):
        week = day.isocalendar()
        name = {"week": f"{week.year}-W{week.week:02}", "month": day.isoformat()[:7], "year": str(day.year)}[by]
        if name not in periods:
            periods.append(name)
    rows = [{"period": period, "activities": 4 + index % 3, "moving_time_s": 9000 + 600 * (index % 5), "distance_m": 61200 + 5000 * (index % 7),
             "ascent_m": 640, "training_load": 142.5, **({"without_load": 1} if index % 2 == 0 else {})}
            for index, period in enumerate(periods) if index != 3]
    if query.get("sport") == "swimming":
        return {"rows": []}
    return {"rows": rows}


def fitness(query):
    """A curve that rises and falls, from the asked day on."""
    days = (TODAY - datetime.date.fromisoformat(query["from"][:10])).days + 1
    rows = [{"day": str(TODAY - datetime.timedelta(days=count)), "training_load": 80 if count % 3 == 0 else 0,
             "fitness": 60 + 10 * math.cos(count / 30), "fatigue": 65 + 25 * math.cos(count / 9), "form": -5.1} for count in range(days)]
    return {"rows": rows, "activities": 52, "without_load": 9}


def records(query):
    """Of rides, and of runs without power."""
    ride = {"activity": 12, "start": "2026-05-03T07:30:00.000Z"}
    rides = {"sport": "cycling", "activities": 150, "longest": {**ride, "moving_time_s": 9000}, "farthest": {**ride, "distance_m": 61200},
             "fastest": {**ride, "speed_avg_mps": 9.1}, "most_ascent": {**ride, "ascent_m": 1200},
             "best_powers": [{**ride, "duration_s": 1, "power_w": 900}, {**ride, "duration_s": 5, "power_w": 812},
                             {**ride, "duration_s": 1200, "power_w": 255}]}
    runs = {"sport": "inline_skating", "activities": 1, "longest": {"activity": 10, "moving_time_s": 1800}}
    streaks = {"days": {"current": 3, "longest": 12, "from": "2026-03-01", "to": "2026-03-12"},
               "weeks": {"current": 20, "longest": 52, "from": "2025-04-28", "to": "2026-05-03"}}
    sports = [each for each in (rides, runs) if query.get("sport") in (None, each["sport"])]
    return {"sports": sports, "streaks": streaks if sports else {"days": {"current": 0, "longest": 0}, "weeks": {"current": 0, "longest": 0}}}


def keep(logbook):
    """Gives them to a played logbook."""
    logbook.statistics = {"stats": stats, "fitness": fitness, "records": records}
