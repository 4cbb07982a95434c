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
        if parts[0] == "routes":
            return 200, {}, {"routes": []}
        if len(parts) == 1:
            return 200, {}, self._list(query) if method == "GET" else self._add(body)
        if method == "GET" and parts[1] in self.reports:
            return 200, {}, self._report(*parts[1:])
        if method == "GET" and parts[2:] == ["track"]:
            self.tracks_may_go.wait(timeout=10)
            return 200, {}, self.tracks.get(int(parts[1]), {"id": int(parts[1]), "pieces": []})
        found = self.find(int(parts[1]))
        if found is None or parts[2:] not in ([], ["crop"], ["split"], ["join"], ["revert"], ["restore"]):
            raise Answer(404, "there is no such activity")
        if method == "GET":
            return 200, {"ETag": f'"{found["version"]}"'}, found
        return self._change(method, found, parts[2] if len(parts) > 2 else "", body, headers)

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
