"""Cyclometer's client for Python 3.9 and later.

Install it with `pip install clients/python`, or copy this file as cyclometer.py.

    import cyclometer

    with cyclometer.Client(kinds=["heart_rate"]) as client:
        while True:
            client.wait(1)                      # reads for one second
            live = client.live("heart_rate")    # live.value is None unless it is current
            print(live.value.get("bpm", "--") if live.value else f"-- ({live.state})")

To see every sample, iterate: `for update in client`. If the daemon goes away, the client yields
`Disconnected`, retries until the daemon is back, and resubscribes. `AsyncClient` is the same for
asyncio: `async for update in client`, `await client.request(...)`.

Errors that a retry cannot fix end the iteration: a different version of the protocol
(`ProtocolError`), or a subscription that the daemon refuses (`Refused`). See
`man cyclometer-protocol` for the protocol.
"""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
import os
import select
import socket
import time
from collections import deque
from typing import Any, AsyncIterator, Awaitable, Callable, Deque, Dict, Iterator, List, Optional, Sequence, Set, Tuple, Union

__all__ = ["AsyncClient", "Client", "Connected", "Disconnected", "Error", "Gap", "Lag", "LIMITS", "Live", "NotConnected",
           "ProtocolError", "Record", "Refused", "TimedOut", "Unanswered", "Update"]

LINE_LIMIT = 65536                  # bytes of a line without its line feed
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 4.0
TIMEOUT = 10.0                      # seconds for `hello`, and for methods that are not in DEADLINES
DEADLINES = {"pair": 50.0, "command": 35.0}   # the daemon ends them after 45 and 30 s
# A connection can have only one of these at a time, so the client cancels one that times out.
CANCELLED = {"pair", "scan", "capture", "inspect"}
# The age in seconds up to which a sample is current. None: no limit. Other kinds: DEFAULT_LIMIT.
# Used if the daemon does not send `stale_after_ms`.
LIMITS: Dict[str, Optional[float]] = {
    "heart_rate": 5, "speed": 3, "cadence": 3, "power": 3, "radar": 1.5, "trainer": 3, "rowing": 3, "oxygen": 5, "tire_pressure": 900,
    "body_temperature": 10, "muscle_oxygen": 10, "ecg": 5, "acceleration": 5, "position": 5, "hrv": 10, "battery": None,
    "environment": None, "trainer_status": None, "wheel": None, "bike": None}
DEFAULT_LIMIT = 5.0
RIDE = "ride"        # the sensor of derived samples; it has no state of its own
RECEIVER = "gps"     # the only source that is not a sensor; it has no state either
# CLOCK_BOOTTIME also counts while the computer sleeps.
CLOCK: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
# Errors that a retry may fix.
PASSING = {"adapter_unavailable", "busy", "internal", "not_connected", "timeout", "too_many"}


class Error(Exception):
    """The base class of all errors that a client raises."""


class NotConnected(Error):
    """No daemon is running, or the connection was lost before it answered."""


class TimedOut(Error):
    """The daemon did not respond in time."""


class ProtocolError(Error):
    """The program at the socket is not cyclometerd, or uses another version of the protocol."""


