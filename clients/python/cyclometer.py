"""Cyclometer's client for Python 3.9 and later: one file, nothing to install.

    import cyclometer

    for update in cyclometer.Client(kinds=["heart_rate"]):
        if isinstance(update, cyclometer.Record) and update.cls == "sample":
            print(update["sensor"], update["bpm"])
        elif isinstance(update, cyclometer.Disconnected):
            print("lost:", update.reason)

A client connects, follows, and when the daemon goes away says `Disconnected`, tries until it is back, and goes on with the same
subscription. `AsyncClient` is the same for asyncio: `async for update in client`, `await client.request(...)`.

What ends an iteration is what trying again does not mend: another version of the protocol (`ProtocolError`), a subscription
that the daemon refuses (`Refused`). The protocol is described in `man cyclometer-protocol`.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import select
import socket
import time
from collections import deque
from typing import Any, AsyncIterator, Awaitable, Deque, Dict, Iterator, List, Optional, Sequence, Set, Tuple, Union

__all__ = ["AsyncClient", "Client", "Connected", "Disconnected", "Error", "Gap", "Lag", "NotConnected", "ProtocolError", "Record",
           "Refused", "TimedOut", "Update"]

LINE_LIMIT = 65536                  # bytes of a line, its end not counted
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 4.0
PATIENCE = 10.0                     # for the greeting, for the answer to a subscription, and for answers unless said otherwise
PASSING = {"adapter_unavailable", "busy", "internal", "timeout", "too_many"}   # refusals that another attempt may mend


class Error(Exception):
    """Whatever a client raises."""


class NotConnected(Error):
    """There is no daemon, or it left before it answered."""


class TimedOut(Error):
    """The daemon did not say in time what it should have said."""


class ProtocolError(Error):
    """No Cyclometer listens there, or one that speaks another version."""


class Refused(Error):
    """The daemon's own refusal: `code` is for programs, the message for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Record(Dict[str, Any]):
    """What the daemon said, as a dictionary; members that it does not know are left out, so read them with `get`."""

    @property
    def cls(self) -> str:
        """`sample`, `state`, ...; a later daemon may have others."""
        value = self.get("class")
        return value if isinstance(value, str) else ""


@dataclasses.dataclass(frozen=True)
class Connected:
    """The subscription stands. With a new instance the daemon was started in between, and numbers its samples from 1."""

    hello: Record
    is_new_instance: bool


@dataclasses.dataclass(frozen=True)
class Disconnected:
    """Nothing comes any more: what was shown is no longer true. Said once; the client tries until the daemon is back."""

    reason: Error


@dataclasses.dataclass(frozen=True)
class Gap:
    """Samples of one sensor and kind that were lost, told before the one that showed it."""

    sensor: str
    kind: str
    lost: int


@dataclasses.dataclass(frozen=True)
class Lag:
    """This client was too slow, and the daemon left samples out; each is in a `Gap` too, unless `max_hz` was asked for."""

    dropped: int


Update = Union[Record, Connected, Disconnected, Gap, Lag]


def _whole(value: Any) -> Optional[int]:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _refusal(record: Record) -> Refused:
    return Refused(str(record.get("code", "internal")), str(record.get("message", "the daemon gave no reason")))


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


class _Lines:
    """Bytes in, records out. Lines that are no JSON objects are passed over."""

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


