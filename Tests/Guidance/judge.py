# Compares what Guidance makes of simulated rides with the truth: judge.py PROGRAM HOURS [SEED].
# Fails if a departure is reported without reason or late, or riders are followed too seldom. Other
# differences, such as a reversal that is not reported, are printed.

import collections
import subprocess
import sys
import tempfile

import numpy

import simulate

TOLERANCE, SECONDS = 30.0, 5.0
GOOD_ACCURACY = 10.0


def tolerance(accuracy):
    """docs/guidance.md: more than 30 m when the receiver's accuracy is worse than 10 m."""
    return TOLERANCE + 1.5 * numpy.maximum(0, accuracy - GOOD_ACCURACY)


class Judge:
    def __init__(self):
        self.numbers = collections.Counter()
        self.off_delays, self.back_delays, self.reverse_delays, self.errors = [], [], [], []
        self.problems = []

    def add(self, ride, rows):
        seconds = numpy.array([float(row[0]) for row in rows])
        states = numpy.array([row[1] for row in rows])
        reported = numpy.array([float(row[2]) for row in rows])
        at = seconds.astype(int)
        self.numbers["hours"] += len(ride.times) / 3600
        state = numpy.full(len(ride.times), "", dtype=object)
        state[at] = states
        along = numpy.full(len(ride.times), numpy.nan)
        along[at] = reported
        for index in range(1, len(state)):  # without a fix, nothing changes
            if state[index] == "":
                state[index], along[index] = state[index - 1], along[index - 1]
        self.false_reports(ride, state)
        self.departures(ride, state)
        self.returns(ride, state)
        self.reversals(ride, state)
        self.places(ride, state, along)
        if state[-1] != "finished" and ride.name != "back_and_forth":
            self.problem(ride, len(state) - 1, f"ends as {state[-1]}")

    def problem(self, ride, index, text):
        self.numbers["problems"] += 1
        self.problems.append(f"{ride.name} at {index} s: {text}")

    def false_reports(self, ride, state):
        """Off the route, while the truth is inside by more than the receiver's error."""
        for index in numpy.flatnonzero((state[1:] == "offRoute") & (state[:-1] != "offRoute")) + 1:
            self.numbers["off reports"] += 1
            if ride.distance[index] <= TOLERANCE:
                self.numbers["off reports within 30 m"] += 1
            if ride.distance[index] <= TOLERANCE - ride.accuracy[index]:
                self.problem(ride, index, f"false: {ride.distance[index]:.0f} m from the line")
                self.numbers["false"] += 1

    def departures(self, ride, state):
        """From passing the tolerance until it is reported."""
        outside = ride.distance > tolerance(ride.accuracy)
        # By more than the receiver's error.
        clearly = ride.distance > tolerance(ride.accuracy) + ride.accuracy
        index = 1
        while index < len(state):
            if not (outside[index] and not outside[index - 1]):
                index += 1
                continue
            end = index + int(numpy.argmin(outside[index:])) if not outside[index:].all() else len(state)
            # A departure that is over within the time need not be reported, and after jumps the receiver is doubted.
            known = state[index - 1] in ("onRoute", "reversed", "offRoute") and not ride.missing[index - 1 : index + 6].any()
            before = slice(max(0, index - 25), index + 6)
            if known and end - index > SECONDS and not ride.jumped[before].any():
                said = numpy.flatnonzero(state[index - 1 : end] == "offRoute")
                delay = said[0] - 1 if len(said) else numpy.inf
                self.numbers["departures"] += 1
                self.off_delays.append(max(0, delay))
                # While the way is beyond by less than the receiver's error, the receiver may show it inside.
                until = index + delay if len(said) else end
                if delay > SECONDS and clearly[index + int(SECONDS) : int(until)].any():
                    self.numbers["late"] += 1
                    self.problem(ride, index, f"departure is reported after {delay:.0f} s, accuracy {ride.accuracy[index]:.0f}")
            index = end

    def returns(self, ride, state):
        on = ~numpy.isnan(ride.along)
        for index in numpy.flatnonzero(on[1:] & ~on[:-1]) + 1:
            if state[index - 1] not in ("offRoute", "approaching") or ride.missing[index : index + 10].any():
                continue
            said = numpy.flatnonzero(numpy.isin(state[index:], ("onRoute", "finished")))
            delay = said[0] if len(said) else numpy.inf
            self.back_delays.append(delay)
            if delay > 30:
                self.problem(ride, index, f"return is reported after {delay:.0f} s")

    def reversals(self, ride, state):
        for index in numpy.flatnonzero(ride.reverse[1:] & ~ride.reverse[:-1]) + 1:
            rest = ride.reverse[index:]
            end = index + (int(numpy.argmin(rest)) if not rest.all() else len(rest))
            said = numpy.flatnonzero(state[index:end] == "reversed")
            self.numbers["reversals"] += 1
            self.reverse_delays.append(said[0] if len(said) else numpy.inf)
            if not len(said):
                self.problem(ride, index, "reversal is not reported")
        wrong = (state == "reversed") & ~ride.reverse
        since = numpy.flatnonzero(wrong[1:] & ~wrong[:-1]) + 1
        for index in since:
            if not ride.reverse[max(0, index - 60) : index + 1].any() and not numpy.isnan(ride.along[index]):
                self.problem(ride, index, "reversed, but it is not")
                self.numbers["false reversals"] += 1

    def places(self, ride, state, along):
        """Distance along the line, as a part of it: the points of the route are beside the road."""
        known = (state == "onRoute") & ~numpy.isnan(ride.along) & ~ride.missing & ~ride.jumped
        total = ride.along[~numpy.isnan(ride.along)].max() + 1
        scale = ride.length / total
        error = numpy.abs(along - ride.along * scale)[known]
        self.errors.extend(error)
        self.numbers["seconds on the route"] += int((~numpy.isnan(ride.along) & ~ride.missing).sum())
        self.numbers["seconds followed"] += int(known.sum())
        self.numbers["seconds with a wrong place"] += int((error > 100).sum())

    def report(self):
        for name, value in self.numbers.items():
            print(f"{name}: {value:.1f}" if isinstance(value, float) else f"{name}: {value}")
        for name, delays in (
            ("off route reported after", self.off_delays), ("back reported after", self.back_delays),
            ("reversed reported after", self.reverse_delays), ("error of the distance", self.errors)):
            if len(delays):
                values = numpy.array(delays, float)
                print(f"{name}: median {numpy.median(values):.1f}, 99 % {numpy.percentile(values, 99):.1f}, most {values.max():.1f}")
        for problem in self.problems[:40]:
            print(problem)


def main(program, hours, seed):
    judge = Judge()
    for ride in simulate.rides(hours, seed):
        with tempfile.TemporaryFile("w+") as file:
            simulate.write(ride, file)
            file.seek(0)
            output = subprocess.run([program], stdin=file, capture_output=True, text=True, check=True).stdout
        judge.add(ride, [line.split() for line in output.splitlines() if not line.startswith("ride")])
    judge.report()
    numbers = judge.numbers
    if numbers["departures"] < hours or numbers["reversals"] < hours / 4:
        sys.exit("too little happened")
    if numbers["false"] + numbers["late"] > 0 or numbers["seconds followed"] < 0.93 * numbers["seconds on the route"]:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
