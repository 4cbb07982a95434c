"""Plays a transcript against the sockets of a server. Any difference is a Mismatch, with its place
and the lines that arrived instead."""
import json
import os
import socket
import time
from pathlib import Path

from matching import matches
from transcript import Step, Transcript


class Mismatch(Exception):
    pass


class Ended(Exception):
    """The server closed the connection."""


class Connection:
    """Lines of one client, in both directions. `record` stores them like the other clients of the
    tests do."""

    count = 0

    def __init__(self, path: str, record: Path | None):
        Connection.count += 1
        server = "logbook" if path.endswith("logbook.sock") else "daemon"
        self.label = f"{server}-transcript-{os.getpid()}-{Connection.count} ".encode()
        self.record = record
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.buffer = b""
        self.unsent = b""

    def note(self, direction: bytes, line: bytes):
        if self.record is not None:
            with open(self.record / f"transcripts-{os.getpid()}.lines", "ab") as file:
                file.write(self.label + direction + b" " + line + b"\n")

    def send(self, data: bytes):
        *lines, self.unsent = (self.unsent + data).split(b"\n")
        for line in lines:
            self.note(b">", line)
        self.socket.settimeout(20)
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Ended("the connection was closed while sending") from error

    def line(self, deadline: float) -> bytes | None:
        """None when the time has run out."""
        while b"\n" not in self.buffer:
            self.socket.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                data = self.socket.recv(1 << 16)
            except TimeoutError:
                return None
            except ConnectionResetError as error:
                raise Ended("the connection was reset") from error
            if not data:
                raise Ended("the connection was closed")
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        self.note(b"<", line)
        return line

    def close(self):
        self.socket.close()


class Player:
    TIMEOUT = 20.0

    def __init__(self, transcript: Transcript, sockets: dict[str, str], record: Path | None):
        self.transcript, self.sockets, self.record = transcript, sockets, record
        self.clients: dict[str, Connection] = {}
        self.kept: dict = {}
        self.timeout = self.TIMEOUT
        self.end = time.monotonic() + transcript.limit

    def play(self):
        try:
            for step in self.transcript.steps:
                self.step(step)
        finally:
            for client in self.clients.values():
                client.close()

    def step(self, step: Step):
        try:
            getattr(self, f"do_{step.verb}")(step)
        except (Mismatch, Ended, OSError, KeyError) as error:
            what = f"there is no client {error}" if isinstance(error, KeyError) else str(error)
            raise Mismatch(f"{self.transcript.path.name}:{step.line}: {step.client} {step.verb}: {what}") from error

    def deadline(self) -> float:
        return min(self.end, time.monotonic() + self.timeout)

    # Connections

    def do_open(self, step: Step):
        self.clients[step.client] = Connection(self.sockets[step.text], self.record)

    def do_crowd(self, step: Step):
        """NAME1, NAME2, …; each has received hello."""
        for number in range(1, step.count + 1):
            client = Connection(self.sockets[step.text], self.record)
            self.clients[f"{step.client}{number}"] = client
            self.next(client)

    def do_close(self, step: Step):
        if step.client.endswith("*"):
            names = [name for name in self.clients if name.startswith(step.client[:-1])]
        else:
            names = [step.client]
        for name in names:
            self.clients.pop(name).close()

    def do_shut(self, step: Step):
        self.clients[step.client].socket.shutdown(socket.SHUT_WR)

    def do_pause(self, step: Step):
        time.sleep(step.seconds)

    def do_within(self, step: Step):
        self.timeout = step.seconds

    # Sending

    def do_send(self, step: Step):
        self.clients[step.client].send(step.text.encode() + b"\n")

    def do_raw(self, step: Step):
        self.clients[step.client].send(step.text.encode())

    def do_hex(self, step: Step):
        self.clients[step.client].send(bytes.fromhex(step.text))

    def do_drip(self, step: Step):
        """One byte per interval, in milliseconds."""
        for byte in step.text.encode() + b"\n":
            self.clients[step.client].send(bytes([byte]))
            time.sleep(step.count / 1000)

    def do_times(self, step: Step):
        """All at once, `$n` counting from 1."""
        lines = (step.text.replace("$n", str(number)) for number in range(1, step.count + 1))
        self.clients[step.client].send("".join(line + "\n" for line in lines).encode())

    def do_flood(self, step: Step):
        """That many bytes of the repeated text, without a line feed. The server may close the
        connection meanwhile."""
        text = step.text.encode()
        try:
            self.clients[step.client].send((text * (step.count // len(text) + 1))[:step.count])
        except Ended:
            pass

    # Expecting

    def next(self, client: Connection):
        line = client.line(self.deadline())
        if line is None:
            raise Mismatch("nothing came")
        return json.loads(line)

    def do_expect(self, step: Step):
        value = self.next(self.clients[step.client])
        if not matches(step.pattern, value, self.kept):
            raise Mismatch(f"\n    expected {step.text}\n    came     {json.dumps(value)[:2000]}")

    def do_await(self, step: Step):
        """Skips lines that do not match."""
        client, deadline, passed = self.clients[step.client], self.deadline(), []
        while (line := client.line(deadline)) is not None:
            value = json.loads(line)
            if matches(step.pattern, value, self.kept):
                return
            passed.append(json.dumps(value)[:300])
        raise Mismatch(f"\n    expected {step.text}\n    came     " + "\n             ".join(passed[-8:] or ["nothing"]))

    def do_until(self, step: Step):
        """Repeats the request until the answer matches. Skips other records."""
        client, deadline, came = self.clients[step.client], self.deadline(), None
        while time.monotonic() < deadline:
            client.send(step.text.encode() + b"\n")
            while (line := client.line(deadline)) is not None:
                came = json.loads(line)
                if came["class"] in ("reply", "error"):
                    break
            if came is not None and matches(step.pattern, came, self.kept):
                return
            time.sleep(0.05)
        raise Mismatch(f"\n    expected {json.dumps(step.pattern)}\n    came     {json.dumps(came)[:2000]}")

    def do_all(self, step: Step):
        client = self.clients[step.client]
        for number in range(1, step.count + 1):
            text = step.text.replace("$n", str(number))
            value = self.next(client)
            if not matches(json.loads(text), value, self.kept):
                raise Mismatch(f"\n    expected {text}\n    came     {json.dumps(value)[:2000]}")

    def do_none(self, step: Step):
        """No line, or no matching line, for that time."""
        client, deadline = self.clients[step.client], time.monotonic() + step.seconds
        while (line := client.line(deadline)) is not None:
            if step.pattern is None or matches(step.pattern, json.loads(line), dict(self.kept)):
                raise Mismatch(f"this came: {line[:2000].decode()}")

    def do_end(self, step: Step):
        """Only the end of the stream."""
        client = self.clients[step.client]
        try:
            line = client.line(self.deadline())
        except Ended:
            return
        raise Mismatch("the connection is still open" if line is None else f"this came: {line[:2000].decode()}")
