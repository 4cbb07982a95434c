"""Records of a ride as the stream sends them: a usual moment, the longest values, none at all."""

import math


def sample(kind, now, sensor="ride", **fields):
    """One sample record, measured now."""
    return {"class": "sample", "sensor": sensor, "kind": kind, "seq": 1, "t": now, "age_ms": 0, **fields}


def state(sensor, name="streaming", **more):
    """One state record."""
    return {"class": "state", "sensor": sensor, "state": name, **more}


SENSORS = {"strap": "heart_rate", "wheel": "speed", "crank": "cadence", "pedals": "power"}


def riding(now, radar=None, speed=31.4 / 3.6, **ride):
    """A rider on a country road; with `radar`, its targets."""
    ride = {"ride_time_s": 5527, "moving_time_s": 5410, "distance_m": 41203, "paused": False, "lap": 3,
            "lap_time_s": 372, "lap_distance_m": 2410, "ascent_m": 312, "descent_m": 280,
            "energy_kcal": 1042, "work_j": 980000, **ride}
    records = [state(sensor) for sensor in SENSORS]
    records += [
        sample("speed", now, speed_mps=speed, source="wheel", pace_s_per_km=115),
        sample("cadence", now, cadence_rpm=88, source="crank"),
        sample("power", now, power_w=213, source="pedals"),
        sample("heart_rate", now, bpm=148, source="strap"),
        sample("heart_rate", now, sensor="strap", bpm=148),
        sample("power", now, sensor="pedals", power_w=213),
        sample("zones", now, zone=3, zone_times_s=[250, 1880, 2100, 600, 20]),
        sample("grade", now, grade_pct=4.2, elevation_m=612),
        sample("ride", now, **ride),
        sample("averages", now, speed_avg_mps=27.1 / 3.6, speed_max_mps=52.3 / 3.6, bpm_avg=139, bpm_max=171,
               power_avg_w=187, power_max_w=640, power_10s_w=220, power_60s_w=205, normalized_power_w=201,
               cadence_avg_rpm=86, cadence_max_rpm=112),
        sample("lap_averages", now, speed_avg_mps=8, distance_m=2410, power_avg_w=199, bpm_avg=145),
        sample("position", now, sensor="gps", satellites=14, accuracy_m=3, quality="good"),
    ]
    if radar is not None:
        records += [state("radar"), sample("radar", now, sensor="radar", clear=not radar, targets=radar)]
    return records


def running(now, speed=3.2, cadence=84, **ride):
    """A runner with a foot pod that counts strides."""
    return [
        sensor("pod", "Stryd", ["speed", "cadence"]), state("pod"),
        sample("speed", now, sensor="pod", speed_mps=speed),
        sample("cadence", now, sensor="pod", cadence_per_min=cadence, is_running=True),
        sample("speed", now, speed_mps=speed, source="pod"),
        sample("ride", now, **{"ride_id": "r1", "sport": "running", "ride_time_s": 1210, "moving_time_s": 1205, "distance_m": 3850,
                               "paused": False, "lap": 1, **ride}),
    ]


def longest(now):
    """Every value as long as its form allows."""
    records = riding(now, radar=[], speed=88.8 / 3.6, ride_time_s=36888, moving_time_s=36888, distance_m=888880,
                     lap=88, lap_time_s=36888, lap_distance_m=88880, ascent_m=8888, descent_m=8888,
                     energy_kcal=8888, work_j=8888000)
    records += [
        sample("grade", now, grade_pct=-18.8, elevation_m=8888),
        sample("power", now, power_w=1888, source="pedals"),
        sample("heart_rate", now, bpm=188, source="strap"),
        sample("averages", now, speed_avg_mps=88.8 / 3.6, speed_max_mps=88.8 / 3.6, bpm_avg=188, bpm_max=188,
               power_avg_w=888, power_max_w=1888, power_10s_w=1888, power_60s_w=888, normalized_power_w=888,
               cadence_avg_rpm=188, cadence_max_rpm=188),
    ]
    return records


