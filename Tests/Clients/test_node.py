"""Tests of the Node client only: current values, and cancelled requests."""
import json
import shutil
import subprocess
import unittest

from fake_server import FakeServer, repository, sample


@unittest.skipUnless(shutil.which("node"), "node is not installed (Debian: nodejs)")
class Node(unittest.TestCase):
    def test_the_value_of_now_and_requests_that_are_given_up(self):
        seen = []

        def script(peer):
            peer.sensors = [{"id": "strap", "state": "streaming"}, {"id": "belt", "state": "stale"}]
            peer.welcome()
            peer.send(sample(1) + sample(2).replace('"strap"', '"belt"').replace("142", "99"))
            states = json.loads(peer.lines.readline())
            peer.reply(states, {"sensors": peer.sensors})
            peer.send('{"class":"of_test","mark":"young"}\n{"class":"state","sensor":"strap","state":"stale"}\n')
            peer.send('{"class":"of_test","mark":"stale"}\n' + sample(3).replace('"strap"', '"ride"').replace("142", "77"))
            peer.send('{"class":"of_test","mark":"ride"}\n')
            for source in "gps", "never-named", "strap":
                peer.send(sample(4).replace('"strap"', '"ride"').replace("}", f',"source":"{source}"}}') + '{"class":"of_test","mark":"source"}\n')
            peer.send('{"class":"sensor","change":"removed","sensor":{"id":"strap"}}\n{"class":"state","sensor":"strap","state":"streaming"}\n')
            peer.send('{"class":"of_test","mark":"removed"}\n' + sample(5).replace('"strap"', '"ride"').replace("142", "77"))
            peer.send('{"class":"of_test","mark":"done"}\n')
            pairing, cancel = peer.request(), peer.request()
            seen.extend([pairing["method"], cancel["method"]])
            peer.refuse(pairing, "timeout")
            peer.reply(cancel)
            peer.reply(peer.request(), {"n": 1})

        def gone(peer):
            peer.connection.close()
        with FakeServer(script, gone) as server:
            result = subprocess.run(["node", repository() / "Tests/Clients/live.js", server.path], capture_output=True, text=True, timeout=30)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual([json.loads(line) for line in result.stdout.splitlines()], [
            ["before", [None, "disconnected", None, None]],
            ["young", [142, "streaming", 142, 0], [None, "stale", 99, 0], [142, "streaming", 142, 0]],
            ["stale", [None, "stale", 142, 0]], ["ride", [77, "streaming", 77, 0]],
            ["source", [142, "streaming", 142, 0]], ["source", [None, "unknown", 142, 0]], ["source", [None, "stale", 142, 0]],
            ["removed", [None, "unknown", None, None], [None, "streaming", None, None]], ["pair", "timed_out", {"n": 1}],
            ["lost", [None, "disconnected", 77, 0], "timed_out"], ["closed", "disconnected"]])
        self.assertEqual(seen, ["pair", "cancel"])


if __name__ == "__main__":
    unittest.main()
