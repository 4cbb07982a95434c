"""The browser outside of the guest: Debian's Chromium on this machine, which obeys orders of the guest.

    browser.py CONTROL GUEST PORT

PORT of this machine leads to the dashboard in the guest. The browser opens the link of the guest, as
a phone would, and connects to PORT in place of the address GUEST. An order is a line of JSON on the
socket CONTROL, and so is its answer:

    {"open": URL}       opens an address in a new page
    {"read": true}      what is on the page: path, notice, and each widget with its state and text
    {"status": true}    the texts of the status panel
"""

from __future__ import annotations

import json
import socket
import sys
from typing import Any

from playwright.sync_api import Browser, Error, Page, sync_playwright

READ = """() => ({
  path: location.pathname,
  notice: document.querySelector("#notice:not([hidden])")?.textContent ?? "",
  widgets: Object.fromEntries([...document.querySelectorAll(".widget")].map(widget => [widget.dataset.id, {
    state: widget.dataset.state ?? "", number: widget.querySelector(".primary .number")?.textContent ?? "",
  }])),
})"""
STATUS = """() => [...document.querySelectorAll("dialog[open] .fact-line")].filter(line => !line.hidden).map(line => line.textContent)"""


class Screen:
    """One page of the browser."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.page: Page | None = None
        self.errors: list[str] = []

    def obey(self, order: dict[str, Any]) -> dict[str, Any]:
        try:
            if url := order.get("open"):
                self.open(url)
                return {"errors": self.errors}
            if self.page is None:
                return {"error": "no page is open"}
            if order.get("status"):
                # The first touch of a dimmed page only brightens it.
                while not self.page.is_visible("dialog[open]"):
                    self.page.click("#status")
                    self.page.wait_for_timeout(300)
                return {"lines": self.page.evaluate(STATUS)}
            return self.read(self.page) | {"errors": self.errors}
        except Error as error:
            return {"error": str(error)}

    @staticmethod
    def read(page: Page) -> dict[str, Any]:
        try:
            return page.evaluate(READ)
        except Error as error:
            if "Execution context was destroyed" not in str(error):
                raise
            # The page was changing to another address, as after pairing.
            page.wait_for_load_state()
            return page.evaluate(READ)

    def open(self, url: str) -> None:
        if self.page is not None:
            self.page.context.close()
        self.errors.clear()
        self.page = self.browser.new_context(viewport={"width": 480, "height": 800}, locale="en", service_workers="block").new_page()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(url, timeout=60000)


def main() -> None:
    control, guest_address, port = sys.argv[1:]
    with sync_playwright() as playwright, socket.socket(socket.AF_UNIX) as listener:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell", headless=True,
            args=["--no-sandbox", f"--host-resolver-rules=MAP {guest_address} 127.0.0.1:{port}, EXCLUDE 127.0.0.1"])
        listener.bind(control)
        listener.listen()
        screen = Screen(browser)
        while True:
            # Each boot of the guest connects once.
            guest, _ = listener.accept()
            with guest, guest.makefile("rw") as lines:
                for line in lines:
                    lines.write(json.dumps(screen.obey(json.loads(line))) + "\n")
                    lines.flush()


main()
