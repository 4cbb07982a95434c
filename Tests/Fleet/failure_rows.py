"""Rows in which something fails: the broker, the network, a bridge, a daemon, or the room for what
waits."""
import random
import time

from fleet import Broker, Comparison, Fleet, Receiver
from programs import Failed, Helper, free_port, now, until
from table import Row

STORING_ONLY = {"Fleet": {"Live": "never"}}
# Records that the bridge read so long before its end are in its spool.
KEPT_SECONDS = 10
# A bridge waits for up to 30 s after an outage, and up to 60 s after several.
RECONNECTING = 120
# Straps that notify fast, to fill the smallest spool in a minute. Each packet has as many intervals as fit.
FAST_STRAPS, FAST_HERTZ, FAST_SECONDS = 8, 25, 240
INTERVALS = "0003" * 9


def broker_killed(test, row):
    """SIGKILL, long enough for a spool, and then again and again."""
    folder, scale = test.folder / "killed", test.scale
    folder.mkdir()
    broker = Broker(folder / "broker")
    fleet = Fleet(test.receivers, folder / "bridges", broker.port, STORING_ONLY)
    try:
        fleet.start()
        comparison = Comparison(fleet, test.witness)
        broker.save()
        broker.kill()
        time.sleep(scale.outage_seconds)
        waiting = spooled(fleet)
        broker.start()
        began = time.monotonic()
        half = until(lambda: spooled(fleet) <= waiting / 2 and time.monotonic() - began, "half of the spool", RECONNECTING)
        for _ in range(scale.broker_kills - 1):
            time.sleep(random.uniform(*scale.kill_pause))
            until(fleet.reader.subscription, "the reader's subscription")
            broker.save()
            broker.kill()
            time.sleep(random.uniform(0.2, 2))
            broker.start()
        fleet.await_connections(RECONNECTING)
        comparison.finish(RECONNECTING)
        row.figure(f"{scale.broker_kills} kills: {comparison.missing_count} of {comparison.count} samples missing, "
                   f"{fleet.reader.counts()['again']} came again and were recognized")
        row.figure(f"half of {waiting} waiting records gone {half:.1f} s after the broker was back")
        row.problems += comparison.problems()
        row.require(waiting > 0, "nothing has waited for the broker")
        row.require(half <= 60, f"half of the spool took {half:.0f} s")
    finally:
        fleet.end()
        broker.end()


def spooled(fleet):
    return sum(bridge.status().get("spool", {}).get("records", 0) for bridge in fleet.bridges)


def spool_full(test, row):
    """The broker is away for longer than the spool lasts."""
    folder, scale = test.folder / "full", test.scale
    folder.mkdir()
    scene = folder / "fast.capture"
    scene.write_text(fast_capture())
    broker = Broker(folder / "broker")
    receivers = [Receiver(f"fast-{number:02}", folder / f"receiver-{number:02}", scene) for number in range(scale.small_spools)]
    fleet = Fleet(receivers, folder / "bridges", broker.port, {**STORING_ONLY, "Log": {"SpoolMiB": 2}})
    witness = None
    try:
        for receiver in receivers:
            receiver.start()
        for receiver in receivers:
            until(receiver.listens, receiver.name)
        witness = Helper("witness", *[f"{receiver.name}={receiver.metrics}" for receiver in receivers])
        fleet.start()
        until(lambda: witness.connected() == len(receivers), "the daemons")
        # All straps are connected and have sent their states.
        time.sleep(3)
        comparison = Comparison(fleet, witness)
        # The first batch that is lost has only samples of the comparison.
        time.sleep(6)
        broker.save()
        broker.kill()
        away = now()
        for bridge in fleet.bridges:
            until(lambda: bridge.status()["spool"].get("lost"), f"the end of the spool of {bridge.name}", FAST_SECONDS / 2)
        time.sleep(3)
        broker.start()
        back = now()
        fleet.await_connections(RECONNECTING)
        for bridge in fleet.bridges:
            until(lambda: bridge.status()["spool"]["batches"] <= 5, f"the spool of {bridge.name}", RECONNECTING)
        comparison.finish(5)
        judge_losses(row, comparison, witness, away, back)
    finally:
        fleet.end()
        broker.end()
        for receiver in receivers:
            receiver.program.end()
        if witness:
            witness.end()


