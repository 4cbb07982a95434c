"""A daemon for one transcript, with a simulated ride, a simulated bike or a capture, in its own
folders. With a recorder, if the transcript is about the logbook."""
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Seconds until the first value of `fast`, because an instrumented daemon connects 20 times as
# slowly.
LEAD = 5


# The parent may block SIGTERM, and the daemon would inherit that.
signal.pthread_sigmask(signal.SIG_SETMASK, [])


class ServerFailed(Exception):
    pass


class Daemon:
    def __init__(self, program: str, scene: str = "ride", recorder: str | None = None):
        # A short path, because a socket's path has at most 107 bytes.
        self.folder = tempfile.TemporaryDirectory(prefix="cyclometer-")
        root = Path(self.folder.name)
        self.runtime = root / "run"
        self.log = root / "log"
        simulated = scene if scene in ("ride", "bike") else make_scene(scene, root / "scene.capture")
        # The files of sensors of this computer are not used.
        arguments = [program, "--runtime-dir", str(self.runtime), "--state-dir", str(root / "state"),
                     "--sensors", str(root / "sensors"), "--simulate", simulated]
        self.sockets = {name: str(self.runtime / f"{name}.sock") for name in ("metrics", "control", "logbook")}
        self.processes = []
        self.start(arguments, "control")
        if recorder:
            self.start([recorder, "--config", str(root / "recorder.conf"), "--socket", self.sockets["control"],
                        "--runtime-dir", str(self.runtime), "--state-dir", str(root / "recorder")], "logbook")

    def start(self, arguments: list[str], name: str):
        with open(self.log, "ab") as log:
            process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes.append(process)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            try:
                with socket.socket(socket.AF_UNIX) as trial:
                    trial.connect(self.sockets[name])
                return
            except OSError:
                time.sleep(0.02)
        log_text = self.log.read_text(errors="replace")
        self.stop()
        raise ServerFailed(f"{arguments[0]} does not listen: {log_text}")

    def stop(self) -> int:
        """Stops the programs, or kills those that do not end. Returns the highest exit status."""
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.folder.cleanup()
        return max((abs(process.returncode) for process in self.processes), default=0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def make_scene(words: str, path: Path) -> str:
    """`fast COUNT SECONDS`: a capture of one strap that sends COUNT heart rates, SECONDS apart. The
    rate counts from 60 to 159 and starts over, so that samples can be told apart."""
    name, count, interval = words.split()
    if name != "fast":
        raise ServerFailed(f"there is no scene {name}")
    lines = ["#cyclometer-capture 1", "device hr1 address=A0:9E:1A:00:00:01 name=Strap services=180d", "0.000000 hr1 connected"]
    lines += [f"{LEAD + index * float(interval):.6f} hr1 notify 2a37 00{60 + (index - 1) % 100:02x}" for index in range(1, int(count) + 1)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def record_folder() -> Path | None:
    """Where lines are stored for scripts/check-lines, as in the other tests."""
    value = os.environ.get("CYCLOMETER_TEST_LINES")
    return Path(value).resolve() if value else None
