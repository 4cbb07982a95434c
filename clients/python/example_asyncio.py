#!/usr/bin/env python3
"""Prints the heart rate as it arrives, and the sensors' battery levels once a minute.

    example_asyncio.py [CONTROL_SOCKET] [COUNT]
"""

import asyncio
import sys

import cyclometer


async def show_batteries(client: cyclometer.AsyncClient) -> None:
    while True:
        try:
            for record in (await client.request("poll", {"kinds": ["battery"]}))["records"]:
                print(f"{record['sensor']}: battery {record['battery_pct']} %", flush=True)
            pause = 60
        except (cyclometer.NotConnected, cyclometer.TimedOut):
            pause = 1   # the client reconnects on its own
        await asyncio.sleep(pause)


async def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else None
    left = int(sys.argv[2]) if len(sys.argv) > 2 else -1
    async with cyclometer.AsyncClient(path, kinds=["heart_rate"]) as client:
        batteries = asyncio.create_task(show_batteries(client))
        async for update in client:
            if isinstance(update, cyclometer.Disconnected):
                print("lost:", update.reason, flush=True)
            elif isinstance(update, cyclometer.Record) and update.cls == "sample":
                # Some records have intervals only, and the ride repeats the best sensor's value.
                if "bpm" not in update or "source" in update:
                    continue
                print(f"{update['sensor']}: {update['bpm']} bpm", flush=True)
                left -= 1
                if left == 0:
                    break
        batteries.cancel()


asyncio.run(main())
