#!/usr/bin/env python3
"""Tests that the player finds errors: patterns, and servers that violate the protocol in one place
each."""
import socket
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from matching import matches  # noqa: E402
from player import Mismatch, Player  # noqa: E402
from transcript import TranscriptError, read  # noqa: E402

FITS = [
    ({"a": 1}, {"a": 1, "b": 2}), ({"a": "<integer>"}, {"a": 7}), ({"a": "<absent>"}, {}), ([1, "<any>"], [1, None]),
    (["<with>", {"x": 2}], [{"x": 1}, {"x": 2, "y": 3}]), ("<time>", "2026-11-21T09:15:02.417Z"), ("<over 5>", 5.5),
    ("<from 1 to 2>", 2), ("<not stale>", "streaming"), ("<at most -1>", -61), (1, 1.0),
]
FITS_NOT = [
    ({"a": 1}, {"a": 2}), ({"a": 1}, {}), ({"a": "<absent>"}, {"a": None}), ({"a": "<integer>"}, {"a": 1.5}), ([1], [1, 2]),
    (["<with>", {"x": 3}], [{"x": 1}]), ("<time>", "yesterday"), ("<over 5>", 5), ("<number>", "5"), ("<number>", True),
    ("<not stale>", "stale"), ({"a": {"b": 1}}, {"a": 1}), (1, True), ({}, []), ("x", "y"), ("<text>", 1),
]
# The server's first line, its reply to a line, and the steps that must fail.
BROKEN = [
    ('{"class":"hallo"}', '', 'a < {"class":"hello"}'),
    ('', '', 'a < {"class":"hello"}'),
    ('{"class":"hello"}', '{"class":"reply","id":2}', 'a < {"class":"hello"}\na > {"id":1}\na < {"class":"reply","id":1}'),
    ('{"class":"hello"}', '{"class":"reply","id":2}', 'a < {"class":"hello"}\na > {"id":1}\na <~ {"class":"reply","id":1}'),
    ('{"class":"hello"}', '{"class":"lag"}', 'a < {"class":"hello"}\na > {"id":1}\na <none 1'),
    ('{"class":"hello"}', '', 'a < {"class":"hello"}\na <end'),
    ('{"class":"hello"}\n{"class":"lag"}', 'close', 'a < {"class":"hello"}\na > {"id":1}\na <end'),
    ('{"class":"hello"}', '{"id":1}', 'a < {"class":"hello"}\na >times 2 {"id":$n}\na <all 2 {"id":$n}'),
    ('{"class":"hello"}', 'close', 'a < {"class":"hello"}\na > {"id":1}\na < {"class":"reply"}'),
    ('{"class":"hello"}', '{"class":"error"}', 'a < {"class":"hello"}\na <until {"id":1} => {"class":"reply"}'),
]
SOUND = ('{"class":"hello","n":1}', '{"class":"reply","n":2}',
         'a < {"class":"hello","n":"<keep n>"}\na > x\na < {"class":"reply","n":"<n + 1>"}\na <none 0.1\na close')


class Server:
    """A server on its own socket that sends scripted lines."""

    def __init__(self, first: str, answer: str):
        self.folder = tempfile.TemporaryDirectory(prefix="cyclometer-")
        self.path = self.folder.name + "/socket"
        self.first, self.answer = first, answer
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        client, _ = self.listener.accept()
        if self.first:
            client.sendall(self.first.encode() + b"\n")
        for _ in client.makefile("rb"):
            if self.answer == "close":
                break
            if self.answer:
                client.sendall(self.answer.encode() + b"\n")
        client.close()

    def close(self):
        self.listener.close()
        self.folder.cleanup()


class PlayerTest(unittest.TestCase):
    def test_patterns(self):
        for pattern, value in FITS:
            with self.subTest(pattern=pattern, value=value):
                self.assertTrue(matches(pattern, value, {}))
        for pattern, value in FITS_NOT:
            with self.subTest(pattern=pattern, value=value):
                self.assertFalse(matches(pattern, value, {}))

    def test_what_is_kept(self):
        kept: dict = {}
        self.assertTrue(matches({"seq": "<keep seq>"}, {"seq": 4}, kept))
        self.assertTrue(matches(["<seq + 1>", "<is seq>", "<over seq>"], [5, 4, 9], kept))
        self.assertFalse(matches({"seq": "<keep seq>", "x": 1}, {"seq": 7}, kept))
        self.assertEqual(kept, {"seq": 4})

    def play(self, first: str, answer: str, steps: str):
        server = Server(first, answer)
        path = Path(server.folder.name) / "trial.transcript"
        path.write_text(f"title: trial\nopen a metrics\nwithin 0.3\n{steps}\n")
        try:
            Player(read(path), {"metrics": server.path}, None).play()
        finally:
            server.close()

    def test_a_sound_server_passes(self):
        self.play(*SOUND)

    def test_broken_servers_do_not(self):
        for case in BROKEN:
            with self.subTest(case), self.assertRaises(Mismatch):
                self.play(*case)

    def test_nonsense_is_no_transcript(self):
        for text in ["title: x\n", "open a metrics\n", "title: x\na ? y\n", "title: x\na < {\n", "title: x\nopen a door\n", "title: x\na <\n"]:
            with tempfile.TemporaryDirectory() as folder, self.subTest(text):
                path = Path(folder) / "x.transcript"
                path.write_text(text)
                with self.assertRaises(TranscriptError):
                    read(path)


if __name__ == "__main__":
    unittest.main()
