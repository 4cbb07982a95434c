"""Waits for conditions, with an error if they do not come true. Neither this module nor a case
sleeps for a fixed time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Failure(AssertionError):
    """A failure reported by a case, with a text for readers who do not know the code."""


def now() -> float:
    """CLOCK_BOOTTIME, the clock of `t` in the daemon's records."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def require(condition: object, text: str) -> None:
    if not condition:
        raise Failure(text)


def wait_for(condition: Callable[[], T], seconds: float, what: str, every: float = 0.02) -> T:
    """The condition's first true value."""
    end = now() + seconds
    while True:
        value = condition()
        if value:
            return value
        if now() >= end:
            raise Failure(f"not within {seconds:g} s: {what}")
        time.sleep(every)
