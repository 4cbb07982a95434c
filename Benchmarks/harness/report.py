"""Figures as Markdown tables, latencies as text histograms, targets, and output files."""
import json
import statistics
import sys
import textwrap
from pathlib import Path

HOPS = {
    "read": "From the strap's write to `t` of the line",
    "delivered": "From `t` of the line to the subscriber",
    "whole": "From the strap's write to the subscriber",
}


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def spread(values):
    """The median with minimum and maximum."""
    return f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})"


def paragraph(text):
    """Text wrapped like the pages of docs."""
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)


def table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)] + rows
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def histogram(columns):
    """Shares of the lines by microseconds, in steps of a factor of two: one column for each
    program."""
    buckets = [[0] * 24 for _ in columns]
    for counts, values in zip(buckets, columns.values()):
        for value in values:
            counts[min(23, int(value).bit_length())] += 1
    used = [step for step in range(24) if any(counts[step] for counts in buckets)]
    bar = 24 if len(columns) < 3 else 12
    width = bar + 10
    lines = [("         µs  " + "".join(f"{name:<{width}}" for name in columns)).rstrip()]
    for step in range(min(used), max(used) + 1):
        low, high = (0, 1) if step == 0 else (1 << (step - 1), 1 << step)
        line = f"{low:>6}–{high:<6}"
        for counts in buckets:
            share = counts[step] / max(1, sum(counts))
            line += f"{'█' * round(share * bar):<{bar}}{share:>7.1%}   "
        lines.append(line.rstrip())
    for label, share in (("median", 0.5), ("90 %", 0.9), ("99 %", 0.99), ("most", 1.0)):
        line = f"{label:>11}  " + "".join(f"{percentile(values, share):<{width}.1f}" for values in columns.values())
        lines.append(line.rstrip())
    return "```\n" + "\n".join(lines) + "\n```"


def summary(outcome):
    """The outcome with percentiles instead of all latencies."""
    hops = {
        hop: {"median_us": percentile(values, 0.5), "p90_us": percentile(values, 0.9), "p99_us": percentile(values, 0.99)}
        for hop, values in outcome.hops.items() if values}
    return {**vars(outcome), "ns_per_line": outcome.ns_per_line, "hops": hops}


class Targets:
    """Limits on ratios and counts only, so that they do not depend on the machine."""

    def __init__(self):
        self.all = []

    def add(self, text, is_met, budget=None):
        """`budget`: the row in the table of docs/performance.md, by its name in page.py."""
        self.all.append({"target": text, "met": bool(is_met), "budget": budget})

    def at_most(self, text, values, limit, budget=None):
        middle = statistics.median(values)
        self.add(f"{text}: {spread(values)}, at most {limit:.4g}", middle <= limit, budget)

    @property
    def are_met(self):
        return all(each["met"] for each in self.all)

    def text(self):
        return "\n".join(f"- {'met' if each['met'] else 'MISSED'}: {each['target']}" for each in self.all)


def progress(text):
    print(f"{Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def finish(path, figures, targets, summary=""):
    """Prints the targets, writes the figures, and returns the exit status. The summary is for
    docs/performance.md."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"figures": figures, "targets": targets.all, "summary": summary}, indent=1) + "\n")
    print(f"\n## Targets\n\n{targets.text()}\n\nFigures: {path.name}")
    return 0 if targets.are_met else 1
