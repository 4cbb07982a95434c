"""Debian's cog, a browser of WPE WebKit, without a screen and driven over WebDriver.

WPEWebDriver starts cog, whose headless window has 800 x 600 pixels. `zoom` makes the page smaller:
500 x 375 with 1.6, 320 x 240 with 2.5.
"""

import base64
import collections
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import tempfile
import time
import zlib

TIMEOUT = 60
COG = ["--automation", "--platform=headless"]


class WebKit:
    """One browser with one page. `close` ends the driver and the browser."""

    def __init__(self, zoom=1):
        self._log = tempfile.TemporaryFile("w+")
        self._session = None
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self._port = probe.getsockname()[1]
        # A group of its own, so that the browser ends with the driver.
        self._driver = subprocess.Popen(["WPEWebDriver", f"--port={self._port}"], stdin=subprocess.DEVNULL, stdout=self._log,
                                        stderr=subprocess.STDOUT, start_new_session=True)
        try:
            self._await_driver()
            options = {"binary": "/usr/bin/cog", "args": [*COG, f"--scale={zoom}"]}
            answer = self._ask("POST", "", {"capabilities": {"alwaysMatch": {"wpe:browserOptions": options}}})
            self._session = answer["sessionId"]
            self.version = answer["capabilities"]["browserVersion"]
        except BaseException:
            self.close()
            raise

    def _await_driver(self):
        end = time.monotonic() + TIMEOUT
        while True:
            try:
                socket.create_connection(("127.0.0.1", self._port), TIMEOUT).close()
                return
            except ConnectionRefusedError:
                assert self._driver.poll() is None and time.monotonic() < end, f"the driver does not listen\n{self.read_log()}"
                time.sleep(0.05)

    def _ask(self, method, path, body=None):
        """The value of an answer. A refusal fails the test."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT)
        try:
            session = f"/{self._session}" if self._session else ""
            connection.request(method, f"/session{session}{path}", None if body is None else json.dumps(body))
            response = connection.getresponse()
            value = json.loads(response.read())["value"]
            assert response.status == 200, (method, path, value, self.read_log())
            return value
        finally:
            connection.close()

    def open(self, url):
        """Opens an address and waits until its files are loaded."""
        self._ask("POST", "/url", {"url": url})

    @property
    def url(self):
        """The address of the page."""
        return self._ask("GET", "/url")

    def run(self, script, *arguments):
        """What a script of the page returns. It is the body of a function."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments):
        """Runs a script until it returns something true, and returns that."""
        end = time.monotonic() + TIMEOUT
        while not (value := self.run(script, *arguments)):
            assert time.monotonic() < end, f"{script} {arguments} is not true on {self.url}: {self.run('return document.body.innerText')}"
            time.sleep(0.05)
        return value

    def wait_for(self, selector):
        """Waits until an element is there."""
        self.wait("return document.querySelector(arguments[0]) !== null", selector)

    def click(self, selector):
        """Clicks an element as a mouse does. The page may replace it between the two requests."""
        end = time.monotonic() + TIMEOUT
        while True:
            try:
                return self._ask("POST", f"/element/{self._find(selector)}/click", {})
            except AssertionError as error:
                if "stale element reference" not in str(error) or time.monotonic() > end:
                    raise

    def take_picture(self, selector):
        """What is painted in the box of an element. The page may replace the element meanwhile."""
        end = time.monotonic() + TIMEOUT
        while True:
            try:
                return Picture(base64.b64decode(self._ask("GET", f"/element/{self._find(selector)}/screenshot")))
            except AssertionError as error:
                if "stale element" not in str(error) or time.monotonic() > end:
                    raise

    def _find(self, selector):
        found = self._ask("POST", "/element", {"using": "css selector", "value": selector})
        return next(iter(found.values()))

    def read_log(self):
        """The end of what driver and browser wrote."""
        self._log.seek(0)
        return self._log.read()[-2000:]

    def close(self):
        """Ends the browser and its driver."""
        try:
            if self._session and self._driver.poll() is None:
                self._ask("DELETE", "")
        finally:
            try:
                os.killpg(self._driver.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
            self._driver.wait()
            self._log.close()


class Picture:
    """The pixels of a PNG with eight bits a channel, as WebKit makes them."""

    def __init__(self, file):
        assert file[:8] == b"\x89PNG\r\n\x1a\n", "this is not a PNG"
        packed, offset = b"", 8
        while offset < len(file):
            length, name = struct.unpack_from(">I4s", file, offset)
            content = file[offset + 8:offset + 8 + length]
            offset += 12 + length
            if name == b"IHDR":
                self.width, self.height, depth, kind = struct.unpack_from(">IIBB", content)
                assert depth == 8 and kind in (2, 6), "this PNG has other channels"
                self.channels = 3 if kind == 2 else 4
            elif name == b"IDAT":
                packed += content
        self.file = file
        self.rows = self._unfilter(zlib.decompress(packed))

    def _unfilter(self, content):
        """The rows without the prediction of each byte from those at the left and above."""
        step, length = self.channels, self.width * self.channels
        rows, above = [], bytearray(length)
        for start in range(0, len(content), length + 1):
            method, row = content[start], bytearray(content[start + 1:start + 1 + length])
            for index in range(length) if method else ():
                left = row[index - step] if index >= step else 0
                corner = above[index - step] if index >= step else 0
                match method:
                    case 1: guess = left
                    case 2: guess = above[index]
                    case 3: guess = (left + above[index]) // 2
                    case _: guess = paeth(left, above[index], corner)
                row[index] = (row[index] + guess) & 255
            rows.append(row)
            above = row
        return rows

    def colors(self):
        """How many pixels have each color: red, green, blue."""
        pixels = (tuple(row[start:start + 3]) for row in self.rows for start in range(0, len(row), self.channels))
        return collections.Counter(pixels)


def paeth(left, up, corner):
    """The neighbour that is nearest to left + up - corner, as PNG defines it."""
    guess = left + up - corner
    return min((left, up, corner), key=lambda each: abs(guess - each))
