"""Whether two decoders agree on the same frames: fields by name, numbers, lists of numbers and lists of objects."""
import math

# In C words are numbers, by their place here, and addresses too.
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
# Ours are written with six decimals, as in every line.
ROUNDING = 0.5e-6 * 1.001
HEXADECIMAL = {"sensor_id", "sensor_address"}


def flat(value, name=""):
    """Every number with the path to it, and of every list its length."""
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
    """An empty list of objects is none at all."""
    return {name: item for name, item in flat(value) if (name, item) != ("targets.count", 0)}


def disagreements(ours, theirs):
    """What differs, and how many values were compared. Both: profiles, of each what every frame says."""
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
