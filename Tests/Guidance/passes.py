# Rides past and along segments, with the truth about each pass. Shares no code with Segments: places
# are on a plane in metres, and a pass is known by the metres ridden along the road. Needs numpy.
#
# A ride is written as lines: `ride NAME`, for each segment `segment ID`, its `point LATITUDE
# LONGITUDE` and `known`, then `fix MILLISECONDS LATITUDE LONGITUDE`, and `end`.

import dataclasses
import math

import numpy

from simulate import between, degrees, heading, road, smooth

# The deviation of the receiver's error in each direction, in metres.
RECEIVERS = {"exact": (0.2, 0.4), "good": (0.8, 1.2), "usual": (2.0, 3.5), "poor": (6.0, 12.0)}
# In milliseconds: a silence that a pass may have, and one after which it is lost.
SHORT, LONG = (8, 26), (40, 120)


@dataclasses.dataclass
class Segment:
    id: int
    start: float  # metres along the road
    end: float
    points: numpy.ndarray
    is_reverse: bool


@dataclasses.dataclass
class Pass:
    segment: int
    start: float  # seconds
    end: float
    # What the receiver's error at both ends adds to the time.
    error: float
    # The most that it can add, on a bend in which it shifts the nearest place.
    most_error: float
    # A silence within is too long, or reception was poor: need not be recognized.
    is_optional: bool


@dataclasses.dataclass
class Ride:
    name: str
    segments: list
    passes: list
    times: numpy.ndarray
    measured: numpy.ndarray
    missing: numpy.ndarray


class Way:
    """What the rider rides: places a metre apart, with their metres along the road, or nan."""

    def __init__(self, line):
        self.line, self.places, self.along = line, [], []

    def follow(self, start, end):
        at = numpy.arange(start, end, 1 if end > start else -1)
        self.places.append(self.line[at])
        self.along.append(at.astype(float))

    def leave(self, places):
        self.places.append(numpy.asarray(places, float))
        self.along.append(numpy.full(len(places), numpy.nan))

    def beside(self, start, end, metres):
        """On a road of its own, at a distance from this one."""
        at = numpy.arange(start, end)
        ahead = self.line[at + 1] - self.line[at]
        ahead = numpy.column_stack([numpy.convolve(numpy.pad(part, 40, mode="edge"), numpy.ones(81) / 81, "valid") for part in ahead.T])
        ahead /= numpy.hypot(*ahead.T)[:, None]
        ramp = numpy.minimum(1, numpy.minimum(numpy.arange(len(at)), numpy.arange(len(at))[::-1]) / 60)
        aside = numpy.column_stack([ahead[:, 1], -ahead[:, 0]]) * (metres * ramp)[:, None]
        self.leave(self.line[at] + aside)

    def arrays(self):
        return numpy.vstack(self.places), numpy.concatenate(self.along)


def noise(random, count, receiver):
    low, high = RECEIVERS[receiver]
    deviation = random.uniform(low, high)
    error = numpy.column_stack([smooth(random, count, 35, 0.97) for _ in range(2)]) * deviation
    return error + random.normal(0, 0.05 + 0.1 * deviation, (count, 2))


def marked(line, start, end, random, receiver):
    """The line of a segment: what a receiver recorded in a past ride, some metres apart."""
    at = [start]
    while at[-1] < end:
        at.append(min(end, at[-1] + int(random.uniform(5, 10))))
    return line[at] + noise(random, len(at), receiver)


def nearest(line, place, around):
    """Metres along the road, near some metres, of the place nearest to this one."""
    first = max(0, around - 60)
    part = line[first : around + 60]
    return first + float(numpy.argmin(numpy.hypot(*(part - place).T)))


# What a rider does at a segment. Returns where on the road they are afterwards.
def through(way, segment, at, random):
    way.follow(at, segment[1] + 80)
    return segment[1] + 80