def judge_losses(row, comparison, witness, away, back):
    """Each receiver's loss records have what the store lacks, and nothing else. There can be two: the spool
    may be full once more while it is emptied."""
    fleet, total, most = comparison.fleet, 0, 0
    losses = fleet.reader.loss_records()
    newest = []
    for receiver in fleet.receivers:
        numbers = {key: some for key, some in comparison.missing.items() if key.startswith(receiver.name + " ")}
        times = sorted(t for some in witness.times(numbers).values() for t in some)
        records = [record for name, record in losses if name == receiver.name]
        if not records or not times:
            row.require(False, f"{receiver.name}: {len(records)} loss records, {len(times)} samples missing")
            continue
        others = witness.others_between(times[0], times[-1]).get(receiver.name, 0)
        row.require(others == 0, f"{receiver.name}: {others} other records in the time of the loss: the number cannot be compared")
        records.sort(key=lambda record: record["from_t"])
        lost, begin, end = sum(record["records"] for record in records), records[0]["from_t"], records[-1]["to_t"]
        row.require(lost == len(times), f"{receiver.name}: lost {lost}, missing {len(times)}")
        row.require(abs(begin - times[0]) < 0.1 and abs(end - times[-1]) < 0.1,
                    f"{receiver.name}: lost from {begin} to {end}, missing from {times[0]} to {times[-1]}")
        row.require(times[-1] < back, f"{receiver.name}: samples are missing that were measured after the broker was back")
        most = max(most, len(records))
        newest.append(back - times[-1])
        total += len(times)
    row.figure(f"{len(fleet.receivers)} receivers, away for {back - away:.0f} s: at most {most} loss record{'s'[:most > 1]} each, {total} samples lost and {total} reported")
    if newest:
        row.figure(f"the newest {min(newest):.0f} s are all there")
    row.problems += comparison.problems(allowed=comparison.names)


def fast_capture():
    """Straps without batteries, which say nothing but their rate."""
    lines = ["#cyclometer-capture 1", "# Straps that notify far more often than real ones. Made."]
    for strap in range(FAST_STRAPS):
        lines.append(f"device fast{strap} address=C0:00:00:00:00:{strap + 1:02X} name=Fast{strap} services=180d")
    lines += [f"0.000000 fast{strap} connected" for strap in range(FAST_STRAPS)]
    for step in range(FAST_HERTZ * FAST_SECONDS):
        for strap in range(FAST_STRAPS):
            at = (step + strap / FAST_STRAPS) / FAST_HERTZ
            lines.append(f"{at + 0.5:.6f} fast{strap} notify 2a37 10{60 + step % 40:02x}{INTERVALS}")
    return "\n".join(lines) + "\n"


