"""The protocol's schemas (docs/schema), and rules that a schema cannot express: length, numbers, no
null, no repeated member.

A client ignores members and classes that it does not know, so the schemas allow them. Our
own lines must be stricter. Here every object that a schema describes is closed, unless the schema
describes additional members."""
import json
import re
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

SCHEMAS = Path(__file__).resolve().parents[2] / "docs/schema"
LONGEST_LINE = 65_536
# Plain decimals: at most six decimals, no trailing zeros, no exponent.
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]{0,5}[1-9])?")
# An id belongs to the client and is returned unchanged.
ECHO = re.compile(r'(\{"class":"(?:reply|error)","id":)(-?[0-9][^,}]*)')


# The type of a field of a kind that kind.json does not list, or of an event that event.json does not list.
VALUE = {"type": ["number", "string", "boolean"]}
ITEM = {"anyOf": [VALUE, {"type": "array", "items": {"type": "number"}}, {"type": "object", "additionalProperties": VALUE}]}
FIELD = {"anyOf": [VALUE, {"type": "array", "items": ITEM}]}


# Keywords whose definitions may describe members of the same object.
COMBINING = {"$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"}


# Begins the names of definitions that the files do not have.
MADE = "made here: "


class Problem(Exception):
    pass


def load(line: bytes):
    """The value of a line from the daemon, without its line feed."""
    if len(line) > LONGEST_LINE:
        raise Problem(f"{len(line)} bytes, at most {LONGEST_LINE}")
    text = ECHO.sub(r"\g<1>0", line.decode("utf-8"))

    def number(token: str):
        if not NUMBER.fullmatch(token) or token == "-0":
            raise Problem(f"the number {token} is not a plain decimal")
        return float(token) if "." in token else int(token)

    def members(pairs):
        names = [name for name, _ in pairs]
        if twice := {name for name in names if names.count(name) > 1}:
            raise Problem(f"members twice: {twice}")
        if nothing := [name for name, value in pairs if value is None]:
            raise Problem(f"null: {nothing}")
        return dict(pairs)

    def constant(token: str):
        raise Problem(f"{token} is not valid JSON")

    value = json.loads(text, parse_float=number, parse_int=number, parse_constant=constant, object_pairs_hook=members)
    if not isinstance(value, dict):
        raise Problem("a line is one object")
    return value


