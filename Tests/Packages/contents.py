"""Checks of a package without installing it: its files, their permissions, and its version."""
import re
import subprocess
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

from packages import OWN, TOP, all_packages, expect, field, output, package, release

# Files that users rely on, in addition to those that the Makefile finds by pattern.
NEEDED = {
    "cyclometer": {
        "usr/bin/cyclo": 0o755, "usr/sbin/cyclometerd": 0o755, "usr/libexec/cyclometer/reset-adapter": 0o755,
        "etc/cyclometer/cyclometer.conf": 0o644, "usr/lib/sysusers.d/cyclometer.conf": 0o644,
        "usr/share/man/man1/cyclo.1.gz": 0o644, "usr/share/man/man8/cyclometerd.8.gz": 0o644,
        "usr/share/man/man5/cyclometer.conf.5.gz": 0o644, "usr/share/man/man7/cyclometer-protocol.7.gz": 0o644,
        "usr/share/man/man5/cyclometer.sensor.5.gz": 0o644,
        "usr/share/bash-completion/completions/cyclo": 0o644, "usr/share/zsh/vendor-completions/_cyclo": 0o644,
        "usr/share/fish/vendor_completions.d/cyclo.fish": 0o644, "usr/share/doc/cyclometer/copyright": 0o644,
        "usr/share/doc/cyclometer/changelog.gz": 0o644, "usr/share/doc/cyclometer/README.Debian": 0o644},
    "cyclometer-recorder": {
        "usr/sbin/cyclometer-recorder": 0o755, "usr/libexec/cyclometer/run-exports": 0o755, "etc/cyclometer/recorder.conf": 0o644,
        "etc/cyclometer/export.d": 0o755, "etc/cyclometer/recorder.conf.d": 0o755,
        "usr/lib/sysusers.d/cyclometer-recorder.conf": 0o644, "usr/lib/tmpfiles.d/cyclometer-recorder.conf": 0o644,
        "usr/share/man/man8/cyclometer-recorder.8.gz": 0o644, "usr/share/man/man5/cyclometer-recorder.conf.5.gz": 0o644,
        "usr/share/doc/cyclometer-recorder/copyright": 0o644, "usr/share/doc/cyclometer-recorder/README.Debian": 0o644},
    "cyclometer-guide": {
        "usr/sbin/cyclometer-guide": 0o755, "etc/cyclometer/guide.conf": 0o644, "etc/cyclometer/guide.conf.d": 0o755,
        "usr/lib/sysusers.d/cyclometer-guide.conf": 0o644,
        "usr/share/man/man8/cyclometer-guide.8.gz": 0o644, "usr/share/man/man5/cyclometer-guide.conf.5.gz": 0o644,
        "usr/share/doc/cyclometer-guide/copyright": 0o644, "usr/share/doc/cyclometer-guide/README.Debian": 0o644},
    "cyclometer-web": {
        "usr/sbin/cyclometer-web": 0o755, "etc/cyclometer/web.conf": 0o644, "etc/cyclometer/web.conf.d": 0o755,
        "usr/lib/sysusers.d/cyclometer-web.conf": 0o644, "usr/share/cyclometer/web/index.html": 0o644,
        "usr/share/cyclometer/web/js/app.js": 0o644, "usr/share/cyclometer/web/js/app.js.gz": 0o644,
        "usr/share/cyclometer/web/icons/LICENSE.txt": 0o644,
        "usr/share/man/man8/cyclometer-web.8.gz": 0o644, "usr/share/man/man5/cyclometer-web.conf.5.gz": 0o644,
        "usr/share/doc/cyclometer-web/copyright": 0o644, "usr/share/doc/cyclometer-web/README.Debian": 0o644,
        "usr/share/doc/cyclometer-web/examples/haproxy.cfg": 0o644, "usr/share/doc/cyclometer-web/examples/nginx.conf": 0o644},
    "cyclometer-mqtt": {
        "usr/sbin/cyclometer-mqtt": 0o755, "etc/cyclometer/mqtt.conf": 0o644, "etc/cyclometer/mqtt.conf.d": 0o755,
        "usr/lib/sysusers.d/cyclometer-mqtt.conf": 0o644, "usr/lib/tmpfiles.d/cyclometer-mqtt.conf": 0o644,
        "usr/share/man/man8/cyclometer-mqtt.8.gz": 0o644, "usr/share/man/man5/cyclometer-mqtt.conf.5.gz": 0o644,
        "usr/share/doc/cyclometer-mqtt/copyright": 0o644, "usr/share/doc/cyclometer-mqtt/README.Debian": 0o644},
    "cyclometer-kiosk": {
        "usr/libexec/cyclometer/show-dashboard": 0o755, "usr/lib/sysusers.d/cyclometer-kiosk.conf": 0o644,
        "usr/share/doc/cyclometer-kiosk/copyright": 0o644},
    "cyclometer-dev": {
        "usr/include/cyclometer.h": 0o644, "usr/share/pkgconfig/cyclometer.pc": 0o644,
        "usr/lib/python3/dist-packages/cyclometer/__init__.py": 0o644, "usr/lib/python3/dist-packages/cyclometer/py.typed": 0o644,
        "usr/lib/python3/dist-packages/cyclometer/kinds.py": 0o644, "usr/lib/python3/dist-packages/cyclometer_plugin.py": 0o644,
        "usr/include/cyclometer_plugin.h": 0o644, "usr/share/doc/cyclometer-dev/examples/magene/magene": 0o755,
        "usr/share/cyclometer/cyclometer-client/Package.swift": 0o644,
        "usr/share/cyclometer/conformance/cyclo-conformance": 0o755, "usr/share/cyclometer/schema/record.json": 0o644,
        "usr/share/doc/cyclometer-dev/protocol.md.gz": 0o644, "usr/share/doc/cyclometer-dev/copyright": 0o644}}

