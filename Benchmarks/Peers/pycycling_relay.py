"""The same client as bleak_relay.py, with pycycling's heart rate service instead of its own
decoder.

    pycycling_relay.py SOCKET ID=ADDRESS...

pycycling leaves the way of notification to bleak, which uses bus signals. It does not distinguish a
strap without contact detection from one without contact, so only contact is reported, and not its
absence.
"""

from __future__ import annotations

from typing import Any

from bleak import BleakClient
from pycycling.heart_rate_service import HeartRateMeasurement, HeartRateService

from bleak_relay import Strap, main


class PycyclingStrap(Strap):
    async def subscribe(self, client: BleakClient) -> None:
        service = HeartRateService(client)
        service.set_hr_measurement_handler(self.measured)
        await service.enable_hr_measurement_notifications()

    def measured(self, measurement: HeartRateMeasurement) -> None:
        fields: dict[str, Any] = {"bpm": measurement.bpm}
        if measurement.rr_interval:
            fields["rr_ms"] = [each * 1000 / 1024 for each in measurement.rr_interval]
        if measurement.sensor_contact:
            fields["sensor_contact"] = "detected"
        if measurement.energy_expended is not None:
            fields["energy_expended_j"] = measurement.energy_expended * 1000
        self.publish(fields)


main(PycyclingStrap)
