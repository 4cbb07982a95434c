"""How long pycycling and theengsdecoder take for the frames that they understand.

Run by Benchmarks/decode with the Python that has them: frames as JSON on standard input,
nanoseconds per frame as JSON on standard output. Each frame takes the same path as in a program
that uses the library: into the handler that it registers for notifications, with a callback of the
program, or into the parser that its read calls.
"""

import contextlib
import io
import json
import sys
import time

import TheengsDecoder
from pycycling import battery_service, cycling_power_service, cycling_speed_cadence_service
from pycycling import fitness_machine_service, heart_rate_service, rear_view_radar


def forget(_measurement):
    """What the program does with a measurement: nothing, for only decoding is compared."""


def handler(service, name):
    getattr(service, f"set_{name[0]}_handler")(forget)
    return getattr(service, name[1])


def read(parse):
    return lambda _sender, data: parse(data)


def short(number):
    return f"0000{number}-0000-1000-8000-00805f9b34fb"


def pycycling_handlers():
    heart = heart_rate_service.HeartRateService(None)
    speed = cycling_speed_cadence_service.CyclingSpeedCadenceService(None)
    power = cycling_power_service.CyclingPowerService(None)
    machine = fitness_machine_service.FitnessMachineService(None)
    radar = rear_view_radar.RearViewRadarService(None)
    return {
        short("2a37"): handler(heart, ("hr_measurement", "_hr_measurement_notification_handler")),
        short("2a5b"): handler(speed, ("csc_measurement", "_csc_measurement_notification_handler")),
        short("2a5c"): read(cycling_speed_cadence_service._parse_csc_feature),
        short("2a63"): handler(
            power, ("cycling_power_measurement", "_cycling_power_measurement_notification_handler")
        ),
        short("2a64"): handler(power, ("cycling_power_vector", "_cycling_power_vector_notification_handler")),
        short("2a65"): read(cycling_power_service._parse_cycling_power_feature),
        short("2a5d"): read(cycling_power_service._parse_sensor_location),
        short("2a19"): read(battery_service._parse_battery_level),
        short("2ad2"): handler(machine, ("indoor_bike_data", "_indoor_bike_data_notification_handler")),
        short("2ada"): handler(machine, ("fitness_machine_status", "_fitness_machine_status_notification_handler")),
        short("2ad3"): handler(machine, ("training_status", "_training_status_notification_handler")),
        short("2ad9"): handler(machine, ("control_point_response", "_control_point_response_handler")),
        short("2ad6"): read(fitness_machine_service._parse_supported_resistance_level_range),
        short("2ad8"): read(fitness_machine_service._parse_supported_power_range),
        short("2acc"): read(fitness_machine_service.parse_all_features),
        "6a4e3203-667b-11e3-949a-0800200c9a66": handler(
            radar, ("radar_measurement", "_radar_measurement_notification_handler")
        ),
    }


def accepted(decode, frames):
    """The frames that the decoder accepts. Others raise, print a message or return False."""
    taken = []
    for number, frame in enumerate(frames):
        try:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                result = decode(frame)
            if printed.getvalue() or result is False:
                continue
        except Exception:  # Whatever it is, the library cannot decode this frame.
            continue
        taken.append(number)
    return taken


def nanoseconds(decode_all, frames, seconds):
    decode_all(frames, 1 + 1000 // len(frames))
    passes = 1 + 2000 // len(frames)
    while True:
        start = time.thread_time_ns()
        decode_all(frames, passes)
        elapsed = time.thread_time_ns() - start
        if elapsed >= seconds * 1e9:
            return elapsed / (passes * len(frames))
        passes = max(passes * 2, int(passes * seconds * 1.1e9 / max(elapsed, 1)))


def pycycling_loop(handle):
    def decode_all(frames, passes):
        for _ in range(passes):
            for data in frames:
                handle(None, data)

    return decode_all


def theengs_loop(decode):
    def decode_all(adverts, passes):
        for _ in range(passes):
            for advert in adverts:
                decode(advert)

    return decode_all


def look_away(*_frame):
    """A handler that does nothing: what is left is the loop and its call."""


def theengs_advert(frame):
    company = frame["company"].to_bytes(2, "little").hex()
    return json.dumps(
        {"id": frame["address"], "name": frame["name"], "rssi": -60, "manufacturerdata": company + frame["hex"]}
    )


def peers(profile, handlers):
    """A peer for a profile: its name, how it decodes one frame, what loops over many and with which
    argument, and the frames."""
    name, frames = profile["profile"], profile["frames"]
    if name in handlers:
        handle = handlers[name]
        data = [bytearray.fromhex(frame["hex"]) for frame in frames]
        return "pycycling", lambda one: handle(None, one), pycycling_loop, handle, data
    if name == "advert":
        data = [theengs_advert(frame) for frame in frames if "company" in frame]
        decode = TheengsDecoder.decodeBLE
        return "theengsdecoder", lambda one: decode(one) is not None, theengs_loop, decode, data
    return None


def main():
    seconds = float(sys.argv[1]) / 1000
    handlers = pycycling_handlers()
    results = {}
    for plugin, profiles in json.load(sys.stdin).items():
        for profile in profiles:
            peer = peers(profile, handlers)
            if peer is None:
                continue
            name, decode_one, loop, decode, frames = peer
            taken = accepted(decode_one, frames)
            if not taken:
                continue
            result = {"peer": name, "frames": taken}
            if seconds > 0:
                frames = [frames[number] for number in taken]
                result["ns"] = nanoseconds(loop(decode), frames, seconds)
                result["loop_ns"] = nanoseconds(loop(look_away), frames, seconds)
            results[f"{plugin} {profile['profile']}"] = result
    json.dump(results, sys.stdout)


main()
