"""The row of clients that a broker has to refuse: with TLS, users, certificates and rights."""
import subprocess
import time

from fleet import GROUP, Bridge, Broker, Comparison, Fleet, Receiver
from programs import Failed, Helper, until
from table import Row

RIGHTS = [f"pattern write cyclometer/v1/{GROUP}/%u/#", f"pattern read cyclometer/v1/{GROUP}/%u/want", "user wall", "topic read cyclometer/#"]
PASSWORDS = {"wall": "seen", "right": "bell", "rider": "gear", "twin": "spoke"}
NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


class Authority:
    """Made by openssl, and thrown away."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.openssl("-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=Throwaway", "-days", "2")

    @property
    def file(self):
        return self.folder / "ca.crt"

    def openssl(self, *words):
        result = subprocess.run(["openssl", "req", "-x509", *NEW_KEY, *words], cwd=self.folder, capture_output=True, text=True)
        if result.returncode:
            raise Failed(f"openssl: {result.stderr}")

    def issue(self, name, *options):
        """The certificate and its key."""
        self.openssl("-CA", "ca.crt", "-CAkey", "ca.key", "-keyout", f"{name}.key", "-out", f"{name}.crt", "-subj", f"/CN={name}", "-days", "1",
                     "-addext", "basicConstraints=critical,CA:FALSE", *options)
        (self.folder / f"{name}.key").chmod(0o600)
        return self.folder / f"{name}.crt", self.folder / f"{name}.key"


class Place:
    """Two brokers of the same authority, one that asks for passwords and one for certificates, and a
    receiver whose bridges are wrong in one way each."""

    def __init__(self, test):
        self.folder = test.folder / "access"
        self.folder.mkdir()
        self.authority, self.other = Authority(self.folder / "ca"), Authority(self.folder / "other-ca")
        certificate, key = self.authority.issue("broker", "-addext", "subjectAltName=DNS:localhost")
        rights, passwords = self.folder / "rights", self.folder / "passwords"
        rights.write_text("\n".join(RIGHTS) + "\n")
        passwords.touch(mode=0o600)
        for user, password in PASSWORDS.items():
            subprocess.run(["mosquitto_passwd", "-b", passwords, user, password], check=True, capture_output=True)
        tls = [f"cafile {self.authority.file}", f"certfile {certificate}", f"keyfile {key}", "allow_anonymous false", f"acl_file {rights}"]
        self.by_password = Broker(self.folder / "by-password", [*tls, f"password_file {passwords}"])
        self.by_certificate = Broker(self.folder / "by-certificate", [*tls, "require_certificate true", "use_identity_as_username true"])
        self.receiver = Receiver("right", self.folder / "receiver")
        self.bridges = []

    def settings(self, user, password=None, host="localhost", authority=None):
        """Of a bridge with a password: the right ones, but for what is named."""
        file = self.folder / f"password-{user}-{password}"
        file.write_text((password or PASSWORDS[user]) + "\n")
        file.chmod(0o600)
        return {"Broker": {"Address": f"mqtts://{host}:{self.by_password.port}", "CA": (authority or self.authority).file, "User": user,
                           "PasswordFile": file}}

    def certified(self, authority, name):
        certificate, key = authority.issue(name)
        return {"Broker": {"Address": f"mqtts://localhost:{self.by_certificate.port}", "CA": self.authority.file, "Certificate": certificate, "Key": key}}

    def bridge(self, case, name, settings):
        fleet = {"Receiver": name, "Live": "always"}
        one = Bridge(self.receiver, self.folder / f"bridge-{case}", {**settings, "Fleet": fleet})
        self.bridges.append(one)
        one.start()
        return one

    def end(self):
        for bridge in self.bridges:
            bridge.program.end()
        self.by_password.end()
        self.by_certificate.end()
        self.receiver.program.end()


def cases(place):
    """What is wrong; the receiver's name; its settings; the reason in mqtt.sock; what the log advises."""
    return [
        ("the name of another host", "rider", place.settings("rider", host="127.0.0.1"), "untrusted", "use a name from the certificate in Address="),
        ("another authority", "rider", place.settings("rider", authority=place.other), "untrusted", "check CA="),
        ("a wrong password", "rider", place.settings("rider", password="wrong"), "denied", "check User= and PasswordFile="),
        ("no certificate", "rider", {"Broker": {"Address": f"mqtts://localhost:{place.by_certificate.port}", "CA": place.authority.file}},
         "denied", "check Certificate= and Key="),
        ("a certificate of another authority", "rider", place.certified(place.other, "rider"), "denied", "check Certificate= and Key="),
    ]


