"""What the daemons have sent: a client of each daemon's metrics.sock that keeps every record by its
key. It is compared with what arrived in the store.

    witness.py RECEIVER=SOCKET...
"""
import json
import selectors
import socket
import sys
import threading
import time

from programs import now, serve
from store import Samples

SUBSCRIBE = b'{"id":1,"method":"subscribe","params":{"snapshot":true}}\n'
# The bridge never sends it, unless it is allowed to.
PRIVATE = "position"


class Connection:
    def __init__(self, receiver, path):
        self.receiver, self.path = receiver, path
        self.socket, self.buffer, self.instance = None, b"", None

    def open(self):
        connection = socket.socket(socket.AF_UNIX)
        if connection.connect_ex(self.path):
            connection.close()
            return False
        connection.sendall(SUBSCRIBE)
        connection.setblocking(False)
        self.socket, self.buffer = connection, b""
        return True


class Witness:
    def __init__(self, sources):
        self.samples = Samples()
        # Of states and events: when they came, from which receiver.
        self.others = []
        self.lost = 0
        self.lock = threading.Lock()
        self.selector = selectors.DefaultSelector()
        self.connections = [Connection(*source.split("=", 1)) for source in sources]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            for connection in self.connections:
                if connection.socket is None and connection.open():
                    self.selector.register(connection.socket, selectors.EVENT_READ, connection)
            if not self.selector.get_map():
                time.sleep(0.05)
            for key, _ in self.selector.select(0.05):
                with self.lock:
                    self.read(key.data)

    def read(self, connection):
        try:
            some = connection.socket.recv(1 << 18)
        except BlockingIOError:
            return
        except ConnectionError:
            some = b""
        if not some:
            self.selector.unregister(connection.socket)
            connection.socket.close()
            connection.socket = None
            return
        *lines, connection.buffer = (connection.buffer + some).split(b"\n")
        for line in lines:
            self.add(connection, json.loads(line))

    def add(self, connection, record):
        kind = record["class"]
        if kind == "hello":
            connection.instance = record["instance"]
        elif kind == "sample" and record["kind"] != PRIVATE:
            self.samples.add(connection.receiver, connection.instance, record)
        elif kind in ("state", "event"):
            self.others.append((now(), connection.receiver))
        elif kind == "lag":
            self.lost += record["dropped"]

    # Called by `Helper`.

    def connected(self):
        """How many daemons are read."""
        return sum(each.socket is not None and each.instance is not None for each in self.connections)

    def instances(self):
        with self.lock:
            return {each.receiver: each.instance for each in self.connections}

    def last(self):
        with self.lock:
            return self.samples.last()

    def digests(self, ranges):
        with self.lock:
            return self.samples.digests(ranges)

    def times(self, numbers):
        with self.lock:
            return self.samples.times(numbers)

    def gaps(self, ranges):
        """What it has not seen itself."""
        with self.lock:
            return self.samples.missing(ranges)

    def others_between(self, begin, end):
        """By receiver, how many states and events came then."""
        counts = {}
        with self.lock:
            for at, receiver in self.others:
                if begin <= at <= end:
                    counts[receiver] = counts.get(receiver, 0) + 1
        return counts


if __name__ == "__main__":
    serve(Witness(sys.argv[1:]))
