"""Makes power.json for the tests of Sources/Metrics/Ride and Sources/Metrics/Training: rides second
by second, and their training metrics, computed with numpy from the formulas of docs/metrics.md. Run
it by hand when you add a ride. The tests read power.json and need no numpy.

    python3 power.py > power.json

Takes no arguments; needs numpy; exits with 0. All rides are seeded. A ride is a list of whole
seconds. In each second the wheel rolls at 8 m/s or stands still, and the pedals send their power or
nothing (null)."""
import json

import numpy

HOLDING = 2        # seconds for which a power stays valid without a new one
PAUSE_DELAY = 3    # seconds from the last movement, in the packet before the stop, to the pause
THRESHOLD, CAPACITY, WEIGHT, RESTING, MAXIMUM = 240, 18_000, 70, 50, 190
BEST = {"best_5s_w": 5, "best_1min_w": 60, "best_5min_w": 300, "best_20min_w": 1200}


def runs(mask) -> list[tuple[int, int]]:
    edges = numpy.flatnonzero(numpy.diff(numpy.concatenate([[0], mask.astype(int), [0]])))
    return list(zip(edges[::2], edges[1::2]))


def inside(ranges, count: int) -> numpy.ndarray:
    mask = numpy.zeros(count, bool)
    for begin, end in ranges:
        mask[begin:end] = True
    return mask


def held(power: numpy.ndarray) -> numpy.ndarray:
    filled = power.copy()
    for begin, end in runs(numpy.isnan(power)):
        if begin > 0:
            filled[begin:min(end, begin + HOLDING)] = filled[begin - 1]
    return filled