def is_refused(bridge, reason, advice):
    broker = bridge.status().get("broker", {})
    return broker.get("state") != "connected" and broker.get("reason") == reason and advice in bridge.program.log


def complains_of_topics(bridge):
    """It may not write below the name of another one."""
    broker = bridge.status().get("broker", {})
    refused = bool(broker.get("refused")) or broker.get("reason") == "denied"
    return refused and "the rights of this client at the broker" in bridge.program.log


def refusals(test, row):
    place = Place(test)
    fleet = witness = certified = None
    try:
        place.receiver.start()
        until(place.receiver.listens, "the daemon")
        witness = Helper("witness", f"right={place.receiver.metrics}")
        until(lambda: witness.connected() == 1, "the daemon")
        options = [place.by_password.port, "user=wall", f"password={PASSWORDS['wall']}", f"ca={place.authority.file}"]
        fleet = Fleet([place.receiver], place.folder / "bridges", place.by_password.port, place.settings("right"), reader=options)
        fleet.start()
        comparison = Comparison(fleet, witness)
        certified = place.bridge("certified", "certified", place.certified(place.authority, "certified"))
        until(certified.is_connected, "the bridge with a certificate")
        refuse_all(place, fleet, row)
        blame_the_name(place, row)
        comparison.finish()
        row.figure(f"{comparison.missing_count} of {comparison.count} samples of the right one missing")
        row.problems += comparison.problems()
        row.require(certified.is_connected(), "the bridge with the right certificate has lost its connection")
    finally:
        if fleet:
            fleet.end()
        place.end()
        if witness:
            witness.end()


def refuse_all(place, fleet, row):
    wrong = [(case, place.bridge(number, name, settings), reason, advice)
             for number, (case, name, settings, reason, advice) in enumerate(cases(place))]
    foreign = place.bridge("foreign", "stranger", place.settings("rider"))
    for case, bridge, reason, advice in wrong:
        try:
            until(lambda: is_refused(bridge, reason, advice), f"{case}: '{reason}' and '{advice}'", 30)
        except Failed as error:
            row.require(False, f"{error}\n{bridge.status().get('broker')}\n{bridge.program.log}")
    try:
        until(lambda: complains_of_topics(foreign), "a foreign topic: refused", 30)
    except Failed as error:
        row.require(False, f"{error}\n{foreign.status().get('broker')}\n{foreign.program.log}")
    time.sleep(6)
    arrived = {name: sum(fleet.reader.message_counts(f"cyclometer/v1/{GROUP}/{name}/").values()) for name in ("rider", "stranger")}
    row.figure(f"refused with advice: {', '.join(case for case, *_ in wrong)}, a foreign topic; of theirs {sum(arrived.values())} messages arrived")
    row.require(not any(arrived.values()), f"messages of refused bridges arrived: {arrived}")
    for *_, bridge, _, _ in wrong:
        bridge.program.end()
    foreign.program.end()


def blame_the_name(place, row):
    """Two receivers with one name take the connection from each other. This broker gives no reason, so
    both go on, less and less often, and say what it may be."""
    twins = [place.bridge(f"twin-{number}", "twin", place.settings("twin")) for number in range(2)]
    began = time.monotonic()
    until(lambda: any("another receiver may have the same name: check Receiver=" in bridge.program.log for bridge in twins), "a twin that suspects it", 150)
    row.figure(f"a name taken twice: suspected after {time.monotonic() - began:.0f} s")
    for bridge in twins:
        bridge.program.end()


def lane(test):
    row = Row("wrong name, wrong certificate, foreign topic", "refused by the broker; the log says which, and what to do")
    return [row], lambda: row.run(lambda row: refusals(test, row))
