#!/usr/bin/env python3
"""Stores every record of a fleet in InfluxDB 1, each once: fleet_store.py --help

Reads the batches that cyclometer-mqtt publishes (docs/fleet.md). InfluxDB replaces a point by one of
the same series and time. Both follow from the record alone, so a batch may arrive any number of
times. Create the database first: influx -execute 'CREATE DATABASE bikes'
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
import zlib

import paho.mqtt.client as mqtt

HEAD = {"class", "sensor", "kind", "event", "t", "time", "seq"}
EPOCH = {"t": 0, "time": "1970-01-01T00:00:00.000Z"}
NOT_A_BATCH = (zlib.error, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def seconds(time):
    return datetime.datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()


def name(text):
    return re.sub(r"([, =])", r"\\\1", str(text).replace("\n", " "))


def value(found):
    if isinstance(found, (bool, int, float)):
        return str(found) if isinstance(found, bool) else repr(float(found))
    # Lists are stored as their JSON text.
    return '"%s"' % re.sub(r'(["\\])', r"\\\1", found if isinstance(found, str) else json.dumps(found))


def point(measurement, tags, fields, nanoseconds):
    series = ",".join([name(measurement), *(f"{key}={name(tag)}" for key, tag in tags.items())])
    return f"{series} {','.join(f'{name(key)}={value(found)}' for key, found in fields.items())} {nanoseconds}"


def points(receiver, batch, clock):
    """The batch in InfluxDB's line protocol. A state has no `t`, and gets that of the record before it."""
    zero = seconds(clock["time"]) - clock["t"]
    # With the clock of another batch, the order of the batches gives such states different times.
    at = clock["t"] + batch["batch"] - clock.get("batch", batch["batch"])
    for place, record in enumerate(batch["records"]):
        at = seconds(record["to"]) - zero if "to" in record else record.get("t", record.get("to_t", at))
        number = record.get("seq", place)
        tags = {"receiver": receiver, "instance": batch.get("instance", "none"), "sensor": record.get("sensor", "none")}
        fields = {"seq": number, **{key: found for key, found in record.items() if key not in HEAD and found is not None}}
        # The last three digits are for samples of the same microsecond.
        yield point(record.get("kind") or record.get("event") or record["class"], tags, fields, round((zero + at) * 1e6) * 1000 + number % 1000)


class Store:
    def __init__(self, options):
        self.url = f"{options.influx}/write?" + urllib.parse.urlencode({"db": options.database})
        self.undated = options.undated

    def take(self, _client, _userdata, message):
        """Returns after everything is written. Only then the broker gets its confirmation."""
        try:
            is_compressed = message.payload[:1] == b"\x78"
            batch = json.loads(zlib.decompress(message.payload) if is_compressed else message.payload)
            self.store(message.topic.split("/")[3], batch)
        except NOT_A_BATCH as error:
            print(f"{message.topic}: dropped a message that is not a batch ({error!r})", file=sys.stderr, flush=True)

    def store(self, receiver, batch):
        """Batches of a boot whose clock is not set yet wait in a folder for the first clock of that boot."""
        folder = self.undated / urllib.parse.quote(f"{receiver}-{batch.get('boot')}", safe="")
        kept = folder / "clock"
        # A loss belongs to no boot. Without a time of its own, it is at `to_t` seconds after 1970.
        clock = batch.get("clock") if "boot" in batch else EPOCH
        if clock is None and kept.exists():
            clock = json.loads(kept.read_text())
        own = list(points(receiver, batch, clock or EPOCH))
        if clock is None:
            return keep(folder / str(int(batch["batch"])), batch)
        if folder.exists() and not kept.exists():
            keep(kept, {**clock, "batch": batch["batch"]})
        for file in folder.glob("[0-9]*"):
            self.write(points(receiver, json.loads(file.read_text()), json.loads(kept.read_text())))
            file.unlink()
        self.write(own)

    def write(self, all_points):
        try:
            urllib.request.urlopen(urllib.request.Request(self.url, "\n".join(all_points).encode()), timeout=60).close()
        except urllib.error.HTTPError as error:
            message = f"InfluxDB: {error}: {error.read().decode(errors='replace').strip()}"
            if error.code != 400:
                sys.exit(message)
            # It would refuse these points every time. It has stored the others.
            print(message, file=sys.stderr, flush=True)


def keep(path, content):
    """Survives a power failure, because the broker forgets the message afterwards."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name("new")
    with new.open("w") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def connected(client, group, _flags, code):
    if code:
        sys.exit(f"the broker refused the connection: {mqtt.connack_string(code)}")
    client.subscribe(f"cyclometer/v1/{group}/+/log", 1)


def main():
    """Runs until a write fails. The broker keeps that batch for the next run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--broker", default="localhost")
    parser.add_argument("--port", type=int, help="default: 8883 with --ca, otherwise 1883")
    parser.add_argument("--ca", help="the authority that signed the broker's certificate; turns on encryption")
    parser.add_argument("--user")
    parser.add_argument("--password-file", type=pathlib.Path)
    parser.add_argument("--group", default="home")
    parser.add_argument("--influx", default="http://localhost:8086")
    parser.add_argument("--database", default="bikes")
    parser.add_argument("--undated", type=pathlib.Path, default=pathlib.Path("undated"), help="a folder for batches without a clock")
    options = parser.parse_args()
    client = mqtt.Client(f"cyclometer-store-{options.group}", clean_session=False, userdata=options.group)
    client.on_connect, client.on_message = connected, Store(options).take
    if options.ca:
        client.tls_set(options.ca)
    if options.user:
        client.username_pw_set(options.user, options.password_file.read_text().rstrip("\n") if options.password_file else None)
    try:
        client.connect(options.broker, options.port or (8883 if options.ca else 1883))
        client.loop_forever()
    except OSError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
