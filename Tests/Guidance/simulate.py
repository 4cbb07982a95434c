# Rides along routes, with the truth about each fix. Shares no code with Guidance: places are on a
# plane in metres, and reach the file through the ellipsoid of WGS 84. Needs numpy.
#
# A ride is written as lines: `ride NAME`, `point LATITUDE LONGITUDE` of the route, `fix TIME LATITUDE
# LONGITUDE ACCURACY SPEED COURSE` (- if unknown). The truth stays in memory, for judge.py.

import dataclasses
import math

import numpy

LATITUDE, LONGITUDE = 47.3, 8.5
A, E2 = 6378137.0, 6.69437999014e-3


def degrees(places):
    """The latitudes and longitudes of places in metres to the east and north of the origin."""
    x, y = numpy.asarray(places, float).T
    latitude = numpy.full_like(y, LATITUDE)
    for _ in range(3):  # the scale halfway
        middle = numpy.radians((latitude + LATITUDE) / 2)
        radius = A * (1 - E2) / (1 - E2 * numpy.sin(middle) ** 2) ** 1.5
        latitude = LATITUDE + numpy.degrees(y / radius)
    at = numpy.radians(latitude)
    return latitude, LONGITUDE + numpy.degrees(x / (A / numpy.sqrt(1 - E2 * numpy.sin(at) ** 2) * numpy.cos(at)))


def smooth(random, count, seconds, deviation):
    """Noise that is correlated over some seconds (Gauss-Markov), one value per second."""
    keep = math.exp(-1 / seconds)
    steps = random.normal(0, deviation * math.sqrt(1 - keep * keep), count)
    values = numpy.empty(count)
    value = random.normal(0, deviation)
    for index in range(count):
        value = value * keep + steps[index]
        values[index] = value
    return values


def road(random, metres, start=(0.0, 0.0), heading=0.0):
    """A road of places a metre apart: bends, corners and hairpins."""
    count = int(metres)
    bend = smooth(random, count, 150, 0.0035)
    at = int(random.uniform(80, 400))
    while at < count - 100:
        kind = random.random()
        turn = math.radians(random.uniform(50, 120) if kind < 0.75 else random.uniform(160, 185))
        length = int(random.uniform(8, 20)) if kind < 0.75 else int(random.uniform(35, 60))
        bend[at : at + length] += turn / length * random.choice([-1, 1])
        at += int(random.uniform(120, 900))
    headings = heading + numpy.cumsum(bend)
    steps = numpy.column_stack([numpy.sin(headings), numpy.cos(headings)])
    return numpy.vstack([[start], start + numpy.cumsum(steps, axis=0)])


def between(start, heading, end, random):
    """A way of places a metre apart that leaves in a direction and comes back to a place."""
    ahead = numpy.array([math.sin(heading), math.cos(heading)])
    span = max(60.0, float(numpy.hypot(*(end - start))))
    control = start + ahead * span * random.uniform(0.6, 1.0)
    far = control + ahead * span * 0.3 + (end - start) * 0.3
    t = numpy.linspace(0, 1, 4000)[:, None]
    curve = (1 - t) ** 3 * start + 3 * (1 - t) ** 2 * t * control + 3 * (1 - t) * t**2 * far + t**3 * end
    return resample(curve)


def resample(places, step=1.0):
    lengths = numpy.concatenate([[0], numpy.cumsum(numpy.hypot(*numpy.diff(places, axis=0).T))])
    at = numpy.arange(0, lengths[-1], step)
    return numpy.column_stack([numpy.interp(at, lengths, places[:, 0]), numpy.interp(at, lengths, places[:, 1])])


def simplified(line, random):
    """Points of a route as editors make them: some metres apart, and a metre beside the road."""
    at = [0]
    while at[-1] < len(line) - 1:
        at.append(min(len(line) - 1, at[-1] + int(random.uniform(5, 22))))
    return line[at] + numpy.clip(random.normal(0, 0.7, (len(at), 2)), -2, 2)


def distances(places, line):
    """From each place to the nearest place of the whole line."""
    nearest = numpy.empty(len(places))
    for first in range(0, len(places), 200):
        part = places[first : first + 200]
        low, high = part.min(axis=0) - 400, part.max(axis=0) + 400
        near = line[((line >= low) & (line <= high)).all(axis=1)]
        if len(near) == 0:
            nearest[first : first + 200] = 400
            continue
        squares = (part[:, None, 0] - near[None, :, 0]) ** 2 + (part[:, None, 1] - near[None, :, 1]) ** 2
        nearest[first : first + 200] = numpy.minimum(400, numpy.sqrt(squares.min(axis=1)))
    return nearest