def bridge_killed(test, row):
    """At any moment, and mostly while a batch is collected."""
    folder, scale = test.folder / "crash", test.scale
    folder.mkdir()
    broker = Broker(folder / "broker")
    fleet = Fleet(test.receivers, folder / "bridges", broker.port, STORING_ONLY)
    kills = []
    try:
        fleet.start()
        time.sleep(KEPT_SECONDS)
        comparison = Comparison(fleet, test.witness)
        order = [bridge for _ in range(-(-scale.bridge_kills // len(fleet.bridges))) for bridge in random.sample(fleet.bridges, len(fleet.bridges))]
        for bridge in order[:scale.bridge_kills]:
            began = time.monotonic()
            kills.append(kill(bridge))
            time.sleep(max(0, scale.bridge_kills_seconds / scale.bridge_kills - (time.monotonic() - began)))
        fleet.await_connections()
        # What was missed while a bridge was away stays missing, so waiting for everything is in vain.
        comparison.finish(12)
        judge_crashes(row, comparison, test.witness, kills)
        row.problems += comparison.problems(allowed=comparison.names)
    finally:
        fleet.end()
        broker.end()


def kill(bridge):
    """The receiver's name, when its bridge was killed, and when the next one was connected."""
    killed = now()
    bridge.program.kill()
    time.sleep(random.uniform(0, 0.3))
    bridge.start()
    until(lambda: bridge.status().get("connected"), f"the bridge of {bridge.name} after its crash", step=0.02)
    return bridge.name, killed, now()


def judge_crashes(row, comparison, witness, kills):
    """Every sample that is missing was measured shortly before a crash, or while no bridge ran."""
    before, during, unexplained = [], 0, []
    for key, times in witness.times(comparison.missing).items():
        name = key.split(" ", 1)[0]
        for t in times:
            matching = [killed for receiver, killed, back in kills if receiver == name and killed - KEPT_SECONDS <= t <= back + 0.5]
            if not matching:
                unexplained.append(f"{key} at {t}")
            elif t < max(matching):
                before.append((max(matching) - t, name, max(matching)))
            else:
                during += 1
    hit = len({each[1:] for each in before})
    row.figure(f"{len(kills)} kills, {hit} of them with records in memory: the oldest lost sample was read "
               f"{max((each[0] for each in before), default=0):.1f} s before, {len(before)} lost so, {during} while no bridge ran")
    row.require(not unexplained, f"{len(unexplained)} samples are lost that were read {KEPT_SECONDS} s before a crash: {unexplained[:3]}")
    # Right after a batch, the next start gets all that was in memory again, from the daemon's snapshot.
    row.require(hit >= len(kills) / 4, f"only {hit} of {len(kills)} crashes hit a batch")


def daemon_killed(test, row):
    folder, scale = test.folder / "daemon", test.scale
    folder.mkdir()
    broker = Broker(folder / "broker")
    receivers = [Receiver(f"lone-{number}", folder / f"receiver-{number}") for number in range(2)]
    fleet = Fleet(receivers, folder / "bridges", broker.port, {"Fleet": {"Live": "always"}})
    blind, stale, firsts = [], [], []
    try:
        for receiver in receivers:
            receiver.start()
            until(receiver.listens, receiver.name)
        fleet.start()
        for kills in range(scale.daemon_kills):
            receiver, bridge = receivers[kills % 2], fleet.bridges[kills % 2]
            until(lambda: "streaming" in last_states(fleet, receiver.name).values(), "a streaming sensor")
            time.sleep(3)
            old, killed = bridge_instance(fleet, receiver.name), now()
            receiver.program.kill()
            blind.append(until(lambda: first_status(fleet, receiver.name, "blind", killed), "blind") - killed)
            stale.append(until(lambda: all_stale(fleet, receiver.name), "stale sensors") - killed)
            receiver.start()
            new = until(lambda: new_instance(fleet, receiver.name, old, killed), "a new instance")
            # Batches of the new one.
            until(lambda: first_numbers(fleet, receiver.name, new), "its samples")
            time.sleep(6)
            firsts.append(min(first_numbers(fleet, receiver.name, new).values()))
        counts = fleet.reader.counts()
    finally:
        fleet.end()
        broker.end()
        for receiver in receivers:
            receiver.program.end()
    row.figure(f"{len(blind)} kills: `blind` within {max(blind):.2f} s, all sensors `stale` within {max(stale):.2f} s, "
               f"then a new instance with `seq` from {max(firsts)}")
    row.require(max(blind) <= 2 and max(stale) <= 2, f"blind after {max(blind):.2f} s, stale after {max(stale):.2f} s")
    row.require(max(firsts) == 1, f"the numbers begin at {firsts}")
    row.require(counts["empty_values"] == 0, f"{counts['empty_values']} empty values")
    row.require(not counts["contradictions"], f"the same key with other contents: {counts['contradictions']}")


def last_states(fleet, name):
    return {sensor: state["state"] for _, receiver, sensor, state in fleet.reader.state_history() if receiver == name}


def all_stale(fleet, name):
    """When the last of them became so, if all are."""
    history = {sensor: (arrived, state["state"]) for arrived, receiver, sensor, state in fleet.reader.state_history() if receiver == name}
    others = [state for _, state in history.values() if state not in ("stale", "disabled")]
    return max(arrived for arrived, _ in history.values()) if history and not others else None


def first_status(fleet, name, state, since):
    times = [arrived for arrived, receiver, _, status in fleet.reader.status_history(since) if receiver == name and status["state"] == state]
    return times[0] if times else None


def bridge_instance(fleet, name):
    return [status.get("instance") for _, receiver, _, status in fleet.reader.status_history() if receiver == name][-1]


def new_instance(fleet, name, old, since):
    for _, receiver, _, status in fleet.reader.status_history(since):
        if receiver == name and status["state"] == "online" and status.get("instance") not in (None, old):
            return status["instance"]
    return None


def first_numbers(fleet, name, instance):
    """By key: the first that is stored."""
    spans = {key: [0, last] for key, last in fleet.reader.last().items() if key.startswith(f"{name} {instance} ")}
    missing = fleet.reader.missing(spans)
    return {key: next(each for each in range(1, last + 1) if each not in set(missing.get(key, ()))) for key, (_, last) in spans.items()}


def links_cut(test, row):
    """All links at once, by a proxy between the bridges and their broker."""
    folder, scale = test.folder / "cut", test.scale
    folder.mkdir()
    broker, port = Broker(folder / "broker"), free_port()
    proxy = Helper("proxy", port, broker.port)
    fleet = Fleet(test.receivers, folder / "bridges", port, STORING_ONLY, reader=[broker.port])
    try:
        fleet.start()
        comparison, began = Comparison(fleet, test.witness), now()
        for _ in range(scale.cuts):
            proxy.cut()
            time.sleep(1)
            proxy.restore()
            time.sleep(random.uniform(0.3, 1.2))
        wills = [receiver for _, receiver, is_retained, status in fleet.reader.status_history(began) if status["state"] == "offline" and not is_retained]
        reconnects = len(proxy.connection_times(began))
        rates = [tear(fleet, proxy) for _ in range(scale.torn)]
        comparison.finish(60)
        row.figure(f"{scale.cuts} cuts of 1 s: {len(wills)} wills, {reconnects} reconnects; "
                   f"{comparison.missing_count} of {comparison.count} samples missing")
        row.figure(f"{scale.torn} times all {len(fleet.bridges)} links torn: at most {max(rates)} reconnects in a second")
        row.problems += comparison.problems()
        row.require(not wills, f"wills of {wills}")
        row.require(max(rates) <= scale.most_reconnects, f"{max(rates)} reconnects in a second")
    finally:
        fleet.end()
        proxy.end()
        broker.end()


def tear(fleet, proxy):
    """How many bridges came back within the busiest second."""
    began = now()
    proxy.cut()
    proxy.tear()
    time.sleep(1)
    proxy.restore()
    until(lambda: proxy.connections() == len(fleet.bridges), "the bridges after their links were torn", RECONNECTING)
    fleet.await_connections(RECONNECTING)
    times = proxy.connection_times(began)
    if len(times) < len(fleet.bridges):
        raise Failed(f"{len(times)} connections of {len(fleet.bridges)} bridges")
    return max(sum(first <= each < first + 1 for each in times) for first in times)


ROWS = {
    broker_killed: ("the broker is killed and comes back", "nothing missing, nothing twice by key; half of the spool gone within 60 s; no `lag` of a daemon"),
    spool_full: ("the broker is away for longer than the spool", "`loss` records with the exact number; the newest all there"),
    bridge_killed: ("a bridge is killed in the middle of a batch", "no record lost that was read 10 s before, none twice by key"),
    daemon_killed: ("a daemon is killed", "`blind`; states `stale` within 2 s; a new instance, `seq` from 1"),
    links_cut: ("every link is cut for 1 s, again and again", "no will within the keep-alive; no storm of reconnects"),
}


def lane(test, body):
    row = Row(*ROWS[body])
    return [row], lambda: row.run(lambda row: body(test, row))
