"""Reads `not-yet`, the list of exceptions to the protocol: part, name, reason."""
from pathlib import Path

# A daemon's errors for a method that it lacks, or knows only by name.
NOT_THERE = ("unknown_method", "not_supported")
FILE = Path(__file__).with_name("not-yet")


def exceptions() -> dict[tuple[str, str], str]:
    rows = [line.split(None, 2) for line in FILE.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {(part, name): reason for part, name, reason in rows}


def missing_methods() -> set[str]:
    return {name for part, name in exceptions() if part == "method"}