def phases(row) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The seconds in which the clock runs, and the seconds ridden, which exclude the delay before a
    pause."""
    count = len(row["power"])
    paused = inside(row["pauses"], count)
    stops = inside(row["stops"], count)
    clock, ridden = ~paused, ~paused
    for begin, end in runs(stops):
        if end - begin >= PAUSE_DELAY - 1:
            clock[begin + PAUSE_DELAY - 1:end] = False
            # The second in which the wheel stopped was only partly ridden.
            ridden[max(0, begin - 1):end] = False
    for second in row["restarts"]:
        ridden[second - 1] = False
    # The last second is not complete.
    ridden[-1] = False
    return clock, ridden


def windows(power: numpy.ndarray, size: int) -> numpy.ndarray:
    if len(power) < size:
        return numpy.array([])
    return numpy.convolve(power, numpy.ones(size), "valid") / size


def normalized(power: numpy.ndarray):
    return float(numpy.mean(windows(power, 30) ** 4) ** 0.25) if len(power) >= 60 else None


def balance(power: numpy.ndarray, clock: numpy.ndarray) -> float:
    """Integrates the differential equation with Euler steps of 1 ms."""
    left, steps = float(CAPACITY), 1000
    for second, watts in enumerate(power):
        if numpy.isnan(watts):
            if clock[second]:
                continue
            watts = 0.0
        for _ in range(steps):
            rate = THRESHOLD - watts if watts > THRESHOLD else (THRESHOLD - watts) * (CAPACITY - left) / CAPACITY
            left += rate / steps
    return left


def trimp(bpm: numpy.ndarray, clock: numpy.ndarray) -> float:
    share = (bpm - RESTING) / (MAXIMUM - RESTING)
    weighted = share * 0.64 * numpy.exp(1.92 * share)
    return float(weighted[1:][clock[1:]].sum() / 60)


def decoupling(power: numpy.ndarray, bpm: numpy.ndarray):
    minutes = len(power) // 60
    if minutes < 20:
        return None
    assert minutes < 64
    smooth = numpy.concatenate([numpy.full(29, numpy.nan), windows(power, 30)])
    half = minutes // 2

    def factor(begin: int, end: int) -> float:
        fourths = smooth[begin:end] ** 4
        return float(numpy.nanmean(fourths) ** 0.25 / bpm[begin:end].mean())

    first, second = factor(0, half * 60), factor((minutes - half) * 60, minutes * 60)
    return (first - second) / first * 100


def zone_times(power: numpy.ndarray) -> list[int]:
    bounds = numpy.array([0.55, 0.75, 0.90, 1.05, 1.20, 1.50]) * THRESHOLD
    zones = numpy.searchsorted(bounds, power, side="left")
    return [int((zones == zone).sum()) for zone in range(7)]


def expected(row) -> dict:
    power = held(numpy.array([numpy.nan if watts is None else watts for watts in row["power"]], float))
    bpm = numpy.array(row["bpm"], float)
    clock, ridden = phases(row)
    known = power[ridden & ~numpy.isnan(power)]
    rates = bpm[ridden & ~numpy.isnan(power)]
    np, mean = normalized(known), float(known.mean())
    intensity = np / THRESHOLD
    numbers = {
        "power_avg_w": mean, "normalized_power_w": np, "variability_index": np / mean, "work_j": float(known.sum()),
        "intensity_factor": intensity, "training_stress_score": len(known) / 3600 * intensity ** 2 * 100,
        "efficiency_factor_w_per_bpm": np / float(bpm[clock].mean()), "decoupling_pct": decoupling(known, rates),
        "heart_rate_load": trimp(bpm, clock), "w_prime_balance_j": balance(power, clock),
        "power_avg_w_per_kg": mean / WEIGHT, "normalized_power_w_per_kg": np / WEIGHT,
        "zone_times_s": zone_times(known)}
    numbers["best"] = {name: float(windows(known, size).max()) if len(known) >= size else None for name, size in BEST.items()}
    bounds = [0, *row["laps"], len(power)]
    last = numpy.zeros(len(power), bool)
    last[bounds[-2]:] = True
    lap = power[ridden & last & ~numpy.isnan(power)]
    numbers["lap"] = {"power_avg_w": float(lap.mean()), "normalized_power_w": normalized(lap), "work_j": float(lap.sum())}
    return numbers


def row(name, power, bpm=None, stops=(), pauses=(), laps=(), restarts=()) -> dict:
    count = len(power)
    watts = [None if numpy.isnan(one) else int(one) for one in power]
    if bpm is None:
        bpm = 130 + 20 * numpy.sin(numpy.arange(count) / 400)
    made = {
        "name": name, "power": watts, "bpm": [int(round(one)) for one in bpm], "stops": [list(map(int, one)) for one in stops],
        "pauses": [list(map(int, one)) for one in pauses], "laps": list(laps), "restarts": list(restarts)}
    made["expected"] = expected(made)
    return made


def lights(count: int, watts, each, wait, seed: int):
    """Constant power with a stop now and then."""
    random = numpy.random.default_rng(seed)
    power, stops, second = numpy.full(count, float(watts)), [], 60
    while second < count - 120:
        length = int(random.integers(*wait))
        stops.append((second, second + length))
        power[second:second + length] = 0
        second += length + int(random.integers(*each))
    return power, stops


def rides():
    for name, each, wait, seed in [
            ("traffic lights, long stops", (60, 150), (20, 60), 1), ("traffic lights, short blocks", (20, 45), (8, 30), 2),
            ("traffic lights, some too short to pause", (40, 90), (1, 12), 3)]:
        power, stops = lights(1800, 250, each, wait, seed)
        yield row(name, power, stops=stops)
    power = numpy.tile(numpy.repeat([320.0, 150.0], 180), 7)
    yield row("intervals, a heart that drifts", power, bpm=120 + 30 * numpy.arange(len(power)) / len(power))
    random = numpy.random.default_rng(4)
    power = numpy.clip(random.normal(200, 60, 2000), 20, 700).round()
    for begin in range(100, 1900, 130):
        power[begin:begin + int(random.integers(5, 40))] = 0
    yield row("coasting", power)
    power = numpy.clip(random.normal(230, 50, 1800), 20, 700).round()
    for begin in range(90, 1700, 170):
        power[begin:begin + int(random.integers(3, 60))] = numpy.nan
    yield row("a power meter that drops out", power)
    power = numpy.full(1500, 250.0)
    for begin in range(90, 1400, 170):
        power[begin:begin + 30] = numpy.nan
    yield row("constant power, drop-outs", power)
    power = numpy.clip(random.normal(210, 40, 1500), 20, 700).round()
    yield row("pauses by hand", power, pauses=[(300, 500), (900, 905)])
    power = numpy.repeat([250.0, 150.0, 300.0], 500)
    yield row("laps", power, laps=[500, 1000])
    yield row("restarts", numpy.repeat([200.0, 260.0, 180.0], 600), restarts=[333, 900, 1250])
    power, stops = lights(2400, 220, (50, 200), (1, 50), 5)
    power[power > 0] += numpy.clip(random.normal(0, 50, int((power > 0).sum())), -150, 400).round()
    power[1000:1025] = numpy.nan
    yield row("everything", power, stops=stops, laps=[777, 1501], restarts=[650])


print(json.dumps({"rows": list(rides())}, separators=(",", ":")))