class _Session:
    """What both clients share: the life of one connection after the other, without any I/O. Bytes that came go in, bytes to
    send and updates come out."""

    def __init__(self, subscription: Dict[str, Any]) -> None:
        self.subscription = subscription
        self.updates: Deque[Update] = deque()
        self.answers: Dict[int, Union[Any, Error]] = {}
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
        self._subscribing = 0
        self._since = time.monotonic()

    def question(self, method: str, params: Optional[Dict[str, Any]]) -> Tuple[int, bytes]:
        """The number of a request, and its line. One that is too long would cost the connection: it is refused here."""
        self._last_request += 1
        request: Dict[str, Any] = {"id": self._last_request, "method": method}
        if params is not None:
            request["params"] = params
        line = json.dumps(request, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        if len(line) > LINE_LIMIT:
            raise Refused("line_too_long", f"a request may have {LINE_LIMIT} bytes, and this one has {len(line)}")
        return self._last_request, line + b"\n"

    def ask(self, method: str, params: Optional[Dict[str, Any]]) -> Tuple[int, bytes]:
        """The same, for a caller who will look for the answer."""
        number, line = self.question(method, params)
        self._open.add(number)
        return number, line

    def give_up(self, number: int) -> None:
        self._open.discard(number)
        self.answers.pop(number, None)

    def adopt(self, subscription: Dict[str, Any]) -> None:
        """From now on this is subscribed to. What was not heard before was not asked for, and is no loss."""
        self.subscription = subscription
        self._numbers.clear()

    def received(self, data: bytes) -> bytes:
        """Takes what came; what is to be sent. Raises what ends the connection."""
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
            raise ProtocolError("what listens there is no Cyclometer")
        if not version.startswith("1."):
            raise ProtocolError(f"the daemon speaks version {version} of the protocol, and this client 1")
        self._hello = record
        self._subscribing, line = self.question("subscribe", self.subscription)
        return line

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
            self.updates.append(record)

    def _answer(self, record: Record, answer: Any) -> None:
        number = _whole(record.get("id"))
        if number is not None and number in self._open:
            self._open.remove(number)
            self.answers[number] = answer

    def _count(self, record: Record) -> None:
        sensor, kind, number = record.get("sensor"), record.get("kind"), _whole(record.get("seq"))
        if not isinstance(sensor, str) or not isinstance(kind, str) or number is None or number < 1:
            return
        last = self._numbers.get((sensor, kind))
        self._numbers[sensor, kind] = number
        # A smaller number is no loss: a snapshot may repeat a sample, and a new daemon begins at 1.
        if last is not None and number - last > 1:
            self.updates.append(Gap(sensor, kind, number - last - 1))

    def lost(self, reason: Error) -> float:
        """The connection is gone or did not come about; how long to wait before the next."""
        reason = self._last_words or reason
        for number in self._open:
            self.answers[number] = reason
        self._open.clear()
        passes = self.is_following or isinstance(reason, (NotConnected, TimedOut)) or (
            isinstance(reason, Refused) and reason.code in PASSING)
        if not passes:
            self.failure = reason
        elif self.absence is None:   # that the same is so at the next attempt as well is no news
            self.updates.append(Disconnected(reason))
        if self.is_following and time.monotonic() - self._since >= LONGEST_PAUSE:
            self._pause = FIRST_PAUSE
        pause, self._pause = self._pause, min(self._pause * 2, LONGEST_PAUSE)
        self.absence, self.is_following, self._last_words = reason, False, None
        self._begin()
        return pause


def _dial(control: Optional[str]) -> socket.socket:
    """The control socket, or for reading the other beside it where that cannot be had."""
    control = control or os.environ.get("CYCLOMETER_SOCKET") or "/run/cyclometer/control.sock"
    reason = ""
    for path in dict.fromkeys([control, os.path.join(os.path.dirname(control), "metrics.sock")]):
        connection = socket.socket(socket.AF_UNIX)
        connection.setblocking(False)
        try:
            connection.connect(path)
            return connection
        except OSError as error:   # also when the daemon does not get round to accepting
            connection.close()
            # Where one door is locked, somebody is at home: that is the more useful thing to say.
            if not reason or isinstance(error, PermissionError):
                reason = f"{path}: {error.strerror or error}"
    raise NotConnected(reason)


def _filters(given: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


class Client:
    """The blocking client; one thread at a time. Iterate over it, or call `next`."""

    def __init__(self, path: Optional[str] = None, *, kinds: Optional[Sequence[str]] = None,
                 sensors: Optional[Sequence[str]] = None, max_hz: Optional[float] = None, snapshot: Optional[bool] = None,
                 events: Optional[bool] = None) -> None:
        self._path = path
        self._session = _Session(
            _filters(dict(kinds=kinds, sensors=sensors, max_hz=max_hz, snapshot=snapshot, events=events)))
        self._socket: Optional[socket.socket] = None
        self._moment = time.monotonic()   # of the next attempt, or of the end of patience with the greeting

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
        """Ends the connection; a later `next` would connect again."""
        if self._socket is not None:
            self._lose(NotConnected("closed"))

    def next(self, timeout: Optional[float] = None) -> Optional[Update]:
        """Waits for the next update; None when `timeout` seconds passed first."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            if self._session.updates:
                return self._session.updates.popleft()
            if self._session.failure is not None:
                raise self._session.failure
            if not self._step(deadline):
                return None

    def request(self, method: str, params: Optional[Dict[str, Any]] = None, *, timeout: float = PATIENCE) -> Any:
        """Asks and waits for the result, first for the connection if there is none. Updates that come before it are kept."""
        session, deadline = self._session, time.monotonic() + timeout
        while not session.is_following:
            if session.failure is not None:
                raise session.failure
            if time.monotonic() >= deadline:
                raise session.absence or TimedOut("the daemon did not answer in time")
            self._step(deadline)
        number, line = session.ask(method, params)
        self._send(line, deadline)
        while number not in session.answers:
            if time.monotonic() >= deadline:
                session.give_up(number)
                raise TimedOut(f"the daemon did not answer {method} in time")
            self._step(deadline)
        answer = session.answers.pop(number)
        if isinstance(answer, Error):
            raise answer
        return answer

    def subscribe(self, **filters: Any) -> None:
        """Replaces the subscription, now and for all connections to come; a refused one leaves the old one."""
        self.request("subscribe", _filters(filters))
        self._session.adopt(_filters(filters))

    def _step(self, deadline: Optional[float]) -> bool:
        """Does what comes next; False when the deadline passed first."""
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
        # One millisecond more than left: nobody wakes before the moment and goes round again.
        wait = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000 + 1
        return bool(poll.poll(wait))

    def _connect(self) -> None:
        try:
            self._socket = _dial(self._path)
        except (Error, OSError) as error:
            return self._lose(NotConnected(str(error)))
        self._moment = time.monotonic() + PATIENCE

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
                # What comes is read meanwhile: the daemon reads no more requests than it has room for answers.
                if not self._ready(self._socket, select.POLLIN | select.POLLOUT, deadline):
                    return self._lose(TimedOut("the daemon takes no requests"))
                self._receive(self._socket)
            except OSError as error:
                return self._lose(NotConnected(str(error)))

    def _lose(self, reason: Error) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self._moment = time.monotonic() + self._session.lost(reason)


class AsyncClient:
    """The same for asyncio, in one event loop. What has come waits in a bounded buffer; when that is full nothing more is read,
    and the daemon says what it had to leave out. A cancelled wait loses nothing."""

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
        """Ends the connection, and iterations; requests under way fail."""
        self._is_closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def next(self, timeout: Optional[float] = None) -> Optional[Update]:
        """Waits for the next update; None when `timeout` seconds passed first, or after `close`."""
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

    async def request(self, method: str, params: Optional[Dict[str, Any]] = None, *, timeout: float = PATIENCE) -> Any:
        """Asks and waits for the result, first for the connection if there is none. Several may be under way."""
        self._start()
        self._asking += 1   # while somebody asks, all that comes is read: the answer is behind it
        self._tell()
        try:
            return await self._ask(method, params, time.monotonic() + timeout)
        finally:
            self._asking -= 1

    async def subscribe(self, **filters: Any) -> None:
        """Replaces the subscription, now and for all connections to come; a refused one leaves the old one."""
        await self.request("subscribe", _filters(filters))
        self._session.adopt(_filters(filters))

    async def _ask(self, method: str, params: Optional[Dict[str, Any]], deadline: float) -> Any:
        session = self._session
        while not session.is_following:
            self._check_end()
            if not await self._news_before(deadline):
                raise session.absence or TimedOut("the daemon did not answer in time")
        self._check_end()
        number, line = session.ask(method, params)
        try:
            if self._writer is not None:
                self._writer.write(line)
            while number not in session.answers:
                self._check_end()
                if not await self._news_before(deadline):
                    raise TimedOut(f"the daemon did not answer {method} in time")
            answer = session.answers[number]
        finally:
            session.give_up(number)
        if isinstance(answer, Error):
            raise answer
        return answer

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
            self._task.result()   # raises what nobody expected

    def _tell(self) -> None:
        """Wakes all who wait, each to look for itself."""
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
        deadline = time.monotonic() + PATIENCE
        while True:
            patience = None if session.is_following else deadline - time.monotonic()
            data = await asyncio.wait_for(reader.read(LINE_LIMIT), patience)
            try:
                self._writer.write(session.received(data))
            finally:
                self._tell()
            while len(session.updates) >= self.BUFFERED and not self._asking:
                await self._news.wait()
