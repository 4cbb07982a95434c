"""Checks that the bills of materials are valid SPDX and correct."""
import json
import tempfile
from hashlib import sha256
from pathlib import Path

from packages import FOLDER, HERE, OWN, TOP, expect, field, output, package, release

VENV = TOP / ".build/packages-roots/venv"


def make_venv():
    """Makes an environment with the SPDX validator, and again when the versions change."""
    wanted, stamp = HERE / "requirements.txt", VENV / "made-by"
    if stamp.is_file() and stamp.read_text() == wanted.read_text():
        return
    output("rm", "-rf", VENV)
    output("/usr/bin/python3", "-m", "venv", VENV)
    output(VENV / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "-r", wanted)
    stamp.write_text(wanted.read_text())


# Of each package: libraries that its programs link when they start, and parts that are in them.
LINKED = {
    "cyclometer": ({"libbluetooth3", "libdbus-1-3", "libinih1"}, {"swift-libswiftCore", "libc6-dev"}),
    "cyclometer-recorder": ({"libexpat1", "libinih1", "libsqlite3-0"}, {"swift-libswiftCore"}),
    "cyclometer-guide": ({"libinih1"}, {"swift-libswiftCore"}),
    "cyclometer-web": ({"libinih1", "libmd0", "libqrencode4", "libsqlite3-0"}, {"swift-libswiftCore"}),
    "cyclometer-mqtt": ({"libinih1", "libmd0", "libmosquitto1", "zlib1g"}, {"swift-libswiftCore"})}


def check_package_bills():
    """The bills of materials are valid SPDX 2.3 and agree with the packages and their dependencies"""
    for name, (libraries, parts) in LINKED.items():
        deb = package(name, OWN)
        path = FOLDER / f"{name}_{release()}_{OWN}.spdx.json"
        output(VENV / "bin/pyspdxtools", "--infile", path)
        bill = json.loads(path.read_text())
        hashes = {each["algorithm"]: each["checksumValue"] for each in bill["packages"][0]["checksums"]}
        expect(hashes["SHA256"] == sha256(deb.read_bytes()).hexdigest(), f"{path.name} describes another package: make deb")
        names = {each["SPDXID"]: each["name"] for each in bill["packages"]}
        linked = {how: {names[each["relatedSpdxElement"]] for each in bill["relationships"] if each["relationshipType"] == how}
                  for how in ("DYNAMIC_LINK", "STATIC_LINK")}
        depends = {each.split()[0] for each in field(deb, "Depends").split(", ")}
        expect(linked["DYNAMIC_LINK"] <= depends, f"the programs link {linked['DYNAMIC_LINK']}, but {name} depends on {depends}")
        expect(libraries <= linked["DYNAMIC_LINK"], f"the programs of {name} link only {linked['DYNAMIC_LINK']}")
        expect(parts <= linked["STATIC_LINK"], f"the programs of {name} contain only {linked['STATIC_LINK']}")
        foreign = sorted(each for each in names.values() if "Foundation" in each or "dispatch" in each.lower())
        expect(not foreign, f"the programs of {name} link {foreign}")


def check_dist():
    """The source archive is reproducible and has all files of the commit; its SPDX 2.3 is valid"""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        sums = [output(TOP / "scripts/dist", folder) for folder in (one, other)]
        expect(sums[0] == sums[1], f"two archives of the same commit differ: {sums}")
        bill = next(Path(one).glob("cyclometer-[0-9]*.spdx.json"))
        output(VENV / "bin/pyspdxtools", "--infile", bill)
        listed = {each["fileName"].removeprefix("./") for each in json.loads(bill.read_text())["files"]}
        # SPDX does not count a symbolic link (mode 120000) as a file.
        tree = [line.split("\t") for line in output("git", "ls-tree", "-r", "-z", "HEAD", cwd=TOP).strip("\0").split("\0")]
        committed = {name for facts, name in tree if not facts.startswith("120000")}
        expect(listed == committed, f"the files of the bill and the commit differ: {sorted(listed ^ committed)}")
        output("sha256sum", "--check", "SHA256SUMS", cwd=one)


CHECKS = [check_package_bills, check_dist]
