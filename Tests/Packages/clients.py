"""The packages as a new user installs them with apt, and programs built with the clients of
cyclometer-dev."""
import tempfile
from pathlib import Path

from life import DAEMON
from packages import OWN, expect, output, package
from root import Root

EXAMPLES = (("blocking", "CyclometerClient", "main.swift"), ("concurrent", "CyclometerClientAsync", "WatchHeartRateAsync.swift"),
            ("plugin", "CyclometerPlugin", "DecodeBottle.swift"))
SOCKET = "/run/cyclometer/control.sock"


def check_newcomer(suite: str):
    """On a fresh Debian `apt install` installs all packages, and C and Python examples work"""
    debs = [package("cyclometer", OWN), package("cyclometer-dev", "all"), package("cyclometer-recorder", OWN), package("cyclometer-guide", OWN)]
    with Root(suite, debs) as root:
        root.run(f"cd /packages && apt-get install -y -q --no-install-recommends bluez ./{debs[0].name}")
        root.run(f"cd /packages && apt-get install -y -q --no-install-recommends ./{debs[2].name} && cyclometer-recorder --version")
        root.run(f"cd /packages && apt-get install -y -q --no-install-recommends ./{debs[3].name} && cyclometer-guide --version")
        root.run(f"cd /packages && apt-get install -y -q --no-install-recommends python3 ./{debs[1].name}")
        examples = "/usr/share/doc/cyclometer-dev/examples"
        root.run(f"cc -std=c99 -Wall -Wextra -Werror $(pkg-config --cflags cyclometer) -o /tmp/example {examples}/c/example.c")
        root.run(f"cc -std=c99 -Wall -Wextra -Werror $(pkg-config --cflags cyclometer) -o /tmp/example_plugin {examples}/c/example_plugin.c")
        for plugin in ("/tmp/example_plugin", f"python3 {examples}/python/example_plugin.py"):
            printed = root.run(f"{plugin} /nonexistent 2>&1 || true")
            expect("cannot connect to /nonexistent" in printed, f"{plugin} printed {printed}")
        for example in ("/tmp/example", f"python3 {examples}/python/example.py", f"python3 {examples}/python/example_asyncio.py"):
            # One example exits at the end of standard input.
            printed = root.run(DAEMON + f"mkfifo /tmp/input; timeout 30 {example} {SOCKET} 3 <>/tmp/input; rm /tmp/input")
            expect("bpm" in printed, f"{example} printed {printed}")
        printed = root.run("cd / && python3 -B /usr/share/cyclometer/conformance/cyclo-conformance --daemon /usr/sbin/cyclometerd greeting subscribe pair")
        expect("\nnot ok" not in printed and printed.count("\nok ") + printed.startswith("ok ") >= 3, f"cyclo-conformance printed {printed}")
        root.run("apt-get purge -y -q cyclometer cyclometer-dev cyclometer-recorder cyclometer-guide")
        left = root.run("find /usr /etc /var/lib /run -iname '*cyclometer*' ! -path '/var/lib/dpkg/*' ! -path '/var/lib/apt/*'")
        expect(not left, f"after the purge these files remain: {left.split()}")
        root.run("getent group bluetooth")  # BlueZ's


def check_swift():
    """A Swift program that depends on /usr/share/cyclometer/cyclometer-client is built"""
    with tempfile.TemporaryDirectory() as folder:
        output("dpkg-deb", "--extract", package("cyclometer-dev", "all"), folder)
        installed = Path(folder, "usr/share")
        program = Path(folder, "program")
        product = '.product(name: "{}", package: "cyclometer-client")'
        for name, module, source in EXAMPLES:
            (program / "Sources" / name).mkdir(parents=True)
            text = (installed / "doc/cyclometer-dev/examples/swift" / source).read_text()
            (program / "Sources" / name / source).write_text(text)
        (program / "Package.swift").write_text(f'''// swift-tools-version: 6.2
import PackageDescription
let package = Package(
  name: "program", dependencies: [.package(path: "{installed}/cyclometer/cyclometer-client")],
  targets: [
    .executableTarget(name: "blocking", dependencies: [{product.format("CyclometerClient")}]),
    .executableTarget(name: "concurrent", dependencies: [{product.format("CyclometerClientAsync")}]),
    .executableTarget(name: "plugin", dependencies: [{product.format("CyclometerPlugin")}]),
  ])
''')
        output("swift", "build", cwd=program)


CHECKS = [check_newcomer, check_swift]
