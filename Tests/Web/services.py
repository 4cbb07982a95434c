"""What the server of the page answers besides files and records, for tests of the page alone."""

import hashlib
import json
import threading

from logbook import Answer, Logbook

LOGBOOK = ("activities", "import", "routes", "segments", "stats", "fitness", "records")


class Services:
    """Documents with versions, a daemon, a logbook and paired phones, as small as the tests need."""

    def __init__(self, send_task):
        self.send_task = send_task
        self.is_paired = True
        self.documents = {}
        self.phones = []
        self.link = {}
        self.codes = {"11112222": "ride", "ABCDEF": "manage"}
        self.logbook = Logbook()
        self.reports = self.logbook.reports
        self.requests = []
        self.streams = []
        self.rider = {"weight_kg": 72.5, "max_bpm": 185}
        self.ride_settings = {"auto_pause": True, "auto_pause_speed_mps": 1.111111, "auto_pause_delay_s": 3,
                              "lap_distance_m": 0, "overrides": []}
        self.bikes = {"bikes": [{"name": "Gravel", "sensors": ["wheel"], "circumference_mm": 2200}]}
        # What the guide answers to `status`; None while there is no guide.
        self.guide = {"connected": True}
        self.refusals = {}
        self.sensors = {}
        self.found = []
        self.prompt = None
        self.maps = []
        # The addresses that were asked for, and what draws a tile: its bytes, or the status of a refusal.
        self.tiles = []
        self.draw_tile = lambda zoom, column, row: None
        self.answered = threading.Event()

    def answer(self, method, path, body, headers, query=""):
        """Status, fields and JSON of an answer; None if the path is not one of these."""
        parts = path.strip("/").split("/")
        if parts[:2] != ["api", "1"] or len(parts) < 3:
            return None
        is_logbook = parts[2] in LOGBOOK
        handler = getattr(self, f"_{parts[2]}", None)
        if handler is None and not is_logbook:
            return None
        try:
            if not self.is_paired and parts[2] != "pair":
                raise Answer(401, "this screen is not paired")
            if method != "GET" and headers.get("X-Cyclometer") != "1":
                raise Answer(403, "the field X-Cyclometer: 1 is missing")
            if is_logbook:
                return self.logbook.answer(method, parts[2:], query, body, headers)
            return handler(method, parts[3:], body, headers)
        except Answer as answer:
            return answer.status, {"Content-Type": "text/plain; charset=utf-8"}, answer.sentence + "\n"

    # Documents

    def document(self, path):
        """A stored document, or None."""
        return self.documents.get(path)

    def store(self, path, json_value):
        """Stores a document, as if another screen had."""
        self.documents[path] = json_value

    def _tag(self, path):
        value = self.documents.get(path)
        text = "none" if value is None else hashlib.sha256(json.dumps(value).encode()).hexdigest()[:32]
        return f'"{text}"'

    def _document(self, kind, method, parts, body, headers):
        path = f"{kind}/{parts[0]}"
        if method == "GET":
            if path not in self.documents:
                return 404, {"ETag": self._tag(path), "Content-Type": "text/plain; charset=utf-8"}, "never saved\n"
        else:
            if headers.get("If-Match") is None:
                raise Answer(428, "If-Match has to name the version that this change builds on")
            if headers["If-Match"] != self._tag(path):
                raise Answer(412, "it was changed on another screen")
            if path in self.refusals:
                raise Answer(400, self.refusals[path])
            self.documents[path] = body
        return 200, {"ETag": self._tag(path)}, self.documents[path]

    def _layouts(self, *request):
        return self._document("layouts", *request)

    def _settings(self, *request):
        return self._document("settings", *request)

    # Screens

    def _pair(self, _method, _parts, body, _headers):
        if body.get("code") not in self.codes:
            raise Answer(403, "this code is wrong")
        self.is_paired = True
        return 200, {}, {"right": self.codes[body["code"]]}

    def _phones(self, method, parts, body, _headers):
        if method == "POST":
            rows = [format((row * 2654435761) % (1 << 29), "029b") for row in range(1, 30)]
            answer = {"url": "http://192.168.1.5:8081/pair#ABCDEF", "valid_s": 120, "modules": rows, "local": False, **self.link}
            return 200, {}, answer if body["right"] == "manage" else {**answer, "digits": "11112222"}
        if method == "DELETE":
            self.phones = [phone for phone in self.phones if str(phone["id"]) != parts[0]]
        return 200, {}, {"phones": self.phones}

    # Maps

    def _maps(self, *_):
        return 200, {}, {"maps": self.maps}

    def tile(self, name, zoom, column, row):
        """Status, type and bytes of a tile."""
        self.tiles.append((name, int(zoom), int(column), int(row)))
        content = self.draw_tile(int(zoom), int(column), int(row)) if any(name == each["name"] for each in self.maps) else None
        if isinstance(content, int) or content is None:
            return content or 404, "text/plain", b"there is no such tile\n"
        return 200, "image/svg+xml" if content.startswith(b"<svg") else "image/png", content

    # The daemon

    def _daemon(self, _method, _parts, body, headers):
        method, params = body["method"], body.get("params", {})
        self.requests.append((method, params, headers.get("X-Cyclometer-Stream")))
        if method in self.refusals:
            raise Answer(400, self.refusals[method])
        if method in ("scan", "pair", "answer", "cancel") and headers.get("X-Cyclometer-Stream") is None:
            raise Answer(400, "X-Cyclometer-Stream has to name the stream that gets the records")
        if self.streams and headers.get("X-Cyclometer-Stream") not in (None, self.streams[-1]):
            raise Answer(409, "this screen has no open stream with the name in X-Cyclometer-Stream")
        return 200, {}, getattr(self, f"_do_{method}")(**params)

    def _guide(self, method, _parts, body, _headers):
        if self.guide is None:
            raise Answer(503, "no guide listens at /run/cyclometer/guide.sock")
        if method == "GET":
            return 200, {}, self.guide
        params = body.get("params", {})
        self.requests.append((body["method"], params, None))
        if body["method"] in self.refusals:
            raise Answer(400, self.refusals[body["method"]])
        if body["method"] == "coach":
            self.guide["coach"].update(params)
            return 200, {}, self.guide["coach"]
        if body["method"] == "follow":
            found = next(each["route"] for each in self.logbook.routes if each["route"]["id"] == params["route"])
            self.guide["following"] = {"route": found["id"], "name": found["name"]}
        else:
            self.guide.pop("following", None)
        return 200, {}, {}

    def _do_rider(self, **changes):
        self.rider = {key: value for key, value in {**self.rider, **changes}.items() if value not in ("", None)}
        return self.rider

    def _do_ride_settings(self, **changes):
        self.ride_settings.update(changes)
        return self.ride_settings

    def _do_bike(self, name=None, **changes):
        bikes = {bike["name"]: bike for bike in self.bikes["bikes"]}
        if changes.pop("remove", False):
            bikes.pop(name)
        elif name:
            changed = {**bikes.pop(name, {"sensors": []}), "name": changes.pop("rename", name), **changes}
            bikes[changed["name"]] = {key: value for key, value in changed.items() if value not in ("", None)}
        self.bikes = {"bikes": list(bikes.values())}
        return self.bikes

    def _do_scan(self, **_):
        for record in self.found:
            self.send_task({"class": "found", **record})
        return {}

    def _do_pair(self, address):
        if self.prompt:
            self.send_task({"class": "prompt", "prompt": "p1", "ask": self.prompt, "sensor": "new",
                            **({"passkey": "123456"} if self.prompt == "confirm" else {})})
            self.answered.wait(timeout=10)
        return {"id": "new", "name": "New", "address": address, "kinds": [], "plugins": [], "state": "streaming"}

    def _do_answer(self, **_):
        self.answered.set()
        return {}

    def _do_cancel(self):
        return {}

    def _do_set(self, sensor, key, value=None):
        self.sensors[sensor].setdefault("settings", {})[key] = value
        return self.sensors[sensor]

    def _do_rename(self, sensor, name):
        self.sensors[sensor]["name"] = name
        return self.sensors[sensor]

    def _do_command(self, **_):
        return {"result": "success", "offset_raw": 42}

    def _do_disable(self, sensor):
        return {**self.sensors[sensor], "state": "disabled"}

    def _do_enable(self, sensor):
        return {**self.sensors[sensor], "state": "searching"}

    def _do_forget(self, sensor):
        return self.sensors.pop(sensor)
