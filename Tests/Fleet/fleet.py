"""Brokers, receivers and bridges: Debian's Mosquitto on the loopback, and real programs."""
import json
import os
import signal
import socket
import time
from pathlib import Path

from programs import BUILD, TIMEOUT, Failed, Helper, Program, free_port, now, until
from reader import OURS

MOSQUITTO = "/usr/sbin/mosquitto"
GROUP = "studio"
# After the last record: a batch ends, and passes bridge, broker and reader.
SETTLING = 30


class Broker:
    """It keeps sessions over a crash from the moment of `save`, as one does that stores on a disk. `lines`
    are further ones of its configuration."""

    def __init__(self, folder, lines=()):
        self.folder = Path(folder)
        self.folder.mkdir()
        self.port = free_port()
        text = [f"listener {self.port} 127.0.0.1", "persistence true", f"persistence_location {self.folder}/",
                "autosave_interval 0", "max_inflight_messages 1000", "max_queued_messages 1000", "sys_interval 1",
                "log_type error", "log_type warning", "log_type notice", "connection_messages true"]
        if not any("allow_anonymous" in line for line in lines):
            text.append("allow_anonymous true")
        if os.geteuid() == 0:
            # As another user, it could not read the folder.
            text.append("user root")
        configuration = self.folder / "mosquitto.conf"
        configuration.write_text("\n".join([*text, *lines]) + "\n")
        self.program = Program([MOSQUITTO, "-c", configuration], self.folder / "log")
        self.start()

    def start(self):
        self.program.start()
        until(self.listens, f"mosquitto\n{self.program.log}", step=0.01)

    def listens(self):
        if not self.program.is_running:
            raise Failed(f"mosquitto has ended\n{self.program.log}")
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def save(self):
        """From now on, sessions survive a crash."""
        file = self.folder / "mosquitto.db"
        before = file.stat().st_mtime_ns if file.exists() else 0
        self.program.send(signal.SIGUSR1)
        until(lambda: file.exists() and file.stat().st_mtime_ns > before, "the broker's state")
        # It is written under another name, and renamed.
        time.sleep(0.05)

    def kill(self):
        """A crash at any point. What it has sent before is read, and not lost with its sockets."""
        self.program.send(signal.SIGSTOP)
        time.sleep(0.2)
        self.program.kill()

    def end(self):
        self.program.end()


class Receiver:
    """A daemon that simulates sensors."""

    def __init__(self, name, folder, scene="bike", environment=None):
        self.name, self.folder = name, Path(folder)
        self.run = self.folder / "run"
        self.run.mkdir(parents=True)
        (self.folder / "cyclometer.conf").touch()
        self.program = Program(
            [BUILD / "cyclometerd", "--runtime-dir", self.run, "--config", self.folder / "cyclometer.conf", "--state-dir", self.folder / "state",
             "--sensors", self.folder / "sensors", "--simulate", scene], self.folder / "daemon.log", environment)

    @property
    def metrics(self):
        return self.run / "metrics.sock"

    def start(self):
        self.program.start()

    def listens(self):
        if not self.program.is_running:
            raise Failed(f"the daemon of {self.name} has ended\n{self.program.log}")
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.metrics)) == 0


class Bridge:
    """One of a receiver. Its configuration has `settings`: {section: {key: value}}."""

    def __init__(self, receiver, folder, settings, environment=None):
        self.receiver, self.folder = receiver, Path(folder)
        self.folder.mkdir(parents=True)
        self.name = settings.get("Fleet", {}).get("Receiver", receiver.name)
        everything = {"Fleet": {"Group": GROUP, "Receiver": self.name, **settings.get("Fleet", {})},
                      **{section: keys for section, keys in settings.items() if section != "Fleet"}}
        text = "".join(f"[{section}]\n" + "".join(f"{key}={value}\n" for key, value in keys.items()) for section, keys in everything.items())
        configuration = self.folder / "mqtt.conf"
        configuration.write_text(text)
        configuration.chmod(0o600)
        self.program = Program(
            [BUILD / "cyclometer-mqtt", "--config", configuration, "--socket", receiver.run / "control.sock", "--state-dir", self.folder / "state",
             "--runtime-dir", self.folder / "run"], self.folder / "log", environment)

    @property
    def prefix(self):
        return f"{OURS}{GROUP}/{self.name}/"

    def start(self):
        (self.folder / "run").mkdir(exist_ok=True)
        self.program.start()

    def status(self):
        """What mqtt.sock says; nothing if it does not answer yet."""
        if not self.program.is_running:
            raise Failed(f"the bridge of {self.name} has ended\n{self.program.log}")
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(TIMEOUT)
            if connection.connect_ex(str(self.folder / "run" / "mqtt.sock")):
                return {}
            with connection.makefile("rwb") as lines:
                lines.write(b'{"id":1,"method":"status"}\n')
                lines.flush()
                for line in lines:
                    record = json.loads(line)
                    if record.get("id") == 1:
                        return record["result"]
        return {}

    def is_connected(self):
        status = self.status()
        return bool(status.get("connected")) and status["broker"]["state"] == "connected"


