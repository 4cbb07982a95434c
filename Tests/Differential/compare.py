"""Compares `cyclo decode` with independent decoders, field by field. differences.py must list each
difference, with the reason why ours is right, and each listed one must occur. The exit status is 1
otherwise."""
import argparse
import collections
import math
import sys

import decoders
import frames
import ours
from differences import DIFFERENCES


def is_same(one, other) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        # Ours are rounded to six decimals.
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=2e-6)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    # An empty list equals a missing one.
    return (one if one != [] else None) == (other if other != [] else None)


def differences(our: dict, their: dict | None):
    """(field, our value, their value), or `refused` and `accepted` if only one refuses."""
    if their is None:
        if "refused" not in our:
            yield "refused", our, None
    elif "refused" in our:
        yield "accepted", our["refused"], their
    else:
        for field, value in their.items():
            if not is_same(our.get(field), value):
                yield field, our.get(field), value


class Comparison:
    def __init__(self):
        self.compared = collections.Counter()
        self.listed = collections.Counter()
        self.unlisted = collections.defaultdict(list)

    def run(self, cyclo: str, every: list[frames.Frame]):
        for service in frames.PROFILES:
            chosen = [frame for frame in every if frame.service == service]
            for frame, our in zip(chosen, ours.decode(cyclo, chosen)):
                for name in decoders.DECODERS:
                    if frame.source in decoders.DECODERS[name]:
                        self.compare(name, frame, our)

    def compare(self, decoder: str, frame: frames.Frame, our: dict):
        self.compared[decoder] += 1
        for field, mine, their in differences(our, decoders.decode(decoder, frame)):
            for entry in DIFFERENCES:
                if entry.explains(decoder, frame, field, mine, their):
                    self.listed[entry] += 1
                    break
            else:
                self.unlisted[decoder, frame.source, field].append((frame, mine, their))

    def report(self, total: int) -> bool:
        print(f"{total} frames; compared: " + ", ".join(f"{name} {count}" for name, count in self.compared.items()))
        print(f"{len(DIFFERENCES)} differences listed, which occurred {sum(self.listed.values())} times")
        never = [entry for entry in DIFFERENCES if not self.listed[entry]]
        for entry in never:
            print(f"FAIL {entry.decoder} {' '.join(sorted(entry.sources))}: listed, and never occurs: {entry.why}")
        for (decoder, source, field), cases in sorted(self.unlisted.items()):
            print(f"FAIL {decoder} {source} {field}: {len(cases)} differences that are not listed, the first of them:")
            for frame, mine, their in cases[:3]:
                print(f"  {frame.value.hex() or '-'}: ours {mine}, theirs {their}")
        return not never and not self.unlisted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cyclo", default=".build/release/cyclo")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=3000, help="random frames of each profile")
    parser.add_argument("--list", action="store_true", help="how often each listed difference occurred, and why it is one")
    arguments = parser.parse_args()
    every = frames.everything(arguments.seed, arguments.count)
    comparison = Comparison()
    comparison.run(arguments.cyclo, every)
    if arguments.list:
        for entry in DIFFERENCES:
            print(f"{comparison.listed[entry]:6} {entry.decoder} {' '.join(sorted(entry.sources))} {entry.field}: {entry.why}")
    return 0 if comparison.report(len(every)) else 1


if __name__ == "__main__":
    sys.exit(main())
