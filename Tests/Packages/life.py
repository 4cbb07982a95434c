"""The life of the package on a computer: installed, used, upgraded, downgraded, removed, purged.
These roots run no systemd; Tests/Systemd tests the units."""
import json
import re
from pathlib import Path

from packages import OWN, expect, field, package, release, with_version
from root import Root

CONFIGURATION = "/etc/cyclometer/cyclometer.conf"
STATE = "/var/lib/cyclometer/simulated.json"
# Runs like the service: as its own user, with its directories.
DAEMON = """install -d -o cyclometer -g cyclometer -m 750 /var/lib/cyclometer
  install -d -o cyclometer -g cyclometer -m 755 /run/cyclometer
  setpriv --reuid=cyclometer --regid=cyclometer --init-groups /usr/sbin/cyclometerd --simulate 2>/tmp/log &
  daemon=$!; trap 'kill $daemon; wait $daemon || { cat /tmp/log; exit 1; }; rm -f /tmp/log' EXIT
  for _ in $(seq 100); do [ ! -S /run/cyclometer/control.sock ] || break; kill -0 $daemon; sleep 0.1; done
"""
RIDING = DAEMON.replace("--simulate", "--simulate bike")


def dpkg(root: Root, words: str):
    # Answers no question of apt or debconf, and keeps a configuration that was changed.
    root.run(f"dpkg --force-confold {words} </dev/null")


def dependencies(deb: Path) -> str:
    """The first alternative of each dependency, without its version."""
    return " ".join(re.split(r"[ |]", each.strip())[0] for each in field(deb, "Depends").split(","))


def ride(root: Root) -> str:
    """Runs the installed daemon with a simulated ride, which must stream. Returns the name of a
    sensor."""
    printed = root.run(DAEMON + "cyclo watch heart_rate --json -n 2; cyclo list --json")
    expect(printed.count('"class":"sample"') == 2, f"no samples arrived: {printed}")
    return re.search(r'"id":"strap","name":"([^"]*)"', printed)[1]


def check_life(suite: str):
    """Upgrade, downgrade and removal keep sensors and configuration; a purge leaves nothing"""
    deb = package("cyclometer", OWN)
    with Root(suite, [deb]) as root:
        later = with_version(deb, release() + "+1", root.folder / "packages", CONFIGURATION, "# New in this version.\n")
        root.run(f"apt-get install -y -q --no-install-recommends {dependencies(deb)}")
        files, accounts = root.listing(), root.accounts()

        dpkg(root, f"--install /packages/{deb.name}")
        check_installed(root)
        expect(ride(root) == "Strap", "the simulated strap has no name")
        root.run(DAEMON + "cyclo rename strap Chest")
        root.run(f"sed -i 's/^#LogLevel=.*/LogLevel=debug/' {CONFIGURATION}; install -D -m 644 /dev/null /etc/cyclometer/conf.d/50-mine.conf")
        mine, state = root.file(CONFIGURATION).read_text(), root.file(STATE).read_text()

        def kept(when: str):
            expect(root.file(CONFIGURATION).read_text() == mine, f"{when}, the user's configuration has changed")
            expect(root.file("/etc/cyclometer/conf.d/50-mine.conf").exists(), f"{when}, conf.d is missing")
            expect(root.file(STATE).read_text() == state, f"{when}, the saved state has changed")

        for words, when in ((later.name, "upgraded"), (deb.name, "downgraded")):
            dpkg(root, f"--install /packages/{words}")
            kept(when)
            expect(ride(root) == "Chest", f"{when}, the daemon has lost its sensor")
        dpkg(root, "--remove cyclometer")
        kept("removed")
        left = [path for path in ("/usr/sbin/cyclometerd", "/usr/bin/cyclo", "/usr/lib/systemd/system/cyclometerd.service") if root.file(path).exists()]
        expect(not left, f"after the removal these files remain: {left}")
        dpkg(root, f"--install /packages/{deb.name}")
        kept("installed again")

        root.run("usermod -aG cyclometer games")
        dpkg(root, "--purge cyclometer")
        left = sorted(root.listing() - files)
        expect(not left, f"after the purge these files remain: {left}")
        gone = sorted(files - root.listing())
        expect(not gone, f"the purge also removed {gone}")
        left = sorted(root.accounts() ^ accounts)
        expect(not left, f"after the purge these accounts differ: {left}")


