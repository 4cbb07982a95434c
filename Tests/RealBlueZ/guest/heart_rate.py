"""What a subscriber must receive for heart rate frames: a second decoder, written from the
specification."""

from __future__ import annotations

from typing import Any

from air import Sent
from waiting import Failure, require

FIELDS = ("bpm", "rr_ms", "sensor_contact", "energy_expended_j")
MOST_APART = 2.0


def expected(frame: bytes) -> dict[str, Any]:
    flags, at = frame[0], 1
    width = 2 if flags & 0x01 else 1
    fields: dict[str, Any] = {"bpm": int.from_bytes(frame[at : at + width], "little")}
    at += width
    if flags & 0x04:
        fields["sensor_contact"] = "detected" if flags & 0x02 else "not_detected"
    if flags & 0x08:
        fields["energy_expended_j"] = 1000 * int.from_bytes(frame[at : at + 2], "little")
        at += 2
    # Always present, because a packet without intervals means that no beat was measured since the
    # last one.
    fields["rr_ms"] = []
    if flags & 0x10:
        fields["rr_ms"] = [int.from_bytes(frame[each : each + 2], "little") for each in range(at, len(frame), 2)]
    return fields


def seen(sample: dict[str, Any]) -> dict[str, Any]:
    """The fields of a frame, with intervals in the sensor's own 1/1024 s, so that they are
    exact."""
    fields = {name: sample[name] for name in FIELDS if name in sample}
    if "rr_ms" in fields:
        fields["rr_ms"] = [round(each * 1.024, 3) for each in fields["rr_ms"]]
    return fields


def match(samples: list[dict[str, Any]], sent: list[Sent]) -> list[Sent]:
    """The frames of the samples: one each, in order, without a gap between the first and the
    last."""
    require(samples, "no sample came")
    begin = first_of(samples[0], sent)
    frames = sent[begin : begin + len(samples)]
    require(len(frames) == len(samples), f"{len(samples)} samples came of {len(frames)} frames")
    for sample, frame in zip(samples, frames):
        if seen(sample) != expected(frame.value):
            raise Failure(f"seq {sample['seq']} says {seen(sample)}; sent was {frame.value.hex()}: {expected(frame.value)}")
    return frames


def first_of(sample: dict[str, Any], sent: list[Sent]) -> int:
    alike = [index for index, frame in enumerate(sent) if expected(frame.value) == seen(sample)]
    require(alike, f"no such frame was sent: {seen(sample)}")
    nearest = min(alike, key=lambda index: abs(sent[index].at - sample["t"]))
    apart = sample["t"] - sent[nearest].at
    require(abs(apart) < MOST_APART, f"`t` is {apart:.3f} s after the frame was sent")
    return nearest


def require_no_hole(samples: list[dict[str, Any]]) -> None:
    for before, after in zip(samples, samples[1:]):
        require(after["seq"] == before["seq"] + 1, f"seq goes from {before['seq']} to {after['seq']}")
