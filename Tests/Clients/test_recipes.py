"""Follows docs/recipes.md as test_tutorial.py follows the tutorial. `not run: WHY` marks a block
that no test runs.

ssh, docker and getent are stand-ins: they check their arguments and run the command on this
machine."""
import json
import re
import subprocess
import unittest

import test_tutorial
from fake_server import repository

PAGE = repository() / "docs/recipes.md"
# The daemon's directory is that of the recipes, and not the one of the installed daemon.
SSH = """#!/usr/bin/env bash
set -eu
run=$HOME/recipes
if [[ $1 == -f ]]; then
  [[ $2 == -N && $3 == -L && $5 == pi@bike.local && $# == 5 ]]
  local=${4%%:*} remote=${4#*:}
  [[ $remote == /run/cyclometer/* ]]
  socat UNIX-LISTEN:"$local",fork UNIX-CONNECT:"$run/${remote##*/}" &
  until [[ -S $local ]]; do sleep 0.05; done
else
  [[ $1 == pi@bike.local ]]
  shift
  exec sh -c "$*"
fi
"""
DOCKER = """#!/usr/bin/env bash
set -eu
[[ $1 == run && $2 == --rm ]]
shift 2
volumes=() group=''
while [[ $1 == --* ]]; do
  case $1 in
    --volume) volumes+=("$2") ;;
    --user) [[ $2 == "$(id -u)" ]] ;;
    --group-add) group=$2 ;;
    *) exit 2 ;;
  esac
  shift 2
done
[[ ${volumes[0]} == /run/cyclometer/metrics.sock:/run/cyclometer/metrics.sock && $group == 987 ]]
IFS=: read -r here there mode <<<"${volumes[1]}"
[[ $mode == ro && $1 == python:3-slim ]]
shift
CYCLOMETER_SOCKET=$HOME/recipes/metrics.sock exec "${@/#$there/$here}"
"""
GETENT = """#!/bin/sh
[ "$*" = "group cyclometer" ] && echo cyclometer:x:987:
"""


class Recipes(test_tutorial.Tutorial):
    page, folder = PAGE, "recipes"

    def add_programs(self, programs):
        for name, text in ("ssh", SSH), ("docker", DOCKER), ("getent", GETENT):
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)

    def follow_block(self, what, content, home, terminals):
        if what is None or not what.startswith("not run: "):
            super().follow_block(what, content, home, terminals)
        if what == "file flow.json":
            self.check_flow(json.loads(content), terminals["2"])

    def check_flow(self, nodes, terminal):
        """Its wires lead to nodes, and the command of its exec node prints records."""
        known = {node["id"] for node in nodes}
        self.assertEqual(len(known), len(nodes))
        for node in nodes:
            for wire in node["wires"]:
                self.assertLessEqual(set(wire), known, node["id"])
        [node] = [node for node in nodes if node["type"] == "exec"]
        terminal.start(node["command"], True)
        terminal.wait_for('{"class":"sample",…')
        for line in list(terminal.lines):
            self.assertIn("class", json.loads(line))


class Metrics(unittest.TestCase):
    def test_what_the_filter_writes_is_in_the_format_of_prometheus(self):
        script = re.search(r"<!-- file cyclometer-metrics -->\n```sh\n(.*?)```", PAGE.read_text(), re.S)[1]
        program = re.search(r"jq -r '\n(.*?)\n' \|", script, re.S)[1]
        sample = {"class": "sample", "sensor": "strap", "kind": "heart_rate", "seq": 7, "t": 1.5, "age_ms": 0, "bpm": 142, "rr_ms": [420.5]}
        records = [sample, {**sample, "sensor": "old", "age_ms": 60000}, {**sample, "kind": "battery", "age_ms": 900000, "battery_pct": 87}]
        result = subprocess.run(["jq", "-r", program], input=json.dumps({"class": "reply", "id": 1, "result": {"records": records}}),
                                capture_output=True, text=True, check=True)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0], 'cyclometer_heart_rate_bpm{sensor="strap"} 142')
        self.assertEqual(lines[-1], 'cyclometer_battery_battery_pct{sensor="strap"} 87')
        for line in lines:
            self.assertRegex(line, r'^[a-z_]+\{sensor="[a-z0-9-]+"\} -?[0-9.]+$')


if __name__ == "__main__":
    unittest.main()
