// Subscribes to all that a device sends and reads all that can be read, one request after the other:
// some sensors lose a request that arrives before the answer to the last one. A request that is not
// answered in time is left behind, and a refused one is skipped.

import EventLoop
import Radio
import Vocabulary

final class LinkRequests {
  private enum Request {
    case subscribe(Endpoint)
    case read(Endpoint)
  }

  private let link: any Link
  private let loop: EventLoop
  private let received: (Endpoint, [UInt8]) -> Void
  private var waiting: ArraySlice<Request> = []
  private var deadline: Deadline?
  /// Counts the requests, so that a late answer is not taken for that to the next one.
  private var number = 0

  static let timeLimit = Duration.seconds(5)
  /// The Generic Attribute service is the Bluetooth daemon's own business.
  private static let attributes = BluetoothUUID(0x1801)

  /// `received` gets the values that were read.
  init(on link: any Link, loop: EventLoop, received: @escaping (Endpoint, [UInt8]) -> Void) {
    self.link = link
    self.loop = loop
    self.received = received
  }

  /// Subscriptions come first: what they bring cannot be read later.
  func begin(with endpoints: [Endpoint]) {
    let usable = endpoints.filter { $0.service != Self.attributes }
    let sent = usable.filter { link.properties(of: $0).canSubscribe }
    let readable = usable.filter { link.properties(of: $0).contains(.read) }
    waiting = (sent.map(Request.subscribe) + readable.map(Request.read))[...]
    next()
  }

  private func next() {
    deadline?.cancel()
    number += 1
    guard let request = waiting.popFirst() else { return }
    let number = number
    deadline = loop.schedule(after: Self.timeLimit) { [weak self] in self?.next() }
    switch request {
    case .subscribe(let endpoint):
      link.subscribe(endpoint) { [weak self] _ in self?.answered(number) }
    case .read(let endpoint):
      link.read(endpoint) { [weak self] result in
        if let self, case .success(let value) = result { received(endpoint, value) }
        self?.answered(number)
      }
    }
  }

  private func answered(_ number: Int) {
    if number == self.number { next() }
  }
}
