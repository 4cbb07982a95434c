"""A program for a sensor that does one thing wrong, and comes back a second after it was
disconnected, as systemd would start it again.

    misbehave.py hang|flood|lie|die|twice|leave SOCKET ID"""
import json
import socket
import sys
import time


class Conversation:
    def __init__(self, path, plugin_id):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")
        self.say({"class": "register", "id": plugin_id, "plugin": "1.0"})

    def say(self, message):
        self.send(json.dumps(message).encode() + b"\n")

    def send(self, line):
        self.socket.sendall(line)

    def packets(self):
        """Their numbers, until the end."""
        for line in self.lines:
            message = json.loads(line)
            if message["class"] == "packet":
                yield message["packet"]
            elif message["class"] == "error":
                return

    def close(self):
        self.lines.close()
        self.socket.close()


def hang(talk, *_):
    """Reads, and answers nothing."""
    for _ in talk.packets():
        pass


def flood(talk, *_):
    """Sends logs as fast as the daemon reads them."""
    line = json.dumps({"class": "log", "text": "a" * 200}).encode() + b"\n"
    while True:
        talk.send(line * 100)


def lie(talk, *_):
    """Answers with the longest line there can be, full of records that the file does not have."""
    records = [{"sample": "radar", "clear": False, "targets": [{"distance_m": number}]} for number in range(900)]
    for number in talk.packets():
        talk.say({"class": "done", "packet": number, "records": records})


def die(talk, *_):
    """Ends in the middle of an answer."""
    for number in talk.packets():
        return talk.send(b'{"class":"done","packet":%d,"reco' % number)


def twice(talk, path, plugin_id):
    """Answers, while a second connection asks for the same file each second."""
    asked = time.monotonic()
    for number in talk.packets():
        talk.say({"class": "done", "packet": number, "records": []})
        if time.monotonic() - asked > 1:
            asked = time.monotonic()
            other = Conversation(path, plugin_id)
            for _ in other.packets():
                pass
            other.close()


def leave(talk, *_):
    """Answers three packets and leaves."""
    for count, number in enumerate(talk.packets(), 1):
        talk.say({"class": "done", "packet": number, "records": [{"sample": "effort", "effort": count}]})
        if count == 3:
            return


WAYS = {way.__name__: way for way in (hang, flood, lie, die, twice, leave)}


def main():
    way, path, plugin_id = sys.argv[1:]
    while True:
        try:
            talk = Conversation(path, plugin_id)
            try:
                WAYS[way](talk, path, plugin_id)
            finally:
                talk.close()
        except (BrokenPipeError, ConnectionResetError):
            pass
        time.sleep(1)


main()
