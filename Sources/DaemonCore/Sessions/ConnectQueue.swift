// One connect at a time: BlueZ and controllers disturb themselves otherwise. First come, first served; a place is given up
// by whoever is no longer interested. Discovery rests while somebody connects.

final class ConnectQueue {
  private var waiting: [Ticket] = []
  private var current: Ticket?
  /// Told whenever a turn begins or the queue is idle again.
  var onChange: () -> Void = {}

  final class Ticket {
    fileprivate let granted: () -> Void

    fileprivate init(granted: @escaping () -> Void) {
      self.granted = granted
    }
  }

  var isBusy: Bool { current != nil }

  /// The turn may be granted at once.
  func request(_ granted: @escaping () -> Void) -> Ticket {
    let ticket = Ticket(granted: granted)
    waiting.append(ticket)
    return ticket
  }

  /// Starts the next turn, if nobody has it. Apart from `request`, so that the ticket is in its owner's hands first.
  func advance() {
    guard current == nil, !waiting.isEmpty else { return }
    let next = waiting.removeFirst()
    current = next
    onChange()
    next.granted()
  }

  /// Ends the turn, or leaves the queue.
  func release(_ ticket: Ticket) {
    waiting.removeAll { $0 === ticket }
    guard current === ticket else { return }
    current = nil
    advance()
    if current == nil { onChange() }
  }
}
