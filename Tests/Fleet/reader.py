"""The reader at the broker that stores by key. It has a session that the broker keeps, so that nothing
is missed while the two find each other again.

    reader.py PORT [OPTION=VALUE...]     options: id, user, password, ca
"""
import calendar
import json
import sys
import threading
import time
import zlib

import paho.mqtt.client as mqtt
from programs import now, percentile, serve, wall_offset
from store import Samples

OURS, BARE, BROKER = "cyclometer/v1/", "bare/", "$SYS/broker/"
# At four messages a second, the bridge holds a sample back if another one came shortly before. So only
# samples that came so many seconds after the previous one count.
PAUSE = 0.5
# Of more, every second or third is enough. While the reader sorts, the broker has to queue for it.
MOST_DELAYS = 50_000


class Reader:
    def __init__(self, port, id="reader", user=None, password=None, ca=None):
        self.samples = Samples()
        self.lock = threading.Lock()
        self.is_subscribed = False
        # By receiver.
        self.batches, self.losses, self.others, self.clocks = {}, [], {}, {}
        # When which status and which state of a sensor came.
        self.statuses, self.states = [], []
        self.empty_values = self.dated = 0
        # Samples with a `time` of their own that is wrong.
        self.wrong = []
        self.forget()
        self.topics, self.numbers = {}, {}
        self.client = mqtt.Client(id, clean_session=False, protocol=mqtt.MQTTv311)
        if user:
            self.client.username_pw_set(user, password)
        if ca:
            self.client.tls_set(ca)
        self.client.on_connect, self.client.on_subscribe = self.connected, self.subscribed
        self.client.on_message = self.add
        self.address = ("localhost" if ca else "127.0.0.1", int(port))
        threading.Thread(target=self.run, daemon=True).start()

    def forget(self):
        """Starts the measurement of latencies."""
        self.latencies = {(source, topic): {} for source in (OURS, BARE) for topic in ("now", "log")}

    def run(self):
        has_connected = False
        while True:
            try:
                if has_connected:
                    self.client.reconnect()
                else:
                    self.client.connect(*self.address, keepalive=60)
                    has_connected = True
                while self.client.loop(0.1) == mqtt.MQTT_ERR_SUCCESS:
                    pass
            except OSError:
                pass
            self.is_subscribed = False
            time.sleep(0.05)

    def connected(self, client, _, flags, code):
        if code == 0:
            client.subscribe([("#", 1), (BROKER + "messages/received", 0), (BROKER + "publish/messages/dropped", 0)])

    def subscribed(self, *_):
        self.is_subscribed = True

    # What arrives.

    def add(self, _client, _data, message):
        arrived = now()
        topic = message.topic
        source = OURS if topic.startswith(OURS) else BARE if topic.startswith(BARE) else None
        with self.lock:
            self.topics[topic] = self.topics.get(topic, 0) + 1
            if topic.startswith(BROKER):
                self.numbers[topic] = int(message.payload)
            if source is None:
                return
            levels = topic[len(source):].split("/")
            if source == OURS:
                levels = levels[1:]
            receiver, name = levels[0], levels[1]
            if name == "now":
                self.add_live(source, receiver, message, arrived)
            elif name == "log":
                self.add_batch(source, receiver, message.payload, arrived)
            elif name == "status":
                self.statuses.append((arrived, receiver, bool(message.retain), json.loads(message.payload)))
            elif name == "sensor" and message.payload:
                self.states.append((arrived, receiver, levels[2], json.loads(message.payload)))

    def add_live(self, source, receiver, message, arrived):
        if not message.payload:
            self.empty_values += 1
        elif not message.retain:
            record = json.loads(message.payload)
            stream = (receiver, record["sensor"], record["kind"])
            self.latencies[source, "now"].setdefault(receiver, []).append((arrived - record["t"], stream, record["seq"], record["t"]))

    def add_batch(self, source, receiver, payload, arrived):
        if payload[:1] == b"\x78":
            payload = zlib.decompress(payload)
        batch = json.loads(payload)
        delays = self.latencies[source, "log"].setdefault(receiver, [])
        for record in batch["records"]:
            if record["class"] == "sample":
                delays.append(arrived - record["t"])
        if source == BARE:
            return
        number, instance = batch["batch"], batch["instance"]
        self.batches.setdefault(receiver, set()).add(number)
        clock = batch.get("clock")
        self.dated += clock is not None
        if clock and (boot := batch.get("boot")):
            known = self.clocks.setdefault(receiver, {})
            if boot not in known or known[boot]["t"] < clock["t"]:
                known[boot] = clock
        for place, record in enumerate(batch["records"]):
            self.add_record(receiver, instance, number, place, record)

    def add_record(self, receiver, instance, number, place, record):
        kind = record["class"]
        if kind == "sample":
            self.samples.add(receiver, instance, record)
            if "time" in record and abs(error := seconds(record["time"]) - record["t"] - wall_offset()) > 0.1:
                self.wrong.append((error, f"{record['sensor']} {record['kind']} {record['seq']}: {record['t']} is {record['time']}"))
            return
        key = (receiver, instance, number, place)
        text = json.dumps(record)
        known = self.others.setdefault(key, text)
        if known != text:
            self.samples.contradictions.append(" ".join(map(str, key)))
        elif kind == "loss" and not any(each[0] == key for each in self.losses):
            self.losses.append((key, record))

    # Called by `Helper`.

    def subscription(self):
        return self.is_subscribed

    def publish(self, topic, text, is_retained=False):
        self.client.publish(topic, text, 1, is_retained)

    def delays(self, source, topic, receivers):
        """Seconds from `t` to the arrival, of the records of these receivers, or of all."""
        with self.lock:
            known = self.latencies[source, topic]
            lists = [some for receiver, some in known.items() if receivers is None or receiver in receivers]
            step = 1 + sum(map(len, lists)) // MOST_DELAYS
            values = [each for some in lists for each in some[::step]]
            streams = self.samples.by_name()
        if topic == "now":
            values = [delay for delay, stream, seq, t in values if stream in streams and t - streams[stream].time(seq - 1) >= PAUSE]
        if not values:
            return {"count": 0}
        return {"count": len(values), "median": percentile(values, 0.5), "p99": percentile(values, 0.99)}

    def samples_of(self, receiver):
        """How many are stored."""
        with self.lock:
            return sum(stream.count for key, stream in self.samples.streams.items() if key.startswith(receiver + " "))

    def batches_of(self, receiver):
        with self.lock:
            return len(self.batches.get(receiver, ()))

    def number(self, topic):
        """The last payload of one of the broker's own topics."""
        with self.lock:
            return self.numbers.get(topic, 0)

    def counts(self):
        with self.lock:
            return {
                "stored": self.samples.count, "again": self.samples.again, "contradictions": self.samples.contradictions[:20],
                "empty_values": self.empty_values,
                "batches": sum(len(numbers) for numbers in self.batches.values())}

    def last(self):
        with self.lock:
            return self.samples.last()

    def missing(self, ranges):
        with self.lock:
            return self.samples.missing(ranges)

    def digests(self, ranges):
        with self.lock:
            return self.samples.digests(ranges)

    def holes(self):
        """By receiver: numbers of batches that are missing between the first and the last one, and are
        not of a loss."""
        found = {}
        with self.lock:
            for receiver, numbers in self.batches.items():
                lost = set()
                for key, loss in self.losses:
                    if key[0] == receiver:
                        lost.update(range(loss["batches"][0], loss["batches"][1] + 1))
                holes = set(range(min(numbers), max(numbers) + 1)) - numbers - lost
                if holes:
                    found[receiver] = sorted(holes)
        return found

    def loss_records(self):
        with self.lock:
            return [[key[0], record] for key, record in self.losses]

    def status_history(self, since=0):
        with self.lock:
            return [each for each in self.statuses if each[0] >= since]

    def state_history(self, since=0):
        with self.lock:
            return [each for each in self.states if each[0] >= since]

    def newest_clocks(self):
        """By receiver and boot."""
        with self.lock:
            return self.clocks

    def clock_count(self):
        """How many batches had the time of the wall clock."""
        with self.lock:
            return self.dated

    def wrong_times(self, tolerance):
        """Samples with a `time` that the wall clock never had at their `t`."""
        with self.lock:
            return [text for error, text in self.wrong if abs(error) > tolerance][:4]

    def samples_before(self, t):
        """How many are stored that were measured earlier."""
        with self.lock:
            return sum(each < t for stream in self.samples.streams.values() for each in stream.times)

    def message_counts(self, prefix):
        with self.lock:
            return {topic: count for topic, count in self.topics.items() if topic.startswith(prefix)}


def seconds(text):
    """Of a time such as 2026-11-22T15:00:02.417Z, since 1970."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    return calendar_seconds(whole) + float(f"0.{fraction or 0}")


def calendar_seconds(text, known={}):
    """Records of one second have the same one."""
    if text not in known:
        known.clear()
        known[text] = calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))
    return known[text]


if __name__ == "__main__":
    serve(Reader(sys.argv[1], **dict(word.split("=", 1) for word in sys.argv[2:])))
