# Compares the segments that are recognized in simulated rides with the truth: judge_passes.py
# PROGRAM HOURS [SEED]. Fails if a pass is missed, if one is recognized that was none, if the time is
# wrong by more than the receiver's errors at both ends can add and 0.5 s, or if the time while riding is not
# that of the logbook. With an exact receiver, the time itself is within 0.5 s.

import collections
import subprocess
import sys
import tempfile

import numpy

import passes

MOST = 0.5


class Judge:
    def __init__(self):
        self.numbers = collections.Counter()
        self.errors = collections.defaultdict(list)
        self.problems = []

    def problem(self, ride, text):
        self.numbers["problems"] += 1
        self.problems.append(f"ride {ride.name}: {text}")

    def add(self, ride, rows):
        self.numbers["hours"] += len(ride.times) / 3600
        recognized = self.live(rows)
        self.logbook(ride, rows, recognized)
        receiver = ride.name.split()[1]
        for true in ride.passes:
            near = [item for item in recognized if item[0] == true.segment and abs(item[2] - true.end) < 20 and abs(item[1] - true.start) < 20]
            kind = "optional" if true.is_optional else receiver
            self.numbers[f"passes, {kind}"] += 1
            if not near:
                if not true.is_optional:
                    self.problem(ride, f"segment {true.segment}: a pass from {true.start:.1f} s to {true.end:.1f} s is missed")
                continue
            recognized.remove(near[0])
            self.numbers[f"recognized, {kind}"] += 1
            error = near[0][2] - near[0][1] - (true.end - true.start)
            if true.is_optional:
                continue
            self.errors[receiver].append(error)
            self.errors[f"{receiver}, less the receiver's own"].append(error - true.error)
            if abs(error) > MOST + true.most_error or receiver == "exact" and abs(error) > MOST:
                self.problem(ride, f"segment {true.segment}: the time is wrong by {error:.2f} s, the receiver by {true.error:.2f} s")
        for segment, start, end in recognized:
            self.numbers["false"] += 1
            self.problem(ride, f"segment {segment}: recognized from {start:.1f} s to {end:.1f} s, but it was not ridden")

    def live(self, rows):
        """Finished efforts as (segment, start, end). A time that is corrected comes again within seconds: the last one counts."""
        groups = []
        for row in rows:
            if row[:2] != ["live", "finished"]:
                continue
            segment, at, time = int(row[2]), int(row[3]) / 1000, float(row[4])
            for group in groups:
                if group[0] == segment and at - group[2] < 25:
                    group[2:] = [at, time]
                    break
            else:
                groups.append([segment, at, at, time])
        return [self.placed(rows, *group) for group in groups]

    def placed(self, rows, segment, first, last, time):
        """The end is before the report: where the logbook has it, if it has one."""
        ends = [int(row[3]) / 1000 for row in rows if row[0] == "passage" and int(row[1]) == segment]
        end = next((end for end in ends if first - 25 < end <= last), first)
        return segment, end - time, end

    def logbook(self, ride, rows, recognized):
        """Each passage of the logbook is recognized live, with its time, and no other."""
        later = [(int(row[1]), int(row[2]) / 1000, int(row[3]) / 1000) for row in rows if row[0] == "passage"]
        self.numbers["passages of the logbook"] += len(later)
        for segment, start, end in later:
            if not any(item[0] == segment and abs(item[2] - end) < 0.002 and abs(item[1] - start) < 0.002 for item in recognized):
                self.problem(ride, f"segment {segment}: the logbook has {start:.3f} s to {end:.3f} s, and the guide has not")
        if len(recognized) != len(later):
            self.problem(ride, f"{len(recognized)} efforts while riding, {len(later)} in the logbook")

    def report(self):
        for name, value in sorted(self.numbers.items()):
            print(f"{name}: {value:.1f}" if isinstance(value, float) else f"{name}: {value}")
        for name, errors in self.errors.items():
            values = numpy.abs(errors)
            print(
                f"error of the time, {name}: median {numpy.median(values):.2f} s, 99 % {numpy.percentile(values, 99):.2f} s, "
                f"most {values.max():.2f} s; within {MOST} s: {100 * numpy.mean(values <= MOST):.1f} %")
        for problem in self.problems[:40]:
            print(problem)


def main(program, hours, seed):
    judge = Judge()
    for ride in passes.rides(hours, seed):
        with tempfile.TemporaryFile("w+") as file:
            passes.write(ride, file)
            file.seek(0)
            output = subprocess.run([program], stdin=file, capture_output=True, text=True, check=True).stdout
        judge.add(ride, [line.split() for line in output.splitlines() if not line.startswith("ride")])
    judge.report()
    if sum(count for name, count in judge.numbers.items() if name.startswith("passes, ")) < 5 * hours:
        sys.exit("too little happened")
    if judge.numbers["problems"]:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
