"""Virtual Bluetooth sensors for the guest: speaks HCI with its kernel and accepts orders, each over
a Unix socket.

    peripherals.py --hci SOCKET --second SOCKET --control SOCKET --log FILE

An order is a line of words, its answer a line of JSON with the order in `order` and either `ok` and
facts or `error`:

    add NAME KIND [HZ [ADDRESS]]    remove NAME    sensors                  what is on the air
    drop NAME [REASON]        ends the link, by default as if out of range (08); with 13 the sensor
                              disconnects
    doom NAME COUNT [SECONDS] the next links end that soon after they began
    off NAME    on NAME       stops, starts advertising
    deaf NAME   hearing NAME  advertises, and answers no connect
    mute NAME   unmute NAME   stays connected, sends nothing
    rate NAME HZ              rssi NAME DBM
    interval NAME MS          advertises at that interval; a new sensor at 100 ms
    connects SECONDS          a connect of the computer's own controller lasts that long before an
                              advert completes it
    late MS                   the controller's next cancel comes too late: the connect completes that
                              long after the answer, or before it (-20 to 20)
    slow NAME SECONDS         delays everything that it sends over a link
    hold NAME   release NAME  another computer connects it, disconnects it
    hide NAME                 advertises with another resolvable private address; not while connected
    unbond NAME               forgets all keys, as after a reset to factory settings
    update NAME               restarts with firmware in which every handle differs
    send NAME UUID HEX        sends one given frame
    sent NAME [FROM]          every frame that was sent, from number FROM on
    computer                  the state of the computer's own controller
    unplug [second]           the computer's own controller, or its second one, is gone until a reset
    slots COUNT               limits the connections of the computer's own controller, but not of its
                              second one
    clock                     CLOCK_BOOTTIME here, the clock of the times in `sent`
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import signal
from functools import partial

from bumble.transport.common import ParserSource

from controller import SUPERVISION_TIMEOUT, HostController, Radio
from kinds import KINDS
from sensor import OtherCentral, Sensor, boottime

# The computer's controllers, by the option for their socket.
COMPUTER = {"hci": "00:1B:DC:07:32:A5", "second": "00:1B:DC:07:32:A6"}


class Air:
    """All devices on the radio, and the orders that change them, one method each."""

    def __init__(self, log) -> None:
        self.radio, self.log = Radio(), log
        self.computers: dict[str, HostController] = {}
        self.on_air: dict[str, Sensor] = {}
        self.holders: dict[str, OtherCentral] = {}
        self.ever_added = 0

    async def obey(self, line: str) -> dict:
        verb, *words = line.split()
        method = getattr(self, "do_" + verb, None)
        try:
            if method is None:
                raise ValueError("no such order")
            facts = await method(*words) or {}
            return {"order": line, "ok": True, "t": round(boottime(), 6), **facts}
        except Exception as error:
            return {"order": line, "error": f"{type(error).__name__}: {error}"}

    async def do_add(self, name: str, kind: str, hz: str = "", address: str = "") -> dict:
        if name in self.on_air:
            raise ValueError("is on the air already")
        address = address or self.new_address()
        sensor = Sensor(name, KINDS[kind], address, self.radio, self.log)
        sensor.hz = float(hz or sensor.hz)
        self.on_air[name] = sensor
        await sensor.start()
        return {"address": address}

    def new_address(self) -> str:
        """A static random address, with both top bits set."""
        self.ever_added += 1
        return "F0:F1:F2:F3:%02X:%02X" % divmod(self.ever_added - 1, 256)

    async def do_remove(self, name: str) -> None:
        await self.do_release(name)
        await self.on_air.pop(name).stop()

    async def do_sensors(self) -> dict:
        return {"sensors": [sensor.summary() for sensor in self.on_air.values()]}

    async def do_drop(self, name: str, reason: str = f"{SUPERVISION_TIMEOUT:02x}") -> dict:
        return {"links": self.radio.cut(self.on_air[name].controller, int(reason, 16))}

    async def do_off(self, name: str) -> None:
        await self.on_air[name].switch_off()

    async def do_on(self, name: str) -> None:
        await self.on_air[name].switch_on()

    async def do_doom(self, name: str, count: str, seconds: str = "0") -> None:
        controller = self.on_air[name].controller
        controller.doomed, controller.doomed_after = int(count), float(seconds)

    async def do_deaf(self, name: str) -> None:
        self.on_air[name].controller.is_deaf = True

    async def do_hearing(self, name: str) -> None:
        self.on_air[name].controller.is_deaf = False

    async def do_update(self, name: str) -> None:
        old = self.on_air[name]
        await old.stop()
        new = Sensor(name, old.kind, old.address, self.radio, self.log, firmware=old.firmware + 1)
        new.hz, new.sent = old.hz, old.sent
        self.on_air[name] = new
        await new.start()

    async def do_mute(self, name: str) -> None:
        self.on_air[name].muted = True

    async def do_unmute(self, name: str) -> None:
        self.on_air[name].muted = False

    async def do_rate(self, name: str, hz: str) -> None:
        self.on_air[name].hz = float(hz)

    async def do_slow(self, name: str, seconds: str) -> None:
        self.on_air[name].controller.delay = float(seconds)

    async def do_interval(self, name: str, milliseconds: str) -> None:
        self.on_air[name].controller.interval = float(milliseconds) / 1000

    async def do_connects(self, seconds: str) -> None:
        self.computers["hci"].connect_time = float(seconds)

    async def do_late(self, milliseconds: str) -> None:
        self.computers["hci"].too_late = float(milliseconds) / 1000

    async def do_hold(self, name: str) -> None:
        self.holders[name] = OtherCentral(self.new_address(), self.radio)
        await self.holders[name].hold(self.on_air[name].address)

    async def do_release(self, name: str) -> None:
        if holder := self.holders.pop(name, None):
            holder.let_go()

    async def do_hide(self, name: str) -> None:
        await self.on_air[name].hide()

    async def do_unbond(self, name: str) -> None:
        await self.on_air[name].device.keystore.delete_all()

    async def do_rssi(self, name: str, dbm: str) -> None:
        self.on_air[name].controller.rssi = int(dbm)

    async def do_send(self, name: str, uuid: str, frame: str) -> dict:
        return {"sent": await self.on_air[name].send(uuid.lower(), bytes.fromhex(frame))}

    async def do_sent(self, name: str, start: str = "0") -> dict:
        return {"sent": self.on_air[name].sent[int(start):]}

    async def do_computer(self) -> dict:
        computer = self.computers["hci"]
        return {
            "scanning": computer.le_scan_enable, "connecting": computer.pending_le_connection is not None,
            "links": len(computer.le_connections), "peers": sorted(each.to_string(False) for each in computer.le_connections),
        }

    async def do_unplug(self, which: str = "hci") -> None:
        if which in self.computers:
            self.computers[which].unplug()

    async def do_slots(self, count: str) -> None:
        self.computers["hci"].slots = int(count)

    async def do_clock(self) -> None:
        """Every answer includes the time."""

    async def take_orders(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := (await reader.readline()).decode(errors="replace"):
            if line.strip():
                writer.write(json.dumps(await self.obey(line.strip())).encode() + b"\n")
        writer.close()

    async def serve_computer(self, which: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The other end of this socket is the guest's kernel. Another guest is another
        connection."""
        source, sink = ParserSource(), Sink(writer)
        computer = self.computers[which] = HostController(self.radio, COMPUTER[which], sink)
        source.set_packet_sink(computer)
        while data := await reader.read(65536):
            source.parser.feed_data(data)
        computer.unplug()
        self.radio.remove_controller(computer)
        writer.close()


class Sink:
    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.on_packet = writer.write


async def main() -> None:
    options = argparse.ArgumentParser()
    for name in ("--hci", "--second", "--control", "--log"):
        options.add_argument(name, required=True)
    paths = options.parse_args()
    # bumble warns about every advert that was being sent when a link ended.
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s")
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    with open(paths.log, "w") as log:
        air = Air(log)
        for which in COMPUTER:
            await asyncio.start_unix_server(partial(air.serve_computer, which), getattr(paths, which))
        await asyncio.start_unix_server(air.take_orders, paths.control, limit=1 << 20)
        await stop.wait()


asyncio.run(main())
