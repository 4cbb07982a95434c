"""Makes body.json for the tests of Sources/Metrics/Body: synthetic series of heartbeats, and the
results of numpy, scipy and neurokit2 for them. Run it by hand when you add a series. The tests read
body.json and need none of these libraries.

    python3 -m venv V && V/bin/pip install -r body.txt && V/bin/python body.py > body.json

Takes no arguments; exits with 0. All series are seeded. Intervals are whole numbers of 1/1024 s, as
straps send them."""
import json
import sys
import warnings

import neurokit2
import numpy
from scipy import interpolate, signal

SECONDS = 420
# The last beats, which our code has not judged yet.
PENDING = 4
SIZES = numpy.arange(4, 17)


def ticks(milliseconds) -> numpy.ndarray:
    return numpy.round(numpy.asarray(milliseconds) * 1.024).astype(int)


def coloured(exponent: float, count: int, seed: int) -> numpy.ndarray:
    """Noise with the power spectrum 1/f^exponent, mean 0 and standard deviation 1."""
    random = numpy.random.default_rng(seed)
    if exponent == 2:
        noise = numpy.cumsum(random.standard_normal(count))
    else:
        spectrum = numpy.fft.rfft(random.standard_normal(4 * count))
        frequency = numpy.fft.rfftfreq(4 * count)
        spectrum[1:] *= frequency[1:] ** (-exponent / 2)
        spectrum[0] = 0
        noise = numpy.fft.irfft(spectrum, 4 * count)[:count]
    return (noise - noise.mean()) / noise.std()


def breathing(per_minute: float, mean: float, depth: float, own: float, measured: float, seed: int) -> numpy.ndarray:
    """A heart rate modulated by breathing, with the heart's own noise (pink) and measurement noise
    (white), in ms."""
    pink, white = coloured(1, 2000, seed) * own, coloured(0, 2000, seed + 1) * measured
    time, intervals = 0.0, []
    while time < SECONDS:
        index = len(intervals)
        interval = mean + depth * numpy.sin(2 * numpy.pi * per_minute / 60 * time) + pink[index] + white[index]
        intervals.append(interval)
        time += interval / 1000
    return ticks(intervals)


def noise(exponent: float, mean: float, deviation: float, seed: int) -> numpy.ndarray:
    return ticks(mean + deviation * coloured(exponent, int(SECONDS * 1000 / mean), seed))


