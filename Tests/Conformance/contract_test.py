#!/usr/bin/python3
"""Tests that contract.py accepts valid lines and refuses invalid ones, because a check that passes
everything would go unnoticed."""
import json
import sys
import unittest

sys.dont_write_bytecode = True
from contract import Contract, Problem, load  # noqa: E402

SAMPLE = '{"class":"sample","sensor":"a","kind":"heart_rate","seq":1,"t":1.5,"age_ms":0,'
SENSOR = '"id":"a","name":"A","address":"C0:FF:EE:00:00:01","plugins":[],"kinds":[]'
GOOD = [
    SAMPLE + '"bpm":72,"rr_ms":[421.875]}', SAMPLE + '"rr_ms":[421.875]}', '{"class":"lag","dropped":1}', '{"class":"scan_ended"}',
    '{"class":"reply","id":1e2,"result":{}}', '{"class":"reply","id":"x","result":{"anything":[1]}}',
    '{"class":"error","code":"bad_json","message":"no"}', '{"class":"sensor","change":"added","sensor":{' + SENSOR + '}}',
    # A kind specific to one sensor.
    '{"class":"sample","sensor":"a","kind":"weight","seq":1,"t":1,"age_ms":0,"weight_kg":70.5,"features":["a"],"parts":[{"id":1}]}',
]
BAD = [
    SAMPLE[:-1] + "}", SAMPLE + '"bpm":72.5}', SAMPLE + '"bpm":72.0}', SAMPLE + '"bpm":7e1}', SAMPLE + '"bpm":null}',
    SAMPLE + '"bpm":70,"bpm":71}', SAMPLE + '"bpm":70,"rr_ms":[1.1234567]}', SAMPLE + '"bpm":70,"rr_ms":[1.10]}',
    SAMPLE + '"bpm":70,"sensor_contact":"maybe"}', SAMPLE + '"bpm":70,"power_w":1}', SAMPLE + '"bpm":-0}',
    '{"class":"sample","sensor":"a","kind":"weight","seq":1,"t":1,"age_ms":0,"parts":{"id":1}}',
    '{"class":"fly"}', '{"x":1}', "[]", "7", "", "{", '{"class":"lag"}', '{"class":"lag","dropped":0}',
    '{"class":"lag","dropped":1,"x":1}', '{"class":"lag","dropped":' + "1" * 70_000 + "}",
    '{"class":"state","sensor":"a","state":"sleeping"}', '{"class":"state","sensor":"A","state":"stale"}',
    '{"class":"state","sensor":"a","state":"stale","reason":"bored"}', '{"class":"error","code":"x","message":"y"}',
    '{"class":"error","id":null,"code":"busy","message":"y"}', '{"class":"reply","id":[1],"result":{}}',
    '{"class":"state","sensor":"a","state":"stale","since":"2026-11-21 09:15:02"}',
    '{"class":"sensor","change":"added","sensor":{' + SENSOR + ',"shoe":1}}',
    '{"class":"sensor","change":"added","sensor":{"id":"a"}}',
    '{"class":"hello","protocol":"1.0","release":"1","instance":"x","limits":{"line":65536,"clients":256,"doors":2}}',
    '{"class":"reply","id":1,"result":{"records":[' + SAMPLE + '"bpm":"fast"}]}}',
]
REQUESTS = {
    '{"id":1,"method":"ping"}': True, '{"id":1,"method":"ping","params":null}': True, '{"id":1,"method":"fly"}': False,
    '{"id":1,"method":"subscribe","params":{"kinds":null,"max_hz":4}}': True, '{"method":"ping"}': False,
    '{"id":1,"method":"subscribe","params":{"max_hz":0}}': False, '{"id":1,"method":"pair"}': False,
    '{"id":1,"method":"pair","params":{"address":"strap"}}': False, '{"id":1,"method":"poll","params":{"shiny":1}}': False,
}


class ContractTest(unittest.TestCase):
    def setUp(self):
        self.contract = Contract(strict=True)

    def test_good_lines_pass(self):
        for line in GOOD:
            with self.subTest(line):
                self.contract.check_record(load(line.encode()))

    def test_bad_lines_are_refused(self):
        for line in BAD:
            with self.subTest(line[:300]), self.assertRaises((Problem, ValueError)):
                self.contract.check_record(load(line.encode()))

    def test_requests(self):
        for line, is_good in REQUESTS.items():
            with self.subTest(line):
                if is_good:
                    self.contract.check_request(json.loads(line))
                else:
                    with self.assertRaises(Problem):
                        self.contract.check_request(json.loads(line))

    def test_results_are_those_of_the_method(self):
        self.contract.check({"sensors": [], "ride": {"stale_after_ms": {}}}, "result", "sensors")
        for method, result in [("sensors", {}), ("ping", {"sensors": []}), ("poll", {}), ("pair", {}), ("fly", {})]:
            with self.subTest(method), self.assertRaises(Problem):
                self.contract.check(result, "result", method)

    def test_clients_ignore_what_they_do_not_know(self):
        lenient = Contract(strict=False)
        lenient.check({"class": "lag", "dropped": 1, "later": {}}, "record")
        lenient.check({"class": "novel", "x": 1}, "record")
        lenient.check({"id": 1, "method": "poll", "params": {"shiny": 1}}, "request")


if __name__ == "__main__":
    unittest.main()
