"""The result of a case and its line: verdict, name, description, figures, duration and reason of
failure."""

from __future__ import annotations

import traceback
from collections.abc import Callable

from waiting import Failure


def judge(case: Callable[[], None]) -> str:
    """Why the case failed, or empty."""
    try:
        case()
    except Failure as failure:
        return f"\n     {failure}"
    except Exception:
        return "\n" + traceback.format_exc()
    return ""


def tell(verdict: str, name: str, case: Callable, figures: list[str], seconds: float, why: str) -> None:
    """The description is the first line of the case's docstring."""
    shows = (case.__doc__ or "").strip().splitlines()[0]
    measured = f" ({', '.join(figures)})" if figures else ""
    print(f"{verdict:4} {name}: {shows}{measured} [{seconds:.1f} s]{why}", flush=True)
