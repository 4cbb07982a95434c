"""A fresh Debian to change. Writes go to a separate folder, and the root that make-root made stays
unchanged. It is mounted only in this process's namespace, and has no network."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from packages import HERE, TOP, Failed, expect

SUITES = {"bookworm": "Debian 12", "trixie": "Debian 13"}
INSIDE = "CYCLOMETER_PACKAGES_INSIDE"


def is_inside() -> bool:
    return INSIDE in os.environ


def enter():
    """Restarts this program as root with its own mounts, processes and network, which all end with
    it."""
    command = [] if os.getuid() == 0 else ["sudo"]
    # With the caller's tools, and with the caller's repository, which root would not trust.
    command += ["env", f"{INSIDE}=1", f"PATH={os.environ['PATH']}", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", f"GIT_CONFIG_VALUE_0={TOP}"]
    command += ["unshare", "--mount", "--net", "--pid", "--mount-proc", "--fork", "--kill-child", "--propagation", "private", sys.executable, *sys.argv]
    os.execvp(command[0], command)


class Root:
    def __init__(self, suite: str, packages: list[Path]):
        """`packages` are in its /packages."""
        self.suite = suite
        self.base = TOP / ".build/packages-roots" / suite / "root"
        self.folder = Path(tempfile.mkdtemp(prefix="root-", dir=TOP / ".build/packages-roots"))
        self.path = self.folder / "root"
        for name in ("changed", "work", "root", "packages"):
            (self.folder / name).mkdir(mode=0o755)
        for each in packages:
            shutil.copy(each, self.folder / "packages" / each.name)

    def __enter__(self) -> "Root":
        self.mount("-t", "overlay", "overlay", "-o", f"lowerdir={self.base},upperdir={self.folder}/changed,workdir={self.folder}/work", self.path)
        self.mount("-t", "proc", "proc", self.path / "proc")
        (self.path / "packages").mkdir()
        self.mount("--bind", self.folder / "packages", self.path / "packages")
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "--recursive", "--lazy", self.path], check=True)
        shutil.rmtree(self.folder)

    @staticmethod
    def mount(*arguments):
        subprocess.run(["mount", *map(str, arguments)], check=True)

    def run(self, command: str, fails: bool = False) -> str:
        """Runs a shell command in the root, which must succeed, or fail if `fails`. Returns its
        output."""
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(["chroot", self.path, "timeout", "300", "sh", "-euc", command], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env=environment)
        printed = (done.stdout + done.stderr).strip()
        if (done.returncode != 0) != fails:
            raise Failed(f"{SUITES[self.suite]}: `{command}` ended with {done.returncode}: {printed[-3000:]}")
        return done.stdout

    def file(self, path: str) -> Path:
        return self.path / path.lstrip("/")

    def listing(self) -> set[str]:
        """Every file with its type, permissions, owner and, for a link, its target. Omits mounted
        folders."""
        found = self.run(r"find / \( -path /proc -o -path /packages \) -prune -o -printf '%p %y %m %u:%g %l\n'")
        return set(found.splitlines())

    def accounts(self) -> set[str]:
        return {f"{name}: {line}" for name in ("passwd", "group", "shadow", "gshadow") for line in self.file(f"etc/{name}").read_text().splitlines()}


def make_roots():
    for suite in SUITES:
        done = subprocess.run([HERE / "make-root", suite], stdin=subprocess.DEVNULL)
        expect(done.returncode == 0, f"there is no root of {SUITES[suite]}")