def check_installed(root: Root):
    expect(re.search(r"^uid=\d+\(cyclometer\) gid=\d+\(cyclometer\) groups=.*\(bluetooth\)", root.run("id cyclometer")), "the user cyclometer has the wrong groups")
    expect(enabled(root) == {"multi-user.target.wants/cyclometerd.service", "sockets.target.wants/cyclometer.socket"}, f"the enabled units are {sorted(enabled(root))}")
    root.run("cyclo --version && cyclometerd --version && test \"$(command -v cyclometerd)\" = /usr/sbin/cyclometerd")


def enabled(root: Root) -> set[str]:
    units = root.file("/etc/systemd/system")
    return {path.relative_to(units).as_posix() for path in units.glob("*.wants/cyclometer*")}


RECORDER_CONFIGURATION, RECORDER_STATE = "/etc/cyclometer/recorder.conf", "/var/lib/cyclometer-recorder"
# Next to the daemon of DAEMON. It ends before the daemon does.
RECORDER = """setpriv --reuid=cyclometer-recorder --regid=cyclometer-recorder --groups=$(getent group cyclometer | cut -d : -f 3) \\
    /usr/sbin/cyclometer-recorder --runtime-dir /tmp/run 2>/tmp/recorder-log &
  recorder=$!
  trap 'kill $recorder; wait $recorder || { cat /tmp/recorder-log; exit 1; }; kill $daemon; wait $daemon || { cat /tmp/log; exit 1; }
    rm -rf /tmp/log /tmp/recorder-log /tmp/run' EXIT
  for _ in $(seq 100); do [ ! -S /tmp/run/logbook.sock ] || break; kill -0 $recorder; sleep 0.1; done
"""


def recorded(root: Root) -> list[dict]:
    """Runs the installed daemon and recorder for some seconds of a simulated ride. Returns the
    activities of the logbook."""
    root.run("install -d -o cyclometer-recorder -g cyclometer -m 755 /tmp/run; ln -sf /run/cyclometer/metrics.sock /tmp/run/")
    printed = root.run(RIDING + RECORDER
                       + "cyclo watch ride --json -n 4 >/dev/null; cyclo --socket /tmp/run/control.sock logbook list --json")
    return json.loads(printed)["activities"]