def middle_out(way, segment, at, random):
    """Leaves in the middle, and comes back after a detour within the segment."""
    out = int(segment[0] + (segment[1] - segment[0]) * random.uniform(0.2, 0.5))
    way.follow(at, out)
    way.beside(out, out + 330, random.choice([-1, 1]) * random.uniform(75, 120))
    return out + 330


def beside(way, segment, at, random):
    """On a parallel road all the way."""
    first, last = max(at, segment[0] - 150), segment[1] + 150
    way.follow(at, first)
    way.beside(first, last, random.choice([-1, 1]) * random.uniform(60, 110))
    return last


def back(way, segment, at, random):
    """Turns round in the middle, goes back before the start, and rides all of it."""
    turn = int(segment[0] + (segment[1] - segment[0]) * random.uniform(0.3, 0.9))
    way.follow(at, turn)
    way.follow(turn, segment[0] - 90)
    way.follow(segment[0] - 90, segment[1] + 80)
    return segment[1] + 80


def twice(way, segment, at, random):
    """Rides it, goes back on it in the other direction, and rides it again."""
    way.follow(at, segment[1] + 80)
    way.follow(segment[1] + 80, segment[0] - 90)
    way.follow(segment[0] - 90, segment[1] + 80)
    return segment[1] + 80


def start_later(way, segment, at, random):
    """Comes to the road after the start."""
    way.follow(at, segment[0] - 150)
    entry = int(segment[0] + (segment[1] - segment[0]) * random.uniform(0.2, 0.6))
    way.beside(segment[0] - 150, entry, random.choice([-1, 1]) * random.uniform(75, 120))
    return entry


def early_out(way, segment, at, random):
    """Leaves before the end, and comes back after the end."""
    out = int(segment[0] + (segment[1] - segment[0]) * random.uniform(0.3, 0.7))
    way.follow(at, out)
    way.beside(out, segment[1] + 150, random.choice([-1, 1]) * random.uniform(75, 120))
    return segment[1] + 150


def across(way, segment, at, random):
    """Crosses the road in a curve."""
    way.follow(at, segment[0] - 200)
    far = segment[1] + 200
    way.leave(between(way.line[segment[0] - 200], heading(way.line, segment[0] - 200) + random.choice([-1, 1]) * 1.5, way.line[far], random))
    return far


ACTIONS = [through, through, through, middle_out, beside, back, twice, start_later, early_out, across]


def ride(number, random):
    receiver = list(RECEIVERS)[number % 4]
    line = road(random, 17000)
    places, at = [], 400
    while at < len(line) - 3500:
        length = int(random.uniform(500, 2400))
        places.append((at, at + length))
        at += length + int(random.uniform(350, 900))
    way, position = Way(line), 100
    for segment in places:
        position = random.choice(ACTIONS)(way, segment, position, random)
    way.follow(position, min(len(line) - 1, position + 400))
    segments = []
    for index, (start, end) in enumerate(places):
        points = marked(line, start, end, random, receiver)
        segments.append(Segment(2 * index + 1, nearest(line, points[0], start), nearest(line, points[-1], end), points, False))
        segments.append(Segment(2 * index + 2, 0, 0, marked(line, start, end, random, receiver)[::-1], True))
        segments[-1].start = nearest(line, segments[-1].points[-1], start)
        segments[-1].end = nearest(line, segments[-1].points[0], end)
    return ridden(f"{number} {receiver}", way, segments, receiver, random)


