"""The dashboard on the computer's own screen: show-dashboard with a real link, in the compositor cage on
a virtual screen, painted by Chromium.
"""

import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

from stack import BUILD, ROOT, TIMEOUT, Stack

USER = 65534
SHOW = ROOT / "systemd/kiosk/show-dashboard"
# The size of the window in which cage shows its screen.
SIZE = (1024, 768)
# The text on its card, the card, and the page around it: the dashboard in the light scheme.
COLORS = [(0, 0, 0), (0xF5, 0xF5, 0xF5), (0xFF, 0xFF, 0xFF)]


class Screen:
    """A virtual screen, whose pixels are in a file."""

    def __init__(self, folder):
        self._file = folder / "Xvfb_screen0"
        read, write = os.pipe()
        # Xvfb chooses a free display and writes its number.
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", "-nolisten", "tcp", "-ac", "-fbdir", folder],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[write])
        os.close(write)
        with os.fdopen(read) as numbers:
            self.name = f":{numbers.readline().strip()}"

    def colors(self):
        """How many pixels have each color: red, green, blue."""
        content = self._file.read_bytes()
        # The format of xwd: 25 numbers, the name, the table of colors, the rows.
        head = struct.unpack(">25I", content[:100])
        size, width, height, row, table = head[0], head[4], head[5], head[12], head[19]
        counts = {}
        for y in range(height):
            start = size + table * 12 + y * row
            for pixel in memoryview(content[start:start + width * 4]).cast("I"):
                counts[pixel] = counts.get(pixel, 0) + 1
        return {(pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255): count for pixel, count in counts.items()}

    def close(self):
        """Ends the screen."""
        self._server.terminate()
        self._server.wait()


class KioskTests(unittest.TestCase):
    """As cyclometer-kiosk.service starts it, but for the screen."""

    def test_the_dashboard_is_painted_on_the_whole_screen(self):
        stack = Stack(scene="bike")
        self.addCleanup(stack.close)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="kiosk-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        screen = Screen(folder)
        self.addCleanup(screen.close)
        home = folder / "home"
        home.mkdir(mode=0o700)
        page = home / "start.html"
        subprocess.run([BUILD / "cyclo", "web", "link", "--name", "kiosk", "--right", "manage", "--page", page], check=True,
                       capture_output=True, env=os.environ | {"CYCLOMETER_SOCKET": str(stack.run / "control.sock")})
        self.assertEqual(page.stat().st_mode & 0o777, 0o600)

        browser = self.show(page, home, screen)
        try:
            end = time.monotonic() + TIMEOUT
            while stack.ask_web("status")["readers"] == 0 or not self.is_painted(screen):
                self.assertIsNone(browser.poll(), "the browser ended")
                self.assertLess(time.monotonic(), end, f"{stack.ask_web('status')} {screen.colors()}")
                time.sleep(0.5)
            phones = [(each["name"], each["right"]) for each in stack.ask_web("phones")["phones"]]
            self.assertEqual(phones, [("kiosk", "manage")])
        finally:
            os.killpg(browser.pid, signal.SIGKILL)
            browser.wait()

    def show(self, page, home, screen):
        """Starts show-dashboard. Chromium refuses to run as root, and so does the kiosk."""
        environment = {
            "PATH": os.environ["PATH"], "HOME": home, "STATE_DIRECTORY": home, "XDG_RUNTIME_DIR": home, "DISPLAY": screen.name,
            "WLR_BACKENDS": "x11", "WLR_RENDERER": "pixman", "CYCLOMETER_BROWSER": "chromium"}
        user = []
        if os.geteuid() == 0:
            page.parent.parent.chmod(0o711)
            subprocess.run(["chown", "-R", str(USER), home], check=True)
            user = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        return subprocess.Popen([*user, SHOW, page], env={name: str(value) for name, value in environment.items()},
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def is_painted(self, screen):
        """Whether the dashboard's colors have their share of the screen, which is black without it."""
        counts = screen.colors()
        text, card, page = (counts.get(color, 0) for color in COLORS)
        pixels = SIZE[0] * SIZE[1]
        return card > pixels / 5 and page > pixels / 10 and 2000 < text < pixels / 5


if __name__ == "__main__":
    unittest.main()
