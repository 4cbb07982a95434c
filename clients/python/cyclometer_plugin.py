"""Cyclometer's helper for plugin programs in Python 3.9 and later: decode a sensor of your own.

Copy this file next to your program. It needs no other module of Cyclometer.

    import cyclometer_plugin
    from cyclometer_plugin import Refused, sample

    class Thermometer(cyclometer_plugin.Session):
        def packet(self, packet):
            if len(packet.value) != 2:
                raise Refused("bad_length", at=0)
            return [sample("environment", temperature_c=int.from_bytes(packet.value, "little") / 100)]

    cyclometer_plugin.run("my_thermometer", Thermometer)

`run` connects to the daemon, registers for the file with that Id, and makes a `Session` for each
sensor. It exits with a message if the daemon disconnects it. systemd then starts the program again.

See docs/sensor-processes.md for the file and the protocol.
"""

from __future__ import annotations

import json
import math
import os
import socket
import sys

# A program may start with a fifth of a small processor, so it imports no module that only types need.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterable, List, NoReturn, Optional
    Fields = Dict[str, Any]

__all__ = ["CommandFailed", "Packet", "Refused", "Session", "answer", "event", "fact", "run", "sample"]

SOCKET = "/run/cyclometer/plugin.sock"
VERSION = "1.0"
LINE_LIMIT = 65536          # bytes of a line without its line feed
TIMEOUT = 10.0              # seconds until the daemon has accepted the program
SHORTEST_TICK = 0.1         # seconds
LONGEST_LOG = 200           # bytes


class Refused(Exception):
    """Raise this in `packet` if the bytes are wrong: the reason, and the offset of the first wrong byte.

    The reasons are bad_encoding, bad_length, empty, not_this_protocol, out_of_range,
    reserved_value, trailing_bytes, truncated and unknown_frame.
    """

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(f"{reason} at {at}")
        self.reason, self.at = reason, at


class CommandFailed(Exception):
    """Raise this in `command` if it cannot be done. The user sees the message."""


class NotFinite(Exception):
    """A record has a number that is infinite or not a number. JSON has no such numbers."""


class Disconnected(Exception):
    """The connection ended, or the daemon sent something that is not the protocol."""


class Packet:
    """Bytes from a sensor."""

    __slots__ = ("name", "time", "value")

    def __init__(self, name: str, value: bytes, time: float) -> None:
        self.name = name        # of its [Packet] in the file
        self.value = value
        self.time = time        # seconds on the monotonic clock, when the packet arrived


def sample(kind: str, /, **fields: Any) -> Fields:
    """A record of [Sample KIND]. Fields that are None are omitted, because they are unknown."""
    return {"sample": kind, **_known(fields)}


def event(name: str, /, **fields: Any) -> Fields:
    """A record of [Event NAME]."""
    return {"event": name, **_known(fields)}


def fact(**fields: Any) -> Fields:
    """A record of [Fact]."""
    return {"fact": _known(fields)}


def answer(**fields: Any) -> Fields:
    """The answer to a command, a record of [Answer]."""
    return {"answer": _known(fields)}


