"""Home Assistant understands every discovery message, and reads from every message of a sensor what the
capture has."""
import json
import logging
import unittest
from pathlib import Path
from unittest.mock import patch

from home_assistant import Home, Refused

# It reports slow steps, and these are.
logging.getLogger("asyncio").setLevel(logging.ERROR)
HERE = Path(__file__).resolve().parent
DEVICES = [json.loads(line) for line in (HERE / "devices.jsonl").read_text().splitlines()]
MESSAGES = [json.loads(line) for line in (HERE / "messages.jsonl").read_text().splitlines()]
BASE = "cyclometer/v1/home/rx-1f09a3"
RECEIVER = "cyclometer_rx-1f09a3"

# device_class, unit, state_class. None: the entity has no such property.
MEASURED = "measurement"
TOTAL = "total_increasing"
TABLE = {
    ("heart_rate", "bpm"): (None, "bpm", MEASURED),
    ("speed", "speed_mps"): ("speed", "m/s", MEASURED),
    ("speed", "distance_m"): ("distance", "m", TOTAL),
    ("cadence", "cadence_rpm"): (None, "rpm", MEASURED),
    ("cadence", "cadence_per_min"): (None, "/min", MEASURED),
    ("power", "power_w"): ("power", "W", MEASURED),
    ("tire_pressure", "pressure_gauge_pa"): ("pressure", "Pa", MEASURED),
    ("tire_pressure", "temperature_c"): ("temperature", "°C", MEASURED),
    ("tire_pressure", "battery_pct"): ("battery", "%", MEASURED),
    ("tire_pressure", "battery_v"): ("voltage", "V", MEASURED),
    ("environment", "temperature_c"): ("temperature", "°C", MEASURED),
    ("environment", "humidity_pct"): ("humidity", "%", MEASURED),
    ("environment", "pressure_pa"): ("atmospheric_pressure", "Pa", MEASURED),
    ("body_temperature", "core_temperature_c"): ("temperature", "°C", MEASURED),
    ("body_temperature", "skin_temperature_c"): ("temperature", "°C", MEASURED),
    ("battery", "battery_pct"): ("battery", "%", MEASURED),
    ("oxygen", "spo2_pct"): (None, "%", MEASURED),
    ("muscle_oxygen", "smo2_pct"): (None, "%", MEASURED),
    ("muscle_oxygen", "thb_g_per_dl"): (None, "g/dL", MEASURED),
    ("glucose", "glucose_mg_per_dl"): ("blood_glucose_concentration", "mg/dL", MEASURED),
    ("trainer", "resistance_level"): (None, None, MEASURED),
    ("trainer", "inclination_pct"): (None, "%", MEASURED),
    ("radar", "clear"): ("motion", None, None),
    ("radar", "targets"): ("distance", "m", MEASURED),
}
RIDE = {
    ("ride", "distance_m"): ("distance", "m", TOTAL),
    ("ride", "work_j"): ("energy", "J", TOTAL),
    ("ride", "ride_time_s"): ("duration", "s", TOTAL),
    ("ride", "moving_time_s"): ("duration", "s", TOTAL),
    **{row: TABLE[row] for row in TABLE if row[0] in ("cadence", "power", "heart_rate")},
    ("speed", "speed_mps"): TABLE["speed", "speed_mps"],
}
WITHOUT = {"acceleration", "averages", "bike", "coach", "ecg", "grade", "hrv", "lap_averages", "position", "power_zones",
           "route", "rowing", "segment", "trainer_status", "training", "wheel", "zones"}
DECLARED = {"c": ("temperature", "°C"), "pa": ("pressure", "Pa"), "pct": (None, "%"), "v": ("voltage", "V"), "w": ("power", "W"),
            "m": ("distance", "m"), "mps": ("speed", "m/s"), "s": ("duration", "s"), "ppm": (None, "ppm")}
KEYS = {("heart_rate", "bpm"): "bpm", ("battery", "battery_pct"): "battery"}
DIAGNOSTIC = {("battery", "battery_pct"), ("tire_pressure", "battery_pct"), ("tire_pressure", "battery_v")}
# Each sample has one of the values.
IN_PIECES = {"environment", "trainer"}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def expected_of(samples):
    """The rows of the table for a sensor that sends these samples."""
    rows = {}
    for sample in samples:
        kind = sample["kind"]
        known = {row: TABLE[row] for row in TABLE if row[0] == kind}
        if known or kind in WITHOUT:
            rows |= known
            continue
        for field, value in sample.items():
            words = field.split("_")
            if not is_number(value) or len(words) < 2:
                continue
            if field in ("battery_pct", "battery_v"):
                rows[kind, field] = (*{"battery_pct": ("battery", "%"), "battery_v": ("voltage", "V")}[field], MEASURED)
            elif words[-1] in DECLARED:
                rows[kind, field] = (*DECLARED[words[-1]], MEASURED)
    return rows


def key_of(row):
    return KEYS.get(row, "_".join(row))


