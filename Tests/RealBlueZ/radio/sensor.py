"""One virtual sensor: a real peripheral on the virtual radio, with its own controller, host and
GATT server.

Always: `sent` lists what went out to a subscriber, in order, and nothing else; a muted sensor stays
connected and counts nothing.
"""

from __future__ import annotations

import asyncio
import secrets
import time

from bumble.controller import Controller
from bumble.core import AdvertisingData, UUID
from bumble.device import AdvertisingType, Device, DeviceConfiguration
from bumble.gatt import GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR, Characteristic, Descriptor, Service
from bumble.hci import Address, HCI_LE_Set_Random_Address_Command
from bumble.host import Host

from bonding import Bonding
from controller import REMOTE_USER_TERMINATED, Radio, SensorController
from kinds import Kind, Value

READ = Characteristic.Properties.READ


def boottime() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class OtherCentral:
    """Another computer that holds a sensor, because a connected sensor does not advertise."""

    def __init__(self, address: str, radio: Radio) -> None:
        self.radio, self.controller = radio, Controller("other", link=radio)
        host = Host()
        host.controller = self.controller
        self.device = Device(name="other", address=Address(address), host=host)

    async def hold(self, sensor: str) -> None:
        await self.device.power_on()
        await self.device.connect(Address(sensor), timeout=5)

    def let_go(self) -> None:
        self.radio.cut(self.controller, REMOTE_USER_TERMINATED)
        self.radio.remove_controller(self.controller)


class Sensor:
    def __init__(self, name: str, kind: Kind, address: str, radio: Radio, log, firmware: int = 0) -> None:
        self.firmware = firmware
        self.name, self.kind, self.address, self.radio, self.log = name, kind, address, radio, log
        self.hz, self.muted, self.advertising = kind.hz, False, True
        self.sent: list[dict] = []
        self.controller = SensorController(name, link=radio)
        self.controller.connectable = kind.broadcast is None
        # An advert has 31 bytes, so the name is in the scan response.
        self.controller.scan_response = bytes(AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, name.encode())]))
        host = Host()
        host.controller = self.controller
        settings = DeviceConfiguration(name=name, address=Address(address), le_privacy_enabled=kind.hides, irk=secrets.token_bytes(16))
        self.device = Device(config=settings, host=host)
        self.bonding = Bonding(kind.bonding)
        if kind.bonding:
            self.device.pairing_config_factory = lambda _: self.bonding.config()
        self.notified: dict[str, Characteristic] = {}
        self.frames: dict[str, Value] = {}
        # Each firmware adds one service before the others, so that every handle changes.
        for number in range(firmware):
            extra = Characteristic(UUID(f"C0DE{number:04X}-0000-4000-8000-000000000001"), READ, Characteristic.READABLE, b"new")
            self.device.add_service(Service(UUID(f"C0DE{number:04X}-0000-4000-8000-000000000000"), [extra]))
        for uuid, values in kind.services.items():
            self.device.add_service(Service(UUID(uuid), [self.characteristic(value) for value in values]))
        self.tasks: list[asyncio.Task] = []

    def characteristic(self, value: Value) -> Characteristic:
        properties = Characteristic.Properties(0)
        if value.read is not None:
            properties |= READ
        if value.frame is not None:
            properties |= Characteristic.Properties.NOTIFY
        if value.is_writable:
            properties |= Characteristic.Properties.WRITE
        permissions = Characteristic.READABLE | Characteristic.WRITEABLE if value.is_writable else Characteristic.READABLE
        made = Characteristic(UUID(value.uuid), properties, permissions, value.read or b"")
        if value.frame is not None:
            self.notified[value.uuid.lower()], self.frames[value.uuid.lower()] = made, value
        if value.needs_bond:
            permissions = Descriptor.READABLE | Descriptor.WRITEABLE | Descriptor.WRITE_REQUIRES_AUTHENTICATION
            subscribers = self.device.gatt_server.make_descriptor_value(made)
            made.descriptors = (Descriptor(GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR, permissions, subscribers),)
        return made

    async def start(self) -> None:
        await self.device.power_on()
        if self.kind.broadcast:
            self.tasks.append(asyncio.create_task(self.broadcast()))
        else:
            await self.switch_on()
        self.tasks += [asyncio.create_task(self.stream(uuid)) for uuid in self.notified]

    async def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        self.advertising = False
        self.radio.cut(self.controller)
        await self.device.stop_advertising()
        self.radio.remove_controller(self.controller)

    def advert(self, number: int = 0) -> bytes:
        parts = [(AdvertisingData.FLAGS, bytes([6]))]
        if self.kind.advertised:
            services = b"".join(bytes(UUID(each)) for each in self.kind.advertised)
            parts.append((AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, services))
        if self.kind.broadcast:
            data = self.kind.company.to_bytes(2, "little") + self.kind.broadcast(number)
            parts.append((AdvertisingData.MANUFACTURER_SPECIFIC_DATA, data))
        return bytes(AdvertisingData(parts))

    async def switch_on(self, number: int = 0) -> None:
        self.advertising = True
        kind = AdvertisingType.UNDIRECTED_SCANNABLE if self.kind.broadcast else AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE
        await self.device.start_advertising(kind, advertising_data=self.advert(number), auto_restart=True)

    async def switch_off(self) -> None:
        self.advertising = False
        await self.device.stop_advertising()

    async def hide(self) -> None:
        """Changes the private address, as happens every 15 minutes."""
        await self.switch_off()
        self.device.random_address = Address.generate_private_address(self.device.irk)
        await self.device.send_sync_command(HCI_LE_Set_Random_Address_Command(random_address=self.device.random_address))
        await self.switch_on()

    async def broadcast(self) -> None:
        """A cap wakes, advertises its value for a while, and repeats this."""
        number, due = 0, asyncio.get_running_loop().time()
        while True:
            if self.advertising and not self.muted:
                await self.switch_on(number)
                self.note("advert", self.kind.broadcast(number))
                number += 1
            due += 1 / self.hz
            await asyncio.sleep(max(0, due - asyncio.get_running_loop().time()))

    async def stream(self, uuid: str) -> None:
        value, number = self.frames[uuid], 0
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            # Catches up after a late wake-up, so that the rate holds on a busy machine.
            due = max(due + 1 / (value.hz or self.hz), loop.time() - 1)
            await asyncio.sleep(max(0, due - loop.time()))
            if not self.muted and await self.send(uuid, value.frame(number)):
                number += 1

    async def send(self, uuid: str, frame: bytes) -> bool:
        """Sends to subscribers. False if there are none."""
        characteristic, server = self.notified[uuid], self.device.gatt_server
        if not any(each.get(characteristic.handle) for each in server.subscribers.values()):
            return False
        self.note(uuid, frame)
        await self.device.notify_subscribers(characteristic, frame)
        return True

    def note(self, source: str, frame: bytes) -> None:
        record = {"n": len(self.sent), "t": round(boottime(), 6), "source": source, "hex": frame.hex()}
        self.sent.append(record)
        print(f"{record['t']:.6f} {self.name} {source} {record['hex']}", file=self.log, flush=True)

    def summary(self) -> dict:
        return {
            "name": self.name, "address": self.address, "connected": len(self.controller.le_connections),
            "subscribed": sorted(uuid for uuid, each in self.notified.items() if self.is_subscribed(each)),
            "advertising": self.advertising, "muted": self.muted, "sent": len(self.sent),
            "links": self.controller.links, **self.bonding.summary(),
        }

    def is_subscribed(self, characteristic: Characteristic) -> bool:
        return any(each.get(characteristic.handle) for each in self.device.gatt_server.subscribers.values())