class Fleet:
    """Bridges of receivers at one broker, with the reader that stores what they send."""

    def __init__(self, receivers, folder, port, settings=None, reader=()):
        self.receivers, self.folder, self.port = receivers, Path(folder), port
        self.reader = Helper("reader", *(reader or [port]))
        until(self.reader.subscription, "the reader's subscription")
        self.bridges = [
            Bridge(receiver, self.folder / receiver.name, {"Broker": {"Address": f"mqtt://127.0.0.1:{port}"}, **(settings or {})})
            for receiver in receivers]

    def start(self):
        for bridge in self.bridges:
            bridge.start()
        self.await_connections()

    def await_connections(self, seconds=TIMEOUT):
        for bridge in self.bridges:
            until(bridge.is_connected, f"{bridge.name} at its broker", seconds)

    def want(self, hertz, minutes=59):
        """Everything is wanted live."""
        end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 60 * minutes))
        for bridge in self.bridges:
            self.reader.publish(bridge.prefix + "want", json.dumps({"hz": hertz, "until": end}), True)

    def lag(self):
        """Receivers whose daemon had to drop samples for the bridge."""
        return [bridge.name for bridge in self.bridges if "daemon: dropped" in bridge.program.log]

    def end(self):
        for bridge in self.bridges:
            bridge.program.end()
        self.reader.end()


class Comparison:
    """What the daemons send from now on, and what arrives in a store."""

    def __init__(self, fleet, witness):
        self.fleet, self.witness = fleet, witness
        self.names = {receiver.name for receiver in fleet.receivers}
        self.begin = self.of_fleet(witness.last())
        self.began = now()

    def of_fleet(self, numbers):
        return {key: number for key, number in numbers.items() if key.split(" ", 1)[0] in self.names}

    def ranges(self):
        return {key: [self.begin.get(key, 0), last] for key, last in self.of_fleet(self.witness.last()).items()}

    def finish(self, seconds=SETTLING):
        """Waits until what was sent until now is stored. Keeps what is missing then."""
        self.sent = self.ranges()
        deadline = time.monotonic() + seconds
        while (missing := self.fleet.reader.missing(self.sent)) and time.monotonic() < deadline:
            time.sleep(0.5)
        self.missing = missing
        return self

    @property
    def count(self):
        return sum(last - after for after, last in self.sent.values())

    @property
    def missing_count(self):
        return sum(len(numbers) for numbers in self.missing.values())

    def differing(self):
        """Streams whose values in the store are not those that the daemon sent."""
        whole = {key: span for key, span in self.sent.items() if key not in self.missing}
        sent, stored = self.witness.digests(whole), self.fleet.reader.digests(whole)
        return [key for key in whole if sent[key] != stored[key]]

    def problems(self, allowed=()):
        """Sentences about all that is not as it should be. Holes of `allowed` receivers are checked
        elsewhere."""
        found = []
        if not self.count:
            found.append("the daemons have sent nothing")
        if gaps := self.witness.gaps(self.sent):
            found.append(f"the witness itself has missed {sum(map(len, gaps.values()))} samples")
        if missing := {key: numbers[:5] for key, numbers in self.missing.items() if key.split(" ", 1)[0] not in allowed}:
            found.append(f"missing in the store: {self.missing_count} of {self.count}, such as {dict(list(missing.items())[:3])}")
        if differing := self.differing():
            found.append(f"other values in the store: {differing[:3]}")
        counts = self.fleet.reader.counts()
        if counts["contradictions"]:
            found.append(f"the same key with other contents: {counts['contradictions'][:3]}")
        if counts["empty_values"]:
            found.append(f"{counts['empty_values']} empty values")
        if holes := self.fleet.reader.holes():
            found.append(f"batches that are missing: {holes}")
        if lag := self.fleet.lag():
            found.append(f"the daemon has dropped samples for the bridge of {', '.join(lag)}")
        return found
