"""Sensor files for a daemon: those that ship, and those that repeat built-in sensors."""
import re

from harness.programs import ROOT

SOURCES = [ROOT / "Config" / "sensors.d", ROOT / "Tests" / "DeclaredSensorsTests" / "Files"]


def write_sensor_files(folder, count):
    """So many files, in turn and each with its own id. None replaces a built-in plugin."""
    folder.mkdir()
    sources = [path.read_text() for source in SOURCES for path in sorted(source.glob("*.sensor"))]
    for number in range(count):
        text = re.sub(r"^Id *=.*$", f"Id = sensor_{number}", sources[number % len(sources)], flags=re.MULTILINE)
        (folder / f"{number:02}.sensor").write_text(re.sub(r"^Replaces *=.*\n", "", text, flags=re.MULTILINE))
    return folder
