"""Orders to the browser outside of the guest (the list is at the head of Tests/Systemd/browser.py), and
the network between them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from machine import Machine
from waiting import require, wait_for

ADDRESS = "10.0.2.15/24"
"""What qemu expects of the guest."""


class Browser:
    """The page that is open in the browser outside."""

    def __init__(self, machine: Machine) -> None:
        card = next(each.name for each in Path("/sys/class/net").iterdir() if each.name != "lo")
        machine.run("ip", "address", "replace", ADDRESS, "dev", card)
        machine.run("ip", "link", "set", card, "up")
        self.port = open("/dev/radio.browser", "r+b", buffering=0)
        self.rest = b""

    def order(self, **order: Any) -> dict[str, Any]:
        """An order and its answer."""
        os.write(self.port.fileno(), json.dumps(order).encode() + b"\n")
        while b"\n" not in self.rest:
            self.rest += os.read(self.port.fileno(), 65536)
        line, _, self.rest = self.rest.partition(b"\n")
        answer = json.loads(line)
        require("error" not in answer, f"the browser answers {answer}")
        require(not answer.get("errors"), f"the page has the errors {answer.get('errors')}")
        return answer

    def open(self, url: str) -> None:
        self.order(open=url)

    def widget(self, name: str) -> dict[str, str]:
        """State and number of a widget."""
        return self.order(read=True)["widgets"].get(name, {"state": "", "number": ""})

    def wait_for_state(self, name: str, states: set[str], seconds: float) -> dict[str, str]:
        """Waits until a widget has one of these states."""
        return wait_for(lambda: (shown := self.widget(name))["state"] in states and shown, seconds,
                        f"{name} to be {' or '.join(sorted(states))} in the browser", every=0.2)

    def wait_for_notice(self, text: str, seconds: float) -> None:
        """Waits until the bar below the top bar has this text; an empty one waits until it is gone."""
        wait_for(lambda: self.order(read=True)["notice"] == text, seconds, f"the notice `{text}` in the browser", every=0.2)

    def wait_for_line(self, text: str, seconds: float) -> str:
        """Waits until the status panel has a line with this text."""
        found = lambda: next((each for each in self.order(status=True)["lines"] if text in each), None)
        return wait_for(found, seconds, f"`{text}` in the status panel of the browser", every=0.2)
