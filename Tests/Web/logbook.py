"""The logbook as the server of the page answers for it, in memory, for tests of the page alone."""

import json
import threading
import urllib.parse

LIMIT = 50
# The statistics of a logbook without an activity.
NO_STREAK = {"current": 0, "longest": 0}
EMPTY = {"stats": {"rows": []}, "fitness": {"rows": [], "activities": 0, "without_load": 0},
         "records": {"sports": [], "streaks": {"days": NO_STREAK, "weeks": NO_STREAK}}}


class Answer(Exception):
    """Ends a request with a status and a sentence."""

    def __init__(self, status, sentence):
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


class Logbook:
    """Activities with versions. What was deleted, joined or split is not computed as the recorder does."""

    def __init__(self):
        self.is_present = True
        self.activities = []
        self.deleted = []
        self.tracks = {}
        # Segments, and their efforts by their ids.
        self.segments = []
        self.efforts = {}
        # Documents of routes, the newest first.
        self.routes = []
        # The answers about an activity, by its id: `show`, `laps`, `series` and `track`, or an `Answer`.
        self.reports = {}
        # Answers of `import`, by the name of the file: a dictionary, or a sentence that refuses it.
        self.imports = {}
        # What answers a query of `stats`, `fitness` and `records`, as training.py has it; without, the logbook is empty.
        self.statistics = {}
        # Sentences that refuse a request, by its word: crop, edit, restore and so on.
        self.refusals = {}
        # Method, path, query and body of each request.
        self.requests = []
        # Requests for tracks wait until it is set.
        self.tracks_may_go = threading.Event()
        self.tracks_may_go.set()

    def answer(self, method, parts, query, body, headers):
        """Status, fields and JSON of an answer."""
        query = dict(urllib.parse.parse_qsl(query))
        self.requests.append((method, "/".join(parts), query, body))
        if not self.is_present:
            raise Answer(503, "no recorder answers")
        if parts[0] == "import":
            return 200, {}, self._import(query["name"])
        if parts[0] in EMPTY:
            if parts[0] in self.refusals:
                raise Answer(400, self.refusals[parts[0]])
            return 200, {}, self.statistics.get(parts[0], lambda _: EMPTY[parts[0]])(query)
        if parts[0] == "segments":
            return 200, {}, self._answer_segment(method, parts[1:], query, body)
        if parts[0] == "routes":
            return 200, {}, self._answer_route(method, parts[1:], query, body)
        if len(parts) == 1:
            return 200, {}, self._list(query) if method == "GET" else self._add(body)
        if method == "GET" and parts[1] in self.reports:
            return 200, {}, self._report(*parts[1:])
        if method == "GET" and parts[2:] == ["track"]:
            self.tracks_may_go.wait(timeout=10)
            found = self.tracks.get(int(parts[1]), {"id": int(parts[1]), "pieces": []})
            if isinstance(found, Answer):
                raise found
            return 200, {}, found
        found = self.find(int(parts[1]))
        if found is None or parts[2:] not in ([], ["crop"], ["split"], ["join"], ["revert"], ["restore"]):
            raise Answer(404, "there is no such activity")
        if method == "GET":
            return 200, {"ETag": f'"{found["version"]}"'}, found
        return self._change(method, found, parts[2] if len(parts) > 2 else "", body, headers)

    def _answer_segment(self, method, parts, query, body):
        """The list of segments, or what is asked of one."""
        if "segments" in self.refusals:
            raise Answer(400, self.refusals["segments"])
        if not parts and method == "GET":
            return {"segments": [self._list_segment(each, int(query.get("activity", 0))) for each in self.segments]}
        if not parts:
            seconds = body["to_s"] - body["from_s"]
            made = {"id": len(self.segments) + 1, "name": body["name"], "distance_m": 5.0 * seconds, "efforts": 1, "best_time_s": seconds}
            self.segments.insert(0, made)
            self.efforts[made["id"]] = [{"segment": made["id"], "activity": body["activity"], "start_s": body["from_s"], "time_s": seconds}]
            return made
        found = next((each for each in self.segments if str(each["id"]) == parts[0]), None)
        if found is None:
            raise Answer(404, "there is no such segment")
        if method == "PATCH":
            found["name"] = body["name"]
            return found
        if method == "DELETE":
            self.segments.remove(found)
            return {}
        if "efforts" in self.refusals:
            raise Answer(400, self.refusals["efforts"])
        return {"efforts": self.efforts[found["id"]]}

    def _list_segment(self, segment, activity):
        """A segment with the shortest time in an activity."""
        times = [each["time_s"] for each in self.efforts.get(segment["id"], []) if each["activity"] == activity]
        return {**segment, "activity_time_s": min(times)} if times else segment

    def _answer_route(self, method, parts, query, body):
        """The list of routes, or what is asked of one."""
        if "routes" in self.refusals:
            raise Answer(400, self.refusals["routes"])
        if not parts and method == "GET":
            return self._list_routes(query)
        if not parts:
            return self._add_route(body)
        found = next((each for each in self.routes if str(each["route"]["id"]) == parts[0]), None)
        if found is None:
            raise Answer(404, "there is no such route")
        if method == "PATCH":
            found["route"]["name"] = body["name"]
            return found["route"]
        if method == "DELETE":
            self.routes.remove(found)
            return {}
        most = int(query.get("points", len(found["points"])))
        stride = max(1, (len(found["points"]) - 2) // (most - 1) + 1)
        last = len(found["points"]) - 1
        return {**found, "points": [each for number, each in enumerate(found["points"]) if number % stride == 0 or number == last]}

    def _list_routes(self, query):
        found = [each["route"] for each in self.routes if query.get("text", "").lower() in each["route"]["name"].lower()]
        if "before" in query:
            found = [each for each in found if each["id"] < int(query["before"])]
        limit = int(query.get("limit", LIMIT))
        page = {"routes": found[:limit]}
        return {**page, "more": True} if len(found) > limit else page

    def _add_route(self, body):
        points = [{"latitude_deg": latitude, "longitude_deg": longitude, "distance_m": 100.0 * number}
                  for number, (latitude, longitude) in enumerate(zip(body["latitude_deg"], body["longitude_deg"]))]
        route = {"id": max((each["route"]["id"] for each in self.routes), default=0) + 1, "name": body["name"],
                 "distance_m": points[-1]["distance_m"], "points": len(points), "cues": 0}
        self.routes.insert(0, {"route": route, "points": points})
        return route

    def _report(self, activity, part="show"):
        answer = self.reports[activity].get(part)
        if isinstance(answer, Answer):
            raise answer
        if answer is None:
            raise Answer(404, "the logbook has no such part of activities")
        return answer

    def find(self, number):
        """The activity of this id, also if it was deleted."""
        return next((each for each in self.activities + self.deleted if each["id"] == number), None)

    def asked(self, word):
        """The bodies of all requests whose path ends like this."""
        return [body for _, path, _, body in self.requests if path.endswith(word)]

    def _list(self, query):
        if "list" in self.refusals:
            raise Answer(400, self.refusals["list"])
        found = self.deleted if query.get("deleted") == "true" else self.activities
        text, sport = query.get("text", "").lower(), query.get("sport")
        found = [each for each in found if sport in (None, each.get("sport"))
                 and text in f'{each.get("name", "")}\n{each.get("note", "")}'.lower()]
        ids = [each["id"] for each in found]
        begin = ids.index(int(query["before"])) + 1 if "before" in query else 0
        limit = int(query.get("limit", LIMIT))
        page = {"activities": found[begin:begin + limit]}
        return {**page, "more": True} if len(found) > begin + limit else page

    def _add(self, body):
        if "add" in self.refusals:
            raise Answer(400, self.refusals["add"])
        made = {"id": max([each["id"] for each in self.activities + self.deleted], default=0) + 1, "version": 1,
                "state": "complete", "source": "hand", **body}
        self.activities.insert(0, made)
        return made

    def _import(self, name):
        answer = self.imports.get(name, {"added": []})
        if isinstance(answer, str):
            raise Answer(400, answer)
        return answer

    def _change(self, method, found, word, body, headers):
        word = word or {"PATCH": "edit", "DELETE": "delete"}[method]
        if word in self.refusals:
            raise Answer(400, self.refusals[word])
        if word not in ("join", "restore"):
            if headers.get("If-Match") is None:
                raise Answer(428, "If-Match has to name the version that this change builds on")
            if headers["If-Match"] != f'"{found["version"]}"':
                raise Answer(412, f'activity {found["id"]} has changed: it has the version {found["version"]}')
        changed = {**found, "version": found["version"] + 1}
        if word == "edit":
            changed = {key: value for key, value in {**changed, **body}.items() if value != ""}
        elif word in ("crop", "join", "split"):
            changed["edited"] = True
        elif word == "revert":
            changed.pop("edited", None)
        elif word == "delete":
            changed["deleted"] = "2026-05-04T08:00:00.000Z"
        elif word == "restore":
            changed.pop("deleted", None)
        for each in (self.activities, self.deleted):
            each[:] = [changed if other["id"] == changed["id"] else other for other in each]
        if word == "delete":
            self.activities.remove(changed)
            self.deleted.insert(0, changed)
        elif word == "restore":
            self.deleted.remove(changed)
            self.activities.insert(0, changed)
        if word == "split":
            rest = {**changed, "id": changed["id"] + 1000, "version": 1}
            self.activities.insert(0, rest)
            return 200, {}, {"activities": [changed, rest]}
        return 200, {"ETag": f'"{changed["version"]}"'}, json.loads(json.dumps(changed))
