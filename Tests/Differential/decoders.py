"""The independent decoders, converted to the names and units of our samples.

Each decoder has a function per source. It returns all fields that the decoder knows, with None for
a field that the decoder reports as absent, and raises what the decoder refuses. Errors of a decoder
are not corrected here, so that they are visible, and are listed in differences.py."""
import enum
import importlib.machinery
import io
import json
import logging
import sys
import types
import typing

import typing_extensions
from bluetooth_sig import BluetoothSIGTranslator
from bleakheart import HeartRate as BleakHeartRate
from bleakheart import PolarMeasurementData
from bumble.profiles.battery_service import BatteryService
from bumble.profiles.device_information_service import DeviceInformationService
from bumble.profiles.heart_rate_service import HeartRateService
from bumble import gatt_adapters
from pycycling import battery_service, cycling_power_service, cycling_speed_cadence_service, heart_rate_service
from pycycling.ftms_parsers.fitness_machine_feature import parse_fitness_machine_features
from pycycling.ftms_parsers.fitness_machine_status import parse_fitness_machine_status
from pycycling.ftms_parsers.indoor_bike_data import parse_indoor_bike_data
from pycycling.ftms_parsers.training_status import parse_training_status
from TheengsDecoder import decodeBLE

from frames import POLAR, TEXTS, Frame


def scaled(number, factor: float):
    return None if number is None else number * factor


def pyftms_models():
    """Only its models: the rest needs Python 3.12 and accesses radios."""
    typing.override = typing_extensions.override
    path = importlib.machinery.PathFinder.find_spec("pyftms").submodule_search_locations
    for name, where in (("pyftms", list(path)), ("pyftms.client", []), ("pyftms.client.properties", [])):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = where
    directions = enum.IntEnum("MovementDirection", {"FORWARD": 0, "BACKWARD": 0x8000})
    sys.modules["pyftms.client.properties"].MovementDirection = directions
    import pyftms.models
    return pyftms.models


MODELS = pyftms_models()


# pycycling: power meters, speed and cadence, heart rate, indoor bikes, battery

def pycycling_heart_rate(value):
    parsed = heart_rate_service._parse_hr_measurement(value)
    return {"bpm": parsed.bpm, "rr_ms": [ticks * 1000 / 1024 for ticks in parsed.rr_interval],
            "energy_expended_j": scaled(parsed.energy_expended, 1000),
            "sensor_contact": "detected" if parsed.sensor_contact else None}


def pycycling_speed_cadence(value):
    parsed = cycling_speed_cadence_service._parse_csc_measurement(value)
    return {"wheel_revs": parsed.cumulative_wheel_revs, "crank_revs": parsed.cumulative_crank_revs}


def pycycling_speed_feature(value):
    parsed = cycling_speed_cadence_service._parse_csc_feature(value)
    return {"wheel_revolution_data": parsed.wheel_rev_supported, "crank_revolution_data": parsed.crank_rev_supported,
            "multiple_sensor_locations": parsed.multiple_locations_supported}


def pycycling_power(value):
    parsed = cycling_power_service._parse_cycling_power_measurement(value)
    return {"power_w": parsed.instantaneous_power, "pedal_balance_pct": scaled(parsed.pedal_power_balance, 1 / 2),
            "accumulated_torque_nm": scaled(parsed.accumulated_torque, 1 / 32), "wheel_revs": parsed.cumulative_wheel_revs,
            "crank_revs": parsed.cumulative_crank_revs, "max_force_n": parsed.maximum_force_magnitude,
            "min_force_n": parsed.minimum_force_magnitude, "max_torque_nm": scaled(parsed.maximum_torque_magnitude, 1 / 32),
            "min_torque_nm": scaled(parsed.minimum_torque_magnitude, 1 / 32), "top_dead_spot_deg": parsed.top_dead_spot_angle,
            "bottom_dead_spot_deg": parsed.bottom_dead_spot_angle, "accumulated_energy_j": scaled(parsed.accumulated_energy, 1000)}


def pycycling_vector(value):
    parsed = cycling_power_service._parse_cycling_power_vector(value)
    return {"direction": parsed.instantaneous_measurement_direction.name.removesuffix("_component"),
            "crank_revs": parsed.cumulative_crank_revs, "first_crank_angle_deg": parsed.first_crank_measurement_angle,
            "force_n": parsed.instantaneous_force_magnitudes,
            "torque_nm": [raw / 32 for raw in parsed.instantaneous_torque_magnitudes]}


