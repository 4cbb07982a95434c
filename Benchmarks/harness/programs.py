"""Builds the programs of the benchmarks in C and Swift, and a Python with libraries, into
.build."""
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent
ROOT = BENCHMARKS.parent
RELEASE = ROOT / ".build" / "release"
BUILD = ROOT / ".build" / "bench"


def built_c(name, *flags):
    """Benchmarks/Programs/NAME.c, compiled with the usual options."""
    BUILD.mkdir(parents=True, exist_ok=True)
    program = BUILD / name
    source = BENCHMARKS / "Programs" / f"{name}.c"
    subprocess.run(["cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-o", program, source, *flags], check=True)
    return program


def built_swift(product):
    """A product of this folder's package, optimised."""
    scratch = ROOT / ".build" / "benchmarks"
    command = ["swift", "build", "--package-path", BENCHMARKS, "--scratch-path", scratch, "-c", "release", "--product", product]
    subprocess.run(command, check=True, stdout=sys.stderr)
    return scratch / "release" / product


def python_with(*requirements):
    """A separate interpreter that can import these."""
    folder = BUILD / "venv"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *requirements], check=True, stdout=sys.stderr)
    return python
