"""The virtual radio: bumble's controllers, with fixes where real ones behave differently.

Invariants: both ends of a link agree that it exists, a link's data reaches only its own address,
and a reset controller remembers nothing. bumble 0.0.236 breaks each of these; comments mark the
fixes.

A sensor advertises at its interval plus a random delay of 0 to 10 ms (Core 5.4, volume 6, part B,
4.4.2.2). Linux needs two adverts for a connect: it scans for one, sends LE Create Connection, and
the controller needs another.
"""

from __future__ import annotations

import asyncio
import random

from bumble import hci
from bumble.controller import AdvertisingSet, Controller
from bumble.link import LocalLink

SUPERVISION_TIMEOUT, REMOTE_USER_TERMINATED = 0x08, 0x13
LOCAL_HOST_TERMINATED = 0x16
UNKNOWN_CONNECTION = 0x02
# A link is stronger than its sensor's adverts, so that they cannot be confused.
LINK_OVER_ADVERT = 11
REPORTS = hci.HCI_LE_Advertising_Report_Event
Advert = REPORTS.EventType
ACTIVE, ONLY_ACCEPTED = 1, 1
# Most chips treat an advert with another RSSI as new, so their filter is only a rate limit. This
# matters because the kernel drops adverts that arrive before it considers a new discovery started.
# Without the repeats it would not receive them again for 10 s.
REPEATED_AFTER = 1.0


MOST_ADVERTISING_DELAY = 0.01


def advertise(advertiser: AdvertisingSet) -> None:
    """Replaces bumble's, which has no random delay and whose interval cannot change while it
    advertises."""
    if advertiser.enabled:
        advertiser.send_extended_advertising_data()
        wait = advertiser.controller.interval + random.uniform(0, MOST_ADVERTISING_DELAY)
        advertiser.timer_handle = asyncio.get_running_loop().call_later(wait, advertise, advertiser)


def advertise_from_now(advertiser: AdvertisingSet) -> None:
    advertiser.stop()
    advertiser.enabled = True
    advertiser.timer_handle = asyncio.get_running_loop().call_soon(advertise, advertiser)


AdvertisingSet.start = advertise_from_now


class Radio(LocalLink):
    """All devices, which are in range of each other."""

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        # bumble labels data with the sender's random address, even on a link to its public one.
        connection = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if connection is None or receiver is None:
            return
        # Increasing times keep the order.
        late = getattr(sender_controller, "delay", 0.0)
        asyncio.get_running_loop().call_later(late, receiver.on_link_acl_data, connection.self_address, transport, data)

    def cut(self, controller: Controller, reason: int = SUPERVISION_TIMEOUT) -> int:
        """Ends every link of a controller without sending anything. Both hosts get the reason.
        Returns the count."""
        links = list(controller.le_connections.values())
        for connection in links:
            peer = self.find_le_controller(connection.peer_address)
            other_end = peer and peer.le_connections.get(connection.self_address)
            if other_end:
                peer.on_le_disconnected(other_end, reason)
            controller.on_le_disconnected(connection, LOCAL_HOST_TERMINATED if reason == REMOTE_USER_TERMINATED else reason)
        return len(links)


class SensorController(Controller):
    """The radio chip inside a sensor."""

    rssi = -58
    interval = 0.1
    """Seconds from one advert to the next, without the random delay."""
    connectable = True
    scan_response = b""
    delay = 0.0
    is_deaf = False
    links = 0
    """The total number of links with the computer so far."""
    doomed, doomed_after = 0, 0.0
    """How many of the next links end, and after what time."""


