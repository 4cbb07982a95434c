#!/usr/bin/env python3
"""Prints the updates of the Python client, one per line, in the format that all probes share.

    probe.py SOCKET SUBSCRIPTION COUNT blocking|asyncio [METHOD...]
"""
import asyncio
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "clients/python"))
import cyclometer  # noqa: E402


def plain(value):
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def brief(update) -> str:
    if isinstance(update, cyclometer.Connected):
        return f"connected {update.hello['instance']}{' new' if update.is_new_instance else ''}"
    if isinstance(update, cyclometer.Disconnected):
        return f"disconnected {update.reason}"
    if isinstance(update, cyclometer.Gap):
        return f"gap {update.kind} {update.lost}"
    if isinstance(update, cyclometer.Lag):
        return f"lag {update.dropped}"
    return f"{update.cls} {plain(update.get('seq'))}"


def follow(path, filters, count, methods):
    client = cyclometer.Client(path, **filters)
    try:
        for _ in range(count):
            update = client.next(timeout=20)
            print(brief(update) if update is not None else "nothing", flush=True)
            while methods:
                print(describe(lambda method: client.request(method, {}), methods.pop(0)), flush=True)
    except cyclometer.Error as error:
        print("failed", error, flush=True)
    client.close()


def describe(ask, method):
    try:
        return "answer " + json.dumps(ask(method), separators=(",", ":"))
    except cyclometer.Refused as error:
        return f"refusal {error.code}"
    except cyclometer.NotConnected:
        return "refusal lost"


async def describe_later(client, method):
    try:
        answer = await client.request(method, {})
    except cyclometer.Error as error:
        return describe(lambda _: (_ for _ in ()).throw(error), method)
    return describe(lambda _: answer, method)


async def follow_later(path, filters, count, methods):
    async with cyclometer.AsyncClient(path, **filters) as client:
        try:
            for _ in range(count):
                update = await client.next(timeout=20)
                print(brief(update) if update is not None else "nothing", flush=True)
                for answer in await asyncio.gather(*(describe_later(client, method) for method in methods)):
                    print(answer, flush=True)
                methods = []
        except cyclometer.Error as error:
            print("failed", error, flush=True)


def main():
    path, filters, count, way, *methods = sys.argv[1:]
    arguments = (path, json.loads(filters), int(count), methods)
    if way == "asyncio":
        asyncio.run(follow_later(*arguments))
    else:
        follow(*arguments)


main()
