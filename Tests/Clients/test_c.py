"""Tests of the C client only: its JSON reader, strict compilers, and memory checkers."""
import json
import random
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from fake_server import FakeServer, repository, sample
from probes import STRICT, plain, sanitized

HEADER = repository() / "clients/c/cyclometer.h"


def strict_json(data):
    """Parses JSON as the protocol defines it: UTF-8, no lone surrogates, no extensions of
    Python."""
    def refuse(name):
        raise ValueError(name)
    value = json.loads(data.decode(), parse_constant=refuse, parse_int=float, object_pairs_hook=Members)
    repr_of(value).encode()
    return value


class Members(list):
    """Of an object, with those whose name comes again."""


def repr_of(value):
    return "".join(map(repr_of, value)) if isinstance(value, (list, tuple)) else str(value)


def size(value):
    if isinstance(value, Members):
        return 1 + sum(size(member) for _, member in value)
    return 1 + sum(map(size, value)) if isinstance(value, list) else 1


def expected(data):
    try:
        value = strict_json(data)
    except ValueError:
        return "invalid"
    number = dict(value).get("seq") if isinstance(value, Members) else None
    return size(value), number if isinstance(number, float) and abs(number) < 1.7976931348623157e308 else None


class Reader(unittest.TestCase):
    GOOD = [
        sample(4711).strip(), '{"seq":-0.000001,"rr_ms":[421.875,423.828125],"targets":[{"id":1,"clear":false},{}],"x":null}',
        r'{"a":"\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t","seq":1.5e3,"":[[],[[]]],"é😀":[true]}', '[1,[2,[3]],{"seq":4}]', '"x"', "0",
        '{"seq":9007199254740993}', '{"seq":123456.789012}', '{"seq":1}', ' { "seq" : 1 , "seq" : 2 } ', '{"se\\u0071":7}',
    ]
    BAD = [
        "", " ", "{", "[1,]", '{"a":1,}', "{,}", '{"a"}', "01", "1.", ".5", "+1", "1e", "--1", "tru", "nul", '"\\ud800"',
        '"\\udc00"', '"\\ud800\\u0041"', '"\\x"', '"a', '"\x01"', "{}{}", "{1:2}", "[1 2]", "NaN", "Infinity", "'a'", '"\\u12g4"',
    ]

    def read(self, program, cases):
        lines = "".join(each.hex() + "\n" for each in cases)
        result = subprocess.run([*program, "json"], input=lines, capture_output=True, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.splitlines()

    def compare(self, cases, lines):
        self.assertEqual(len(lines), len(cases))
        for case, line in zip(cases, lines):
            wanted = expected(case)
            if wanted == "invalid" or line == "invalid":
                self.assertEqual(line, wanted, case)
                continue
            count, _, number = line.partition(" ")
            self.assertEqual((int(count), bool(number)), (wanted[0], wanted[1] is not None), case)
            if number:
                self.assertAlmostEqual(float(number), wanted[1], delta=abs(wanted[1]) * 1e-15, msg=case)

    def cases(self, seed, count):
        source = random.Random(seed)
        fixed = [each.encode() for each in self.GOOD + self.BAD]
        fixed += [b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"', b'"\xe2\x82"', b'"\xff"', b'\xef\xbb\xbf{}']
        for each in self.GOOD:
            fixed += [each.encode()[:length] for length in range(len(each.encode()))]
        for _ in range(count):
            bad = bytearray(source.choice(self.GOOD).encode())
            for _ in range(source.randrange(1, 4)):
                bad[source.randrange(len(bad))] = source.choice(b'{}[]",:\\u0123456789.eE+-tfn \x00\x80\xc3\xff')
            fixed.append(bytes(bad))
        return [each for each in fixed if not each.startswith(b"\xef\xbb\xbf")]

    def test_it_agrees_with_another_reader_on_hostile_bytes(self):
        seed = random.randrange(1 << 32)
        print(f"seed {seed}")
        cases = self.cases(seed, 20000)
        self.compare(cases, self.read([sanitized()], cases))

    @unittest.skipUnless(shutil.which("valgrind"), "there is no valgrind")
    def test_valgrind_finds_nothing(self):
        cases = self.cases(1, 200)
        valgrind = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", plain()]
        self.compare(cases, self.read(valgrind, cases))

        def script(peer):
            peer.welcome()
            peer.send(sample(1) + "garbage\n" + sample(5) + sample(6)[:-9])
        with FakeServer(script) as server:
            result = subprocess.run([*valgrind, server.path, "{}", "6", "poll", "status"], capture_output=True, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.splitlines()[:4], ["connected one", "sample 1", "gap heart_rate 3", "sample 5"])

    def test_deep_nesting_is_refused_and_not_followed(self):
        cases = [b"[" * depth + b"]" * depth for depth in (64, 65, 2000)]
        self.assertEqual(self.read([sanitized()], cases), ["64", "invalid", "invalid"])


class Live(unittest.TestCase):
    """The live value of a field."""
    STREAMING = 'A{"sensors":[{"id":"strap","state":"streaming"}]}'

    def expect(self, steps, sensor="strap"):
        lines = [line for line, _ in steps]
        result = subprocess.run([sanitized(), "live", sensor], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(list(zip(lines, result.stdout.splitlines())), steps)

    @staticmethod
    def sample(bpm, age=0, sensor="strap", **members):
        record = {"class": "sample", "sensor": sensor, "kind": "heart_rate", "age_ms": age, "bpm": bpm, **members}
        return "R" + json.dumps({name: value for name, value in record.items() if value is not None})

    def test_a_snapshot_is_current_once_the_state_is_known_and_while_it_is_young(self):
        self.expect([("N", "- disconnected none"), ("C", "- unknown none"), (self.sample(60, 4000), "- unknown"),
                     (self.STREAMING, "60 streaming"), ("+1100", "- streaming"), (self.sample(61, 6000), "- streaming"), ("+5", "- streaming"),
                     (self.sample(62), "62 streaming"), (self.sample(None), "62 streaming"), (self.sample(99, sensor="belt"), "62 streaming"),
                     ('R{"class":"state","sensor":"strap","state":"stale"}', "- stale"), (self.sample(63), "- stale"),
                     ('R{"class":"state","sensor":"strap","state":"streaming"}', "63 streaming"), ("D", "- disconnected"), ("C", "- unknown"), (self.STREAMING, "- unknown"), (self.sample(64, 1000), "- unknown"),
                     (self.STREAMING, "64 streaming"), ('R{"class":"sensor","change":"removed","sensor":{"id":"strap"}}', "- unknown none"),
                     (self.STREAMING, "- unknown none")])

    def test_a_snapshot_of_a_later_subscription_is_not_current_before_the_state_is_known(self):
        self.expect([("C", "- unknown none"), ('R{"class":"state","sensor":"strap","state":"disabled"}', "- unknown none"),
                     ("+50", "- unknown none"), (self.sample(60, 20), "- unknown"), (self.STREAMING, "60 streaming")])

    def test_the_ages_that_the_daemon_sends_count(self):
        def sensors(limits, state="streaming"):
            return "A" + json.dumps({"sensors": [{"id": "strap", "state": state, "kinds": ["heart_rate", "battery"], "stale_after_ms": limits},
                                                 {"id": "wheel", "state": state, "kinds": ["speed"], "stale_after_ms": {"speed": 1}}],
                                     "ride": {"stale_after_ms": {"heart_rate": 500}}})
        self.expect([("C", "- unknown none"), (self.sample(60, 8000), "- unknown"), (sensors({"heart_rate": 2000}), "- streaming"),
                     (sensors({"heart_rate": 9000}), "60 streaming"), (sensors({}), "60 streaming"), ("+1500", "60 streaming"),
                     (sensors({"heart_rate": 9000}), "- streaming"),
                     ('R{"class":"sensor","change":"changed","sensor":{"id":"strap","state":"streaming","kinds":["heart_rate"],'
                      '"stale_after_ms":{"heart_rate":20000}}}', "60 streaming")])
        self.expect([("C", "- unknown none"), (sensors({"heart_rate": 9000}), "- unknown none"),
                     (self.sample(61, 0, "ride", source="strap"), "61 streaming"), ("+600", "- streaming")], "any")

    def test_the_clock_counts_sleep(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "sleep.c"
            # The computer sleeps for an hour: the monotonic clock does not count it.
            source.write_text("""
#define _POSIX_C_SOURCE 200809L
#include <time.h>
static long slept;
static int read_clock(clockid_t clock, struct timespec *now) {
  int result = clock_gettime(clock, now);
  if (clock == CLOCK_BOOTTIME) now->tv_sec += slept;
  return result;
}
#define clock_gettime read_clock
#define CYCLOMETER_IMPLEMENTATION
#include "cyclometer.h"
int main(void) {
  static const char line[] = "{\\"class\\":\\"sample\\",\\"sensor\\":\\"ride\\",\\"kind\\":\\"power\\",\\"age_ms\\":0,\\"power_w\\":213}";
  cyclometer_live live;
  cyclometer_update update;
  double watts;
  cyclometer_live_begin(&live, NULL, "power", "power_w");
  memset(&update, 0, sizeof update);
  update.what = CYCLOMETER_CONNECTED;
  cyclometer_live_update(&live, &update);
  update.what = CYCLOMETER_RECORD;
  update.record = cyclometer_parse(line, strlen(line));
  cyclometer_live_update(&live, &update);
  if (!cyclometer_live_value(&live, &watts, NULL, NULL)) return 1;
  slept = 3600;
  return cyclometer_live_value(&live, &watts, NULL, NULL) ? 2 : 0;
}
""")
            program = Path(folder) / "sleep"
            subprocess.run(["gcc", *STRICT, "-o", program, source], check=True)
            self.assertEqual(subprocess.run([program]).returncode, 0)

    def test_a_ride_is_current_while_its_source_is(self):
        ride = self.sample(70, 100, "ride", source="strap")
        self.expect([("C", "- unknown none"), (ride, "- unknown"), (self.STREAMING, "70 streaming"),
                     ('R{"class":"state","sensor":"strap","state":"stale"}', "- stale"),
                     (self.sample(71, 0, "ride", source="belt"), "71 streaming"), ("D", "- disconnected"), ("C", "- unknown"),
                     (self.sample(72, 100, "ride", source="gps"), "72 streaming"), (ride, "- unknown"), (self.STREAMING, "70 streaming"),
                     ('R{"class":"sensor","change":"removed","sensor":{"id":"strap"}}', "- unknown none"), (self.STREAMING, "- unknown none"),
                     (self.sample(73, 100, "ride"), "73 streaming")], sensor="ride")

    def test_without_a_sensor_the_ride_comes_first_and_then_the_newest(self):
        self.expect([("C", "- unknown none"), ("+5", "- unknown none"), (self.sample(60), "60 streaming"),
                     (self.sample(90, 5000, "belt"), "60 streaming"), (self.sample(61, 0, "belt"), "61 streaming"),
                     (self.sample(62, 0, "ride", source="strap"), "62 streaming")], sensor="any")


class Example(unittest.TestCase):
    def test_it_survives_a_closed_standard_input_and_shows_dashes(self):
        def script(peer):
            peer.welcome()
            peer.send(sample(1).replace("142", "140") + sample(2).replace("}", ',"source":"strap"}') + sample(3).replace('"bpm"', '"x"'))
            peer.send(json.dumps({"class": "state", "sensor": "strap", "state": "stale"}) + "\n")
            time.sleep(2.3)
            peer.send(sample(4))
            peer.wait_until_it_leaves()
        with tempfile.TemporaryDirectory() as folder, FakeServer(script) as server:
            example = Path(folder) / "example"
            subprocess.run(["gcc", *STRICT, "-o", example, repository() / "clients/c/example.c"], check=True)
            result = subprocess.run([example, server.path, "2"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
        self.assertEqual(result.stdout.splitlines(), [
            "connected", "strap: 140 bpm, intervals -", "strap is stale", "now: - bpm (stale)", "strap: 142 bpm, intervals -"])


class Building(unittest.TestCase):
    """Compiles the header alone and with the implementation, as C and C++, and the example as its
    comment shows."""

    def build(self, *command, text='#include "cyclometer.h"\n'):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "source.c"
            source.write_text(text)
            options = [each for each in STRICT if not each.startswith("-std")]
            subprocess.run([*command, *options, "-c", "-o", Path(folder) / "out.o", source], check=True)

    def test_every_dialect(self):
        implementation = '#define CYCLOMETER_IMPLEMENTATION\n#include "cyclometer.h"\n'
        for command in (["gcc", "-std=c99"], ["gcc", "-std=gnu17"], ["g++", "-x", "c++", "-std=c++11"], ["g++", "-x", "c++", "-std=c++20"]):
            with self.subTest(" ".join(command)):
                self.build(*command)
                self.build(*command, text=implementation)

    def test_two_files_of_a_program_may_include_it(self):
        with tempfile.TemporaryDirectory() as folder:
            one, two = Path(folder) / "one.c", Path(folder) / "two.c"
            one.write_text('#define CYCLOMETER_IMPLEMENTATION\n#include "cyclometer.h"\n#include "cyclometer.h"\n')
            two.write_text('#include "cyclometer.h"\nint main(void) { cyclometer_close(cyclometer_open("/x", "{}")); return 0; }\n')
            subprocess.run(["gcc", *STRICT, "-o", Path(folder) / "program", one, two], check=True)
            subprocess.run([Path(folder) / "program"], check=True)


if __name__ == "__main__":
    unittest.main()