class HostController(Controller):
    """The radio chip of the computer under test: central, driven by a Linux kernel over HCI."""

    plugged = True
    slots = 255
    """The maximum number of connections."""
    is_hanging_up = False
    connect_time = 0.0
    """Seconds before an advert can complete a connect."""
    connect_began = 0.0
    too_late: float | None = None
    """If set, the next cancel is too late: the connect completes that many seconds after its answer
    (or before, if negative)."""
    # No extended advertising, like many chips, because bumble lacks its commands. No privacy in the
    # chip, because at each connect the kernel would wait 4 s for an enhanced event that bumble
    # never sends.
    le_features = Controller.le_features & ~(
        hci.LeFeatureMask.LE_EXTENDED_ADVERTISING | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING | hci.LeFeatureMask.LL_PRIVACY
    )

    def __init__(self, link: Radio, address: str, sink) -> None:
        super().__init__("computer", host_sink=sink, link=link, public_address=address)
        self.reported: dict[tuple[bytes, bytes], float] = {}
        self.accepted: set[bytes] = set()

    def send_hci_packet(self, packet) -> None:
        if self.plugged:
            super().send_hci_packet(packet)

    def unplug(self) -> None:
        """A chip that dies: all links end, then the host gets no more data. Its driver is not
        removed yet."""
        self.forget()
        self.plugged = False

    def forget(self) -> None:
        self.link.cut(self)
        self.le_scan_enable = False
        self.pending_le_connection = None
        self.reported.clear()
        self.accepted.clear()

    def on_hci_reset_command(self, command):
        # bumble keeps links, scan and pending connection across a reset, but a plugged-in
        # controller starts with one.
        self.forget()
        self.plugged = True
        return super().on_hci_reset_command(command)

    def on_hci_le_create_connection_command(self, command):
        if len(self.le_connections) < self.slots:
            self.connect_began = asyncio.get_running_loop().time()
            return super().on_hci_le_create_connection_command(command)
        self._send_hci_command_status(hci.HCI_ErrorCode.CONNECTION_LIMIT_EXCEEDED_ERROR, command.op_code)
        return None

    def on_hci_disconnect_command(self, command):
        # bumble reports the other end's reason to its own host. A chip reports that this computer
        # ended the link.
        self.is_hanging_up = True
        try:
            return super().on_hci_disconnect_command(command)
        finally:
            self.is_hanging_up = False

    def on_le_disconnected(self, connection, reason):
        super().on_le_disconnected(connection, LOCAL_HOST_TERMINATED if self.is_hanging_up else reason)

    def on_hci_le_create_connection_cancel_command(self, command):
        # bumble acknowledges and continues to connect. The kernel waits for the completion event
        # "cancelled".
        if self.pending_le_connection and self.too_late is not None:
            return self.refuse_cancel(command)
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        asyncio.get_running_loop().call_soon(self.send_cancelled, pending.peer_address)
        return super().on_hci_le_create_connection_cancel_command(command)

    def refuse_cancel(self, cancel):
        """A chip refuses to cancel a connect whose CONNECT_IND has been sent (7.8.13: Command
        Disallowed)."""
        pending, self.pending_le_connection = self.pending_le_connection, None
        late, self.too_late = self.too_late, None
        loop = asyncio.get_running_loop()
        if late > 0:
            loop.call_later(late, self.complete, pending)
        else:
            self.complete(pending)
        loop.call_later(max(0, -late), self.refuse, cancel)
        return None

    def complete(self, pending) -> None:
        sensor = self.link.find_le_controller(pending.peer_address)
        if isinstance(sensor, SensorController) and is_advertising(sensor):
            self.pending_le_connection = pending
            self.create_le_connection(pending.peer_address)
            self.begun(sensor)

    def refuse(self, command) -> None:
        self.send_hci_packet(
            hci.HCI_Command_Complete_Event(
                num_hci_command_packets=1, command_opcode=command.op_code,
                return_parameters=hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR),
            )
        )

    def send_cancelled(self, peer) -> None:
        self.send_hci_packet(
            hci.HCI_LE_Connection_Complete_Event(
                status=UNKNOWN_CONNECTION, connection_handle=0, role=hci.Role.CENTRAL,
                peer_address_type=peer.address_type, peer_address=peer, connection_interval=0,
                peripheral_latency=0, supervision_timeout=0, central_clock_accuracy=0,
            )
        )

    def on_hci_le_set_scan_enable_command(self, command):
        self.reported.clear()
        return super().on_hci_le_set_scan_enable_command(command)

    def on_hci_le_clear_filter_accept_list_command(self, command):
        self.accepted.clear()
        return super().on_hci_le_clear_filter_accept_list_command(command)

    def on_hci_le_add_device_to_filter_accept_list_command(self, command):
        self.accepted.add(bytes(command.address))
        return super().on_hci_le_add_device_to_filter_accept_list_command(command)

    def on_hci_le_remove_device_from_filter_accept_list_command(self, command):
        self.accepted.discard(bytes(command.address))
        return super().on_hci_le_remove_device_from_filter_accept_list_command(command)

    def on_hci_read_rssi_command(self, command):
        connection = self.find_connection_by_handle(command.handle)
        peer = connection and self.link.find_le_controller(connection.peer_address)
        if peer is None:
            return hci.HCI_Read_RSSI_ReturnParameters(hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, command.handle, 0)
        return hci.HCI_Read_RSSI_ReturnParameters(hci.HCI_ErrorCode.SUCCESS, command.handle, peer.rssi + LINK_OVER_ADVERT)

    def on_advertising_pdu(self, pdu) -> None:
        # bumble marks every advert as connectable, repeats it as the scan response, and does not
        # filter at all.
        sender = self.link.find_le_controller(pdu.advertiser_address)
        if not isinstance(sender, SensorController):
            return
        if self.le_scan_enable and self.passes_filters(pdu):
            self.report(sender, pdu, Advert.ADV_IND if sender.connectable else Advert.ADV_SCAN_IND, pdu.data)
            if self.le_scan_type == ACTIVE:
                self.report(sender, pdu, Advert.SCAN_RSP, sender.scan_response)
        wanted = self.pending_le_connection
        if wanted and sender.connectable and wanted.peer_address == pdu.advertiser_address:
            is_time = asyncio.get_running_loop().time() >= self.connect_began + self.connect_time
            if is_time and pdu.advertiser_address not in self.le_connections and is_advertising(sender) and not sender.is_deaf:
                self.create_le_connection(pdu.advertiser_address)
                self.begun(sender)

    def begun(self, sensor: SensorController) -> None:
        sensor.links += 1
        if sensor.doomed:
            sensor.doomed -= 1
            asyncio.get_running_loop().call_later(sensor.doomed_after, self.link.cut, sensor)

    def passes_filters(self, pdu) -> bool:
        address, advert = bytes(pdu.advertiser_address), (bytes(pdu.advertiser_address), bytes(pdu.data))
        if self.le_scanning_filter_policy & ONLY_ACCEPTED and address not in self.accepted:
            return False
        time = asyncio.get_running_loop().time()
        if self.filter_duplicates and time - self.reported.get(advert, -REPEATED_AFTER) < REPEATED_AFTER:
            return False
        self.reported[advert] = time
        return True

    def report(self, sender: SensorController, pdu, kind: Advert, data: bytes) -> None:
        address = pdu.advertiser_address
        self.send_hci_packet(
            REPORTS([
                REPORTS.Report(event_type=kind, address_type=address.address_type, address=address, data=data, rssi=sender.rssi)
            ])
        )


def is_advertising(sender: Controller) -> bool:
    """An advert is delivered a moment after it was sent. By then the sensor may have accepted
    another central."""
    return sender.le_legacy_advertiser.enabled or any(each.enabled for each in sender.advertising_sets.values())