@dataclasses.dataclass
class Ride:
    name: str
    points: numpy.ndarray
    times: numpy.ndarray
    places: numpy.ndarray  # true
    measured: numpy.ndarray
    accuracy: numpy.ndarray
    speed: numpy.ndarray
    course: numpy.ndarray
    along: numpy.ndarray  # on the line, nan where the rider is elsewhere
    reverse: numpy.ndarray  # whether the rider rides against the route
    missing: numpy.ndarray  # no fix
    jumped: numpy.ndarray
    distance: numpy.ndarray  # from the line

    @property
    def length(self):
        return float(numpy.hypot(*numpy.diff(self.points, axis=0).T).sum())


class Way:
    """What the rider rides: places a metre apart, with their place on the line and their direction."""

    def __init__(self):
        self.places, self.along, self.reverse = [], [], []

    def follow(self, line, start, end):
        step = 1 if end > start else -1
        at = numpy.arange(start, end, step)
        self.places.append(line[at])
        self.along.append(at.astype(float))
        self.reverse.append(numpy.full(len(at), step < 0))

    def leave(self, places):
        self.places.append(places)
        self.along.append(numpy.full(len(places), numpy.nan))
        self.reverse.append(numpy.full(len(places), False))

    def arrays(self):
        return numpy.vstack(self.places), numpy.concatenate(self.along), numpy.concatenate(self.reverse)


def ride(name, line, way, random, tunnels=0, jumps=0, bad=0.1):
    """Rides the way once per second, with stops and the errors of a receiver."""
    places, along, reverse = way.arrays()
    most = int(len(places) / 2) + 4000
    cruise, pace = random.uniform(5.0, 9.0), smooth(random, most, 40, 1.4)
    s, at, stop = 0.0, [], 0
    for second in range(most):
        at.append(s)
        if stop > 0:
            stop -= 1
        elif random.random() < 1 / 500:
            stop = int(random.uniform(10, 90))
        else:
            s += min(16, max(2.0, cruise + pace[second]))
        if s >= len(places) - 2:
            break
    at = numpy.array(at)
    index = at.astype(int)
    part = (at - index)[:, None]
    true = places[index] * (1 - part) + places[index + 1] * part
    ahead = places[index + 1] - places[index]
    ahead /= numpy.hypot(*ahead.T)[:, None]
    count = len(at)
    aside = numpy.clip(smooth(random, count, 30, 1.2), -3, 3)
    true = true + numpy.column_stack([ahead[:, 1], -ahead[:, 0]]) * aside[:, None]
    # Stretches of bad reception come and go within some seconds.
    wanted = numpy.full(count, random.uniform(2.0, 3.5))
    for _ in range(int(count * bad / 120)):
        first = int(random.uniform(0, count))
        wanted[first : first + int(random.uniform(40, 180))] = random.uniform(6, 14)
    kernel = numpy.ones(10) / 10
    deviation = numpy.convolve(numpy.pad(wanted, 10, mode="edge"), kernel, mode="same")[10:-10]
    noise = numpy.column_stack([smooth(random, count, 35, 0.95) for _ in range(2)]) * deviation[:, None]
    noise += random.normal(0, 0.3, (count, 2))
    jumped = numpy.zeros(count, bool)
    for _ in range(jumps):
        first = int(random.uniform(50, count - 50))
        last = first + int(random.uniform(2, 9))
        turn, size = random.uniform(0, 2 * math.pi), random.uniform(40, 90)
        noise[first:last] += numpy.array([math.sin(turn), math.cos(turn)]) * size
        jumped[first : last + 1] = True
    missing = numpy.zeros(count, bool)
    for _ in range(tunnels):
        first = int(random.uniform(50, count - 200))
        missing[first : first + int(random.uniform(15, 120))] = True
    moved = numpy.diff(at, append=at[-1])
    course = numpy.degrees(numpy.arctan2(ahead[:, 0], ahead[:, 1])) + random.normal(0, 3, count)
    standing = moved < 0.5
    course[standing] = random.uniform(0, 360, int(standing.sum()))
    shown = simplified(line, random)
    return Ride(
        name, shown, numpy.arange(count, dtype=float), true, true + noise,
        2.45 * deviation * random.uniform(0.85, 1.2, count), numpy.maximum(0, moved + random.normal(0, 0.2, count)),
        course % 360, along[index] , reverse[index], missing, jumped, distances(true, resample(shown, 0.5)))