class Refused(Error):
    """The daemon returned an error: `code` is for programs, the message for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Unanswered(Error):
    """The sensor sent a `prompt` that the caller did not answer. The request was cancelled."""

    def __init__(self, prompt: Record) -> None:
        super().__init__("the sensor requires its passkey" if prompt.get("ask") == "passkey"
                         else f"confirm whether the sensor shows {prompt.get('passkey')}")
        self.prompt = prompt


class Record(Dict[str, Any]):
    """A record from the daemon. Unknown values are omitted, so read members with `get`."""

    @property
    def cls(self) -> str:
        """`sample`, `state` and so on; later daemons may send others."""
        value = self.get("class")
        return value if isinstance(value, str) else ""


@dataclasses.dataclass(frozen=True)
class Connected:
    """The subscription is active. `is_new_instance`: the daemon restarted, and so did `seq`."""

    hello: Record
    is_new_instance: bool


@dataclasses.dataclass(frozen=True)
class Disconnected:
    """The connection is lost, so no value is current. Sent once; the client keeps retrying."""

    reason: Error


@dataclasses.dataclass(frozen=True)
class Gap:
    """Samples of one sensor and kind were lost. Sent before the sample that revealed the gap."""

    sensor: str
    kind: str
    lost: int


@dataclasses.dataclass(frozen=True)
class Lag:
    """The daemon dropped samples because this client was too slow.

    They also appear in a `Gap`, unless `max_hz` is set.
    """

    dropped: int


@dataclasses.dataclass(frozen=True)
class Live:
    """The current value, if there is one."""

    value: Optional[Record]   # the sample if it is current
    age: Optional[float]      # of the last sample in seconds, current or not; None without a sample
    state: str                # of its sensor, or `disconnected`, or `unknown`
    last: Optional[Record]    # the last sample, however old


Update = Union[Record, Connected, Disconnected, Gap, Lag]
Answer = Union[str, int, bool, None]
# The answer to a `prompt` record: the passkey, or True or False to confirm one. None cancels.
OnPrompt = Callable[[Record], Answer]
AsyncOnPrompt = Callable[[Record], Union[Answer, Awaitable[Answer]]]


def _whole(value: Any) -> Optional[int]:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _refusal(record: Record) -> Refused:
    return Refused(str(record.get("code", "internal")), str(record.get("message", "the daemon gave no reason")))


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


class _Lines:
    """Bytes in, records out. Lines that are not JSON objects are skipped."""

    def __init__(self) -> None:
        self._piece = bytearray()

    def feed(self, data: bytes) -> Iterator[Record]:
        *whole, rest = data.split(b"\n")
        for line in whole:
            if self._piece:
                line, self._piece = bytes(self._piece) + line, bytearray()
            self._check(line)
            try:
                value = json.loads(line.decode(), parse_constant=_no_number)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield Record(value)
        self._piece += rest
        self._check(self._piece)

    @staticmethod
    def _check(line: Union[bytes, bytearray]) -> None:
        if len(line) - line.endswith(b"\r") > LINE_LIMIT:
            raise ProtocolError("the daemon sent a longer line than the protocol allows")


def _now() -> float:
    return time.clock_gettime(CLOCK)


class _Picture:
    """The last sample of each sensor and kind, its arrival time, and the states of sensors."""

    def __init__(self) -> None:
        self._samples: Dict[Tuple[str, str], Tuple[Record, float]] = {}
        self._states: Dict[str, str] = {}
        self._limits: Dict[str, Dict[str, Any]] = {}
        self._connected = False
        self._since = 0.0

    def connected(self) -> None:
        self._connected, self._since = True, _now()

    def disconnected(self) -> None:
        self._connected = False
        self._states.clear()

    def learn(self, result: Any) -> None:
        """The result of a `sensors` request."""
        if not isinstance(result, dict):
            return
        sensors = result.get("sensors")
        for sensor in sensors if isinstance(sensors, list) else []:
            if isinstance(sensor, dict):
                self._learn(sensor.get("id"), sensor.get("state"))
                self._learn_limits(sensor.get("id"), sensor)
        self._learn_limits(RIDE, result.get("ride"))

    def _learn_limits(self, sensor: Any, said: Any) -> None:
        limits = said.get("stale_after_ms") if isinstance(said, dict) else None
        if isinstance(sensor, str) and isinstance(limits, dict):
            self._limits[sensor] = limits

    def _limit(self, kind: str, sensor: str) -> Optional[float]:
        """In seconds; None if there is no limit."""
        limits = self._limits.get(sensor)
        if limits is None:
            return LIMITS.get(kind, DEFAULT_LIMIT)
        limit = limits.get(kind)
        return limit / 1000 if isinstance(limit, (int, float)) else None

    def add(self, record: Record) -> None:
        sensor, kind = record.get("sensor"), record.get("kind")
        if record.cls == "sample" and isinstance(sensor, str) and isinstance(kind, str):
            self._samples[sensor, kind] = record, _now()
        elif record.cls == "state":
            self._learn(sensor, record.get("state"))
        elif record.cls == "sensor" and isinstance(sensor, dict):
            removed = record.get("change") == "removed"
            self._learn(sensor.get("id"), None if removed else sensor.get("state"))
            self._learn_limits(sensor.get("id"), sensor)
            if removed:
                # Another sensor may get the same id.
                self._samples = {key: value for key, value in self._samples.items()
                                 if sensor.get("id") not in (key[0], value[0].get("source"))}

    def _learn(self, sensor: Any, state: Any) -> None:
        if isinstance(sensor, str):
            self._states.pop(sensor, None)
            if isinstance(state, str):
                self._states[sensor] = state

    def live(self, kind: str, sensor: Optional[str]) -> Live:
        if sensor is not None:
            return self._live(kind, sensor)
        # The ride has the value of the best source, but has none before it begins.
        all_of_kind = [self._live(kind, each) for each, its_kind in self._samples if its_kind == kind and each != RIDE]
        ride = self._live(kind, RIDE)
        best = min(all_of_kind, key=lambda live: (live.value is None, live.age), default=ride)
        return ride if ride.value is not None or best.last is None else best

    def _live(self, kind: str, sensor: str) -> Live:
        record, came = self._samples.get((sensor, kind), (None, 0.0))
        if record is None:
            return Live(None, None, self._state(sensor, None) if self._connected else "disconnected", None)
        said = record.get("age_ms")
        age = _now() - came + (said / 1000 if isinstance(said, (int, float)) else 0)
        state = self._state(sensor, record) if self._connected else "disconnected"
        limit = self._limit(kind, sensor)
        is_current = state == "streaming" and came >= self._since and (limit is None or age <= limit)
        return Live(record if is_current else None, age, state, record)

    def _state(self, sensor: str, record: Optional[Record]) -> str:
        """The ride has the state of its source, if the record names one."""
        if sensor == RIDE and record is not None:
            source = record.get("source")
            sensor = source if isinstance(source, str) else RECEIVER
        return "streaming" if sensor == RECEIVER else self._states.get(sensor, "unknown")


class _Session:
    """The protocol without I/O: bytes go in, updates and bytes to send come out."""

    def __init__(self, subscription: Dict[str, Any]) -> None:
        self.subscription = subscription
        self.updates: Deque[Update] = deque()
        self.answers: Dict[int, Union[Any, Error]] = {}
        self.picture = _Picture()
        self.wanted: Dict[str, Deque[Record]] = {}   # classes that go to a pending request
        self.is_following = False
        self.absence: Optional[Error] = None
        self.failure: Optional[Error] = None
        self._open: Set[int] = set()
        self._instance: Optional[Any] = None
        self._numbers: Dict[Tuple[str, str], int] = {}
        self._last_words: Optional[Error] = None
        self._last_request = 0
        self._pause = FIRST_PAUSE
        self._begin()

    def _begin(self) -> None:
        self._lines = _Lines()
        self._hello: Optional[Record] = None
        self._subscribing = self._asking_states = 0
        self._since = time.monotonic()

    def question(self, method: str, params: Optional[Dict[str, Any]]) -> Tuple[int, bytes]:
        """Returns number and line of a request. A line that is too long is refused here."""
        self._last_request += 1
        request: Dict[str, Any] = {"id": self._last_request, "method": method}
        if params is not None:
            request["params"] = params
        line = json.dumps(request, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        if len(line) > LINE_LIMIT:
            raise Refused("line_too_long", f"the request has {len(line)} bytes, at most {LINE_LIMIT} are allowed")
        return self._last_request, line + b"\n"

    def ask(self, method: str, params: Optional[Dict[str, Any]]) -> Tuple[int, bytes]:
        """Like `question`, and stores the answer in `answers`."""
        number, line = self.question(method, params)
        self._open.add(number)
        return number, line

    def give_up(self, number: int, method: str) -> bytes:
        """Drops a request. Returns the bytes to send: `cancel` if it would block others."""
        was_open = number in self._open
        self._open.discard(number)
        self.answers.pop(number, None)
        return self.cancel() if was_open and method in CANCELLED and self.is_following else b""

    def cancel(self) -> bytes:
        return self.question("cancel", None)[1]

    def adopt(self, subscription: Dict[str, Any]) -> None:
        """Sets the subscription of later connections."""
        self.subscription = subscription
        # The old filter left holes in `seq`, which are not losses.
        self._numbers.clear()

    def received(self, data: bytes) -> bytes:
        """Handles received bytes, returns bytes to send. Raises errors that end the connection."""
        if not data:
            raise self._last_words or NotConnected("the daemon closed the connection")
        reply = b""
        for record in self._lines.feed(data):
            if self._hello is None:
                reply += self._greeted(record)
            elif not self.is_following:
                self._subscribed(record)
            else:
                self._digest(record)
        return reply

    def _greeted(self, record: Record) -> bytes:
        if record.cls == "error":
            raise _refusal(record)
        version = record.get("protocol")
        if record.cls != "hello" or not isinstance(version, str) or not isinstance(record.get("instance"), str):
            raise ProtocolError("the program at this socket is not cyclometerd")
        if not version.startswith("1."):
            raise ProtocolError(f"the daemon speaks version {version} of the protocol, this client speaks version 1")
        self._hello = record
        self._subscribing, line = self.question("subscribe", self.subscription)
        self._asking_states, states = self.question("sensors", None)
        return line + states

    def _subscribed(self, record: Record) -> None:
        if record.cls == "error":
            raise _refusal(record)
        if record.cls != "reply" or record.get("id") != self._subscribing or self._hello is None:
            return
        is_new = self._instance not in (None, self._hello["instance"])
        if is_new:
            self._numbers.clear()
        self._instance = self._hello["instance"]
        self.is_following, self.absence, self._last_words = True, None, None
        self.picture.connected()
        self.updates.append(Connected(self._hello, is_new))

    def _digest(self, record: Record) -> None:
        if record.cls == "reply":
            self._answer(record, record.get("result", {}))
        elif record.cls == "error" and "id" in record:
            self._answer(record, _refusal(record))
        elif record.cls == "error":
            self._last_words = _refusal(record)
        elif record.cls == "lag":
            self.updates.append(Lag(_whole(record.get("dropped")) or 0))
        else:
            if record.cls == "sample" and "max_hz" not in self.subscription:
                self._count(record)
            self.picture.add(record)
            self.wanted.get(record.cls, self.updates).append(record)

    def _answer(self, record: Record, answer: Any) -> None:
        number = _whole(record.get("id"))
        if number == self._asking_states:
            self.picture.learn(answer)
        if number is not None and number in self._open:
            self._open.remove(number)
            self.answers[number] = answer

    def _count(self, record: Record) -> None:
        sensor, kind, number = record.get("sensor"), record.get("kind"), _whole(record.get("seq"))
        if not isinstance(sensor, str) or not isinstance(kind, str) or number is None or number < 1:
            return
        last = self._numbers.get((sensor, kind))
        self._numbers[sensor, kind] = number
        # Not a loss if it is smaller: snapshots repeat samples, and a new instance restarts at 1.
        if last is not None and number - last > 1:
            self.updates.append(Gap(sensor, kind, number - last - 1))

    def lost(self, reason: Error) -> float:
        """Handles a lost or failed connection. Returns the seconds until the next attempt."""
        reason = self._last_words or reason
        self.picture.disconnected()
        for number in self._open:
            self.answers[number] = reason
        self._open.clear()
        passes = self.is_following or isinstance(reason, (NotConnected, TimedOut)) or (
            isinstance(reason, Refused) and reason.code in PASSING)
        if not passes:
            self.failure = reason
        elif self.absence is None:   # report it once, not after every attempt
            self.updates.append(Disconnected(reason))
        if self.is_following and time.monotonic() - self._since >= LONGEST_PAUSE:
            self._pause = FIRST_PAUSE
        pause, self._pause = self._pause, min(self._pause * 2, LONGEST_PAUSE)
        self.absence, self.is_following, self._last_words = reason, False, None
        self._begin()
        return pause


def _dial(control: Optional[str]) -> socket.socket:
    """Connects to the control socket or, if that fails, to metrics.sock in the same directory."""
    control = control or os.environ.get("CYCLOMETER_SOCKET") or "/run/cyclometer/control.sock"
    reason = ""
    for path in dict.fromkeys([control, os.path.join(os.path.dirname(control), "metrics.sock")]):
        connection = socket.socket(socket.AF_UNIX)
        connection.setblocking(False)
        try:
            connection.connect(path)
            return connection
        except OSError as error:   # EAGAIN if the daemon is too busy to accept
            connection.close()
            # Prefer "permission denied": it shows that a daemon is there.
            if not reason or isinstance(error, PermissionError):
                reason = f"{path}: {error.strerror or error}"
    raise NotConnected(reason)


def _passkey_only(passkey: Union[str, int, None]) -> OnPrompt:
    """Answers prompts with a known passkey, and confirms one that is equal to it."""
    def answer(prompt: Record) -> Answer:
        if passkey is None or prompt.get("ask") == "passkey":
            return passkey
        return int(passkey) == int(prompt.get("passkey", -1))
    return answer


def _last_found(records: Deque[Record]) -> List[Record]:
    return list({record.get("address"): record for record in records if record.cls == "found"}.values())


def _filters(given: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


class Client:
    """The blocking client, for one thread at a time. Iterate over it, or call `next`."""

    def __init__(self, path: Optional[str] = None, *, kinds: Optional[Sequence[str]] = None,
                 sensors: Optional[Sequence[str]] = None, max_hz: Optional[float] = None, snapshot: Optional[bool] = None,
                 events: Optional[bool] = None) -> None:
        self._path = path
        self._session = _Session(
            _filters(dict(kinds=kinds, sensors=sensors, max_hz=max_hz, snapshot=snapshot, events=events)))
        self._socket: Optional[socket.socket] = None
        self._moment = time.monotonic()   # of the next attempt, or the deadline of the handshake

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Update]:
        while True:
            update = self.next()
            if update is not None:
                yield update

    def close(self) -> None:
        """Closes the connection. A later `next` connects again."""
        if self._socket is not None:
            self._lose(NotConnected("closed"))

    def next(self, timeout: Optional[float] = None) -> Optional[Update]:
        """Waits for the next update. Returns None after `timeout` seconds without one."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            if self._session.updates:
                return self._session.updates.popleft()
            if self._session.failure is not None:
                raise self._session.failure
            if not self._step(deadline):
                return None

    def wait(self, seconds: float) -> None:
        """Reads for `seconds` and drops the updates, for displays that only use `live`."""
        deadline = time.monotonic() + seconds
        while self.next(deadline - time.monotonic()) is not None and time.monotonic() < deadline:
            pass

    def live(self, kind: str, sensor: Optional[str] = None) -> Live:
        """Returns the current value, from what `next`, `wait` or a request has read so far.

        Without `sensor`, it is the ride's, or the newest of any sensor if the ride has no current
        value. Its `value` is None unless it is current.
        """
        return self._session.picture.live(kind, sensor)

    def request(self, method: str, params: Optional[Dict[str, Any]] = None, *, timeout: Optional[float] = None,
                on_prompt: Optional[OnPrompt] = None) -> Any:
        """Sends a request and returns the result. Waits for a connection first, if necessary.

        Updates that arrive meanwhile are kept. The default `timeout` is 50 seconds for `pair`, 35
        for `command` and 10 for anything else. A `pair`, `scan`, `capture` or `inspect` that times out is
        cancelled. `on_prompt` receives the `prompt` records of a `pair` and returns the answer.
        """
        session = self._session
        deadline = time.monotonic() + (DEADLINES.get(method, TIMEOUT) if timeout is None else timeout)
        self._wait_until_following(deadline)
        number, line = session.ask(method, params)
        prompts: Deque[Record] = deque()
        if on_prompt is not None:
            session.wanted["prompt"] = prompts
        try:
            self._send(line, deadline)
            while number not in session.answers:
                if prompts and on_prompt is not None:
                    self._answer(prompts.popleft(), on_prompt)
                elif time.monotonic() >= deadline:
                    raise TimedOut(f"the daemon did not answer {method} in time")
                else:
                    self._step(deadline)
            answer = session.answers[number]
        finally:
            if on_prompt is not None:
                session.wanted.pop("prompt", None)
            self._send(session.give_up(number, method), time.monotonic() + TIMEOUT)
        if isinstance(answer, Error):
            raise answer
        return answer

    def pair(self, address: str, *, name: Optional[str] = None, role: Optional[str] = None,
             passkey: Union[str, int, None] = None, on_prompt: Optional[OnPrompt] = None, timeout: Optional[float] = None) -> Record:
        """Pairs a device and returns the sensor after its first value has arrived.

        A sensor that requires a bond needs its `passkey`, or an `on_prompt` that returns the
        answer, or None to cancel. Raises `Unanswered` if there is no answer.
        """
        params = _filters(dict(address=address, name=name, role=role))
        return Record(self.request("pair", params, timeout=timeout, on_prompt=on_prompt or _passkey_only(passkey)))

    def scan(self, seconds: float = 15, *, all: bool = False) -> List[Record]:
        """Scans for `seconds` and returns the last `found` record of each device."""
        session = self._session
        deadline = time.monotonic() + seconds + TIMEOUT
        self._wait_until_following(deadline)
        came: Deque[Record] = deque()
        session.wanted["found"] = session.wanted["scan_ended"] = came
        try:
            self.request("scan", {"seconds": seconds, "all": all})
            while not came or came[-1].cls != "scan_ended":
                if not session.is_following:
                    raise session.absence or NotConnected("the connection to the daemon was lost")
                if not self._step(deadline) and time.monotonic() >= deadline:
                    raise TimedOut("the daemon did not end the scan")
        except (TimedOut, KeyboardInterrupt):
            self._send(session.cancel() if session.is_following else b"", time.monotonic() + TIMEOUT)
            raise
        finally:
            del session.wanted["found"], session.wanted["scan_ended"]
        return _last_found(came)

    def _answer(self, prompt: Record, on_prompt: OnPrompt) -> None:
        value = on_prompt(prompt)
        if value is None:
            raise Unanswered(prompt)
        self.request("answer", {"prompt": prompt.get("prompt"), "value": value})

    def _wait_until_following(self, deadline: float) -> None:
        while not self._session.is_following:
            if self._session.failure is not None:
                raise self._session.failure
            if time.monotonic() >= deadline:
                raise self._session.absence or TimedOut("the daemon did not answer in time")
            self._step(deadline)

    def subscribe(self, **filters: Any) -> None:
        """Replaces the subscription, for later connections too. A refused one changes nothing."""
        self.request("subscribe", _filters(filters))
        self._session.adopt(_filters(filters))

    def _step(self, deadline: Optional[float]) -> bool:
        """Does one step of I/O. Returns False if the deadline passes first."""
        limit = None if self._session.is_following else self._moment
        first = min((each for each in (deadline, limit) if each is not None), default=None)
        if self._socket is None:
            if first is not None and not self._sleep(first, limit):
                return False
            self._connect()
            return True
        if self._ready(self._socket, select.POLLIN, first):
            self._receive(self._socket)
            return True
        if limit is not None and time.monotonic() >= limit:
            self._lose(TimedOut("the daemon did not answer in time"))
            return True
        return False

    @staticmethod
    def _sleep(until: float, limit: Optional[float]) -> bool:
        time.sleep(max(0.0, until - time.monotonic()))
        return limit is None or time.monotonic() >= limit

    @staticmethod
    def _ready(connection: socket.socket, events: int, deadline: Optional[float]) -> bool:
        poll = select.poll()
        poll.register(connection, events)
        # Wake just after the deadline. Waking just before it would cost another turn.
        wait = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000 + 1
        return bool(poll.poll(wait))

    def _connect(self) -> None:
        try:
            self._socket = _dial(self._path)
        except (Error, OSError) as error:
            return self._lose(NotConnected(str(error)))
        self._moment = time.monotonic() + TIMEOUT

    def _receive(self, connection: socket.socket) -> None:
        try:
            reply = self._session.received(connection.recv(LINE_LIMIT))
        except BlockingIOError:
            return
        except OSError as error:
            return self._lose(NotConnected(str(error)))
        except Error as error:
            return self._lose(error)
        if reply:
            self._send(reply, self._moment)

    def _send(self, line: bytes, deadline: float) -> None:
        while line and self._socket is not None:
            try:
                line = line[self._socket.send(line):]
            except BlockingIOError:
                # Keep reading: the daemon stops reading requests while its answers are not read.
                if not self._ready(self._socket, select.POLLIN | select.POLLOUT, deadline):
                    return self._lose(TimedOut("the daemon does not accept requests"))
                self._receive(self._socket)
            except OSError as error:
                return self._lose(NotConnected(str(error)))

    def _lose(self, reason: Error) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self._moment = time.monotonic() + self._session.lost(reason)


