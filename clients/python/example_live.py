#!/usr/bin/env python3
"""A display: current values once a second, and dashes for values that are not current.

    example_live.py [CONTROL_SOCKET] [COUNT]
"""

import sys

import cyclometer

SHOWN = [("heart_rate", "bpm", "bpm"), ("power", "power_w", "W"), ("cadence", "cadence_rpm", "rpm")]
path = sys.argv[1] if len(sys.argv) > 1 else None
left = int(sys.argv[2]) if len(sys.argv) > 2 else -1

with cyclometer.Client(path) as client:
    while left != 0:
        client.wait(1)
        texts = []
        for kind, member, unit in SHOWN:
            live = client.live(kind)
            if live.value is not None and member in live.value:
                texts.append(f"{live.value['sensor']} {live.value[member]:.0f} {unit}")
            elif live.age is None:
                texts.append(f"{kind} -- {unit}")
            else:
                texts.append(f"{kind} -- {unit} ({live.state}, {live.age:.0f} s old)")
        print(", ".join(texts), flush=True)
        left -= 1