def with_artefacts(clean: numpy.ndarray, each: int, seed: int) -> numpy.ndarray:
    """In turn: an early beat with its compensatory pause, a missed beat, and a false beat."""
    random = numpy.random.default_rng(seed)
    intervals, place, turn = list(map(int, clean)), each, 0
    while place < len(intervals) - 20:
        if turn % 3 == 0:
            early = int(intervals[place] * random.uniform(0.25, 0.4))
            intervals[place] -= early
            intervals[place + 1] += early
        elif turn % 3 == 1:
            intervals[place:place + 2] = [intervals[place] + intervals[place + 1]]
        else:
            first = int(intervals[place] * random.uniform(0.3, 0.7))
            intervals[place:place + 1] = [first, intervals[place] - first]
        turn += 1
        place += each + int(random.integers(0, each // 2))
    return numpy.array(intervals)


def last(series: numpy.ndarray, seconds: int) -> numpy.ndarray:
    """The judged intervals whose beats are less than `seconds` before the last one."""
    judged = series[:-PENDING]
    age = (judged.sum() - numpy.cumsum(judged))
    assert not (age == seconds * 1024).any(), "a beat at the very end of the window: choose another seed"
    return judged[age < seconds * 1024] / 1.024


def told_by_neurokit(intervals: numpy.ndarray) -> dict:
    beats = {"RRI": intervals, "RRI_Time": numpy.cumsum(intervals) / 1000}
    table = neurokit2.hrv_time(beats, sampling_rate=1000)
    return {"rmssd": float(table["HRV_RMSSD"].iloc[0]), "sdnn": float(table["HRV_SDNN"].iloc[0])}


def alpha1(intervals: numpy.ndarray) -> float:
    """In numpy, box by box. Each box overlaps half of the next, up to the last that fits."""
    profile = numpy.cumsum(intervals - intervals.mean())
    fluctuations = []
    for size in SIZES:
        boxes = numpy.array([profile[start:start + size] for start in range(0, len(profile) - size + 1, size // 2)])
        lines = numpy.polynomial.polynomial.polyfit(numpy.arange(size), boxes.T, 1)
        left = boxes - numpy.polynomial.polynomial.polyval(numpy.arange(size), lines)
        fluctuations.append(numpy.sqrt((left ** 2).mean()))
    return float(numpy.polyfit(numpy.log2(SIZES), numpy.log2(fluctuations), 1)[0])


def breaths(intervals: numpy.ndarray) -> float:
    """In scipy: a spline sampled at 4 Hz, and the peak of its periodogram."""
    times = numpy.cumsum(intervals) / 1000
    even = numpy.arange(times[0], times[-1], 0.25)
    curve = signal.detrend(interpolate.CubicSpline(times, intervals)(even))
    frequency, power = signal.periodogram(curve, 4, window="hann", nfft=16384)
    inside = (frequency >= 0.094) & (frequency <= min(0.756, 500 / intervals.mean()))
    return float(60 * frequency[inside][power[inside].argmax()])


def corrected(series: numpy.ndarray) -> dict:
    """The values at the end of a series with artefacts, after neurokit2 corrected it (Lipponen and
    Tarvainen)."""
    peaks = numpy.cumsum(numpy.concatenate([[0], series[:-PENDING]]))
    _, corrected = neurokit2.signal_fixpeaks(peaks, sampling_rate=1024, method="kubios", iterative=True)
    intervals = numpy.diff(corrected) / 1.024
    age = intervals.sum() - numpy.cumsum(intervals)
    return {"rmssd": told_by_neurokit(intervals[age < 60_000])["rmssd"], "sdnn": told_by_neurokit(intervals[age < 300_000])["sdnn"],
            "alpha1": alpha1(intervals[age < 120_000])}


def row(name: str, series: numpy.ndarray, clean: numpy.ndarray | None = None, per_minute: float | None = None) -> dict:
    made = {"name": name, "ticks": series.tolist()}
    reference = series if clean is None else clean
    made["rmssd"] = told_by_neurokit(last(reference, 60))["rmssd"]
    made["sdnn"] = told_by_neurokit(last(reference, 300))["sdnn"]
    made["alpha1"] = alpha1(last(reference, 120))
    made["alpha1_neurokit"] = float(neurokit2.fractal_dfa(last(reference, 120), scale=SIZES, overlap=True)[0])
    if per_minute is not None:
        made["breaths_true"] = per_minute
        made["breaths_scipy"] = breaths(last(reference, 60))
    if clean is not None:
        made["corrected"] = corrected(series)
    return made


def main():
    warnings.simplefilter("ignore")
    rest, work = noise(1, 950, 45, 11), noise(0.6, 430, 8, 12)
    athlete = breathing(9, 1100, 90, 30, 4, 13)
    rows = [
        row("white, rest", noise(0, 950, 40, 1)), row("white, work", noise(0, 400, 6, 2)),
        row("pink, rest", noise(1, 950, 45, 3)), row("pink, work", noise(1, 420, 10, 4)),
        row("brown, rest", noise(2, 900, 60, 5)), row("brown, work", noise(2, 400, 15, 6)),
        row("breathing 6, rest", breathing(6, 1000, 60, 20, 3, 21), per_minute=6),
        row("breathing 12, rest", breathing(12, 950, 40, 25, 3, 22), per_minute=12),
        row("breathing 18, rest", breathing(18, 850, 25, 20, 3, 23), per_minute=18),
        row("breathing 25, easy", breathing(25, 600, 9, 6, 2, 24), per_minute=25),
        row("breathing 32, work", breathing(32, 460, 5, 4, 2, 25), per_minute=32),
        row("breathing 45, hard", breathing(45, 370, 4, 3, 2, 26), per_minute=45),
        row("artefacts, rest", with_artefacts(rest, 45, 31), rest),
        row("artefacts, work", with_artefacts(work, 50, 32), work),
        row("artefacts, athlete", with_artefacts(athlete, 40, 33), athlete, per_minute=9)]
    json.dump({"made_by": "Tests/Metrics/reference/body.py", "rows": rows}, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