POWER_FEATURES = {
    "pedal_balance": "pedal_power_balance_supported", "accumulated_torque": "accumulated_torque_supported",
    "wheel_revolution_data": "wheel_rev_supported", "crank_revolution_data": "crank_rev_supported",
    "extreme_magnitudes": "extreme_magnitudes_supported", "dead_spot_angles": "dead_spot_angles_supported",
    "accumulated_energy": "accumulated_energy_supported", "offset_compensation": "offset_compensation_supported",
    "content_masking": "cycling_power_measurement_content_masking_supported",
    "multiple_sensor_locations": "multiple_locations_supported"}


def pycycling_power_feature(value):
    parsed = cycling_power_service._parse_cycling_power_feature(value)
    return {ours: getattr(parsed, theirs) for ours, theirs in POWER_FEATURES.items()}


def pycycling_location(value):
    parsed = cycling_power_service._parse_sensor_location(value)
    if parsed is None:
        raise ValueError("reserved")
    return {"sensor_location": parsed.name}


def pycycling_bike(value):
    parsed = parse_indoor_bike_data(value)
    return {"speed_mps": scaled(parsed.instant_speed, 1 / 3.6), "average_speed_mps": scaled(parsed.average_speed, 1 / 3.6),
            "cadence_rpm": parsed.instant_cadence, "average_cadence_rpm": parsed.average_cadence,
            "total_distance_m": parsed.total_distance, "resistance_level": parsed.resistance_level, "power_w": parsed.instant_power,
            "average_power_w": parsed.average_power, "energy_total_kcal": parsed.total_energy,
            "energy_per_hour_kcal": parsed.energy_per_hour, "energy_per_minute_kcal": parsed.energy_per_minute,
            "bpm": parsed.heart_rate, "metabolic_equivalent": parsed.metabolic_equivalent, "elapsed_s": parsed.elapsed_time,
            "remaining_s": parsed.remaining_time}


def pycycling_machine_feature(value):
    parsed = parse_fitness_machine_features(value)
    return {"machine_features": sum(bool(is_so) << bit for bit, is_so in enumerate(parsed))}


def pycycling_training(value):
    parsed = parse_training_status(value)
    words = {"speed_outside_control_region_low": "speed_below_control_region",
             "speed_outside_control_region_high": "speed_above_control_region"}
    name = parsed.param.name.lower() if parsed.param else None
    return {"training_status": words.get(name, name)}


def pycycling_status(value):
    status, number, _ = parse_fitness_machine_status(value)
    if status is None or status.name == "RESERVED_FOR_FUTURE_USE":
        raise ValueError("reserved")
    name = {"NEW_POWER": "target_power_w", "NEW_INCLINATION": "target_incline_pct"}.get(status.name)
    fields = {"target_power_w": None, "target_incline_pct": None, "target_speed_mps": None, "grade_pct": None,
              "wind_speed_mps": None, "rolling_resistance": None, "wind_resistance_kg_per_m": None}
    if name:
        fields[name] = number
    if status.name == "NEW_SPEED":
        fields["target_speed_mps"] = number / 3.6
    if status.name == "NEW_INDOOR_BIKE_SIMULATION_PARAMETERS":
        fields |= {"grade_pct": number.grade, "wind_speed_mps": number.wind_speed,
                   "rolling_resistance": number.coefficient_of_rolling_resistance,
                   "wind_resistance_kg_per_m": number.wind_resistance_coefficient}
    return fields


# pyftms: machines

MACHINE_FIELDS = {
    "speed_instant": ("speed_mps", 1 / 3.6), "speed_average": ("average_speed_mps", 1 / 3.6),
    "cadence_instant": ("cadence_rpm", 1), "cadence_average": ("average_cadence_rpm", 1),
    "distance_total": ("total_distance_m", 1), "resistance_level": ("resistance_level", 1), "power_instant": ("power_w", 1),
    "power_average": ("average_power_w", 1), "energy_total": ("energy_total_kcal", 1),
    "energy_per_hour": ("energy_per_hour_kcal", 1), "energy_per_minute": ("energy_per_minute_kcal", 1),
    "heart_rate": ("bpm", 1), "metabolic_equivalent": ("metabolic_equivalent", 1), "time_elapsed": ("elapsed_s", 1),
    "time_remaining": ("remaining_s", 1), "inclination": ("inclination_pct", 1), "ramp_angle": ("ramp_angle_deg", 1),
    "elevation_gain_positive": ("elevation_gain_m", 1), "elevation_gain_negative": ("elevation_loss_m", 1),
    "pace_instant": ("pace_s_per_500m", 1), "pace_average": ("average_pace_s_per_500m", 1),
    "force_on_belt": ("belt_force_n", 1), "power_output": ("power_w", 1), "stroke_rate_instant": ("rowing_stroke_rate_spm", 1),
    "stroke_count": ("rowing_stroke_count", 1), "stroke_rate_average": ("rowing_average_stroke_rate_spm", 1),
    "split_time_instant": ("rowing_pace_s_per_500m", 1), "split_time_average": ("rowing_average_pace_s_per_500m", 1),
    "step_rate_instant": ("step_rate_spm", 1), "step_rate_average": ("average_step_rate_spm", 1),
    "stride_count": ("stride_count", 1)}
