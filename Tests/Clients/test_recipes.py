"""Follows docs/recipes.md as test_tutorial.py follows the tutorial. `not run: WHY` marks a block
that no test runs.

ssh, docker and getent are stand-ins: they check their arguments and run the command on this
machine."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

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


# Fails the first time. Keeps what was uploaded.
CURL = """#!/bin/sh
set -eu
[ "$*" = "--config - --silent --show-error --fail --max-time 300 --output /dev/null --form ${11} https://intervals.icu/api/v1/athlete/0/activities" ]
[ "$(cat)" = 'user = "API_KEY:s3cret"' ]
[ -e "$INBOX/asked" ] || { : >"$INBOX/asked"; exit 22; }
cp "${11#file=@}" "$INBOX/"
"""


class Uploads(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="uploads-")))
        for name in ("programs", "export", "state", "inbox", "path"):
            (self.folder / name).mkdir()
        self.write("programs/intervals", re.search(r"<!-- file intervals -->\n```sh\n(.*?)```", PAGE.read_text(), re.S)[1])
        self.write("path/curl", CURL)
        self.write("key", "s3cret\n")

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def run_exports(self):
        """The exit status of the program that cyclometer-export.service runs."""
        environment = {"PATH": f"{self.folder}/path:{os.environ['PATH']}", "KEY_FILE": f"{self.folder}/key", "INBOX": f"{self.folder}/inbox",
                       "EXPORT_FOLDER": f"{self.folder}/export", "STATE_DIRECTORY": f"{self.folder}/state"}
        return subprocess.run([repository() / "systemd/recorder/run-exports", self.folder / "programs"], env=environment,
                              stderr=subprocess.DEVNULL).returncode

    def uploaded(self):
        return sorted(each.name for each in (self.folder / "inbox").glob("*.*"))

    def test_each_ride_is_uploaded_once_and_a_failed_upload_is_repeated(self):
        self.write("export/1.fit", "one")
        self.write("export/1.gpx", "one")
        self.write("export/.2.fit", "not complete yet")
        os.utime(self.folder / "programs/intervals", (0, 0))
        self.assertEqual((self.run_exports(), self.uploaded()), (1, []))
        self.assertEqual((self.run_exports(), self.uploaded()), (0, ["1.fit"]))
        (self.folder / "inbox/1.fit").unlink()
        self.write("export/3.fit", "three")
        self.assertEqual((self.run_exports(), self.uploaded()), (0, ["3.fit"]))

    def test_a_new_program_gets_only_the_rides_after_it(self):
        self.write("inbox/asked", "")
        old = self.write("export/1.fit", "one")
        os.utime(old, (0, 0))
        self.assertEqual((self.run_exports(), self.uploaded()), (0, []))
        self.write("export/2.fit", "two")
        self.assertEqual((self.run_exports(), self.uploaded()), (0, ["2.fit"]))


if __name__ == "__main__":
    unittest.main()