def fleet(bikes=("bike-1", "bike-2", "bike-10"), group="studio"):
    """What a bridge tells of some bikes: each with a strap, pedals and a radar, all current."""
    records = [{"class": "bridge", "present": True}, {"class": "broker", "state": "connected"}]
    for index, bike in enumerate(bikes):
        whose = {"group": group, "receiver": bike}
        records += [{"class": "receiver", **whose, "state": "online"}]
        records += [{"class": "sensor", **whose, "change": "changed",
                     "sensor": {"id": id, "name": id, "kinds": [kind], "state": "streaming"}}
                    for id, kind in (("strap", "heart_rate"), ("pedals", "power"), ("varia", "radar"))]
        records += [of_bike(bike, "strap", "heart_rate", group, bpm=140 + index),
                    of_bike(bike, "pedals", "power", group, power_w=200 + index),
                    of_bike(bike, "ride", "speed", group, speed_mps=10),
                    of_bike(bike, "varia", "radar", group, clear=True, targets=[])]
    return records


def of_bike(bike, sensor, kind, group="studio", age=0, **fields):
    """A sample of a bike of a wall. Without an age, nothing tells how old it is."""
    record = {"class": "sample", "group": group, "receiver": bike, "sensor": sensor, "kind": kind, "seq": 1, "t": 1, **fields}
    return record if age is None else {**record, "age_ms": age * 1000}


def sensor(id, name, kinds, state="streaming", **more):
    """One sensor record: it was added."""
    return {"class": "sensor", "change": "added",
            "sensor": {"id": id, "name": name, "kinds": kinds, "state": state, **more}}


PAIRED = [
    sensor("strap", "Polar H10", ["heart_rate", "ecg"], battery_pct=82, rssi_dbm=-61,
           commands=[{"name": "start_ecg", "summary": "Start"}, {"name": "stop_ecg", "summary": "Stop"}]),
    sensor("watch", "Watch strap", ["heart_rate"], state="stale", reason="silent"),
    sensor("wheel", "Wahoo Speed", ["speed"], battery_pct=64, rssi_dbm=-70),
    sensor("crank", "Crank", ["cadence"], rssi_dbm=-75),
    sensor("pedals", "Assioma", ["power"], battery_pct=9, rssi_dbm=-58),
    sensor("front", "Front cap", ["tire_pressure"], role="front", settings={"target_pressure_pa": 450000}),
    sensor("rear", "Rear cap", ["tire_pressure"], role="rear"),
    sensor("trainer", "KICKR", ["trainer", "trainer_status"]),
]


def course(now, seconds=2400):
    """What the server remembers of a ride: speed, heart rate, power and height, with a gap."""
    points = 240
    step = seconds / points

    def line(function):
        return [None if 100 <= index < 112 else round(function(index), 2) for index in range(points)]

    return {
        "start": now - seconds, "step_s": step,
        "speed_mps": line(lambda i: 7.5 + 2.5 * math.sin(i / 11) + 1.5 * math.sin(i / 4)),
        "bpm": line(lambda i: 132 + 16 * math.sin(i / 25) + 5 * math.sin(i / 6)),
        "power_w": line(lambda i: 190 + 60 * math.sin(i / 9)),
        "cadence_rpm": line(lambda i: 86 + 6 * math.sin(i / 8)),
        "elevation_m": line(lambda i: 520 + 80 * math.sin(i / 40)),
        "distance_m": [round(index * step * 7.5, 1) for index in range(points)],
    }


