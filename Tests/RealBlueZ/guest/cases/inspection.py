"""A sensor that nothing knows is inspected: a first file, a capture, and nothing left in bluetoothd."""

from __future__ import annotations

import declared
from bluetooth import STATE
from runner import Rig
from waiting import require, wait_for

SECONDS = 5


def case_inspect_unknown_sensor(rig: Rig) -> None:
    """`cyclo plugin new --from` writes a first file that decodes what the sensor sent, and bluetoothd and the kernel have nothing of it afterwards"""
    address = rig.air.add(declared.NAME, declared.KIND, declared.HERTZ)
    daemon = rig.daemon()
    daemon.start()
    file, capture = daemon.home / "bottle.sensor", daemon.home / "bottle.capture"
    done = daemon.cyclo("plugin", "new", "--from", address, "-t", str(SECONDS), "-o", str(file), seconds=90)
    require(done.returncode == 0, f"cyclo plugin new ended with {done.returncode}: {done.stderr.strip()}")
    text = file.read_text()
    require("\nService = fff0\n" in text, f"the file does not name the service: {text}")
    require("; fff0 fff1 notify: " in text, f"the file does not list the characteristic: {text}")
    frames = {each.value.hex() for each in rig.air.sent(declared.NAME, "fff1")}
    recorded = [line.split()[4] for line in capture.read_text().splitlines() if " notify fff1 " in line]
    rig.measured("packets", len(recorded), "", 0)
    require(len(recorded) >= (SECONDS - 2) * declared.HERTZ, f"only {len(recorded)} packets in {SECONDS} s")
    require(set(recorded) <= frames, f"the sensor has not sent {sorted(set(recorded) - frames)}")
    check = daemon.cyclo("plugin", "check", str(file), str(capture))
    require(check.returncode == 0 and " 0 refused" in check.stdout, f"the check says: {check.stdout}{check.stderr}")
    require(not daemon.request("sensors")["sensors"], "the daemon has paired it")
    require_no_trace(rig, address)
    refused = daemon.cyclo("plugin", "new", "--from", "C0:00:00:00:99:99", "-t", "1", "-o", str(daemon.home / "none.sensor"), seconds=90)
    require(refused.returncode == 5, f"a sensor that is not there ends with {refused.returncode}: {refused.stderr.strip()}")
    # It can be paired and inspected later, like any other.
    again = daemon.cyclo("plugin", "new", "--from", address, "-t", "1", "-o", str(daemon.home / "again.sensor"), seconds=90)
    require(again.returncode == 0, f"the second inspection ended with {again.returncode}: {again.stderr.strip()}")
    require_no_trace(rig, address)


def require_no_trace(rig: Rig, address: str) -> None:
    wait_for(lambda: address not in rig.bluetooth.kernel_links(), 10, "the end of the link")
    wait_for(lambda: address.lower() not in rig.bluetooth.objects().lower(), 10, "the end of the device in bluetoothd")
    require(not any(STATE.glob(f"*/{address}")), "bluetoothd has stored the device")
