"""A small server that serves the page and plays records to it, for tests of the page alone.

Tests use only `Player`: its address, `send` and `hang`. Another class with these can drive the
same tests against the real server.
"""

import http.server
import json
import pathlib
import queue
import socket
import sys
import threading
import time
import urllib.parse

from services import Services

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "Sources/Page"
LEAFLET = pathlib.Path("/usr/share/javascript/leaflet")
FONTS = {
    "GilliusADF-Regular.otf": "/usr/share/fonts/truetype/adf/GilliusADF-Regular.otf",
    "GilliusADF-Bold.otf": "/usr/share/fonts/truetype/adf/GilliusADF-Bold.otf",
    "numbers.otf": "/usr/share/fonts/truetype/opendin/OSP-DIN.ttf",
}
TYPES = {
    ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript",
    ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json", ".ttf": "font/ttf", ".otf": "font/otf",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'"
)


class Player:
    """Serves the page on a free port of the loopback and plays records as server-sent events."""

    def __init__(self, layout=None):
        self.services = Services(lambda record: self._broadcast("task", {"now": self.now, "records": [record]}))
        if layout:
            for screen in ("small", "phone", "bike", "landscape", "tablet"):
                self.services.store(f"layouts/{screen}", layout)
        self.posts = []
        self.queries = []
        self.snapshot = []
        self.series = {"step_s": 1}
        self.instance = "player-1"
        self.release = "1"
        self.rights = ["view", "ride", "manage"]
        self.is_hanging = False
        self.began = time.monotonic()
        self.connections = set()
        # What the bridge tells a wall that opens, and the readers of walls.
        self.wall_records = []
        self._wall_readers = []
        self._readers = []
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"player": self})
        self._server = _serve_where_the_first_did(handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    @property
    def now(self):
        """The server's clock in seconds."""
        return 81234 + time.monotonic() - self.began

    def send(self, records, event="frame", late=0.0):
        """Plays records to all readers; those that join later get them too."""
        with self._lock:
            self.snapshot += records
        self._broadcast(event, {"now": self.now - late, "records": records})

    def send_wall(self, records):
        """Plays records of other bikes to all walls; those that open later get them too."""
        with self._lock:
            self.wall_records += records
            for reader in self._wall_readers:
                reader.put(("frame", {"now": self.now, "records": records}))

    def _broadcast(self, event, data):
        with self._lock:
            for reader in self._readers:
                reader.put((event, data))

    def write_snapshot(self):
        """What `/api/1/now` answers."""
        with self._lock:
            return {"now": self.now, "records": list(self.snapshot), "series": self.series}

    def skip(self, seconds):
        """Sets the clock forward, as if so many seconds had passed."""
        self.began -= seconds

    def hang(self, hangs=True):
        """Stops sending anything, without closing a connection."""
        self.is_hanging = hangs

    def join(self, is_wall=False):
        """A reader's queue. Records from before are in the snapshot, which the page asks for; a wall begins with them."""
        with self._lock:
            reader = queue.Queue()
            (self._wall_readers if is_wall else self._readers).append(reader)
            if is_wall:
                reader.put(("frame", {"now": self.now, "records": list(self.wall_records)}))
            return reader

    def drop_readers(self):
        """Ends all streams."""
        self._broadcast("end", None)

    @property
    def has_readers(self):
        """Whether a stream is open."""
        with self._lock:
            return bool(self._readers)

    def leave(self, reader):
        """Forgets a reader."""
        with self._lock:
            for readers in (self._readers, self._wall_readers):
                if reader in readers:
                    readers.remove(reader)

    def close(self):
        """Ends the server and its connections."""
        self._server.shutdown()
        self._server.server_close()
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    # Of the first one. Later ones serve there too, if it is free, so that a browser knows the files of the page.
    port = 0

    def handle_error(self, request, client_address):
        """A browser that closes a connection does not fail a test."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def _serve_where_the_first_did(handler):
    try:
        server = _Server(("127.0.0.1", _Server.port), handler)
    except OSError:
        return _Server(("127.0.0.1", 0), handler)
    _Server.port = server.server_port
    return server


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    player = None

    def setup(self):
        super().setup()
        self.player.connections.add(self.connection)

    def finish(self):
        self.player.connections.discard(self.connection)
        try:
            super().finish()
        except OSError:
            pass

    def log_message(self, *_):
        """Keeps the output of tests clean."""

    def do_GET(self):
        path = urllib.parse.urlparse(self.path).path
        if path == "/events":
            if self.player.services.is_paired:
                self._stream()
            else:
                self._answer(401, "text/plain", b"this screen is not paired")
        elif path == "/api/1/now" and self.player.services.is_paired:
            self._answer(200, "application/json", json.dumps(self.player.write_snapshot()).encode())
        elif path.startswith("/fonts/"):
            self._file(pathlib.Path(FONTS.get(path[7:], "/nonexistent")))
        elif path in ("/leaflet/leaflet.esm.min.js", "/leaflet/leaflet.css"):
            self._file(LEAFLET / path.split("/")[2])
        elif path.startswith("/tiles/"):
            self._answer(*self.player.services.tile(*path.split("/")[2:]))
        elif path.startswith("/api/"):
            self._serve()
        elif path == "/" or path.split("/")[1] in ("coach", "pair", "rides", "routes", "settings", "wall", "week"):
            self._file(PAGE / "index.html")
        else:
            name = path.split("/", 3)[3] if path.startswith("/f/") else path[1:]
            file = (PAGE / name).resolve()
            self._file(file if PAGE in file.parents else pathlib.Path("/nonexistent"))

    def do_POST(self):
        self._serve()

    do_PUT = do_PATCH = do_DELETE = do_POST

    def _serve(self):
        address = urllib.parse.urlparse(self.path)
        path = address.path
        length = int(self.headers.get("Content-Length") or 0)
        content = self.rfile.read(length)
        is_file = self.headers.get("Content-Type") == "application/octet-stream"
        body = content if is_file else json.loads(content or b"null")
        if self.command == "POST":
            self.player.posts.append((path, body))
        served = self.player.services.answer(self.command, path, body, self.headers, address.query)
        status, fields, answer = served or (200, {}, {"changed": True})
        if self.command == "GET" and served is None:
            status, answer = 404, "not found"
        is_text = isinstance(answer, str)
        content = answer.encode() if is_text else json.dumps(answer).encode()
        self._answer(status, fields.pop("Content-Type", "text/plain" if is_text else "application/json"), content, fields)

    def _file(self, file):
        if file.is_file():
            self._answer(200, TYPES.get(file.suffix, "application/octet-stream"), file.read_bytes())
        else:
            self._answer(404, "text/plain", b"not found")

    def _answer(self, status, kind, body, fields=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        if status == 200 and self.path.startswith(("/f/", "/fonts/")):
            self.send_header("Cache-Control", "public, max-age=31536000, immutable")
        for name, value in (fields or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.close_connection = True
        player = self.player
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        reader = player.join(is_wall="wall" in query)
        try:
            if not player.is_hanging:
                player.queries.append(query)
                player.services.streams.append(query.get("continues", [f"s{len(player.services.streams) + 1}"])[0])
                self._write("hello", {"stream": player.services.streams[-1], "instance": player.instance, "now": player.now, "hz": 4,
                                      "rights": player.rights, "release": player.release})
            while True:
                try:
                    event, data = reader.get(timeout=1)
                except queue.Empty:
                    event, data = "beat", {"now": player.now}
                if event == "end":
                    break
                if not player.is_hanging:
                    self._write(event, data)
        except OSError:
            pass
        finally:
            player.leave(reader)

    def _write(self, event, data):
        self.wfile.write(f"event: {event}\ndata: {json.dumps(data)}\n\n".encode())
        self.wfile.flush()
