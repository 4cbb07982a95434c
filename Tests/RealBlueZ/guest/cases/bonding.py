"""Straps that require a bond, with the passkey prompt on the control socket."""

from __future__ import annotations

import json

from bluetoothctl import Bluetoothctl
from cyclometer import Daemon, Record, Subscriber
from runner import Rig, known
from waiting import now, require

PAIRING_SECONDS = 50
"""`pair` is answered within 45 s."""


def begin(rig: Rig, kind: str) -> tuple[Daemon, str]:
    address = rig.air.add("HRM0", kind)
    daemon = rig.daemon()
    daemon.start()
    return daemon, address


class Pairing:
    """A client that pairs and gets the prompt."""

    def __init__(self, daemon: Daemon, address: str) -> None:
        self.client = Subscriber(daemon.control)
        self.client.asked += 1
        self.number = self.client.asked
        self.client.send(self.number, "pair", {"address": address})

    def __enter__(self) -> Pairing:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.__exit__()

    def prompt(self, since: float = 0) -> Record:
        return self.client.wait(lambda record: record["class"] == "prompt", 40, "a prompt", since)[1]

    def end(self) -> Record:
        """The reply or error that answers `pair`."""
        return self.client.wait(
            lambda record: record.get("id") == self.number, PAIRING_SECONDS, "the answer to pair"
        )[1]

    def succeed(self) -> str:
        answer = self.end()
        require(answer["class"] == "reply", f"pair was refused: {answer.get('code')}: {answer.get('message')}")
        return answer["result"]["id"]


def stream_again(rig: Rig, daemon: Daemon, sensor: str) -> None:
    """After a restart the daemon streams without a prompt."""
    bondings = rig.air.sensor("HRM0")["bondings"]
    status, _ = daemon.end()
    require(status == 0, f"it ended with {status}")
    daemon.start()
    begun = now()
    with Subscriber(daemon.metrics) as subscriber:
        subscriber.ask("subscribe", snapshot=False)
        arrived, _ = subscriber.wait_for_sample(sensor, "heart_rate", 30)
        rig.measured("after a restart", arrived - begun, "s")
    require(rig.air.sensor("HRM0")["bondings"] == bondings, "it was bonded again")


def case_passkey(rig: Rig) -> None:
    """a strap that shows a passkey is paired with it, and streams after a restart without another prompt"""
    daemon, address = begin(rig, "passkey_heart_rate")
    with Pairing(daemon, address) as pairing:
        prompt = pairing.prompt()
        require(prompt["ask"] == "passkey", f"it asks for {prompt['ask']}")
        answered = now()
        pairing.client.ask("answer", prompt=prompt["prompt"], value=rig.air.sensor("HRM0")["passkey"])
        sensor = pairing.succeed()
        rig.measured("from answer to pairing", now() - answered, "s")
    with Subscriber(daemon.metrics) as subscriber:
        subscriber.ask("subscribe", snapshot=False)
        subscriber.wait_for_sample(sensor, "heart_rate", 10)
    stream_again(rig, daemon, sensor)


def case_wrong_passkey(rig: Rig) -> None:
    """a wrong passkey is pairing_failed and stores nothing; the next attempt with the right one succeeds"""
    daemon, address = begin(rig, "passkey_heart_rate")
    with Pairing(daemon, address) as pairing:
        prompt = pairing.prompt()
        passkey = (int(rig.air.sensor("HRM0")["passkey"]) + 1) % 1_000_000
        answered = now()
        pairing.client.ask("answer", prompt=prompt["prompt"], value=f"{passkey:06}")
        answer = pairing.end()
        require(answer.get("code") == "pairing_failed", f"a wrong passkey ended with {answer}")
        rig.measured("refused after", now() - answered, "s")
        rig.figures.append(answer["message"])
    require(not daemon.request("sensors")["sensors"], "the sensor is remembered")
    with Pairing(daemon, address) as pairing:
        pairing.client.ask("answer", prompt=pairing.prompt()["prompt"], value=rig.air.sensor("HRM0")["passkey"])
        pairing.succeed()


def case_comparison(rig: Rig) -> None:
    """a strap with a passkey to compare is paired by a yes, and both sides show the same passkey"""
    daemon, address = begin(rig, "comparing_heart_rate")
    with Pairing(daemon, address) as pairing:
        prompt = pairing.prompt()
        require(prompt["ask"] == "confirm", f"it asks for {prompt['ask']}")
        shown = rig.air.sensor("HRM0")["passkey"]
        require(prompt["passkey"] == shown, f"the prompt shows {prompt['passkey']}, the strap {shown}")
        pairing.client.ask("answer", prompt=prompt["prompt"], value=True)
        sensor = pairing.succeed()
    stream_again(rig, daemon, sensor)


def case_without_a_question(rig: Rig) -> None:
    """a strap without a display that requires encryption is paired without a prompt"""
    daemon, address = begin(rig, "bonding_heart_rate")
    with Pairing(daemon, address) as pairing:
        sensor = pairing.succeed()
        require(not any(record["class"] == "prompt" for _, record in pairing.client.came), "it sent a prompt")
    stream_again(rig, daemon, sensor)


@known("Linux 7.2 does not connect to a strap whose address has changed", lambda release: release >= (5, 87))
def case_hidden_address(rig: Rig) -> None:
    """a strap with a private address is paired by it, stored with its own, and reconnects under another private one"""
    daemon, own = begin(rig, "hiding_heart_rate")
    found = [json.loads(line) for line in daemon.cyclo("scan", "--json", "-t", "5").stdout.splitlines()]
    shown = next(each["address"] for each in found if each.get("name") == "HRM0")
    require(shown != own, "it does not hide its address")
    with Pairing(daemon, shown) as pairing:
        sensor = pairing.succeed()
    require(daemon.sensor(own)["id"] == sensor, "it is not known by its own address")
    with Subscriber(daemon.metrics) as subscriber:
        subscriber.ask("subscribe", snapshot=False)
        rig.air.order("off", "HRM0")
        cut = now()
        rig.air.drop("HRM0")
        rig.air.order("hide", "HRM0")
        arrived, _ = subscriber.wait_for_sample(sensor, "heart_rate", 30, cut + 1)
        rig.measured("with another address", arrived - cut, "s")
    stream_again(rig, daemon, sensor)


def case_with_another_agent(rig: Rig) -> None:
    """when another program's default agent refuses, Pair asks ours, and the other stays the default"""
    daemon, address = begin(rig, "passkey_heart_rate")
    with Bluetoothctl(rig.logs) as other:
        other.type("default-agent")
        other.expect("Default agent request successful", 10)
        with Pairing(daemon, address) as pairing:
            other.expect("Enter passkey", 30)
            other.type("no")
            prompt = pairing.prompt()
            pairing.client.ask("answer", prompt=prompt["prompt"], value=rig.air.sensor("HRM0")["passkey"])
            pairing.succeed()
        other.type("default-agent")
        other.expect("Default agent request successful", 10)


def case_with_another_silent_agent(rig: Rig) -> None:
    """when another program's default agent does not answer, Pair asks ours after a while"""
    daemon, address = begin(rig, "passkey_heart_rate")
    with Bluetoothctl(rig.logs) as other:
        other.type("default-agent")
        other.expect("Default agent request successful", 10)
        with Pairing(daemon, address) as pairing:
            other.expect("Enter passkey", 30)
            begun = now()
            prompt = pairing.prompt()
            rig.measured("asked after", now() - begun, "s")
            pairing.client.ask("answer", prompt=prompt["prompt"], value=rig.air.sensor("HRM0")["passkey"])
            pairing.succeed()
