"""Tries the examples of docs/protocol.md on a daemon with a simulated ride.

The word after the three backquotes says what a block of the page is:
  metrics, control   a conversation on that socket: lines of the client after `C: `, of the server
                     after `S: `
  json               records and requests, one per line, which must match the schemas
  sh, then output    a script for bash, and the beginnings of the lines that it prints

A record of the page and one of the daemon match if they have the same members with the same values.
Of the members in CHANGING only the types must match, and a message only has to be a string. An
example of a method that `not-yet` lists must match the schemas, and the daemon must report the
method as unknown."""
import json
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from contract import Contract, Problem, load
from not_yet import NOT_THERE, exceptions, missing_methods
from player import Connection, Ended
from server import Daemon, record_folder

CHANGING = {"release", "instance", "seq", "t", "time", "age_ms", "bpm", "rr_ms", "rssi_dbm", "pid", "uptime_s", "since", "kernel",
            "cyclometer", "message", "retry_ms", "clients", "hex", "packets", "missed"}
# Members that may be missing: those read from the sensor after it connected, and signal strength.
OCCASIONAL = {"battery_pct", "facts", "rssi_dbm", "state", "reason"}


class Wrong(Exception):
    pass


@dataclass
class Block:
    line: int
    language: str
    lines: list[str]


def blocks(page: Path) -> list[Block]:
    found: list[Block] = []
    inside = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            inside = not inside
            if inside:
                found.append(Block(number, line[3:].strip(), []))
        elif inside:
            found[-1].lines.append(line)
    return found


def agree(shown, came, name: str = "") -> str | None:
    """A description of the difference."""
    if type(shown) is not type(came) and {type(shown), type(came)} != {int, float}:
        return f"{name} is {came!r}, not {shown!r}"
    if name in CHANGING:
        return None
    if isinstance(shown, dict):
        # Facts are read one after the other.
        differ = set() if name == "facts" else (shown.keys() ^ came.keys()) - OCCASIONAL
        if differ:
            return f"{name or 'the record'} has not the members shown: {', '.join(sorted(differ))}"
        for member in shown.keys() & came.keys():
            if problem := agree(shown[member], came[member], member):
                return problem
    elif isinstance(shown, list):
        if len(shown) != len(came):
            return f"{name} has {len(came)} items, not {len(shown)}"
        return next((problem for pair in zip(shown, came) if (problem := agree(*pair, name))), None)
    elif shown != came:
        return f"{name} is {came!r}, not {shown!r}"
    return None


def sort(record: dict) -> tuple:
    return record.get("class"), record.get("kind"), record.get("state"), record.get("id"), record.get("op")


