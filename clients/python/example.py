#!/usr/bin/env python3
"""Prints every sample as it arrives, and reports when the daemon or a sensor is lost.

    example.py [CONTROL_SOCKET] [COUNT]
"""

import sys

import cyclometer

path = sys.argv[1] if len(sys.argv) > 1 else None
left = int(sys.argv[2]) if len(sys.argv) > 2 else -1

with cyclometer.Client(path) as client:
    for update in client:
        if isinstance(update, cyclometer.Connected):
            print("connected to release", update.hello.get("release"), flush=True)
        elif isinstance(update, cyclometer.Disconnected):
            print("lost:", update.reason, flush=True)
        elif isinstance(update, cyclometer.Gap):
            print(update.lost, "samples of", update.sensor, "were lost", flush=True)
        elif isinstance(update, cyclometer.Record) and update.cls == "state":
            print(update["sensor"], "is", update["state"], flush=True)
        elif isinstance(update, cyclometer.Record) and update.cls == "sample":
            if "source" in update:
                continue   # the ride repeats the value of the best sensor
            header = ("class", "sensor", "kind", "seq", "t", "time", "age_ms")
            values = ", ".join(f"{name} {value}" for name, value in update.items() if name not in header)
            print(f"{update['sensor']} {update['kind']}: {values}", flush=True)
            left -= 1
            if left == 0:
                break