class Case(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.home = await Home().start(lambda module, name, value: self.enterContext(patch.object(module, name, value)))
        self.addCleanup(self.home.stop)

    def devices(self, word):
        self.assertEqual(len(DEVICES), len(MESSAGES))
        found = [(device, sent) for device, sent in zip(DEVICES, MESSAGES) if word in device]
        self.assertTrue(found)
        return found

    def receive(self, sent):
        self.home.forget_all()
        return self.home.receive(sent["topic"], sent["payload"])


class Devices(Case):
    async def test_every_sensor_has_the_entities_of_the_table(self):
        for device, sent in self.devices("sensor"):
            sensor = device["sensor"]
            with self.subTest(sensor["id"]):
                entities = self.receive(sent)
                rows = expected_of(device["samples"])
                self.assertEqual(set(entities), {key_of(row) for row in rows} | {"rssi"})
                self.check_rows(rows, entities, f"{RECEIVER}_{sensor['id']}", sensor["id"])
                self.check_device(entities["rssi"].device, sensor)

    def check_rows(self, rows, entities, unique, name):
        for row, (device_class, unit, state_class) in rows.items():
            entity = entities[key_of(row)]
            config = entity.config
            with self.subTest(row):
                self.assertEqual(entity.platform, "binary_sensor" if row == ("radar", "clear") else "sensor")
                self.assertEqual((config.get("device_class"), config.get("unit_of_measurement"), config.get("state_class")),
                                 (device_class, unit, state_class))
                self.assertEqual(config["unique_id"], f"{unique}_{key_of(row)}")
                self.assertEqual(config["state_topic"], f"{BASE}/now/{name}/{row[0]}")
                is_diagnostic = row in DIAGNOSTIC or row[1] in ("battery_pct", "battery_v")
                self.assertEqual(config.get("entity_category"), "diagnostic" if is_diagnostic else None)
                self.assertEqual(config.get("expire_after"), None if row[0] == "battery" else 15)

    def check_device(self, device, sensor):
        self.assertEqual(device["identifiers"], [f"{RECEIVER}_{sensor['id']}"])
        self.assertEqual(device["connections"], [["bluetooth", sensor["address"]]])
        self.assertEqual(device["via_device"], RECEIVER)
        self.assertEqual((device["name"], device["manufacturer"], device["model"], device["sw_version"], device["hw_version"]),
                         (sensor["name"], *(sensor["facts"][fact] for fact in ("manufacturer", "model", "firmware", "hardware"))))

    async def test_every_kind_of_the_table_has_a_sensor(self):
        kinds = {kind for device, _ in self.devices("sensor") for kind in device["sensor"]["kinds"]}
        self.assertLessEqual({kind for kind, _ in TABLE}, kinds)
        self.assertTrue(kinds - {kind for kind, _ in TABLE} - WITHOUT, "no declared sensor")

    async def test_every_template_gives_the_value_of_the_capture(self):
        count = 0
        for device, sent in self.devices("sensor"):
            with self.subTest(device["sensor"]["id"]):
                count += self.check_values(self.receive(sent), expected_of(device["samples"]), device["samples"])
        self.assertGreater(count, 500)

    def check_values(self, entities, rows, samples):
        last = {}
        count = 0
        for sample in samples:
            payload = {"instance": "5e0c", **{name: value for name, value in sample.items() if name != "class"}}
            for row in rows:
                kind, field = row
                if kind != sample["kind"]:
                    continue
                count += 1
                value = entities[key_of(row)].receive(payload)
                if field == "clear":
                    self.assertIs(value, not sample["clear"], row)
                elif field == "targets":
                    distances = [target["distance_m"] for target in sample["targets"] if "distance_m" in target]
                    self.assertEqual(value if value is None else float(value), min(distances, default=None), row)
                elif is_number(sample.get(field)):
                    self.assertEqual(float(value), sample[field], row)
                    last[row] = sample[field]
                elif kind in IN_PIECES or row not in TABLE and row not in RIDE:
                    self.assertEqual(value if value is None else float(value), last.get(row), row)
                else:
                    self.assertIsNone(value, row)
        return count

    async def test_the_ride(self):
        [(device, sent)] = self.devices("ride")
        entities = self.receive(sent)
        self.assertEqual(set(entities), {key_of(row) for row in RIDE})
        self.check_rows(RIDE, entities, f"{RECEIVER}_ride", "ride")
        self.assertGreater(self.check_values(entities, RIDE, device["samples"]), 500)
        self.assertEqual(entities["bpm"].device["via_device"], RECEIVER)
        self.assertEqual(entities["bpm"].availability(f"{BASE}/status", {"state": "blind"}), False)

    async def test_the_receiver(self):
        [(_, sent)] = self.devices("receiver")
        entities = self.receive(sent)
        self.assertEqual(set(entities), {"connectivity", "sensors", "sensors_streaming", "spool_records"})
        self.assertEqual(entities["sensors"].device["identifiers"], [RECEIVER])
        online = {"state": "online", "counts": {"sensors": 6, "streaming": 4}, "spool": {"records": 120}}
        for payload, expected in ((online, (True, "6", "4", "120")), ({"state": "offline"}, (False, None, None, None)),
                                  ({"state": "blind"}, (False, None, None, None))):
            found = tuple(entities[key].receive(payload) for key in ("connectivity", "sensors", "sensors_streaming", "spool_records"))
            self.assertEqual(found, expected)
        self.assertEqual(entities["connectivity"].config["device_class"], "connectivity")
        self.assertNotIn("availability", entities["connectivity"].config)

    async def test_a_value_is_there_only_while_the_sensor_streams(self):
        for device, sent in self.devices("sensor"):
            name = device["sensor"]["id"]
            for entity in self.receive(sent).values():
                self.assertEqual(entity.config["availability_mode"], "all")
                for state in ("searching", "connecting", "streaming", "stale", "disabled", "error"):
                    self.assertIs(entity.availability(f"{BASE}/sensor/{name}", {"id": name, "state": state}), state == "streaming")
                for state in ("online", "offline", "blind"):
                    self.assertIs(entity.availability(f"{BASE}/status", {"state": state}), state == "online")

    async def test_signal_strength(self):
        device, sent = self.devices("sensor")[0]
        signal = self.receive(sent)["rssi"]
        self.assertEqual((signal.config["device_class"], signal.config["entity_category"]), ("signal_strength", "diagnostic"))
        self.assertEqual(signal.config["state_topic"], f"{BASE}/sensor/{device['sensor']['id']}")
        self.assertEqual(signal.receive(device["sensor"]), "-61")
        self.assertIsNone(signal.receive({"state": "stale"}))

    async def test_a_sensor_that_was_forgotten_disappears(self):
        [(device, empty)] = self.devices("forgotten")
        sent = next(sent for other, sent in self.devices("sensor") if other["sensor"]["id"] == device["forgotten"])
        self.assertEqual(empty, {"topic": sent["topic"], "payload": ""})
        self.receive(sent)
        self.assertTrue(self.home.mqtt.discovery_already_discovered)
        # A clean-up is a message without content to each entity.
        self.assertEqual(self.home.receive(empty["topic"], ""), {})

    async def test_all_unique_ids_differ(self):
        found = [entity.config["unique_id"] for _, sent in zip(DEVICES, MESSAGES) if sent["payload"] for entity in self.receive(sent).values()]
        self.assertEqual(len(found), len(set(found)))


class Mistakes(Case):
    """Home Assistant refuses each of these, so the tests above can fail."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.sent = next(sent for device, sent in self.devices("sensor") if "heart_rate" in device["sensor"]["kinds"])

    def refuse(self, change, topic=None):
        payload = json.loads(self.sent["payload"])
        change(payload)
        self.home.forget_all()
        with self.assertRaises(Refused):
            self.home.receive(topic or self.sent["topic"], json.dumps(payload))

    async def test_the_original_is_not_refused(self):
        self.assertTrue(self.receive(self.sent))

    async def test_a_message_without_a_part(self):
        for part in ("dev", "o", "cmps"):
            with self.subTest(part):
                self.refuse(lambda payload: payload.pop(part))

    async def test_an_entity_without_a_part(self):
        for part in ("p", "unique_id", "state_topic"):
            with self.subTest(part):
                self.refuse(lambda payload: payload["cmps"]["bpm"].pop(part))

    async def test_wrong_words(self):
        for name, value in (("p", "heart"), ("device_class", "heart_rate"), ("device_class", "speed"), ("state_class", "total_growing"),
                            ("entity_category", "hidden"), ("value_template", "{{ value_json.bpm"), ("state_topic", "a/#/b"),
                            ("expire_after", -1), ("icon", "heart")):
            with self.subTest(name=name, value=value):
                self.refuse(lambda payload: payload["cmps"]["bpm"].update({name: value}))

    async def test_a_device_without_an_identifier(self):
        self.refuse(lambda payload: [payload["dev"].pop(name) for name in ("ids", "cns")])

    async def test_an_unknown_member_of_the_device(self):
        self.refuse(lambda payload: payload["dev"].update(color="red"))

    async def test_a_topic_without_a_subscription(self):
        for topic in ("homeassistant/device/rx/cyclometer_a.b/config", "homeassistant/device/rx/x/y/config", "homeassistant/devices/rx/x/config"):
            with self.subTest(topic):
                self.refuse(lambda payload: None, topic)

    async def test_half_a_message(self):
        self.home.forget_all()
        with self.assertRaises(Refused):
            self.home.receive(self.sent["topic"], self.sent["payload"][:-1])

    async def test_a_wrong_template_gives_another_value(self):
        payload = json.loads(self.sent["payload"])
        payload["cmps"]["bpm"]["value_template"] = "{{ value_json.seq }}"
        entities = self.home.receive(self.sent["topic"], json.dumps(payload))
        self.assertEqual(entities["bpm"].receive({"seq": 7, "bpm": 142}), "7")


if __name__ == "__main__":
    unittest.main()
