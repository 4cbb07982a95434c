"""The clients as programs that print their updates, one per line. All use the same format, so that
one list of expectations applies to all."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", f"-I{HERE.parent.parent}/clients/c"]
SANITIZED = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
CLIENTS = ["python", "asyncio", "c", "c poll", "c sanitized"]
if shutil.which("node"):
    CLIENTS.append("node")
else:
    print("the client for Node is not tested: node is not installed (Debian: nodejs)", file=sys.stderr)
folder = tempfile.TemporaryDirectory(prefix="cyclometer-probes-")


def compiled(name, *options):
    program = Path(folder.name) / name
    if not program.exists():
        subprocess.run(["gcc", *STRICT, *options, "-o", program, HERE / "probe.c"], check=True)
    return str(program)


def plain():
    return compiled("probe", "-O2")


def sanitized():
    return compiled("probe-sanitized", *SANITIZED)


def build():
    plain()
    sanitized()


def command(client, path, subscription, count, methods=()):
    """The command line of a client: `python`, `asyncio`, `node`, `c`, `c poll`, `c sanitized`."""
    language, _, way = client.partition(" ")
    if language == "node":
        return ["node", HERE / "probe.js", path, subscription, str(count), *methods]
    if language == "c":
        program = [sanitized() if way == "sanitized" else plain()]
        return program + [path, subscription, str(count)] + (["poll"] if way == "poll" else []) + list(methods)
    way = "asyncio" if language == "asyncio" else "blocking"
    return [sys.executable, "-W", "error", HERE / "probe.py", path, subscription, str(count), way, *methods]


def run(client, path, count, subscription="{}", methods=()):
    result = subprocess.run(command(client, path, subscription, count, methods), capture_output=True, text=True, timeout=60,
                            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=1"})
    if result.returncode or result.stderr:
        raise AssertionError(f"{client} ended with {result.returncode}: {result.stderr}")
    return result.stdout.splitlines()