def journey(now, seconds=5400):
    """The course of a ride over hills, which ends with the values of `riding`."""
    points = 240
    step = seconds / points

    def height(i):
        return 90 * math.sin(i / 31 + .6) + 34 * math.sin(i / 11) + 9 * math.sin(i / 4.3)

    def slope(i):
        return height(i + 1) - height(i)

    def wind(i):
        return .7 * math.sin(i / 2.7) + .5 * math.sin(i / 1.3 + 2) + .4 * math.sin(i * 1.9)

    def line(function, mean, end):
        values = [function(i) for i in range(points)]
        values = [value - sum(values) / points + mean for value in values]
        # The last tenth leads to the value of now.
        return [round(value + (end - values[-1]) * max(0, i / points - .9) / (.1 - 1 / points), 2) for i, value in enumerate(values)]

    speed = [max(2.2, min(14.5, value)) for value in line(lambda i: wind(i) - .42 * slope(i), 27.1 / 3.6, 31.4 / 3.6)]
    distance, lengths = 0, []
    for each in speed:
        distance += each * step
        lengths.append(round(distance, 1))
    return {
        "start": now - seconds, "step_s": step, "speed_mps": speed,
        "bpm": line(lambda i: 2.2 * slope(i - 4) + 2.2 * wind(i - 2), 141, 148),
        "power_w": [max(0, value) for value in line(lambda i: 14 * slope(i) + 26 * wind(i), 187, 213)],
        "cadence_rpm": line(lambda i: 3 * wind(i), 86, 88), "elevation_m": line(height, 560, 612),
        "distance_m": lengths,
    }


HEALTHY = [
    sensor("strap", "Polar H10", ["heart_rate"], battery_pct=82, rssi_dbm=-61),
    sensor("wheel", "Wahoo Speed", ["speed"], battery_pct=64, rssi_dbm=-70),
    sensor("crank", "Wahoo Cadence", ["cadence"], battery_pct=71, rssi_dbm=-68),
    sensor("pedals", "Assioma DUO", ["power"], battery_pct=56, rssi_dbm=-58),
    sensor("radar", "Varia RTL515", ["radar"], battery_pct=90, rssi_dbm=-52),
    sensor("front", "Front tire", ["tire_pressure"], role="front"),
    sensor("rear", "Rear tire", ["tire_pressure"], role="rear"),
]


def healthy(now, radar, **ride):
    """A ride in which every sensor works."""
    return HEALTHY + riding(now, radar, ride_id="r1", **ride) + [
        state("front"), state("rear"),
        sample("tire_pressure", now, "front", pressure_gauge_pa=448000, temperature_c=24, wheel="front"),
        sample("tire_pressure", now, "rear", pressure_gauge_pa=462000, temperature_c=27, wheel="rear"),
        {"class": "recorder", "present": True, "recording": 12, "storage": "ok"},
    ]


def everything(now):
    """A ride with every kind of sensor."""
    microvolts = [int(900 if i % 36 == 18 else 60 * math.sin(i / 5)) for i in range(73)]
    return PAIRED + riding(now, ride_id="r1") + [
        state("watch", "stale", reason="silent"), state("front"), state("rear"), state("trainer"),
        sample("tire_pressure", now, "front", pressure_gauge_pa=448000, temperature_c=24, wheel="front"),
        sample("tire_pressure", now, "rear", pressure_gauge_pa=402000, temperature_c=27, wheel="rear"),
        sample("battery", now, "strap", battery_pct=82), sample("battery", now, "wheel", battery_pct=64),
        sample("battery", now, "pedals", battery_pct=9),
        sample("trainer", now, "trainer", resistance_level=12), sample("trainer_status", now, "trainer", target_power_w=210, grade_pct=3.5),
        sample("bike", now, name="Gravel"), sample("wheel", now, "wheel", circumference_mm=2096, confidence=.97),
        sample("hrv", now, rmssd_ms=42, sdnn_ms=55, dfa_alpha1=.81, confidence=.9, breaths_per_min=18.4, breaths_confidence=.7),
        sample("oxygen", now, "oximeter", spo2_pct=97, pulse_bpm=147),
        sample("muscle_oxygen", now, "moxy", smo2_pct=61.4, thb_g_per_dl=12.3),
        sample("body_temperature", now, "core", core_temperature_c=38.2, skin_temperature_c=34.1, heat_strain_index=2.4),
        sample("environment", now, "ruuvi", temperature_c=21, humidity_pct=48, pressure_pa=95300),
        sample("ecg", now, "strap", timestamp_ns=1, microvolts=microvolts),
        sample("averages", now, speed_avg_mps=27.1 / 3.6, speed_max_mps=52.3 / 3.6, bpm_avg=139, bpm_max=171,
               power_avg_w=187, power_max_w=640, power_3s_w=231, power_10s_w=220, power_30s_w=210, power_60s_w=205,
               normalized_power_w=201, cadence_avg_rpm=86, cadence_max_rpm=112, balance_avg_pct=52,
               speed_trend="up", pace_avg_s_per_km=133),
        sample("position", now, sensor="gps", satellites=14, accuracy_m=3, quality="good", latitude_deg=48.13712, longitude_deg=11.57542),
        {"class": "recorder", "present": True, "recording": 12, "storage": "ok"},
    ]


