// Allows one connect at a time, because BlueZ and controllers do not handle several well. Order of
// requests counts, but radars go first. Discovery pauses during a connect.
//
// A speculative connect is for a sensor that was lost a moment ago and may still be there. It comes
// after all others, and ends when any other sensor asks for a turn. If several sensors ask for
// speculative connects, none gets a turn: discovery finds out which are there in less time than it
// takes to try them all.

package final class ConnectQueue {
  private var waiting: [Ticket] = []
  private var current: Ticket?

  package init() {}

  /// Called whenever a turn begins or the queue becomes idle.
  package var onChange: () -> Void = {}
  /// Whether discovery would be needed if no connect paused it: for a missing sensor, a broadcaster
  /// or a scan.
  package private(set) var areAdvertsNeeded = false

  final class Ticket {
    fileprivate let granted: () -> Void
    fileprivate let wanted: () -> Void
    fileprivate let demandChanged: () -> Void
    fileprivate let dropped: () -> Void
    fileprivate let isUrgent: Bool
    private(set) var isSpeculative: Bool

    fileprivate init(
      isSpeculative: Bool, isUrgent: Bool, granted: @escaping () -> Void, wanted: @escaping () -> Void,
      demandChanged: @escaping () -> Void, dropped: @escaping () -> Void
    ) {
      self.isSpeculative = isSpeculative
      self.isUrgent = isUrgent
      self.granted = granted
      self.wanted = wanted
      self.demandChanged = demandChanged
      self.dropped = dropped
    }

    /// The sensor has been found, so the connect is no longer speculative.
    func provePresence() { isSpeculative = false }
  }

  package func update(areAdvertsNeeded isNew: Bool) {
    guard isNew != areAdvertsNeeded else { return }
    areAdvertsNeeded = isNew
    current?.demandChanged()
  }

  package var isBusy: Bool { current != nil }
  var isWanted: Bool { !waiting.isEmpty }

  /// `advance` grants the turn. `wanted`: another ticket waits, and this turn should end if that
  /// costs nothing. `demandChanged`: `areAdvertsNeeded` changed during this turn. `dropped`: the
  /// ticket left the queue without a turn.
  func request(
    isSpeculative: Bool = false, isUrgent: Bool = false, granted: @escaping () -> Void,
    wanted: @escaping () -> Void = {},
    demandChanged: @escaping () -> Void = {}, dropped: @escaping () -> Void = {}
  ) -> Ticket {
    let ticket = Ticket(
      isSpeculative: isSpeculative, isUrgent: isUrgent, granted: granted, wanted: wanted, demandChanged: demandChanged,
      dropped: dropped)
    waiting.append(ticket)
    return ticket
  }

  /// Starts the next turn if there is none. Separate from `request`, so that the caller has stored
  /// the ticket first.
  func advance() {
    if waiting.isEmpty { return }
    let isCrowdOfHopes = waiting.allSatisfy(\.isSpeculative) && (current?.isSpeculative ?? (waiting.count > 1))
    if isCrowdOfHopes { return dropHopes() }
    if let current { return current.wanted() }
    let next = waiting.remove(at: indexOfNext)
    current = next
    onChange()
    next.granted()
    if !waiting.isEmpty, current === next { next.wanted() }
  }

  private var indexOfNext: Int {
    waiting.firstIndex { !$0.isSpeculative && $0.isUrgent } ?? waiting.firstIndex { !$0.isSpeculative } ?? 0
  }

  private func dropHopes() {
    let hopes = waiting
    waiting = []
    for hope in hopes { hope.dropped() }
    if let current { current.wanted() } else { onChange() }
  }

  /// Ends the turn or leaves the queue.
  func release(_ ticket: Ticket) {
    waiting.removeAll { $0 === ticket }
    guard current === ticket else { return }
    current = nil
    advance()
    if current == nil { onChange() }
  }
}
