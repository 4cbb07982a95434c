"""Runs in the guest: selects the requested cases and runs them.

    main.py LOGS PROGRAMS [CASE...]     PROGRAMS: a folder with cyclometerd and cyclo, if they are built;
                                        CASE: a module of cases/ or the beginning of a case's name; by default all of
                                        them but those that are marked `only_by_name`
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from runner import CaseFunction, Rig, run_all

HERE = Path(__file__).parent
PROGRAMS = ("cyclometerd", "cyclo")


def all_cases() -> dict[str, CaseFunction]:
    """Cases by name, `module.case`: modules in alphabetical order, cases in the order of their
    module."""
    cases = {}
    for path in sorted((HERE / "cases").glob("[a-z]*.py")):
        module = importlib.import_module(f"cases.{path.stem}")
        for name, value in vars(module).items():
            if name.startswith("case_") and value.__module__ == module.__name__:
                cases[f"{path.stem}.{name.removeprefix('case_')}"] = value
    return cases


def chosen(cases: dict[str, CaseFunction], words: list[str]) -> dict[str, CaseFunction]:
    return {
        name: case for name, case in cases.items()
        if not words and not hasattr(case, "is_only_by_name")
        or any(name.startswith(word) or name.partition(".")[2].startswith(word) for word in words)
    }


def built(folder: Path) -> dict[str, str]:
    return {name: str(folder / name) for name in PROGRAMS if (folder / name).exists()}


def main() -> int:
    logs, programs, *words = sys.argv[1:]
    cases = chosen(all_cases(), words)
    if not cases:
        print(f"no case is called {' '.join(words)}; there are: {' '.join(all_cases())}")
        return 2
    return 1 if run_all(cases, Rig(Path(logs), built(Path(programs)))) else 0


sys.exit(main())