def check_recorder_life(suite: str):
    """The recorder is installed beside the daemon; upgrade and removal keep its rides; so does a purge, until they are deleted"""
    daemon, deb = package("cyclometer", OWN), package("cyclometer-recorder", OWN)
    with Root(suite, [daemon, deb]) as root:
        later = with_version(deb, release() + "+1", root.folder / "packages", RECORDER_CONFIGURATION, "# New in this version.\n")
        root.run(f"apt-get install -y -q --no-install-recommends {dependencies(daemon)}")
        root.run(f"apt-get install -y -q --no-install-recommends {dependencies(deb).replace('cyclometer ', '')}")
        dpkg(root, f"--install /packages/{daemon.name}")
        # The daemon's own files stay when the recorder goes.
        root.run(RIDING + "cyclo watch ride --json -n 1 >/dev/null")
        files, accounts = root.listing(), root.accounts()

        dpkg(root, f"--install /packages/{deb.name}")
        units = {"multi-user.target.wants/cyclometer-recorder.service", "sockets.target.wants/cyclometer-recorder.socket"}
        expect(enabled(root) >= units and not any("export" in each for each in enabled(root)), f"the enabled units are {sorted(enabled(root))}")
        mode = root.run(f"stat -c '%a %U:%G' {RECORDER_STATE}/export").strip()
        expect(mode == "2750 cyclometer-recorder:cyclometer", f"the folder of exports is {mode}")
        first = recorded(root)
        expect(len(first) == 1, f"after a ride the logbook has {first}")
        root.run(f"sed -i 's/^#ExportFormats=.*/ExportFormats=fit/' {RECORDER_CONFIGURATION}")
        for words, when in ((later.name, "upgraded"), (deb.name, "downgraded")):
            dpkg(root, f"--install /packages/{words}")
            ids = [each["id"] for each in recorded(root)]
            expect(ids == [first[0]["id"]], f"{when} in mid-ride, the logbook has the activities {ids}")
        dpkg(root, "--purge cyclometer-recorder")
        left = root.run(f"find {RECORDER_STATE} -type f -printf '%f %m %u\n'").splitlines()
        expect("logbook.db 600 cyclometer-recorder" in left and not any(each.startswith("reserve") for each in left), f"the purge kept {left}")
        dpkg(root, f"--install /packages/{deb.name}")
        expect(len(recorded(root)) == 1, "after a purge and another installation the ride is gone")
        root.run(f"rm -r {RECORDER_STATE}")
        dpkg(root, "--purge cyclometer-recorder")
        left, gone = sorted(root.listing() - files), sorted(files - root.listing())
        expect(not left and not gone, f"after the purge these files remain: {left}, and these are gone: {gone}")
        left = sorted(root.accounts() ^ accounts)
        expect(not left, f"after the purge these accounts differ: {left}")


GUIDE_CONFIGURATION, GUIDE_STATE = "/etc/cyclometer/guide.conf", "/var/lib/cyclometer-guide"
# Next to the daemon of DAEMON. It ends before the daemon does.
GUIDE = """setpriv --reuid=cyclometer-guide --regid=cyclometer-guide --groups=$(getent group cyclometer | cut -d : -f 3) \\
    /usr/sbin/cyclometer-guide --runtime-dir /tmp/run 2>/tmp/guide-log &
  guide=$!
  trap 'kill $guide; wait $guide || { cat /tmp/guide-log; exit 1; }; kill $daemon; wait $daemon || { cat /tmp/log; exit 1; }
    rm -rf /tmp/log /tmp/guide-log /tmp/run' EXIT
  for _ in $(seq 100); do [ ! -S /tmp/run/guide.sock ] || break; kill -0 $guide; sleep 0.1; done
"""
# Asks the guide for one method, and prints its answer.
ASK_GUIDE = """/usr/bin/perl -MIO::Socket::UNIX -e '
  my $guide = IO::Socket::UNIX->new("/tmp/run/guide.sock") or die "guide.sock: $!"; <$guide>;
  print $guide $ARGV[0], "\\n"; print scalar <$guide>' """


def coached(root: Root, request: str) -> dict:
    """Runs the installed daemon and guide. Returns the answer to the request."""
    root.run(f"install -d -o cyclometer-guide -g cyclometer-guide -m 750 {GUIDE_STATE}; install -d -o cyclometer-guide -g cyclometer -m 755 /tmp/run")
    root.run("ln -sf /run/cyclometer/metrics.sock /tmp/run/")
    answer = json.loads(root.run(DAEMON + GUIDE + ASK_GUIDE + f"'{request}'"))
    expect(answer["class"] == "reply", f"the guide answered {answer}")
    return answer["result"]