def ridden(name, way, segments, receiver, random):
    """Rides the way, with stops, silences and the errors of a receiver."""
    places, along = way.arrays()
    most = int(len(places) / 2) + 4000
    cruise, pace = random.uniform(5.5, 10.0), smooth(random, most, 40, 1.4)
    ends = numpy.array([place for segment in segments for place in (segment.start, segment.end)])
    s, at, stop = 0.0, [], 0
    for second in range(most):
        at.append(s)
        if stop > 0:
            stop -= 1
        # Who stands at an end has no certain time.
        elif random.random() < 1 / 500 and not (numpy.abs(ends - along[int(s)]) < 45).any():
            stop = int(random.uniform(10, 90))
        else:
            s += min(16, max(3.0, cruise + pace[second]))
        if s >= len(places) - 2:
            break
    at = numpy.array(at)
    index = at.astype(int)
    part = (at - index)[:, None]
    ahead = places[index + 1] - places[index]
    true = places[index] + ahead * part
    ahead /= numpy.maximum(0.1, numpy.hypot(*ahead.T))[:, None]
    count = len(at)
    aside = numpy.clip(smooth(random, count, 30, 1.0), -3, 3)
    errors = noise(random, count, receiver)
    measured = true + numpy.column_stack([ahead[:, 1], -ahead[:, 0]]) * aside[:, None] + errors
    missing = numpy.zeros(count, bool)
    for _ in range(int(random.uniform(0, 4))):
        first = int(random.uniform(50, count - 200))
        missing[first : first + int(random.uniform(*(SHORT if random.random() < 0.7 else LONG)))] = True
    passes = []
    for segment in segments:
        passes += found(segment, along, at, ahead, errors, missing, receiver)
    return Ride(name, segments, passes, numpy.arange(count) * 1000, measured, missing)


def found(segment, along, at, ahead, errors, missing, receiver):
    """The passes of a segment, from the metres along the road."""
    step = -1 if segment.is_reverse else 1
    first, last = (segment.end, segment.start) if segment.is_reverse else (segment.start, segment.end)
    passes, start = [], None
    for metre in range(1, len(along)):
        a, b = along[metre - 1], along[metre]
        if not (abs(b - a) <= 1.5):  # elsewhere
            start = None
            continue
        if (a - first) * step <= 0 < (b - first) * step:
            start = metre - 1 + abs(first - a)
        elif (b - first) * step < 0:
            start = None
        if start is not None and (a - last) * step < 0 <= (b - last) * step:
            end = metre - 1 + abs(last - a)
            passes.append(timed(segment, start, end, at, ahead, errors, missing, receiver))
            start = None
    return passes


def timed(segment, start, end, at, ahead, errors, missing, receiver):
    seconds, shifts, sizes = [], [], []
    for metre in (start, end):
        # The last moment at which the rider was not beyond.
        index = min(len(at) - 2, int(numpy.searchsorted(at, metre, side="right")) - 1)
        speed = at[index + 1] - at[index]
        part = (metre - at[index]) / speed
        seconds.append(index + part)
        error = errors[index] * (1 - part) + errors[index + 1] * part
        shifts.append(-float(error @ ahead[index]) / speed)
        sizes.append(float(numpy.hypot(*error)) / speed)
    first, last = int(seconds[0]) - 3, int(seconds[1]) + 4
    silent = longest(missing[first:last])
    at_ends = missing[first : first + 8].any() or missing[last - 8 : last].any()
    return Pass(segment.id, seconds[0], seconds[1], shifts[1] - shifts[0], sum(sizes), bool(silent > 27 or at_ends or receiver == "poor"))


def longest(flags):
    most = count = 0
    for flag in flags:
        count = count + 1 if flag else 0
        most = max(most, count)
    return most


def rides(hours, seed):
    done, number = 0.0, 0
    while done < hours:
        made = ride(number, numpy.random.default_rng([seed, number]))
        number += 1
        done += len(made.times) / 3600
        yield made


def write(ride, file):
    file.write(f"ride {ride.name}\n")
    for segment in ride.segments:
        file.write(f"segment {segment.id}\n")
        for latitude, longitude in zip(*degrees(segment.points)):
            file.write(f"point {latitude:.7f} {longitude:.7f}\n")
        file.write("known\n")
    latitudes, longitudes = degrees(ride.measured)
    for index in numpy.flatnonzero(~ride.missing):
        file.write(f"fix {ride.times[index]} {latitudes[index]:.7f} {longitudes[index]:.7f}\n")
    file.write("end\n")
