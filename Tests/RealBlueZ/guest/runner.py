"""Runs cases one after the other, each on a fresh BlueZ, and reports what each showed and measured.

A case is a function whose name begins with `case_` in a module of cases/; its first docstring line
is what it shows. It gets a Rig.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from air import Air
from bluetooth import Bluetooth
from cyclometer import Daemon
from verdicts import judge, tell
from waiting import now, require

CaseFunction = Callable[["Rig"], None]
HOMES = Path("/run/cyclometer-test")


@dataclass
class Known:
    """A known cause of failure, with the affected releases of BlueZ. It is reported, and does not
    fail the run."""

    why: str
    fits: Callable[[tuple[int, int]], bool]


def known(why: str, fits: Callable[[tuple[int, int]], bool] = lambda release: True) -> Callable[[CaseFunction], CaseFunction]:
    def mark(case: CaseFunction) -> CaseFunction:
        case.known = Known(why, fits)
        return case

    return mark


def only_by_name(case: CaseFunction) -> CaseFunction:
    """A case that is too slow for every run and runs only on request."""
    case.is_only_by_name = True
    return case


class Rig:
    """The fixtures of a case. The next case gets new ones."""

    def __init__(self, logs: Path, programs: dict[str, str]) -> None:
        self.logs, self.programs = logs, programs
        self.air = Air()
        self.bluetooth = Bluetooth(self.air, logs)
        self.daemons: list[Daemon] = []
        self.figures: list[str] = []

    def daemon(self) -> Daemon:
        """A new installation of the daemon, not started."""
        require(len(self.programs) == 2, "cyclometerd and cyclo are not built: make them, or set CYCLOMETERD and CYCLO")
        home = HOMES / str(len(self.daemons))
        made = Daemon(self.programs["cyclometerd"], self.programs["cyclo"], home, self.logs)
        self.daemons.append(made)
        return made

    def measured(self, name: str, value: float, unit: str, digits: int = 2) -> None:
        self.figures.append(f"{name} {value:.{digits}f} {unit}".strip())

    def refresh(self) -> None:
        self.figures = []
        self.clear()
        self.bluetooth.make_fresh()

    def clear(self) -> None:
        for daemon in self.daemons:
            if daemon.process:
                daemon.process.child.kill()
                daemon.end()
        self.daemons = []
        shutil.rmtree(HOMES, ignore_errors=True)
        self.air.clear()


def run_case(rig: Rig, name: str, case: CaseFunction) -> bool:
    begun = now()
    rig.figures = []
    known: Known | None = getattr(case, "known", None)
    deaths = rig.bluetooth.deaths

    def on_a_fresh_rig() -> None:
        rig.refresh()
        case(rig)

    why = judge(on_a_fresh_rig)
    if known and not known.fits(rig.bluetooth.release):
        known = None
    verdict = "FAIL" if why else "ok"
    if why and known:
        verdict, why = "known", f"{why}\n     known: {known.why}"
    elif known:
        verdict = "ok   (no longer as known: take the mark away)"
    if rig.bluetooth.deaths > deaths:
        rig.figures.append("bluetoothd crashed, and was started again")
    tell(verdict, name, case, rig.figures, now() - begun, why)
    return not why or verdict == "known"


def run_all(cases: dict[str, CaseFunction], rig: Rig) -> int:
    """Prints the summary line and returns the number of failures."""
    print(f"BlueZ {'.'.join(map(str, rig.bluetooth.release))}, kernel {os.uname().release}", flush=True)
    failed = []
    for name, case in cases.items():
        if not run_case(rig, name, case):
            failed.append(name)
            # Whatever the kernel keeps of the failure goes with the adapter.
            rig.clear()
            rig.bluetooth.kill_bluetoothd()
            rig.bluetooth.unplug()
    rig.clear()
    rig.bluetooth.stop()
    if failed:
        print(f"\nfailed: {' '.join(failed)}")
    print(f"\n{len(cases) - len(failed)} passed, {len(failed)} failed")
    sys.stdout.flush()
    return len(failed)
