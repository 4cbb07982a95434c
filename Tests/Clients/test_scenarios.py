"""Runs every client against servers that misbehave."""
import random
import subprocess
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from fake_server import FakeServer, hello, sample
from probes import CLIENTS, build, command, run

LOST = "disconnected the daemon closed the connection"


def setUpModule():
    build()


class Scenarios(unittest.TestCase):
    maxDiff = None

    def with_each(self, scripts, use, check):
        """All clients at once, each with its own server, because they mostly wait between
        attempts."""
        def alone(client):
            with FakeServer(*scripts()) as server:
                return use(client, server.path)
        with ThreadPoolExecutor(len(CLIENTS)) as pool:
            for client, result in [(client, pool.submit(alone, client)) for client in CLIENTS]:
                with self.subTest(client):
                    check(client, result.result())

    def expect(self, updates, *scripts, subscription="{}"):
        self.with_each(lambda: scripts, lambda client, path: run(client, path, len(updates), subscription),
                       lambda client, lines: self.assertEqual(lines, updates))

    def test_holes_in_the_numbers_are_told_for_each_sensor_and_kind(self):
        def script(peer):
            peer.welcome()
            for number in 7, 8, 11:
                peer.send(sample(number))
            peer.send(sample(3, "battery") + sample(12) + sample(5, "battery"))
            peer.send('{"class":"lag","dropped":37}\n' + sample(2) + sample(3))
            peer.wait_until_it_leaves()
        self.expect(["connected one", "sample 7", "sample 8", "gap heart_rate 2", "sample 11", "sample 3", "sample 12",
                     "gap battery 1", "sample 5", "lag 37", "sample 2", "sample 3"], script)

    def test_with_a_limit_of_samples_holes_are_no_loss(self):
        def script(peer):
            if peer.welcome()["params"] == {"max_hz": 4}:
                peer.send(sample(1) + sample(9))
            peer.wait_until_it_leaves()
        self.expect(["connected one", "sample 1", "sample 9"], script, subscription='{"max_hz":4}')

    def test_they_come_back_with_the_same_subscription_and_tell_what_was_lost(self):
        def script(instance, number):
            def follow(peer):
                if peer.welcome(instance)["params"] == {"kinds": ["heart_rate"], "events": False}:
                    peer.send(sample(number))
            return follow
        self.expect(["connected one", "sample 5", LOST, "connected one", "gap heart_rate 3", "sample 9", LOST,
                     "connected two new", "sample 4"],
                    script("one", 5), script("one", 9), script("two", 4),
                    subscription='{"kinds":["heart_rate"],"events":false}')

    def test_garbage_is_passed_over_and_what_later_daemons_say_handed_on(self):
        def script(peer):
            peer.welcome()
            peer.send(b"not JSON\n\n[1]\n\"x\"\n{\"class\":NaN}\n\x00\x01\n\xff\xfe{}\n{\"x\":\"\\ud800\n" + b"[" * 5000 + b"\n")
            peer.send(b"{\x00}\x00\n{}\r\n{\"class\":\"of_tomorrow\",\"x\":{\"y\":[1,null]}}\n" + sample(1).encode())
            peer.send('{"class":"sample","sensor":7,"kind":[],"seq":"x"}\n{"class":"reply","id":77}\n' + sample(2))
            peer.wait_until_it_leaves()
        self.expect(["connected one", " ", "of_tomorrow ", "sample 1", "sample x", "sample 2"], script)

    def test_half_a_line_is_no_record_and_a_line_may_come_byte_by_byte(self):
        def half(peer):
            peer.welcome()
            peer.send(sample(1)[:-20])

        def bytewise(peer):
            for byte in hello():
                peer.send(byte)
            peer.reply(peer.request())
            for byte in sample(2):
                peer.send(byte)
            peer.wait_until_it_leaves()
        self.expect(["connected one", LOST, "connected one", "sample 2"], half, bytewise)

    def test_a_line_of_the_limit_is_taken_and_a_longer_one_ends_the_connection(self):
        frame = '{"class":"big","x":""}'
        longest = frame[:-2] + "x" * (65536 - len(frame)) + '"}'

        def script(peer):
            peer.welcome()
            peer.send(f"{longest}\r\n{longest}\nx{longest}\n{longest}\n")

        def next_script(peer):
            peer.welcome()
            peer.send(sample(2))
            peer.wait_until_it_leaves()
        self.expect(["connected one", "big ", "big ", "disconnected the daemon sent a longer line than the protocol allows",
                     "connected one", "sample 2"], script, next_script)

    def test_what_trying_again_does_not_mend_ends_them(self):
        def refuse(peer):
            peer.send(hello())
            peer.refuse(peer.request(), "no_such_kind")
        self.expect(["failed it is no_such_kind"], refuse)
        self.expect(["failed the program at this socket is not cyclometerd"], lambda peer: peer.send('{"class":"VERSION"}\n'))
        self.with_each(lambda: [lambda peer: peer.send(hello(version="2.0"))], lambda client, path: run(client, path, 1),
                       lambda client, lines: self.assertRegex(lines[0], "^failed the daemon speaks .*version"))

    def test_a_full_daemon_is_waited_for_without_hurry(self):
        def scripts():
            attempts = []

            def full(peer):
                attempts.append(time.monotonic())
                peer.send('{"class":"error","code":"too_many","message":"too many clients"}\n')

            def room(peer):
                first, second = attempts
                peer.welcome("patient" if second - first > 0.24 and time.monotonic() - second > 0.49 else "hurried")
                peer.wait_until_it_leaves()
            return full, full, room
        self.with_each(scripts, lambda client, path: run(client, path, 2),
                       lambda client, lines: self.assertEqual(lines, ["disconnected too many clients", "connected patient"]))

    def test_requests_are_answered_while_records_flow(self):
        def script(peer):
            peer.welcome()
            peer.send(sample(1))
            peer.reply(peer.request(), {"n": 1})
            peer.send(sample(2))
            peer.refuse(peer.request(), "busy")
            peer.request()
        answers = ['answer {"n":1}', "refusal busy", "refusal lost"]
        updates = ["connected one", "sample 1", "sample 2", LOST]

        def use(client, path):
            # The Python clients return replies from the call itself, not among the updates.
            count = len(updates) + (len(answers) if client.startswith("c") else 0)
            return run(client, path, count, methods=["status", "scan", "ping"])

        def check(client, lines):
            self.assertEqual([line for line in lines if line in answers], answers)
            self.assertEqual([line for line in lines if line not in answers], updates)
        self.with_each(lambda: [script], use, check)

    def test_seeded_garbage_of_every_length(self):
        seed = random.randrange(1 << 32)
        good = (sample(1) + '{"class":"x","y":[1,{"z":"\\u00e9\\ud83d\\ude00"},null,true,-1.5e3]}\n').encode()

        def script(peer):
            source = random.Random(seed)
            peer.welcome()
            for _ in range(300):
                bad = bytearray(good * source.randrange(1, 4))
                for _ in range(source.randrange(1, 12)):
                    bad[source.randrange(len(bad))] = source.randrange(256)
                peer.send(bytes(bad[:source.randrange(len(bad))]))
            peer.send("\n" + '{"class":"the_end","seq":0}\n')
            peer.wait_until_it_leaves()
        print(f"seed {seed}")
        self.with_each(lambda: [script], run_until_the_end,
                       lambda client, lines: self.assertEqual((lines[0], lines[-1]), ("connected one", "the_end 0")))


def run_until_the_end(client, path):
    with subprocess.Popen(command(client, path, "{}", 1 << 20), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as process:
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith("the_end"):
                break
        process.kill()
    return lines


if __name__ == "__main__":
    unittest.main()