KNOWN = {
    "IndoorBikeData": list(MACHINE_FIELDS)[:15],
    "TreadmillData": [*list(MACHINE_FIELDS)[:2], "distance_total", *list(MACHINE_FIELDS)[8:23]],
    "RowerData": ["distance_total", *list(MACHINE_FIELDS)[5:15], *list(MACHINE_FIELDS)[23:28]],
    "CrossTrainerData": [*list(MACHINE_FIELDS)[:2], "distance_total", *list(MACHINE_FIELDS)[5:19], *list(MACHINE_FIELDS)[28:]]}


def pyftms_data(name: str):
    known = [MACHINE_FIELDS[field][0] for field in KNOWN[name]]

    def decode(value):
        parsed = getattr(MODELS, name)._deserialize(io.BytesIO(value))._asdict()
        fields = dict.fromkeys(known)
        for theirs, number in parsed.items():
            if theirs in MACHINE_FIELDS:
                fields[MACHINE_FIELDS[theirs][0]] = number * MACHINE_FIELDS[theirs][1]
        return fields
    return decode


def pyftms_training(value):
    words = {"speed_too_low": "speed_below_control_region", "speed_too_high": "speed_above_control_region"}
    name = MODELS.TrainingStatusModel._deserialize(io.BytesIO(value)).code
    name = MODELS.TrainingStatusCode(name).name.lower()
    return {"training_status": words.get(name, name)}


# bleakheart: straps

def bleakheart_heart_rate(value):
    parsed = BleakHeartRate(client=None, callback=print)._decode(value)
    contact = {True: "detected", False: "not_detected"}.get(parsed.get("contact"))
    return {"bpm": parsed["hr"], "sensor_contact": contact, "energy_expended_j": scaled(parsed.get("nrg"), 1000),
            "rr_ms": parsed.get("rr", [])}


def bleakheart_polar(value):
    fields = {"microvolts": None, "milli_g": None, "timestamp_ns": int.from_bytes(value[1:9], "little")}
    if value[0] == 0:
        return fields | {"microvolts": PolarMeasurementData._decode_ecg_data(None, value)}
    if value[0] == 2:
        return fields | {"milli_g": [list(each) for each in PolarMeasurementData._decode_acc_data(None, value)]}
    raise ValueError("no decoder for this measurement")


# bumble: profiles

def bumble_heart_rate(value):
    parsed = HeartRateService.HeartRateMeasurement.from_bytes(value)
    contact = {True: "detected", False: "not_detected", None: None}[parsed.sensor_contact_detected]
    return {"bpm": parsed.heart_rate, "sensor_contact": contact, "energy_expended_j": scaled(parsed.energy_expended, 1000),
            "rr_ms": [seconds * 1000 for seconds in parsed.rr_intervals or ()]}


def bumble_adapter(adapter, *arguments):
    """bumble's adapter of values, without the connection that it usually reads from."""
    proxy = types.SimpleNamespace(client=None, handle=1, end_group_handle=1, uuid=None, properties=0)
    return adapter(proxy, *arguments)


BUMBLE_LEVEL = bumble_adapter(gatt_adapters.PackedCharacteristicProxyAdapter, BatteryService.BATTERY_LEVEL_FORMAT)
BUMBLE_TEXT = bumble_adapter(gatt_adapters.UTF8CharacteristicProxyAdapter)
TEXT_FIELDS = dict(zip(TEXTS, ("manufacturer", "model", "serial", "firmware", "hardware", "software")))


def bumble_location(value):
    word = HeartRateService.BodySensorLocation(value[0]).name
    return {"body_location": word.lower()}


def bumble_system(value):
    organization, maker = DeviceInformationService.unpack_system_id(value)
    return {"organizationally_unique_id": organization, "manufacturer_id": maker}


