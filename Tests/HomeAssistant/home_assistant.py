"""Home Assistant without its programs: what its MQTT integration does with a discovery message, by its
own code. Only the broker is missing."""
import json
import logging
import sys
import types

# Home Assistant's client of its maker's cloud, which loads a hundred megabytes, has no part in this.
_cloud = types.ModuleType("hass_nabucasa")
_cloud.remote = types.ModuleType("hass_nabucasa.remote")
sys.modules.setdefault("hass_nabucasa", _cloud)

from homeassistant.components.mqtt import binary_sensor, discovery, sensor  # noqa: E402
from homeassistant.components.mqtt.models import DATA_MQTT, MqttData, ReceiveMessage  # noqa: E402
from homeassistant.components.sensor.const import DEVICE_CLASS_STATE_CLASSES  # noqa: E402
from homeassistant.core import HomeAssistant, callback  # noqa: E402
from homeassistant.helpers.dispatcher import async_dispatcher_connect  # noqa: E402

PLATFORMS = {"sensor": (sensor, sensor.MqttSensor), "binary_sensor": (binary_sensor, binary_sensor.MqttBinarySensor)}
PREFIX = "homeassistant"


class Refused(Exception):
    pass


class Warnings(logging.Handler):
    """What Home Assistant would write to its log. It ignores a message that it does not understand."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


def message(topic, payload):
    return ReceiveMessage(topic, payload, 0, True, topic, 0.0)


class Home:
    """Subscribed to discovery messages."""

    async def start(self, monkey):
        """`monkey` replaces a function of a module during the test."""
        self.hass = HomeAssistant("/tmp")
        self.mqtt = self.hass.data[DATA_MQTT] = MqttData(client=None, config=[])
        self.mqtt.platforms_loaded = set(PLATFORMS)
        self.subscriptions = {}
        self.found = []
        self.warnings = Warnings()
        logging.getLogger("homeassistant").addHandler(self.warnings)
        monkey(discovery, "async_subscribe_internal", self.subscribe)
        monkey(discovery, "async_get_mqtt", self.no_integrations)
        await discovery.async_start(self.hass, PREFIX, config_entry=types.SimpleNamespace(
            entry_id="1", async_on_unload=lambda *_: None, async_create_task=lambda *_: None))
        for platform in PLATFORMS:
            async_dispatcher_connect(self.hass, discovery.MQTT_DISCOVERY_NEW.format(platform, "mqtt"), self.collector(platform))
        return self

    def stop(self):
        logging.getLogger("homeassistant").removeHandler(self.warnings)

    def subscribe(self, hass, topic, receive, *_, **__):
        self.subscriptions[topic] = receive
        return lambda: None

    @staticmethod
    async def no_integrations(hass):
        return {}

    def collector(self, platform):
        @callback   # Otherwise it would run in another thread, later.
        def collect(config):
            self.found.append((platform, config))
        return collect

    def receive(self, topic, payload):
        """The entities that a discovery message makes, by their keys. Refused if it makes none."""
        self.found.clear()
        self.warnings.lines.clear()
        levels = topic.split("/")
        filters = [each for each in self.subscriptions if matches(each.split("/"), levels)]
        if len(filters) != 1:
            raise Refused(f"no subscription to {topic}")
        self.subscriptions[filters[0]](message(topic, payload))
        entities = {}
        for platform, config in self.found:
            key = config.discovery_data["discovery_hash"][1].split(" ")[-1]
            entities[key] = Entity(self.hass, platform, config)
        if self.warnings.lines or (payload and not entities):
            raise Refused("; ".join(self.warnings.lines) or "no entities")
        return entities

    def forget_all(self):
        self.mqtt.discovery_already_discovered.clear()
        self.mqtt.discovery_pending_discovered.clear()


def matches(pattern, levels):
    return len(pattern) == len(levels) and all(one in ("+", level) for one, level in zip(pattern, levels))


class Entity:
    """One of Home Assistant's own, without a device registry."""

    def __init__(self, hass, platform, config):
        module, kind = PLATFORMS[platform]
        self.platform = platform
        try:
            self.config = module.DISCOVERY_SCHEMA(dict(config))
        except Exception as error:
            raise Refused(str(error)) from error
        self.device = self.config["device"]
        self.entity = kind(hass, {key: value for key, value in self.config.items() if key != "device"}, None, None)
        self.entity.entity_id = f"{platform}.{self.config['unique_id']}"
        self.check_state_class()

    def check_state_class(self):
        """Home Assistant only logs a class of states that does not fit the class of the device."""
        state_class, device_class = self.config.get("state_class"), self.config.get("device_class")
        if device_class and self.platform == "sensor" and state_class not in DEVICE_CLASS_STATE_CLASSES[device_class]:
            raise Refused(f"{state_class} does not fit {device_class}")

    def receive(self, payload):
        """Its value after a message on its topic."""
        self.entity._expire_after = None   # It would need Home Assistant's timers.
        self.entity._state_message_received(message(self.config["state_topic"], json.dumps(payload)))
        return self.entity._attr_native_value if self.platform == "sensor" else self.entity._attr_is_on

    def availability(self, topic, payload):
        """What a message on a topic of its availability says: True, False, or None for nothing."""
        self.entity._available.pop(topic, None)
        self.entity._availability_message_received(message(topic, json.dumps(payload)))
        return self.entity._available.get(topic)
