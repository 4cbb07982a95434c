"""Runs in the guest, once per boot: the cases in order, each on the machine as the previous one
left it.

    main.py SHARE [CASE...]     CASE: the start of a case's name (default: all)

Cases that others depend on always run.

To reboot the machine, a case returns `Reboot` with the function that continues it afterwards. The
exit status is then 85, and SHARE/progress records where to continue. Otherwise 0 means that all
cases passed, and 1 that at least one failed.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "guest")]

from machine import Machine, Reboot  # noqa: E402
from verdicts import judge, tell  # noqa: E402
from waiting import now  # noqa: E402

MODULES = ("package", "rest", "sensors", "figures", "faults", "settings", "plugins", "position", "boot", "units", "recorder", "bridge", "guidance", "web", "story", "upgrade", "guide")
REBOOT_WANTED = 85


def all_cases() -> dict[str, Callable]:
    """Cases by name, `module.case`, in the order in which they run."""
    cases = {}
    for module_name in MODULES:
        module = importlib.import_module(f"cases.{module_name}")
        for name, value in vars(module).items():
            if name.startswith("case_") and value.__module__ == module.__name__:
                cases[f"{module_name}.{name.removeprefix('case_')}"] = value
    return cases


class Progress:
    """State that survives a reboot."""

    def __init__(self, path: Path, words: list[str]) -> None:
        self.path = path
        self.cases = all_cases()
        if path.exists():
            vars(self).update(json.loads(path.read_text()))
            return
        self.left = [
            name for name, case in self.cases.items()
            if not words or hasattr(case, "is_basis") or any(name.startswith(word) or name.partition(".")[2].startswith(word) for word in words)
        ]
        self.passed, self.failed = 0, []
        self.figures: list[str] = []
        self.begun = 0.0
        self.goes_on = ""
        self.kept: dict = {}

    def save(self) -> None:
        lasting = {key: value for key, value in vars(self).items() if key not in ("path", "cases")}
        self.path.write_text(json.dumps(lasting))


def run_next(machine: Machine, progress: Progress) -> None:
    """Runs the next case, or the rest of it. SystemExit if it needs a reboot."""
    name = progress.left[0]
    case = progress.cases[name]
    machine.figures = progress.figures
    goes_on, progress.goes_on = progress.goes_on, ""
    begun = progress.begun = progress.begun or time.time()
    came: list[Reboot | None] = []

    def run() -> None:
        if goes_on:
            module = importlib.import_module(case.__module__)
            came.append(getattr(module, goes_on)(machine, progress.kept))
        else:
            machine.settle(name)
            came.append(case(machine))

    why = judge(run)
    if came and isinstance(came[0], Reboot):
        progress.goes_on, progress.kept = came[0].then.__name__, came[0].keeps
        progress.save()
        sys.exit(REBOOT_WANTED)
    tell("FAIL" if why else "ok", name, case, machine.figures, time.time() - begun, why)
    progress.figures, progress.begun = [], 0.0
    progress.left.pop(0)
    if not why:
        progress.passed += 1
        return
    progress.failed.append(name)
    machine.keep_evidence(name)
    if hasattr(case, "is_basis"):
        print(f"not run, because they depend on it: {' '.join(progress.left)}")
        progress.failed += progress.left
        progress.left = []


def main() -> int:
    share, *words = sys.argv[1:]
    progress = Progress(Path(share) / "progress", words)
    machine = Machine(Path(share))
    if not progress.goes_on:
        print(f"systemd {machine.systemd_release()}, kernel {os.uname().release}, up after {now():.0f} s", flush=True)
    while progress.left:
        run_next(machine, progress)
    if progress.failed:
        print(f"\nfailed: {' '.join(progress.failed)}")
    print(f"\n{progress.passed} passed, {len(progress.failed)} failed", flush=True)
    machine.keep_evidence("end")
    return 1 if progress.failed else 0


sys.exit(main())