FAST_CAR = [{"id": 1, "distance_m": 62, "approach_speed_mps": 19, "level": 2},
            {"id": 2, "distance_m": 110, "approach_speed_mps": 9, "level": 1}]


MILL_LOOP = {"route": 4, "name": "Mill loop", "distance_m": 21400, "points": 812, "cues": 6, "climbs": 1}


def guide(following=MILL_LOOP, coach=None, **more):
    """What the server tells of the guide."""
    status = {"connected": True, "coach": coach or {"sport": "off", "preference_per_min": 0}, **more}
    return {"class": "guide", "present": True, "status": {**status, **({"following": following} if following else {})}}


def on_route(now, **more):
    """A rider on a route, with a cue that is far."""
    return sample("route", now, "guide", **{
        "route": 4, "name": "Mill loop", "state": "on_route", "distance_m": 9000, "distance_to_go_m": 12400, "cross_track_m": 2.1,
        "lap": 1, "cue": "left", "cue_text": "Mill Street", "cue_distance_m": 1250, **more})


def off_route(now, **more):
    """A rider who is away from the route, which is on the right."""
    return sample("route", now, "guide", **{
        "route": 4, "name": "Mill loop", "state": "off_route", "distance_m": 9000, "distance_to_go_m": 12400, "cross_track_m": 45.2,
        "bearing_deg": 120, "lap": 1, **more})


CLIMB = {"climb_distance_m": 0, "climb_to_top_m": 600, "climb_length_m": 2400, "climb_ascent_m": 150, "climb_ascent_to_go_m": 38,
         "climb_grade_pct": 6.2, "climb_profile_m": [400 + 150 * (i / 59) ** 1.2 + 6 * math.sin(i / 5) for i in range(60)]}


def coach(now, **more):
    """A cyclist below the target."""
    return sample("coach", now, "guide", **{"sport": "cycling", "target_per_min": 90, "actual_per_min": 84, "deviation_per_min": -6, **more})


def guided(now, place, **more):
    """A ride on a route, a segment and a climb, beside a target of the cadence. The rider is at a place of a track."""
    return healthy(now, []) + [
        guide(coach={"sport": "cycling", "target_rpm": 90, "preference_per_min": 0}), on_route(now, **CLIMB, **more), coach(now),
        on_segment(now, ahead_of_best_s=4.2), sample("position", now, "gps", **place, accuracy_m=3, quality="good")]


def near_segment(now, **more):
    """A rider who comes to a segment, whose start is on the left."""
    return sample("segment", now, "guide", **{
        "segment": 3, "name": "Hill", "state": "approaching", "length_m": 1525, "start_distance_m": 120, "start_bearing_deg": 300,
        "best_time_s": 299.2, "last_time_s": 310.1, **more})


def on_segment(now, **more):
    """A rider on a segment, a little behind the best effort."""
    return sample("segment", now, "guide", **{
        "segment": 3, "name": "Hill", "state": "on", "length_m": 1525, "distance_m": 430, "distance_to_go_m": 1095, "time_s": 82.4,
        "ahead_of_best_s": -4.2, "ahead_of_last_s": 13.9, "best_time_s": 299.2, "last_time_s": 310.1, **more})
