"""The journal of all this."""

from __future__ import annotations

from collections import Counter

from machine import SERVICE, Machine
from waiting import require

A_PAGE = 66
LEVELS = {"3", "4", "5", "6"}


def case_story_of_a_ride(machine: Machine) -> None:
    """`journalctl -u cyclometerd` shows a ride with a restart and two losses on one page, with levels and without repetition"""
    here = machine.here()
    machine.systemctl("restart", SERVICE)
    machine.all_stream(60)
    dropped = []
    for name in ("Strap", "Wheel"):
        machine.air.drop(name)
        dropped.append(machine.air.sensor(name)["address"])
        machine.all_stream(60)
    machine.systemctl("stop", SERVICE)
    lines = machine.journal(here)
    machine.systemctl("start", SERVICE)
    own = [each for each in lines if each.get("_COMM") == "cyclometerd"]
    (machine.logs / "story.log").write_text("".join(f"<{each['PRIORITY']}> {each['MESSAGE']}\n" for each in lines))
    require(own, "the daemon logged nothing")
    for each in own:
        require(each["PRIORITY"] in LEVELS, f"level {each['PRIORITY']}: {each['MESSAGE']}")
        require(each["SYSLOG_IDENTIFIER"] == "cyclometerd" and each["_SYSTEMD_UNIT"] == SERVICE, f"a line of another program: {each}")
    require(len(lines) <= A_PAGE, f"{len(lines)} lines are more than a page")
    log = "\n".join(each["MESSAGE"] for each in own)
    for expected in ("Strap", "Wheel", "Crank", "streams", "link lost"):
        require(expected in log, f"the log does not mention {expected}: {log}")
    machine.figures.append(f"{len(lines)} lines, {len(own)} of them the daemon's")
    lost = [each for each in own if each.get("CYCLOMETER_REASON") == "link_lost"]
    about = {each.get("CYCLOMETER_ADDRESS") for each in lost}
    require(about >= set(dropped), f"{dropped} lost their links, but the journal has the fields {about}")
    by_field = machine.run("journalctl", "--boot", "--quiet", "--output=cat", f"--after-cursor={here}", f"CYCLOMETER_ADDRESS={dropped[0]}")
    require("streams again" in by_field, f"journalctl CYCLOMETER_ADDRESS={dropped[0]} shows: {by_field}")
    fields = sorted({name for each in own for name in each if name.startswith("CYCLOMETER_")})
    machine.figures.append(f"fields: {' '.join(fields)}")


def case_no_storm(machine: Machine) -> None:
    """no line of the daemon is suppressed, none repeats more than ten times a minute, and the bus logs nothing"""
    lines = machine.journal()
    minutes = Counter((int(each["__REALTIME_TIMESTAMP"]) // 60_000_000, str(each["MESSAGE"])) for each in lines)
    (minute, text), most = minutes.most_common(1)[0]
    require(most <= 10, f"logged {most} times in a minute: {text}")
    suppressed = [each["MESSAGE"] for each in lines if "Suppressed" in str(each["MESSAGE"])]
    require(not suppressed, f"journald suppressed lines: {suppressed}")
    refused = [each["MESSAGE"] for each in machine.journal(unit="dbus.service") if "cyclometerd" in str(each["MESSAGE"])]
    require(not refused, f"the bus logged {len(refused)} lines about the daemon, such as: {(refused or [''])[0]}")
    levels = Counter(each["PRIORITY"] for each in lines)
    machine.measured("lines", len(lines), "", 0)
    machine.figures.append(", ".join(f"level {level}: {count}" for level, count in sorted(levels.items())))
