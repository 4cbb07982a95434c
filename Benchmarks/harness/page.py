"""Writes docs/performance.md and its plot from the report of one run, so that no figure is typed by
hand. It replaces the text between `<!-- measured: NAME -->` and `<!-- end -->`. NAME is `machine`,
`budgets` or a part. A part that was not measured is marked as such."""
import re

from harness import plot
from harness.programs import ROOT
from harness.report import paragraph, table

PAGE, PICTURE = ROOT / "docs" / "performance.md", ROOT / "docs" / "performance.svg"
ABSENT = "Not measured in this run."
# By the name that a target gives: what is limited, and the limit.
BUDGETS = {
    "memory": ("memory with 8 sensors and 8 subscribers", "9 MB resident, 2 MB of them private; no growth over a million notifications"),
    "allocations": ("allocations per notification", "none"),
    "latency": ("from the packet to every subscriber", "median at most 1.5 times the bare C program's"),
    "processor": ("processor time, 8 sensors at 4 Hz", "at most 1.75 times the bare C program's and a third of a Python client's on bleak"),
    "start": ("from start to listening sockets", "at most 3 times a bare Swift program's whole run"),
    "idle": ("wake-ups at rest", "none but the watchdog's"),
    "recorded bytes": ("what the recorder writes to the device", "12 KiB per second"),
    "export": ("export of a ride of six hours as FIT", "no slower than fit-tool"),
    "list": ("the newest 50 of 5,000 activities", "at most 3 times the bare C program's"),
    "guide": ("a route of 50,000 points", "4 MB private; at most 3 times as long per position as with 1,000 points"),
    "page": (
        "from the daemon's line to the page, and from a radar's packet to the painted frame",
        "99 % at most 3 times those of a bare C server; on a quiet machine 10 ms and 100 ms"),
    "readers": ("the dashboard's server with 8 readers", "at most 1.5 times a bare C server's processor time, and 10 MB private"),
    "process": ("a notification through a program, at 32 per second", "median at most 3 times the built-in plugin's"),
    "misbehaviour": (
        "a radar whose plugin is built in, beside programs that misbehave",
        "on a quiet machine 99 % at most 1.1 times those without them"),
    "stopped": ("240 subscribers, one of them stopped", "the others lose nothing, and memory is bounded"),
}


def accept(report, only=()):
    """Writes the figures of this report to the page, and the plot. `only`: no sections but those of
    these parts, each measured in a run of its own."""
    parts = report["parts"]
    if only:
        return PAGE.write_text(filled(PAGE.read_text(), {name: parts[name]["summary"] for name in only}, others_stay=True))
    PAGE.write_text(filled(PAGE.read_text(), {
        "machine": machine(report), "budgets": budgets(parts), **{name: part["summary"] for name, part in parts.items()}}))
    if growth := (parts.get("growth", {}).get("figures") or {}).get("growth"):
        PICTURE.write_text(plot.growth(growth))


def filled(page, contents, others_stay=False):
    def content(found):
        if others_stay and found[2] not in contents:
            return found[0]
        return f"{found[1]}\n{contents.get(found[2]) or ABSENT}\n{found[3]}"
    return re.sub(r"(<!-- measured: (\w+) -->)\n.*?(<!-- end -->)", content, page, flags=re.DOTALL)


def machine(report):
    this = report["machine"]
    noise = max(part["noise"]["p99_pct"] for part in report["parts"].values())
    return paragraph(
        f"On {this['processors']} × {this['processor']}, {this['architecture']}, Linux {this['kernel']}. The "
        f"99th percentile of the times for equal work was up to {noise:.0f} % above the median.")


def budgets(parts):
    rows = []
    for name, (what, budget) in BUDGETS.items():
        found = [target for part in parts.values() for target in part["targets"] if target.get("budget") == name]
        for number, target in enumerate(found or [{"target": ABSENT, "met": None}]):
            verdict = {True: "met", False: "MISSED", None: ""}[target["met"]]
            rows.append(["", "", target["target"], verdict] if number else [what, budget, target["target"], verdict])
    # Words, not numbers.
    return table(["what", "budget", "measured", ""], rows).replace("---:", "---")
