"""Follows docs/tutorial.md: saves its files, runs its commands in two terminals, and waits for the
lines that it shows.

Above each block of the page a comment says what the block is:
  file NAME                    a file of the tutorial's directory
  terminal N                   commands that end by themselves, with exit status 0
  terminal N, until Ctrl-C     commands that go on until the next block of this terminal
  terminal N shows             lines that the last commands of this terminal print, in this order
                               (others may come between them)

Every number stands for any number, and `…` for any text."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from fake_server import daemon_program, repository

DEADLINE = 60
PAGE = repository() / "docs/tutorial.md"
BLOCK = re.compile(r"^(?:<!-- ([^\n]+) -->\n)?```\w*\n(.*?)^```$", re.M | re.S)


def pattern(line):
    """What a shown line matches."""
    text = re.escape(line).replace("…", ".*")
    return re.compile(re.sub(r"\d+(?:\\\.\d+)?", r"\\d+(?:\\.\\d+)?", text))


class Terminal:
    """Runs one list of commands at a time. Each gets a new shell with the previous directory and
    environment."""

    def __init__(self, folder, environment):
        self.kept = folder / f"kept-{id(self)}"
        self.kept.touch()
        self.environment = environment
        self.process = None

    def start(self, commands, is_endless):
        self.interrupt()
        keep = f'\n{{ export -p; printf "cd %q\\n" "$PWD"; }} >"{self.kept}"'
        self.lines, self.seen, self.news = [], 0, threading.Condition()
        # In a background job SIGINT may be ignored, and a child would inherit that.
        self.process = subprocess.Popen(
            ["bash", "-e", "-c", f'. "{self.kept}"\n{commands}{"" if is_endless else keep}'], env=self.environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.thread = threading.Thread(target=self.collect, args=[self.process, self.lines], daemon=True)
        self.thread.start()
        if not is_endless and (status := self.process.wait(DEADLINE)):
            self.thread.join(DEADLINE)
            raise AssertionError(f"exit status {status}: {self.lines}")

    def collect(self, process, lines):
        for line in process.stdout:
            with self.news:
                lines.append(line.rstrip("\n"))
                self.news.notify_all()
        with self.news:
            self.news.notify_all()

    def wait_for(self, shown):
        """Waits for such a line, after the lines of earlier calls."""
        wanted = pattern(shown)

        def found():
            while self.seen < len(self.lines):
                self.seen += 1
                if wanted.fullmatch(self.lines[self.seen - 1]):
                    return True
            return False
        with self.news:
            if not self.news.wait_for(found, DEADLINE):
                raise AssertionError(f"did not print {shown!r}: {self.lines}")

    def interrupt(self):
        """What Ctrl-C does."""
        if self.process is None:
            return
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        try:
            self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"Ctrl-C did not end it: {self.lines}") from None
        self.close()

    def close(self):
        if self.process is None:
            return
        try:
            # The group also has the members of a pipeline.
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.thread.join()
        self.process.stdout.close()
        self.process = None


class Tutorial(unittest.TestCase):
    page, folder = PAGE, "tutorial"

    def add_programs(self, programs):
        """A page may need more than the project's own."""

    @unittest.skipUnless(shutil.which("jq"), "jq is not installed")
    def test_everything_happens_as_the_page_shows(self):
        with tempfile.TemporaryDirectory(prefix="tutorial-") as name:
            folder = Path(name)
            home, programs = folder / "home", folder / "programs"
            home.mkdir()
            programs.mkdir()
            for program in Path(daemon_program()).resolve(), Path(daemon_program()).resolve().with_name("cyclo"):
                self.assertTrue(program.exists(), f"{program} was not built")
                (programs / program.name).symlink_to(program)
            (programs / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
            (programs / "python3").chmod(0o755)
            self.add_programs(programs)
            environment = {"HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TERM": "dumb",
                           "PYTHONPATH": str(repository() / "clients/python")}
            terminals = {number: Terminal(folder, environment) for number in "12"}
            try:
                self.follow(home, terminals)
            finally:
                for terminal in terminals.values():
                    terminal.close()

    def follow(self, home, terminals):
        text = self.page.read_text()
        blocks = list(BLOCK.finditer(text))
        self.assertEqual(2 * len(blocks), len(re.findall("^```", text, re.M)))
        self.assertGreater(len(blocks), 10)
        for block in blocks:
            try:
                self.follow_block(*block.groups(), home, terminals)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                line = text.count("\n", 0, block.start()) + 1
                raise AssertionError(f"docs/{self.page.name}:{line}: {block[1]}: {error}") from error

    def follow_block(self, what, content, home, terminals):
        self.assertIsNotNone(what, "no comment describes this block")
        if file := re.fullmatch(r"file (\S+)", what):
            (home / self.folder / file[1]).write_text(content)
        elif shows := re.fullmatch(r"terminal (\d) shows", what):
            for line in content.splitlines():
                terminals[shows[1]].wait_for(line)
        elif commands := re.fullmatch(r"terminal (\d)(, until Ctrl-C)?", what):
            terminals[commands[1]].start(content, commands[2] is not None)
        else:
            self.fail("test_tutorial.py does not know this comment")


if __name__ == "__main__":
    unittest.main()
