"""The output of `cyclo decode` for frames: one device per frame, one process per service."""
import json
import subprocess
from frames import Frame

# Members of the records that are not fields.
HEADER = {"class", "sensor", "t", "kind", "seq", "age_ms"}
# By characteristic, the shortest frame that completes a machine's record, because a part alone
# gives no sample; and the fields in that frame.
CLOSING = {"2ad2": "00000000", "2acd": "00000000", "2ace": "0000000000", "2ad1": "0000000000"}
CLOSED = {"speed_mps", "stroke_rate_spm", "stroke_count"}
# A counter is published with the values derived from it: from the second packet on, and at a
# standstill within 3 s.
COUNTED = {"2a5b", "2a63", "2a64"}


def lines(number: int, frame: Frame) -> list[str]:
    name = f"f{number}"
    if frame.service == "advert":
        return adverts(name, frame)
    value = frame.value.hex() or "-"
    verb = f"{name} notify {frame.source}"
    described = [f"device {name} services={frame.service}", f"{number * 10}.0 {verb} {value}"]
    if frame.source in COUNTED:
        described.append(f"{number * 10 + 4}.0 {verb} {value}")
    if is_piece(frame):
        described.append(f"{number * 10 + 1}.0 {verb} {CLOSING[frame.source]}")
    return described


def adverts(name: str, frame: Frame) -> list[str]:
    number = int(name[1:])
    value = frame.value
    if frame.source == "br":
        company, value = value[:2][::-1].hex().zfill(4), value[2:]
        device = f"device {name} name=BR services=27a5"
    else:
        company = frame.source
        index = frame.value[0] - 0x7f if frame.value and 0x80 <= frame.value[0] <= 0x83 else 1
        device = f"device {name} name=TPMS{index}_{frame.value[3:6].hex().upper()}"
    return [device, f"{number * 10}.0 {name} advert {company} {value.hex() or '-'}"]


def is_piece(frame: Frame) -> bool:
    return frame.source in CLOSING and frame.value[:1] != b"" and frame.value[0] & 1 == 1


def decode(cyclo: str, frames: list[Frame]) -> list[dict]:
    """The fields of each frame; for a refused one only `refused`."""
    text = "#cyclometer-capture 1\n" + "".join(
        line + "\n" for number, frame in enumerate(frames) for line in lines(number, frame))
    result = subprocess.run([cyclo, "decode", "--json", "-"], input=text, capture_output=True, text=True, check=True)
    if result.stderr:
        raise SystemExit(f"cyclo complains:\n{result.stderr[:2000]}")
    fields: list[dict] = [{} for _ in frames]
    for record in map(json.loads, result.stdout.splitlines()):
        number = int(record["sensor"][1:])
        if record["class"] == "refused":
            fields[number] = {"refused": record["error"]}
        elif record["class"] == "fact":
            fields[number][record["name"]] = record["value"]
        else:
            closed = CLOSED if is_piece(frames[number]) else set()
            fields[number] |= {
                qualified(record["kind"], name): value for name, value in record.items() if name not in HEADER | closed}
    return fields


def qualified(kind: str, name: str) -> str:
    """Rowers and treadmills have different paces of the same name."""
    return f"rowing_{name}" if kind == "rowing" else name