class Contract:
    def __init__(self, strict: bool):
        files = {path.stem: json.loads(path.read_text()) for path in SCHEMAS.glob("*.json")}
        if not files:
            raise FileNotFoundError(f"no schemas in {SCHEMAS}")
        for document in files.values():
            Draft202012Validator.check_schema(document)
        self.files = {name: _bundled(document, name, strict) for name, document in files.items()}
        self.validators: dict[tuple, Draft202012Validator] = {}

    @property
    def methods(self) -> list[str]:
        return self.files["request"]["properties"]["method"]["enum"]

    def names(self, file: str) -> list[str]:
        return [name for name in self.files[file]["$defs"] if not name.startswith(MADE)]

    @property
    def codes(self) -> list[str]:
        return self.files["common"]["$defs"]["error_code"]["enum"]

    def check(self, value, file: str, name: str | None = None):
        """Raises Problem if the value does not match `file.json`, or the given definition in it."""
        if name is not None and name not in self.files[file]["$defs"]:
            raise Problem(f"{file}.json knows no {name}")
        self._match(value, file, name)

    def check_part(self, value, file: str, part: str, name: str):
        """The same of logbook.json, web.json and plugin.json, which have a list of definitions for each part."""
        if name not in self.files[file]["$defs"][part]["$defs"]:
            raise Problem(f"{file}.json knows no {part} {name}")
        self._match(value, file, f"{part}/$defs/{name}")

    def part_names(self, file: str, part: str) -> list[str]:
        return list(self.files[file]["$defs"][part]["$defs"])

    def _match(self, value, file: str, name: str | None):
        validator = self.validators.get((file, name)) or self._validator(file, name)
        errors = list(validator.iter_errors(value))
        # A member with an invalid value is also called unexpected. Report the value.
        error = best_match([each for each in errors if each.validator not in ("additionalProperties", "unevaluatedProperties")] or errors)
        if error is not None:
            where = "/".join(map(str, error.absolute_path))
            raise Problem(f"{where or 'it'}: {error.message[:300]}  ({file}.json{f', {name}' if name else ''})")

    def _validator(self, file: str, name: str | None) -> Draft202012Validator:
        place = f"#/$defs/{file}" + (f"/$defs/{name}" if name else "")
        validator = Draft202012Validator({"$ref": place, "$defs": self.files})
        self.validators[file, name] = validator
        return validator

    def check_record(self, value: dict, file: str = "record"):
        name = value.get("class")
        if name == "sample":
            self.check_sample(value, file)
        elif name == "event" and value.get("event") not in self.files["event"]["$defs"]:
            self.check_unlisted_event(value, file)
        else:
            self.check(value, file, name if isinstance(name, str) else "without a class")
        for sample in value["result"].get("records", []) if name == "reply" else []:
            self.check_sample(sample, file)

    def check_sample(self, value: dict, file: str):
        """Checks the definition of the record's kind directly. The choice in the schema has the same
        effect."""
        kind, definitions = value.get("kind"), self.files[file]["$defs"]
        if kind not in self.files["kind"]["$defs"]:
            # Specific to one sensor: not in the shared vocabulary, but with the same syntax.
            kind = "unlisted"
        if (name := f"{MADE}sample of {kind}") not in definitions:
            header = {key: part for key, part in definitions["sample"].items() if key != "allOf"}
            definitions[name] = _with_fields(header, kind, self.files["kind"]["$defs"])
        self.check(value, file, name)

    def check_unlisted_event(self, value: dict, file: str):
        """Specific to one sensor, as an unlisted kind."""
        definitions = self.files[file]["$defs"]
        definitions.setdefault(f"{MADE}unlisted event", definitions["event"] | {"unevaluatedProperties": FIELD})
        self.check(value, file, f"{MADE}unlisted event")

    def check_request(self, value: dict):
        """A member of `params` that is null counts as omitted."""
        if isinstance(params := value.get("params"), dict):
            value = value | {"params": {name: each for name, each in params.items() if each is not None}}
        elif params is None:
            value = {name: each for name, each in value.items() if name != "params"}
        self.check(value, "request")


def _bundled(document, file: str, strict: bool):
    """One document of all files, with internal references. Described objects are closed."""
    if isinstance(document, list):
        return [_bundled(each, file, strict) for each in document]
    if not isinstance(document, dict):
        return document
    result = {name: _bundled(value, file, strict) for name, value in document.items() if name not in ("$id", "$schema")}
    if isinstance(target := document.get("$ref"), str):
        other, _, place = target.partition("#")
        result["$ref"] = f"#/$defs/{other.removesuffix('.json') or file}{place}"
    # The roots of request.json and record.json only choose a definition, which is closed itself.
    is_choice = isinstance(document.get("allOf"), list) and "$defs" in document
    if strict and document.get("type") == "object" and "properties" in document and not is_choice:
        if "additionalProperties" not in document:
            # Both have the same effect here, but unevaluatedProperties takes much longer to check.
            result["additionalProperties" if COMBINING.isdisjoint(document) else "unevaluatedProperties"] = False
    return result


def _with_fields(header: dict, kind: str, kinds: dict) -> dict:
    """A sample's definition: its header with the fields of its kind."""
    if kind == "unlisted":
        return header | {"unevaluatedProperties": FIELD}
    fields = kinds[kind]
    merged = header | fields
    merged["properties"] = header["properties"] | fields.get("properties", {})
    merged["required"] = header["required"] + fields.get("required", [])
    if "unevaluatedProperties" in merged:
        merged["additionalProperties"] = merged.pop("unevaluatedProperties")
    return merged