def check_guide_life(suite: str):
    """The guide is installed beside the daemon; upgrade and removal keep what it was set to; a purge leaves nothing of it"""
    daemon, deb = package("cyclometer", OWN), package("cyclometer-guide", OWN)
    with Root(suite, [daemon, deb]) as root:
        later = with_version(deb, release() + "+1", root.folder / "packages", GUIDE_CONFIGURATION, "# New in this version.\n")
        root.run(f"apt-get install -y -q --no-install-recommends {dependencies(daemon)}")
        dpkg(root, f"--install /packages/{daemon.name}")
        root.run(DAEMON + "cyclo list >/dev/null")
        files, accounts = root.listing(), root.accounts()

        dpkg(root, f"--install /packages/{deb.name}")
        units = {"multi-user.target.wants/cyclometer-guide.service", "sockets.target.wants/cyclometer-guide.socket"}
        expect(enabled(root) >= units, f"the enabled units are {sorted(enabled(root))}")
        wanted = coached(root, '{"id":1,"method":"coach","params":{"sport":"cycling","target_rpm":91}}')
        root.run(f"sed -i 's/^#LogLevel=.*/LogLevel=debug/' {GUIDE_CONFIGURATION}")
        for words, when in ((later.name, "upgraded"), (deb.name, "downgraded")):
            dpkg(root, f"--install /packages/{words}")
            found = coached(root, '{"id":1,"method":"coach","params":{}}')
            expect(found == wanted and found["target_rpm"] == 91, f"{when}, the coach is {found}")
            expect("LogLevel=debug" in root.file(GUIDE_CONFIGURATION).read_text(), f"{when}, the user's configuration has changed")
        dpkg(root, "--remove cyclometer-guide")
        expect(root.file(f"{GUIDE_STATE}/guide.json").exists() and not root.file("/usr/sbin/cyclometer-guide").exists(), "the removal kept the wrong files")
        dpkg(root, "--purge cyclometer-guide")
        left, gone = sorted(root.listing() - files), sorted(files - root.listing())
        expect(not left and not gone, f"after the purge these files remain: {left}, and these are gone: {gone}")
        left = sorted(root.accounts() ^ accounts)
        expect(not left, f"after the purge these accounts differ: {left}")


BRIDGE_CONFIGURATION = "/etc/cyclometer/mqtt.conf"


def check_bridge_life(suite: str):
    """The bridge is installed beside the daemon, hides its password, and keeps its name; a purge leaves nothing of it"""
    daemon, deb = package("cyclometer", OWN), package("cyclometer-mqtt", OWN)
    with Root(suite, [daemon, deb]) as root:
        root.run(f"apt-get install -y -q --no-install-recommends {dependencies(daemon)}")
        dpkg(root, f"--install /packages/{daemon.name}")
        root.run(DAEMON + "cyclo list >/dev/null")
        root.run(f"apt-get install -y -q --no-install-recommends {dependencies(deb)}")
        files, accounts = root.listing(), root.accounts()

        dpkg(root, f"--install /packages/{deb.name}")
        units = {"multi-user.target.wants/cyclometer-mqtt.service", "sockets.target.wants/cyclometer-mqtt.socket"}
        expect(enabled(root) >= units, f"the enabled units are {sorted(enabled(root))}")
        modes = root.run(f"stat -c '%a %U:%G' /etc/cyclometer/mqtt {BRIDGE_CONFIGURATION}").split("\n")[:2]
        expect(modes == ["750 root:cyclometer-mqtt", "640 root:cyclometer-mqtt"], f"folder and configuration have {modes}")
        root.run(f"sed -i 's/^#Receiver=.*/Receiver=bike-7/' {BRIDGE_CONFIGURATION}; echo secret >/etc/cyclometer/mqtt/password")
        dpkg(root, "--remove cyclometer-mqtt")
        expect("Receiver=bike-7" in root.file(BRIDGE_CONFIGURATION).read_text(), "the removal changed the configuration")
        dpkg(root, "--purge cyclometer-mqtt")
        left, gone = sorted(root.listing() - files), sorted(files - root.listing())
        expect(not left and not gone, f"after the purge these files remain: {left}, and these are gone: {gone}")
        left = sorted(root.accounts() ^ accounts)
        expect(not left, f"after the purge these accounts differ: {left}")


CHECKS = [check_life, check_recorder_life, check_guide_life, check_bridge_life]
