"""The dashboard over TLS: haproxy and nginx with the files of Config/front, before the real server."""

import base64
import hashlib
import json
import pathlib
import subprocess
import tempfile
import textwrap
import unittest

from playwright.sync_api import sync_playwright

from fronts import NAME, Front
from sensors import Sensors
from stack import ROOT, Stack

WRITES = ["--header", f"Origin: https://{NAME}", "--header", "X-Cyclometer: 1", "--json"]
FILES = {"haproxy": "haproxy.cfg", "nginx": "nginx.conf"}


class FrontCase:
    """What holds with each server in front."""

    name = ""

    @classmethod
    def setUpClass(cls):
        cls.stack = Stack()
        cls.addClassCleanup(cls.stack.close)
        (cls.stack.folder / "web.conf").write_text(f"[Web]\nName={NAME}\n")
        cls.stack.end("web")
        cls.stack.start("web")
        cls.sensors = Sensors(cls.stack)
        cls.addClassCleanup(cls.sensors.close)
        cls.front = Front(cls.name, cls.stack)
        cls.addClassCleanup(cls.front.close)

    def post(self, path, body, *options):
        """A request that writes, as the page sends it."""
        return self.front.ask(path, *WRITES, json.dumps(body), *options)

    def pair(self, right="ride"):
        """Lets a screen in, and returns the field of its cookie."""
        code = self.stack.ask_web("link", right=right)["url"].partition("#")[2]
        status, fields, text = self.post("/api/1/pair", {"code": code})
        self.assertEqual(status, 200, text)
        return fields["set-cookie"]

    def token(self, right="ride"):
        """Options of curl that send the cookie of a screen."""
        return ["--cookie", self.pair(right).partition(";")[0]]

    def test_the_page_and_its_files_are_served(self):
        status, fields, text = self.front.ask("/")
        self.assertEqual(status, 200)
        self.assertIn("default-src 'none'", fields["content-security-policy"])
        script = text.partition('src="')[2].partition('"')[0]
        self.assertEqual(self.front.ask(script)[0], 200)

    def test_the_cookie_is_only_for_encrypted_requests(self):
        attributes = {each.strip() for each in self.pair().split(";")[1:]}
        self.assertLessEqual({"Secure", "HttpOnly", "SameSite=Strict", "Path=/"}, attributes)

    def test_a_screen_may_what_its_right_allows(self):
        ride, manage = self.token("ride"), self.token("manage")
        self.assertEqual(self.post("/api/1/ride", {"action": "lap"}, *ride)[0], 200)
        task = {"method": "rider", "params": {}}
        self.assertEqual(self.post("/api/1/daemon", task, *ride)[0], 403)
        self.assertEqual(self.post("/api/1/daemon", task, *manage)[0], 200)

    def test_without_a_token_nothing_is_told(self):
        for path in ("/events", "/api/1/now", "/api/1/activities", "/api/1/layouts/bike"):
            with self.subTest(path=path):
                self.assertEqual(self.front.ask(path)[0], 401)
        self.assertEqual(self.post("/api/1/ride", {"action": "lap"})[0], 401)

    def test_other_hosts_and_origins_are_refused(self):
        token = self.token()
        self.assertEqual(self.front.ask("/", "--insecure", name="other.example")[0], 421)
        self.assertEqual(self.front.ask("/", "--header", "Host: localhost")[0], 421)
        for origin in (f"http://{NAME}", "https://other.example", "null"):
            with self.subTest(origin=origin):
                options = ["--header", f"Origin: {origin}", "--header", "X-Cyclometer: 1", "--json", '{"action":"lap"}']
                self.assertEqual(self.front.ask("/api/1/ride", *options, *token)[0], 403)

    def test_fields_about_the_client_are_not_believed(self):
        claims = ["--header", "X-Forwarded-For: 127.0.0.1", "--header", "X-Forwarded-Host: localhost", "--header", "Forwarded: for=127.0.0.1;proto=http"]
        self.assertEqual(self.front.ask("/api/1/now", *claims)[0], 401)
        status, fields, _ = self.front.ask("/api/1/now", *claims, *self.token())
        self.assertEqual(status, 200, fields)

    def test_messages_of_the_stream_arrive_as_they_are_sent(self):
        # The next value is sent only when the last one has arrived, so a front that waits for more stops
        # the test.
        reader = subprocess.Popen(self.front.curl("/events?hz=4&kinds=heart_rate", "--no-buffer", *self.token()),
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        try:
            for bpm in (101, 122, 143, 164, 185):
                self.sensors.bpm = bpm
                self.assertTrue(self.arrives(reader, bpm), f"{bpm} bpm did not arrive")
        finally:
            reader.terminate()
            reader.wait()
            reader.stdout.close()

    def arrives(self, reader, bpm):
        """Reads the stream until it has this heart rate. curl ends after its limit."""
        return any(f'"bpm":{bpm}' in line for line in reader.stdout)

    def test_a_browser_shows_values_and_keeps_the_page_for_later(self):
        certificate = subprocess.run(["openssl", "x509", "-in", self.front.certificate, "-pubkey", "-noout"], check=True, capture_output=True).stdout
        key = subprocess.run(["openssl", "pkey", "-pubin", "-outform", "der"], input=certificate, check=True, capture_output=True).stdout
        pin = base64.b64encode(hashlib.sha256(key).digest()).decode()
        with tempfile.TemporaryDirectory(prefix="browser-") as folder, sync_playwright() as playwright:
            program = pathlib.Path(folder) / "chromium"
            program.write_text("#!/bin/sh\nexec " + " ".join(self.front.command("chromium")) + ' "$@"\n')
            program.chmod(0o755)
            context = playwright.chromium.launch_persistent_context(
                pathlib.Path(folder) / "profile", executable_path=program, headless=True,
                args=["--no-sandbox", f"--host-resolver-rules=MAP {NAME} 127.0.0.1", f"--ignore-certificate-errors-spki-list={pin}"])
            try:
                page = context.new_page()
                errors = []
                page.on("pageerror", lambda error: errors.append(str(error)))
                code = self.stack.ask_web("link", right="ride")["url"].partition("#")[2]
                page.goto(f"https://{NAME}/pair#{code}")
                page.wait_for_selector('[data-id="heart_rate"][data-state="live"]')
                self.assertTrue(page.evaluate("isSecureContext"))
                page.evaluate("navigator.serviceWorker.ready.then(() => true)")
                cookies = {each["name"]: each for each in context.cookies()}
                self.assertTrue(cookies["cyclometer"]["secure"] and cookies["cyclometer"]["httpOnly"])
                self.assertEqual(errors, [])
            finally:
                context.close()

    def test_the_manual_shows_the_file(self):
        text = (ROOT / "Config/front" / FILES[self.name]).read_text()
        self.assertIn(textwrap.indent(text, "    "), (ROOT / "docs/dashboard.md").read_text())


class HaproxyTests(FrontCase, unittest.TestCase):
    """Debian's haproxy."""

    name = "haproxy"


class NginxTests(FrontCase, unittest.TestCase):
    """Debian's nginx."""

    name = "nginx"


if __name__ == "__main__":
    unittest.main()
