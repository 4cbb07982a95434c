"""The packages under test, and the failure of a check."""
import os
import platform
import re
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
FOLDER = TOP / ".build/packages"
OWN = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


class Failed(Exception):
    """The message explains the problem to a person."""


def expect(holds: object, what: str):
    if not holds:
        raise Failed(what)


def output(*command, **options) -> str:
    """Standard output of a command that must succeed. Its failure shows all its output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)
    expect(done.returncode == 0, f"{' '.join(map(str, command))} ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-2000:]}")
    return done.stdout


def release() -> str:
    return output(TOP / "scripts/release", "--debian").strip()


def package(name: str, architecture: str) -> Path:
    path = FOLDER / f"{name}_{release()}_{architecture}.deb"
    expect(path.is_file(), f"there is no {path.relative_to(TOP)}: make deb")
    return path


def all_packages() -> list[Path]:
    """The packages for this machine, and for other architectures if they were built."""
    needed = [*(package(name, OWN) for name in ("cyclometer", "cyclometer-recorder", "cyclometer-guide", "cyclometer-web", "cyclometer-mqtt")),
              package("cyclometer-kiosk", "all"), package("cyclometer-dev", "all")]
    return needed + sorted(set(FOLDER.glob(f"*_{release()}_*.deb")) - set(needed))


def field(deb: Path, name: str) -> str:
    return output("dpkg-deb", "--field", deb, name).strip()


def with_version(deb: Path, version: str, folder: Path, conffile: str, conffile_line: str) -> Path:
    """The same package with another version and one more line in its configuration file."""
    with tempfile.TemporaryDirectory() as tree:
        output("dpkg-deb", "--raw-extract", deb, tree)
        control = Path(tree, "DEBIAN/control")
        control.write_text(re.sub(r"^Version: .*$", f"Version: {version}", control.read_text(), flags=re.M))
        configuration = Path(tree, conffile.lstrip("/"))
        configuration.write_text(configuration.read_text() + conffile_line)
        result = folder / f"{field(deb, 'Package')}_{version}_{field(deb, 'Architecture')}.deb"
        output("dpkg-deb", "--root-owner-group", "-Zgzip", "--build", tree, result, env=os.environ | {"LC_ALL": "C"})
    return result
