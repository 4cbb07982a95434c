"""A network between bridges and their broker, which can be cut: nothing passes, and the connections
stay, as without a signal. Or they are torn, as by a router that restarts.

    proxy.py PORT BROKER_PORT
"""
import selectors
import socket
import struct
import sys
import threading
import time

from programs import now, serve

MOST = 1 << 18


class Link:
    """The two sockets of a connection, each with the bytes that wait for it."""

    def __init__(self, client, broker):
        self.sockets = [client, broker]
        self.waiting = {client: b"", broker: b""}

    def other(self, one):
        return self.sockets[1 - self.sockets.index(one)]


class Proxy:
    def __init__(self, port, broker_port):
        self.broker = ("127.0.0.1", int(broker_port))
        self.selector = selectors.DefaultSelector()
        self.links, self.accepted = [], []
        self.is_cut = False
        self.orders = []
        self.listener = socket.create_server(("127.0.0.1", int(port)), backlog=1024)
        self.listener.setblocking(False)
        self.selector.register(self.listener, selectors.EVENT_READ, None)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            while self.orders:
                self.orders.pop(0)()
            if self.is_cut:
                time.sleep(0.005)
                continue
            for key, events in self.selector.select(0.02):
                if key.data is None:
                    self.accept()
                elif key.data in self.links:
                    self.pass_on(key.data, key.fileobj, events)

    def accept(self):
        client, _ = self.listener.accept()
        self.accepted.append(now())
        broker = socket.socket()
        if broker.connect_ex(self.broker):
            client.close()
            broker.close()
            return
        link = Link(client, broker)
        self.links.append(link)
        for each in link.sockets:
            each.setblocking(False)
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.selector.register(each, selectors.EVENT_READ, link)

    def pass_on(self, link, one, events):
        try:
            if events & selectors.EVENT_WRITE:
                self.send(link, one, b"")
            if events & selectors.EVENT_READ:
                some = one.recv(MOST)
                if not some:
                    return self.close(link)
                self.send(link, link.other(one), some)
        except BlockingIOError:
            pass
        except OSError:
            self.close(link)

    def send(self, link, to, some):
        waiting = link.waiting[to] + some
        try:
            waiting = waiting[to.send(waiting):]
        except BlockingIOError:
            pass
        link.waiting[to] = waiting
        self.selector.modify(to, selectors.EVENT_READ | (selectors.EVENT_WRITE if waiting else 0), link)

    def close(self, link, is_torn=False):
        self.links.remove(link)
        for each in link.sockets:
            self.selector.unregister(each)
            if is_torn:
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            each.close()

    # Called by `Helper`.

    def cut(self):
        self.is_cut = True

    def restore(self):
        self.is_cut = False

    def tear(self):
        """All connections end at once, at both ends."""
        done = threading.Event()

        def order():
            for link in list(self.links):
                self.close(link, is_torn=True)
            done.set()

        self.orders.append(order)
        return done.wait(10)

    def connections(self):
        return len(self.links)

    def connection_times(self, since):
        return [each for each in self.accepted if each >= since]


if __name__ == "__main__":
    serve(Proxy(*sys.argv[1:]))
