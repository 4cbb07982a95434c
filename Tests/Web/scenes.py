"""Records of a ride as the stream sends them: a usual moment, the longest values, none at all."""


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


FAST_CAR = [{"id": 1, "distance_m": 62, "approach_speed_mps": 19, "level": 2},
            {"id": 2, "distance_m": 110, "approach_speed_mps": 9, "level": 1}]
