"""Matches a record against a pattern: JSON in which strings of the form `<…>` match varying values.

  {"class":"sample","seq":"<integer>"}     the record may have other members too
  "<any>" "<text>" "<number>" "<integer>" "<true or false>" "<object>" "<array>" "<time>"
  "<at least 5>" "<at most 5>" "<from 5 to 7>" "<over 0>"
  "<absent>"                               the record does not have this member
  "<keep NAME>"                            any value, which later `<is NAME>`, `<over NAME>` and
                                           `<NAME + 1>` refer to
  "<not TEXT>"                             anything but this text
  ["<with>", A, B]                         an array that contains A and B, in any order
  [A, B]                                   an array of exactly these items
"""
import re

TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
TYPES = {
    "any": lambda value: True,
    "text": lambda value: isinstance(value, str),
    "number": lambda value: is_number(value),
    "integer": lambda value: is_number(value) and value == int(value),
    "true or false": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "time": lambda value: isinstance(value, str) and TIME.fullmatch(value) is not None,
}
NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"


def is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def matches(pattern, value, kept: dict) -> bool:
    """Keeps names only if the whole pattern matches."""
    trial = dict(kept)
    if not fits(pattern, value, trial):
        return False
    kept.update(trial)
    return True


def fits(pattern, value, kept: dict) -> bool:
    if isinstance(pattern, dict):
        return isinstance(value, dict) and all(
            (name not in value) if wanted == "<absent>" else name in value and fits(wanted, value[name], kept)
            for name, wanted in pattern.items())
    if isinstance(pattern, list):
        if not isinstance(value, list):
            return False
        if pattern and pattern[0] == "<with>":
            return all(any(fits(each, item, kept) for item in value) for each in pattern[1:])
        return len(pattern) == len(value) and all(fits(each, item, kept) for each, item in zip(pattern, value))
    if isinstance(pattern, str) and pattern.startswith("<") and pattern.endswith(">"):
        return is_like(pattern[1:-1], value, kept)
    return type(pattern) is type(value) and pattern == value or is_number(pattern) and is_number(value) and pattern == value


def is_like(words: str, value, kept: dict) -> bool:
    if words in TYPES:
        return TYPES[words](value)
    if found := re.fullmatch(r"keep (\w+)", words):
        kept[found[1]] = value
        return True
    if found := re.fullmatch(r"is (\w+)", words):
        return value == kept[found[1]]
    if found := re.fullmatch(r"not (.*)", words):
        return value != found[1] and value != kept.get(found[1], found[1])
    if found := re.fullmatch(rf"(at least|at most|over) ({NUMBER}|\w+)", words):
        limit = float(found[2]) if re.fullmatch(NUMBER, found[2]) else kept[found[2]]
        compare = {"at least": lambda: value >= limit, "at most": lambda: value <= limit, "over": lambda: value > limit}
        return is_number(value) and compare[found[1]]()
    if found := re.fullmatch(rf"from ({NUMBER}) to ({NUMBER})", words):
        return is_number(value) and float(found[1]) <= value <= float(found[2])
    if found := re.fullmatch(r"(\w+) \+ (\d+)", words):
        return value == kept[found[1]] + int(found[2])
    raise ValueError(f"what is <{words}>?")