class AsyncClient:
    """The client for asyncio, in one event loop.

    Updates wait in a bounded buffer. While it is full, the client reads nothing, and the daemon
    reports dropped samples as `Lag`. Cancelling a wait loses nothing.
    """

    BUFFERED = 256

    def __init__(self, path: Optional[str] = None, *, kinds: Optional[Sequence[str]] = None,
                 sensors: Optional[Sequence[str]] = None, max_hz: Optional[float] = None, snapshot: Optional[bool] = None,
                 events: Optional[bool] = None) -> None:
        self._path = path
        self._session = _Session(
            _filters(dict(kinds=kinds, sensors=sensors, max_hz=max_hz, snapshot=snapshot, events=events)))
        self._task: Optional[asyncio.Task[None]] = None
        self._writer: Optional[asyncio.StreamWriter] = None
        self._asking = 0
        self._is_closed = False

    async def __aenter__(self) -> AsyncClient:
        self._start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __aiter__(self) -> AsyncIterator[Update]:
        return self

    async def __anext__(self) -> Update:
        update = await self.next()
        if update is None:
            raise StopAsyncIteration
        return update

    async def close(self) -> None:
        """Closes the connection and ends iterations. Pending requests fail."""
        self._is_closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def next(self, timeout: Optional[float] = None) -> Optional[Update]:
        """Waits for the next update. Returns None after `timeout` seconds or `close`."""
        self._start()
        session, deadline = self._session, None if timeout is None else time.monotonic() + timeout
        while not session.updates:
            if session.failure is not None:
                raise session.failure
            if self._is_closed or not await self._news_before(deadline):
                return None
        if len(session.updates) == self.BUFFERED // 2:
            self._tell()
        return session.updates.popleft()

    def live(self, kind: str, sensor: Optional[str] = None) -> Live:
        """Returns the current value, like `Client.live`. Keep reading updates meanwhile."""
        return self._session.picture.live(kind, sensor)

    async def request(self, method: str, params: Optional[Dict[str, Any]] = None, *, timeout: Optional[float] = None,
                      on_prompt: Optional[AsyncOnPrompt] = None) -> Any:
        """Sends a request and returns the result, like `Client.request`. Several can be pending.

        `on_prompt`, a function or a coroutine function, receives the `prompt` records of a `pair`.
        """
        self._start()
        self._asking += 1   # read even if the buffer is full: the answer comes after those updates
        self._tell()
        try:
            limit = DEADLINES.get(method, TIMEOUT) if timeout is None else timeout
            return await self._ask(method, params, time.monotonic() + limit, on_prompt)
        finally:
            self._asking -= 1

    async def pair(self, address: str, *, name: Optional[str] = None, role: Optional[str] = None,
                   passkey: Union[str, int, None] = None, on_prompt: Optional[AsyncOnPrompt] = None,
                   timeout: Optional[float] = None) -> Record:
        """Pairs a device and returns the sensor after its first value. See `Client.pair`."""
        params = _filters(dict(address=address, name=name, role=role))
        return Record(await self.request("pair", params, timeout=timeout, on_prompt=on_prompt or _passkey_only(passkey)))

    async def scan(self, seconds: float = 15, *, all: bool = False) -> List[Record]:
        """Scans for `seconds` and returns the last `found` record of each device."""
        session = self._session
        deadline = time.monotonic() + seconds + TIMEOUT
        came: Deque[Record] = deque()
        session.wanted["found"] = session.wanted["scan_ended"] = came
        self._asking += 1
        try:
            await self.request("scan", {"seconds": seconds, "all": all})
            while not came or came[-1].cls != "scan_ended":
                self._check_end()
                if not session.is_following:
                    raise session.absence or NotConnected("the connection to the daemon was lost")
                if not await self._news_before(deadline):
                    raise TimedOut("the daemon did not end the scan")
        except (TimedOut, asyncio.CancelledError):
            if session.is_following and self._writer is not None:
                self._writer.write(session.cancel())
            raise
        finally:
            self._asking -= 1
            del session.wanted["found"], session.wanted["scan_ended"]
        return _last_found(came)

    async def subscribe(self, **filters: Any) -> None:
        """Replaces the subscription, for later connections too. A refused one changes nothing."""
        await self.request("subscribe", _filters(filters))
        self._session.adopt(_filters(filters))

    async def _ask(self, method: str, params: Optional[Dict[str, Any]], deadline: float,
                   on_prompt: Optional[AsyncOnPrompt] = None) -> Any:
        session = self._session
        while not session.is_following:
            self._check_end()
            if not await self._news_before(deadline):
                raise session.absence or TimedOut("the daemon did not answer in time")
        self._check_end()
        number, line = session.ask(method, params)
        prompts: Deque[Record] = deque()
        if on_prompt is not None:
            session.wanted["prompt"] = prompts
        try:
            if self._writer is not None:
                self._writer.write(line)
            while number not in session.answers:
                self._check_end()
                if prompts and on_prompt is not None:
                    await self._answer(prompts.popleft(), on_prompt)
                elif not await self._news_before(deadline):
                    raise TimedOut(f"the daemon did not answer {method} in time")
            answer = session.answers[number]
        finally:
            if on_prompt is not None:
                session.wanted.pop("prompt", None)
            rest = session.give_up(number, method)
            if rest and self._writer is not None:
                self._writer.write(rest)
        if isinstance(answer, Error):
            raise answer
        return answer

    async def _answer(self, prompt: Record, on_prompt: AsyncOnPrompt) -> None:
        answer = on_prompt(prompt)
        value = await answer if inspect.isawaitable(answer) else answer
        if value is None:
            raise Unanswered(prompt)
        await self.request("answer", {"prompt": prompt.get("prompt"), "value": value})

    def _check_end(self) -> None:
        if self._session.failure is not None:
            raise self._session.failure
        if self._is_closed:
            raise NotConnected("closed")

    def _start(self) -> None:
        if self._task is None and not self._is_closed:
            self._news = asyncio.Event()
            self._task = asyncio.get_running_loop().create_task(self._run())
            self._task.add_done_callback(lambda _: self._tell())
        elif self._task is not None and self._task.done() and not self._is_closed:
            self._task.result()   # raises an unexpected exception of the task

    def _tell(self) -> None:
        """Wakes all waiters. Each checks its own condition."""
        self._news.set()
        self._news = asyncio.Event()

    async def _news_before(self, deadline: Optional[float]) -> bool:
        if self._task is not None and self._task.done():
            self._start()
            return False
        try:
            left = None if deadline is None else deadline - time.monotonic()
            await asyncio.wait_for(self._news.wait(), left)
            return True
        except asyncio.TimeoutError:
            return False

    async def _run(self) -> None:
        while self._session.failure is None:
            try:
                await self._follow()
            except asyncio.TimeoutError:
                reason: Error = TimedOut("the daemon did not answer in time")
            except Error as error:
                reason = error
            except OSError as error:
                reason = NotConnected(str(error))
            finally:
                if self._writer is not None:
                    self._writer.close()
                    self._writer = None
            pause = self._session.lost(reason)
            self._tell()
            await asyncio.sleep(0 if self._session.failure is not None else pause)

    async def _follow(self) -> None:
        session = self._session
        reader, self._writer = await asyncio.open_unix_connection(sock=_dial(self._path))
        deadline = time.monotonic() + TIMEOUT
        while True:
            left = None if session.is_following else deadline - time.monotonic()
            data = await asyncio.wait_for(reader.read(LINE_LIMIT), left)
            try:
                self._writer.write(session.received(data))
            finally:
                self._tell()
            while len(session.updates) >= self.BUFFERED and not self._asking:
                await self._news.wait()