def _known(value: Any) -> Any:
    """Omits members that are None, also those of objects in lists. Numbers have to be finite."""
    if isinstance(value, dict):
        return {name: _known(member) for name, member in value.items() if member is not None}
    if isinstance(value, (list, tuple)):
        return [_known(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise NotFinite("a number is infinite or not a number")
    return value


class Session:
    """One sensor. Override what you need. Attributes of your own last until `closed`."""

    def __init__(self, connection: _Connection, message: Fields) -> None:
        self.sensor: str = _text(message, "sensor")
        self.name: str = _text(message, "name")
        self.is_connected = False
        self.settings: Fields = {}
        self.quirks: List[str] = []
        self._connection = connection
        self._writes: List[Fields] = []
        self._tick: Optional[int] = None
        self._configure(message)

    def opened(self) -> None:
        """Called first: set your attributes here."""

    def packet(self, packet: Packet) -> Optional[Iterable[Fields]]:
        """Returns the records of the packet, or raises `Refused`."""
        return None

    def linked(self) -> None:
        """The sensor is connected: the next packets are of a new connection."""

    def unlinked(self) -> None:
        """The sensor is disconnected. Drop incomplete data; counters stay."""

    def configured(self) -> None:
        """`settings` or `quirks` changed."""

    def command(self, name: str, value: Optional[float]) -> Optional[Iterable[Fields]]:
        """Does a command. Returns records of `answer`, or raises `CommandFailed`."""
        raise CommandFailed(f"the program does not support {name}")

    def tick(self, time: float) -> Optional[Iterable[Fields]]:
        """The time of `tick_after` has come. Returns records of `answer`."""
        return None

    def closed(self) -> None:
        """The sensor was removed, or the file changed."""

    def write(self, service: str, characteristic: str, value: bytes) -> None:
        """Writes 1 to 64 bytes when the method returns. The file has to name the service."""
        if not 1 <= len(value) <= 64:
            raise ValueError(f"a write has 1 to 64 bytes, not {len(value)}")
        self._writes.append({"service": service, "characteristic": characteristic, "hex": value.hex()})

    def tick_after(self, seconds: float) -> None:
        """Has the daemon call `tick` once. A later call replaces an earlier one.

        Call it in `packet`, `command` or `tick`.
        """
        if not SHORTEST_TICK <= seconds <= 86400:
            raise ValueError(f"the seconds until a tick are {SHORTEST_TICK} to 86400, not {seconds}")
        self._tick = math.ceil(seconds * 1000)

    def log(self, text: str) -> None:
        """Writes a line to the daemon's log. It logs 10 a minute. Longer texts are cut off."""
        short = text.encode()[:LONGEST_LOG].decode(errors="ignore")
        self._connection.send({"class": "log", "text": short})

    def _configure(self, message: Fields) -> None:
        settings, quirks = message.get("settings", {}), message.get("quirks", [])
        if not isinstance(settings, dict) or not isinstance(quirks, list):
            raise Disconnected("the daemon sent settings that are not an object, or quirks that are not a list")
        self.settings, self.quirks = settings, quirks

    def _respond(self, line: Fields, member: str, body: Callable[[], Optional[Iterable[Fields]]]) -> None:
        """Sends the answer to a packet, command or tick with what `body` returns and writes."""
        self._writes, self._tick = [], None
        try:
            line[member] = [_known(record) for record in body() or ()]
        except Refused as error:
            if member != "records":
                raise
            line.update(refused=error.reason, at=error.at)
            self._writes = []
        except CommandFailed as error:
            if "command" not in line:
                raise
            line["error"] = str(error)
            self._writes = []
        except NotFinite as error:
            line.update({"refused": "out_of_range", "at": 0} if member == "records" else {"error": str(error)})
            self._writes = []
        if self._writes:
            line["writes"] = self._writes
        if self._tick is not None:
            line["tick_ms"] = self._tick
        self._connection.send(line)


class _Connection:
    """The socket, as lines that are JSON objects."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._buffer = b""

    def open(self, path: str) -> None:
        self._socket.settimeout(TIMEOUT)
        try:
            self._socket.connect(path)
        except OSError as error:
            raise Disconnected(f"cannot connect to {path}: {error.strerror or error}") from None

    def accepted(self) -> None:
        self._socket.settimeout(None)

    def close(self) -> None:
        self._socket.close()

    def send(self, message: Fields) -> None:
        line = _ENCODER.encode(message).encode()
        if len(line) > LINE_LIMIT:
            raise ValueError(f"an answer has at most {LINE_LIMIT} bytes, not {len(line)}")
        try:
            self._socket.sendall(line + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            pass    # reading returns the daemon's reason
        except OSError as error:
            raise Disconnected(f"cannot send to the daemon: {error.strerror or error}") from None

    def receive(self) -> Fields:
        """The next message. Raises `Disconnected` with the daemon's reason."""
        message = _parsed(self._line())
        if message["class"] == "error":
            raise Disconnected(f"the daemon disconnected the program: {_text(message, 'code')}: {_text(message, 'message')}")
        return message

    def _line(self) -> bytes:
        while b"\n" not in self._buffer:
            if len(self._buffer) > LINE_LIMIT:
                raise Disconnected(f"the daemon sent a line of more than {LINE_LIMIT} bytes")
            try:
                data = self._socket.recv(LINE_LIMIT)
            except socket.timeout:
                raise Disconnected("the daemon did not answer in time") from None
            except OSError as error:
                raise Disconnected(f"the connection to the daemon was lost: {error.strerror or error}") from None
            if not data:
                raise Disconnected("the daemon closed the connection")
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line


def _parsed(line: bytes) -> Fields:
    try:
        message = _DECODER.decode(line.decode())
    except (ValueError, RecursionError) as error:
        raise Disconnected(f"the daemon sent a line that is not JSON: {error}") from None
    if not isinstance(message, dict) or not isinstance(message.get("class"), str):
        raise Disconnected("the daemon sent a line that is not an object with a class")
    return message


def _no_constant(name: str) -> NoReturn:
    """Python also reads NaN and Infinity, which are not JSON."""
    raise ValueError(f"{name} is not a number")


# Made once, because `json.dumps` and `json.loads` with these options make new ones for each line.
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def _text(message: Fields, name: str) -> str:
    value = message.get(name)
    if not isinstance(value, str):
        raise Disconnected(f"the daemon sent {message['class']} without a text {name}")
    return value


def _whole(message: Fields, name: str) -> int:
    value = message.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise Disconnected(f"the daemon sent {message['class']} without a whole number {name}")
    return value


def _number(message: Fields, name: str) -> float:
    value = message.get(name)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise Disconnected(f"the daemon sent {message['class']} without a number {name}")
    return value


def _bytes(message: Fields) -> bytes:
    text = _text(message, "hex")
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise Disconnected("the daemon sent a packet whose hex is not pairs of hex digits") from None


class _Program:
    """The sessions of a connection."""

    def __init__(self, connection: _Connection, make_session: Callable[[_Connection, Fields], Session]) -> None:
        self._connection = connection
        self._make_session = make_session
        self._sessions: Dict[int, Session] = {}
        self._handlers: Dict[str, Callable[[Session, Fields], None]] = {
            "packet": self._packet, "link": self._link, "settings": self._settings, "command": self._command,
            "tick": self._tick, "close": self._close}

    def register(self, id: str) -> None:
        hello = self._connection.receive()
        if hello["class"] != "hello":
            raise Disconnected(f"the daemon sent {hello['class']} instead of hello")
        if _text(hello, "plugin").split(".")[0] != VERSION.split(".")[0]:
            raise Disconnected(f"the daemon speaks version {hello['plugin']} of the protocol, this program {VERSION}")
        self._connection.send({"class": "register", "id": id, "plugin": VERSION})
        while self._connection.receive()["class"] != "ready":
            pass
        self._connection.accepted()

    def handle(self, message: Fields) -> None:
        if message["class"] == "open":
            return self._open(_whole(message, "session"), message)
        handler = self._handlers.get(message["class"])
        if handler is None:
            return    # of a later daemon
        number = _whole(message, "session")
        if number not in self._sessions:
            raise Disconnected(f"the daemon sent {message['class']} for session {number}, which is not open")
        handler(self._sessions[number], message)

    def _open(self, number: int, message: Fields) -> None:
        self._sessions[number] = self._make_session(self._connection, message)
        self._sessions[number].opened()

    def _packet(self, session: Session, message: Fields) -> None:
        packet = Packet(_text(message, "from"), _bytes(message), _number(message, "t"))
        done = {"class": "done", "packet": _whole(message, "packet")}
        session._respond(done, "records", lambda: session.packet(packet))

    def _link(self, session: Session, message: Fields) -> None:
        session.is_connected = _text(message, "state") == "up"
        session.linked() if session.is_connected else session.unlinked()

    def _settings(self, session: Session, message: Fields) -> None:
        session._configure(message)
        session.configured()

    def _command(self, session: Session, message: Fields) -> None:
        said = {"class": "said", "command": _whole(message, "command")}
        name, value = _text(message, "name"), _number(message, "value") if "value" in message else None
        session._respond(said, "answers", lambda: session.command(name, value))

    def _tick(self, session: Session, message: Fields) -> None:
        said = {"class": "said", "tick": _whole(message, "tick")}
        session._respond(said, "answers", lambda: session.tick(_number(message, "t")))

    def _close(self, session: Session, message: Fields) -> None:
        session.closed()
        del self._sessions[message["session"]]


def run(id: str, session: Callable[[Any, Fields], Session], path: Optional[str] = None) -> NoReturn:
    """Decodes for the file with the Id `id` until the daemon disconnects, then exits with the reason.

    `session` is your subclass of `Session`. `path` is the daemon's socket. By default it is
    $CYCLOMETER_PLUGIN_SOCKET, or the socket of an installed daemon.
    """
    connection = _Connection()
    try:
        connection.open(path or os.environ.get("CYCLOMETER_PLUGIN_SOCKET") or SOCKET)
        program = _Program(connection, session)
        program.register(id)
        while True:
            program.handle(connection.receive())
    except Disconnected as error:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        connection.close()
