"""Reads transcripts. README.md describes their format."""
import json
import re
from dataclasses import dataclass, field
from pathlib import Path


class TranscriptError(Exception):
    pass


@dataclass
class Step:
    line: int
    verb: str
    # The client's name, or empty for steps without a client.
    client: str = ""
    text: str = ""
    count: int = 1
    seconds: float = 0.0
    # The pattern for a record, as `matching` reads it.
    pattern: object = None


@dataclass
class Transcript:
    path: Path
    title: str = ""
    # Methods that the transcript requires and a server may lack.
    needs: list[str] = field(default_factory=list)
    # What the daemon plays. A running server is assumed to play the ride.
    scene: str = "ride"
    # The transcript fails after this many seconds.
    limit: float = 120.0
    steps: list[Step] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def needs_recorder(self) -> bool:
        return any(step.text == "logbook" for step in self.steps if step.verb in ("open", "crowd"))


# After the client's name: the step and its arguments.
ACTIONS = {
    ">": "send", ">raw": "raw", ">hex": "hex", ">drip": "drip", ">times": "times", ">flood": "flood",
    "<": "expect", "<~": "await", "<until": "until", "<all": "all", "<none": "none", "<end": "end",
}
WORD = re.compile(r"(\S+)\s*(.*)", re.S)


def read(path: Path) -> Transcript:
    transcript = Transcript(path)
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            read_line(transcript, number, line.strip())
        except (ValueError, KeyError) as error:
            raise TranscriptError(f"{path}:{number}: {error}: {line}") from error
    if not transcript.title or not transcript.steps:
        raise TranscriptError(f"{path}: a transcript has a title and steps")
    return transcript


def read_line(transcript: Transcript, number: int, line: str):
    first, rest = WORD.match(line).groups()
    if first == "title:":
        transcript.title = rest
    elif first == "needs:":
        transcript.needs = rest.split()
    elif first == "scene:":
        transcript.scene = rest
    elif first == "limit:":
        transcript.limit = float(rest)
    elif first == "open":
        name, socket = rest.split()
        transcript.steps.append(Step(number, "open", name, check_socket(socket)))
    elif first == "crowd":
        name, count, socket = rest.split()
        transcript.steps.append(Step(number, "crowd", name, check_socket(socket), int(count)))
    elif first in ("pause", "within"):
        transcript.steps.append(Step(number, first, seconds=float(rest)))
    else:
        transcript.steps.append(read_action(number, first, rest))


def check_socket(name: str) -> str:
    if name not in ("metrics", "control", "logbook"):
        raise ValueError("a socket is metrics, control or logbook")
    return name


def read_action(number: int, client: str, rest: str) -> Step:
    sign, rest = WORD.match(rest).groups()
    if sign in ("close", "shut"):
        return Step(number, sign, client)
    step = Step(number, ACTIONS[sign], client)
    if step.verb in ("drip", "times", "all", "flood"):
        amount, rest = WORD.match(rest).groups()
        step.count = int(amount)
    elif step.verb == "none":
        amount, rest = WORD.match(rest).groups()
        step.seconds = float(amount)
    if step.verb in ("expect", "await", "none", "all"):
        # The pattern of `all` contains `$n`, which is replaced before parsing.
        step.text = rest
        if rest:
            step.pattern = json.loads(rest.replace("$n", "1"))
        elif step.verb != "none":
            raise ValueError("what is expected?")
    elif step.verb == "until":
        step.text, pattern = rest.split(" => ")
        step.pattern = json.loads(pattern)
    elif step.verb == "raw":
        step.text = json.loads(rest)
    else:
        step.text = rest
    if step.verb == "hex":
        bytes.fromhex(step.text)
    return step
