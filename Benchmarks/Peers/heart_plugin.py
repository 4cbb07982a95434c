"""Decodes heart rate packets for cyclometerd over plugin.sock, like the plugin that is built in.

    heart_plugin.py SOCKET"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients" / "python"))
import cyclometer_plugin  # noqa: E402
from cyclometer_plugin import Refused, sample  # noqa: E402


class Heart(cyclometer_plugin.Session):
    def packet(self, packet):
        value = packet.value
        if len(value) < 2:
            raise Refused("truncated", at=len(value))
        flags, place = value[0], 2
        if flags & 1 or (flags & 8 and len(value) < 4):
            raise Refused("unknown_frame", at=0)
        fields = {"bpm": value[1]}
        if flags & 8:
            place = 4
        if flags & 16:
            fields["rr_ms"] = [word(value, at) * 1000 / 1024 for at in range(place, len(value) - 1, 2)]
        if flags & 4:
            fields["sensor_contact"] = "detected" if flags & 2 else "not_detected"
        if flags & 8:
            fields["energy_expended_j"] = word(value, 2) * 1000
        return [sample("heart_rate", **fields)]


def word(value, at):
    return value[at] | value[at + 1] << 8


cyclometer_plugin.run("heart", Heart, sys.argv[1])