CONFFILES = {"cyclometer": "/etc/cyclometer/cyclometer.conf", "cyclometer-recorder": "/etc/cyclometer/recorder.conf",
             "cyclometer-guide": "/etc/cyclometer/guide.conf", "cyclometer-web": "/etc/cyclometer/web.conf",
             "cyclometer-mqtt": "/etc/cyclometer/mqtt.conf"}
UNITS = {("cyclometer", OWN): "systemd", ("cyclometer-recorder", OWN): "systemd/recorder",
         ("cyclometer-guide", OWN): "systemd/guide", ("cyclometer-web", OWN): "systemd/web", ("cyclometer-mqtt", OWN): "systemd/mqtt",
         ("cyclometer-kiosk", "all"): "systemd/kiosk"}


def members(deb: Path) -> dict[str, tarfile.TarInfo]:
    data = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(data)) as archive:
        return {member.name.removeprefix("./").rstrip("/"): member for member in archive}


def check_lintian():
    """lintian reports nothing: no error, no warning, and no unused override"""
    result = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0", *all_packages()],
                            capture_output=True, text=True)
    expect(result.returncode == 0 and not re.search(r"^[EWX]:", result.stdout, re.M), (result.stdout + result.stderr).strip())


def check_contents():
    """All files are in place and writable only by their owner, root; the configuration is a conffile"""
    for deb in all_packages():
        name, found = field(deb, "Package"), members(deb)
        for path, mode in NEEDED[name].items():
            expect(path in found, f"{deb.name}: {path} is missing")
            expect(found[path].mode == mode, f"{deb.name}: {path} has the mode {found[path].mode:o}, not {mode:o}")
        for path, member in found.items():
            expect((member.uname, member.gname) == ("root", "root"), f"{deb.name}: {path} belongs to {member.uname}:{member.gname}")
            expect(not member.mode & 0o7022, f"{deb.name}: {path} has the mode {member.mode:o}")
            expect(not path.endswith(".pyc") and "__pycache__" not in path, f"{deb.name}: {path} is left over from running Python")
        if name in CONFFILES:
            conffiles = output("dpkg-deb", "--info", deb, "conffiles").split()
            expect(conffiles == [CONFFILES[name]], f"{deb.name}: conffiles are {conffiles}")


def check_units():
    """The packages have every unit, the programs that they run, every sensor file, and the optional files as examples"""
    elsewhere = members(package("cyclometer", OWN))
    for (name, architecture), folder in UNITS.items():
        found = members(package(name, architecture))
        for unit in TOP.glob(f"{folder}/*.*"):
            if unit.suffix in (".service", ".socket", ".path", ".timer"):
                expect(f"usr/lib/systemd/system/{unit.name}" in found, f"{unit.name} is not in {name}")
                for program in re.findall(r"^Exec\w+=[-@:+!]*(/usr\S+)", unit.read_text(), re.M):
                    expect(program[1:] in found | elsewhere, f"{unit.name} runs {program}, which is not in {name}")
    for path in TOP.glob("Config/sensors.d/*.sensor"):
        expect(f"usr/share/cyclometer/sensors.d/{path.name}" in elsewhere, f"{path.name} is not in cyclometer")
    for path in TOP.glob("systemd/optional/*"):
        expect(any(each.startswith(f"usr/share/doc/cyclometer/examples/{path.name}") for each in elsewhere), f"{path.name} is not among the examples")


def check_versions():
    """Packages, programs, manual pages, changelog and pkg-config have the version of Release.swift"""
    expected = output(TOP / "scripts/release").strip()
    for deb in all_packages():
        expect(field(deb, "Version") == release(), f"{deb.name} has version {field(deb, 'Version')}")
    with tempfile.TemporaryDirectory() as folder:
        for deb in (*(package(name, OWN) for name in ("cyclometer", "cyclometer-recorder", "cyclometer-guide", "cyclometer-web", "cyclometer-mqtt")),
                    package("cyclometer-dev", "all")):
            output("dpkg-deb", "--extract", deb, folder)
        for program in ("usr/bin/cyclo", *(f"usr/sbin/{name}" for name in ("cyclometerd", "cyclometer-recorder", "cyclometer-guide", "cyclometer-web", "cyclometer-mqtt"))):
            printed = output(Path(folder, program), "--version")
            expect(expected in printed.split(), f"{program} --version prints {printed.strip()}")
        for page in Path(folder, "usr/share/man").glob("*/*.gz"):
            heading = output("gzip", "-dc", page).splitlines()[0]
            expect(f'"Cyclometer {expected}"' in heading, f"{page.name} begins with {heading}")
        newest = output("gzip", "-dc", Path(folder, "usr/share/doc/cyclometer/changelog.gz")).splitlines()[0]
        expect(f"({release()})" in newest, f"the changelog begins with {newest}")
        settings = Path(folder, "usr/share/pkgconfig/cyclometer.pc").read_text()
        expect(f"\nVersion: {expected}\n" in settings, f"cyclometer.pc has another version: {settings}")
        for path in Path(folder).rglob("*"):
            expect(b"@RELEASE@" not in path.read_bytes() if path.is_file() else True, f"{path} still contains @RELEASE@")


CHECKS = [check_lintian, check_contents, check_units, check_versions]