def heading(line, at):
    a, b = line[max(0, at - 3)], line[min(len(line) - 1, at + 3)]
    return math.atan2(b[0] - a[0], b[1] - a[1])


def approach(line, at, random):
    start = line[at] + random.uniform(-1, 1, 2) * 400
    return between(start, random.uniform(0, 6.3), line[at], random)


def steady(random, hours):
    line = road(random, hours * 3600 * 7)
    way = Way()
    way.follow(line, 0, len(line))
    return ride("steady", line, way, random, tunnels=int(3 * hours), jumps=int(4 * hours))


def detours(random, hours):
    line = road(random, hours * 3600 * 5)
    way = Way()
    way.leave(approach(line, 0, random))
    at = 0
    while True:
        end = at + int(random.uniform(500, 1800))
        if end > len(line) - 2200:
            way.follow(line, at, len(line))
            break
        way.follow(line, at, end)
        side = random.choice([-1, 1]) * math.radians(random.uniform(25, 150))
        at = end + int(random.uniform(-150, 1500))
        way.leave(between(line[end], heading(line, end) + side, line[at], random))
    return ride("detours", line, way, random, tunnels=1, jumps=int(2 * hours))


def back_and_forth(random, hours):
    line = road(random, hours * 3600 * 4)
    way = Way()
    at = 0
    while True:
        end = at + int(random.uniform(800, 2500))
        if end > len(line) - 100:
            way.follow(line, at, len(line))
            break
        way.follow(line, at, end)
        at = max(0, end - int(random.uniform(150, 700)))
        way.follow(line, end, at)
    return ride("back_and_forth", line, way, random)


def middle(random, hours):
    line = road(random, hours * 3600 * 7)
    way = Way()
    at = int(len(line) * random.uniform(0.2, 0.6))
    way.leave(approach(line, at, random))
    way.follow(line, at, len(line))
    return ride("middle", line, way, random, tunnels=1)


def eight(random, hours):
    size = random.uniform(600, 1500)
    t = numpy.linspace(0, 2 * math.pi, 20000)
    line = resample(numpy.column_stack([size * numpy.sin(t), size * 0.8 * numpy.sin(t) * numpy.cos(t)]))
    line = numpy.roll(line, -int(random.uniform(0, len(line))), axis=0)
    way = Way()
    for _ in range(max(1, int(hours * 3600 * 7 / len(line)))):
        way.follow(line, 0, len(line))
    return ride("eight", line, way, random, tunnels=1, jumps=2)


def out_and_back(random, hours):
    half = road(random, hours * 3600 * 3.5)
    line = numpy.vstack([half, half[::-1][1:]])
    way = Way()
    way.follow(line, 0, len(line))
    return ride("out_and_back", line, way, random, tunnels=1, jumps=2)


def lap_route(random, hours):
    radius = random.uniform(150, 500)
    t = numpy.linspace(0, 2 * math.pi, 8000)[:-1]
    wobble = 1 + 0.15 * numpy.sin(3 * t + random.uniform(0, 6))
    loop = resample(numpy.column_stack([radius * wobble * numpy.cos(t), radius * wobble * numpy.sin(t)]))
    line = numpy.vstack([loop] * max(2, min(6, int(hours * 3600 * 7 / len(loop)))))
    way = Way()
    way.follow(line, 0, len(line))
    return ride("lap_route", line, way, random)


KINDS = [steady, detours, back_and_forth, middle, eight, out_and_back, lap_route, detours]


def rides(hours, seed):
    """Rides of about an hour each, of every kind in turn."""
    done, number = 0.0, 0
    while done < hours:
        random = numpy.random.default_rng([seed, number])
        made = KINDS[number % len(KINDS)](random, 0.6)
        number += 1
        done += len(made.times) / 3600
        yield made


def write(ride, file):
    file.write(f"ride {ride.name}\n")
    for latitude, longitude in zip(*degrees(ride.points)):
        file.write(f"point {latitude:.7f} {longitude:.7f}\n")
    latitudes, longitudes = degrees(ride.measured)
    for index in numpy.flatnonzero(~ride.missing):
        file.write(
            f"fix {ride.times[index]:.0f} {latitudes[index]:.7f} {longitudes[index]:.7f} {ride.accuracy[index]:.1f} "
            f"{ride.speed[index]:.2f} {ride.course[index]:.1f}\n")