class Page:
    def __init__(self, path: Path, program: str):
        self.path, self.program = path, program
        self.contract = Contract(strict=True)
        self.missing = missing_methods()

    def try_all(self) -> int:
        """The number of examples."""
        count = 0
        with Daemon(self.program) as daemon:
            self.settle(daemon)
            script: Block | None = None
            for block in blocks(self.path):
                try:
                    count += self.try_block(block, script, daemon)
                except (Wrong, Problem, Ended, ValueError, KeyError) as error:
                    raise Wrong(f"{self.path}:{block.line}: {error}") from error
                script = block if block.language == "sh" else None
        return count

    def try_block(self, block: Block, script: Block | None, daemon: Daemon) -> int:
        if block.language in daemon.sockets:
            self.converse(block, daemon.sockets[block.language])
        elif block.language == "json":
            for line in block.lines:
                value = load(line.encode())
                self.contract.check_request(value) if "method" in value else self.contract.check_record(value)
        elif block.language == "output":
            if script is None:
                raise Wrong("nothing printed this")
            self.run(script, block, str(daemon.runtime))
        elif block.language != "sh":
            raise Wrong(f"a block of {block.language or 'nothing'} is not tried: documents.py says what may stand here")
        return 1

    def settle(self, daemon: Daemon):
        """Waits until the sensor streams and its battery has been read."""
        client = Connection(daemon.sockets["metrics"], None)
        client.send(b'{"id":1,"method":"subscribe"}\n')
        kinds, deadline = set(), time.monotonic() + 20
        while not kinds >= {"heart_rate", "battery"}:
            line = client.line(deadline)
            if line is None:
                raise Wrong("the simulated ride says nothing")
            kinds.add(json.loads(line).get("kind"))
        client.close()

    def let_connect(self, client: Connection):
        """Waits until no sensor is connecting, which the previous example may have caused."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            client.send(b'{"id":"settle","method":"sensors"}\n')
            answer = json.loads(client.line(deadline) or b"{}")
            if not {"searching", "connecting"} & {sensor["state"] for sensor in answer["result"]["sensors"]}:
                return
            time.sleep(0.05)
        raise Wrong("a sensor is not connected")

    # Conversations

    def converse(self, block: Block, path: str):
        client = Connection(path, record_folder())
        client.line(time.monotonic() + 10)   # the greeting
        self.let_connect(client)
        requests: dict[str, dict] = {}
        skipping = False
        for line in block.lines:
            who, text = line[:3], line[3:]
            if who == "C: ":
                skipping = self.send(client, text, requests)
            elif who == "S: ":
                self.expect(client, text, requests, skipping)
            else:
                raise Wrong(f"who says {line}?")
        client.close()

    def send(self, client: Connection, text: str, requests: dict[str, dict]) -> bool:
        """Whether the daemon does not support the method yet."""
        client.send(text.encode() + b"\n")
        try:
            request = json.loads(text)
        except ValueError:
            return False
        requests[json.dumps(request.get("id"))] = request
        method = request.get("method")
        if method not in self.missing:
            return False
        self.contract.check_request(request)
        while (line := client.line(time.monotonic() + 10)) is not None:
            record = json.loads(line)
            if record.get("id") == request["id"]:
                if record.get("code") not in NOT_THERE:
                    raise Wrong(f"{method} is there: remove it from not-yet, and `not in this release` from its heading")
                return True
        raise Wrong(f"{method} is not answered")

    def expect(self, client: Connection, text: str, requests: dict[str, dict], skipping: bool):
        self.contract.check_record(load(text.encode()))
        shown = json.loads(text)
        if shown["class"] == "reply":
            request = requests[json.dumps(shown["id"])]
            self.contract.check_request(request)
            self.contract.check(shown["result"], "result", request["method"])
        if skipping:
            return
        deadline = time.monotonic() + 20
        # The page omits other records in between.
        while (line := client.line(deadline)) is not None:
            came = json.loads(line)
            if sort(came) == sort(shown) and not (shown["class"] == "found" and came["id"] != shown["id"]):
                if problem := agree(shown, came):
                    raise Wrong(f"{problem}\n    shown {text}\n    came  {line.decode()}")
                return
        raise Wrong(f"this did not come: {text}")

    # Scripts

    def run(self, script: Block, output: Block, runtime: str):
        text = "\n".join(script.lines).replace("/run/cyclometer", runtime)
        done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        came = done.stdout.splitlines()
        for line in output.lines:
            self.contract.check_record(load(line.encode()))
        if len(came) < len(output.lines):
            raise Wrong(f"{len(came)} lines came, {len(output.lines)} are shown: {done.stderr}{done.stdout[:2000]}")
        lines = [json.loads(line) for line in came]
        for line in output.lines:
            shown = json.loads(line)
            while lines and sort(lines[0]) != sort(shown):
                lines.pop(0)
            problem = agree(shown, lines.pop(0)) if lines else "it did not come"
            if problem:
                raise Wrong(f"{problem}: {line}\n" + "\n".join(came))


def check_words(page: Path, manual: Path):
    """Everything in the schemas is on both pages, and what is not implemented yet is marked."""
    contract, text = Contract(strict=False), page.read_text()
    common = contract.files["common"]["$defs"]
    words = contract.methods + contract.names("record") + contract.codes + common["sensor_state"]["enum"] + common["reason"]["enum"]
    if absent := [word for word in words if f"`{word}`" not in text]:
        raise Wrong(f"{page} does not say: {', '.join(absent)}")
    derived = {name for part, name in exceptions() if part == "kind"}
    kinds = [name for name in contract.names("kind") if name not in derived]
    if absent := [word for word in words + kinds if not re.search(rf"\b{word}\b", manual.read_text())]:
        raise Wrong(f"{manual} does not say: {', '.join(absent)}")
    marked = set(re.findall(r"^### `(\w+)` \(not in this release\)$", text, re.M))
    if marked != missing_methods():
        raise Wrong(f"{page}: marked as not in this release, and in the file not-yet, differ: {marked ^ missing_methods()}")
