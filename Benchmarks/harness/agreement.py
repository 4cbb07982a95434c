"""Compares the output of two decoders for the same frames: fields with numbers, lists and
objects."""
import math

# The C decoders return a word as its index in these lists, and an address as a number.
WORDS = {
    "sensor_contact": ["not_detected", "detected"],
    "pedal_balance_reference": ["unknown", "left"],
    "torque_source": ["wheel", "crank"],
    "direction": ["unknown", "tangential", "radial", "lateral"],
    "quality": ["invalid", "poor", "fair", "good", "excellent", None, None, "unavailable"],
    "heart_rate_state": [
        "heart_rate_not_supported", "heart_rate_not_received", "heart_rate_received", "unavailable"],
    "side": ["none", "right", "left"],
}
# Our numbers have six decimals, as in every line.
ROUNDING = 0.5e-6 * 1.001
HEXADECIMAL = {"sensor_id", "sensor_address"}


def flat(value, name=""):
    """Every number with its path, and the length of every list."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from flat(item, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        yield f"{name}.count", len(value)
        for index, item in enumerate(value):
            yield from flat(item, f"{name}.{index}")
    else:
        yield name, number(value, name.rpartition(".")[2])


def number(value, field):
    if not isinstance(value, str):
        return value
    if field in HEXADECIMAL:
        return int(value.replace(":", ""), 16)
    return WORDS[field].index(value)


def described(value):
    """The flat values, without an empty list of targets."""
    return {name: item for name, item in flat(value) if (name, item) != ("targets.count", 0)}


def disagreements(ours, theirs):
    """The differences, and the number of compared values. Both arguments: the frames' fields by
    profile."""
    found, compared = [], 0
    if ours.keys() != theirs.keys():
        found.append(f"profiles of one side only: {sorted(ours.keys() ^ theirs.keys())}")
    for profile in ours.keys() & theirs.keys():
        if len(ours[profile]) != len(theirs[profile]):
            found.append(f"{profile}: {len(ours[profile])} frames of ours, {len(theirs[profile])} of theirs")
        for index, (one, other) in enumerate(zip(ours[profile], theirs[profile])):
            one, other = described(one), described(other)
            compared += len(one)
            for name in sorted(one.keys() | other.keys()):
                left, right = one.get(name), other.get(name)
                if left is None or right is None or not math.isclose(left, right, rel_tol=1e-12, abs_tol=ROUNDING):
                    found.append(f"{profile}, frame {index}, {name}: {left} of ours, {right} of theirs")
    return found, compared
