"""Prints the devices that Home Assistant gets, for print-discovery: each sensor of the captures with
its samples, the ride, the receiver, and one that was forgotten."""
import json
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
CAPTURES = [*sorted(TOP.glob("Tests/Captures/*/*.expected")), *sorted(TOP.glob("Tests/DeclaredSensorsTests/Captures/*.expected")),
            *sorted(TOP.glob("Tests/Rides/*.expected"))]
# All characters that JSON, Jinja or MQTT could take for their own.
NAME = "a\"b\\c {{ states('x') }} {% raw %} + # / Größe 🚲"


def samples_by_sensor(path):
    found = {}
    for line in path.read_text().splitlines():
        record = json.loads(line)
        if record.get("class") == "sample":
            found.setdefault(record["sensor"], []).append(record)
    return found


def main():
    ride = []
    for path in CAPTURES:
        for sensor, samples in samples_by_sensor(path).items():
            if sensor == "ride":
                ride += samples
                continue
            kinds = sorted({sample["kind"] for sample in samples})
            name = re.sub("[^a-z0-9-]", "-", f"{sensor}-{path.stem}".lower())
            record = {"id": name, "name": NAME, "address": "A0:9E:1A:00:00:01", "plugins": [], "kinds": kinds,
                      "stale_after_ms": {kind: 5000 for kind in kinds if kind != "battery"}, "state": "streaming", "rssi_dbm": -61,
                      "facts": {"manufacturer": "Makers \"&\" Söhne", "model": "{{ model }}", "firmware": "5.0.0", "hardware": "2"}}
            print(json.dumps({"sensor": record, "samples": samples}))
    print(json.dumps({"ride": {kind: 5000 for kind in ("cadence", "heart_rate", "power", "ride", "speed")}, "samples": ride}))
    print(json.dumps({"receiver": True}))
    print(json.dumps({"forgotten": "strap-strap-steady"}))


if __name__ == "__main__":
    sys.exit(main())
