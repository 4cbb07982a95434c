// Waiting for an advert, for the end of a pause, or for a turn in the queue.

import EventLoop
import Linux
import Time

final class Search {
  /// No connect before this time.
  let retryAt: MonotonicTime?
  /// The device is known to be there, so the next connect does not wait for an advert.
  private var isPresent: Bool
  /// Whether to ask for a turn at once, because the device was there a moment ago.
  private let isSpeculative: Bool
  private(set) var ticket: ConnectQueue.Ticket?
  private var retryDeadline: Deadline?

  init(retryAt: MonotonicTime? = nil, isPresent: Bool = false, isSpeculative: Bool = false) {
    self.retryAt = retryAt
    self.isPresent = isPresent
    self.isSpeculative = isSpeculative
  }

  func begin(for owner: any SearchOwner, _ services: ConnectionServices) {
    if isSpeculative { return requestTurn(for: owner, services, isSpeculative: true) }
    guard let retryAt else { return }
    retryDeadline = services.loop.schedule(at: retryAt) { [weak self, weak owner] in
      if let self, let owner, isPresent { requestTurn(for: owner, services) }
    }
  }

  func end() { retryDeadline?.cancel() }

  func advertised(to owner: any SearchOwner, _ services: ConnectionServices) {
    if let ticket { return ticket.provePresence() }
    if let retryAt, retryAt > services.loop.now {
      isPresent = true
    } else {
      requestTurn(for: owner, services)
    }
  }

  func leaveQueue(_ queue: ConnectQueue) {
    guard let ticket else { return }
    self.ticket = nil
    queue.release(ticket)
  }

  /// `isSpeculative`: it is unknown whether the device is there.
  private func requestTurn(
    for owner: any SearchOwner, _ services: ConnectionServices, isSpeculative: Bool = false
  ) {
    guard ticket == nil else { return }
    isPresent = false
    ticket = services.queue.request(isSpeculative: isSpeculative, isUrgent: owner.isUrgent) { [weak owner] in
      owner?.beginTurn()
    } wanted: { [weak owner] in
      owner?.queueIsContended()
    } demandChanged: { [weak owner] in
      owner?.demandChanged()
    } dropped: { [weak self] in
      self?.ticket = nil
    }
    services.queue.advance()
  }
}

/// What the queue tells about a turn. The turn outlasts the search.
protocol SearchOwner: AnyObject {
  var isUrgent: Bool { get }
  func beginTurn()
  func queueIsContended()
  func demandChanged()
}