# bluetooth-sig: running, environment, PnP id

SIG = BluetoothSIGTranslator()
# It logs each frame that it refuses.
logging.disable()


def sig_running(value):
    parsed = SIG.parse_characteristic("2A53", value)
    return {"speed_mps": parsed.instantaneous_speed, "cadence_per_min": parsed.instantaneous_cadence,
            "stride_length_m": parsed.instantaneous_stride_length, "is_running": parsed.is_running}


def sig_running_feature(value):
    parsed = SIG.parse_characteristic("2A54", value)
    return {"stride_length": parsed.instantaneous_stride_length_supported, "total_distance": parsed.total_distance_supported,
            "walking_running": parsed.walking_or_running_status_supported, "calibration": parsed.calibration_procedure_supported,
            "multiple_locations": parsed.multiple_sensor_locations_supported}


def sig_product(value):
    parsed = SIG.parse_characteristic("2A50", value)
    return {"vendor_source": {1: "bluetooth_sig", 2: "usb_if"}[int(parsed.vendor_id_source)], "vendor_id": parsed.vendor_id,
            "product_id": parsed.product_id, "product_version": parsed.product_version}


def sig_number(uuid: str, field: str):
    return lambda value: {field: SIG.parse_characteristic(uuid, value)}


# theengs: adverts

def theengs_cap(value):
    name = f"TPMS{value[0] - 0x7f}_{value[3:6].hex().upper()}"
    address = value[:6].hex(":").upper()
    parsed = decodeBLE(json.dumps({"id": address, "name": name, "manufacturerdata": "0001" + value.hex(), "rssi": -60}))
    if parsed is None or "pres" not in parsed:
        raise ValueError("not known")
    parsed = json.loads(parsed)
    return {"wheel_index": parsed["count"], "pressure_gauge_pa": parsed["pres"] * 100_000, "temperature_c": parsed["tempc"],
            "battery_pct": parsed["batt"], "alarm": parsed["alarm"]}


def theengs_br(value):
    parsed = decodeBLE(json.dumps({"id": "00:00:00:00:00:00", "name": "BR", "manufacturerdata": value.hex(), "rssi": -60}))
    if parsed is None or "pres" not in parsed:
        raise ValueError("not known")
    parsed = json.loads(parsed)
    return {"pressure_gauge_pa": parsed["pres"] * 100_000, "temperature_c": parsed["tempc"], "battery_v": parsed["volt"]}


DECODERS = {
    "pycycling": {
        "2a37": pycycling_heart_rate, "2a5b": pycycling_speed_cadence, "2a5c": pycycling_speed_feature,
        "2a63": pycycling_power, "2a64": pycycling_vector, "2a65": pycycling_power_feature, "2a5d": pycycling_location,
        "2ad2": pycycling_bike, "2acc": pycycling_machine_feature, "2ad3": pycycling_training, "2ada": pycycling_status,
        "2a19": lambda value: {"battery_pct": battery_service._parse_battery_level(value)}},
    "pyftms": {
        "2ad2": pyftms_data("IndoorBikeData"), "2acd": pyftms_data("TreadmillData"), "2ad1": pyftms_data("RowerData"),
        "2ace": pyftms_data("CrossTrainerData"), "2ad3": pyftms_training},
    "bleakheart": {"2a37": bleakheart_heart_rate, POLAR: bleakheart_polar},
    "bumble": {
        "2a37": bumble_heart_rate, "2a38": bumble_location, "2a23": bumble_system,
        "2a19": lambda value: {"battery_pct": BUMBLE_LEVEL.decode_value(value)},
        **{uuid: lambda value, field=field: {field: BUMBLE_TEXT.decode_value(value)} for uuid, field in TEXT_FIELDS.items()}},
    "bluetooth-sig": {
        "2a53": sig_running, "2a54": sig_running_feature, "2a50": sig_product, "2a6e": sig_number("2A6E", "temperature_c"),
        "2a6f": sig_number("2A6F", "humidity_pct"), "2a6d": sig_number("2A6D", "pressure_pa"),
        "2a6c": sig_number("2A6C", "elevation_m")},
    "theengs": {"0100": theengs_cap, "br": theengs_br},
}


def decode(decoder: str, frame: Frame):
    """The fields, or None if it refuses the frame."""
    try:
        return DECODERS[decoder][frame.source](frame.value)
    except Exception:  # pylint: disable=broad-except
        return None
