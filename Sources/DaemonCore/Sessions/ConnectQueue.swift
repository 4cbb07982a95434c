// One connect at a time: BlueZ and controllers disturb themselves otherwise. First come, first served, but a radar first; a place is
// given up by whoever is no longer interested. Discovery rests while somebody connects.
//
// Nobody waits for a sensor that may not be there. A turn may be asked for in the mere hope that the sensor, which was lost a
// moment ago, is there still. It comes after all others, and ends when anybody else asks for one. Where several hope at once
// none of them gets a turn: discovery tells who is there, in less time than it takes to try them all.

final class ConnectQueue {
  private var waiting: [Ticket] = []
  private var current: Ticket?
  /// Told whenever a turn begins or the queue is idle again.
  var onChange: () -> Void = {}
  /// Discovery, which rests during a turn, would have something to find: a missing sensor, a broadcaster, what a user scans for.
  var areAdvertsNeeded = false {
    didSet { if areAdvertsNeeded != oldValue { current?.demandChanged() } }
  }

  final class Ticket {
    fileprivate let granted: () -> Void
    fileprivate let wanted: () -> Void
    fileprivate let demandChanged: () -> Void
    fileprivate let dropped: () -> Void
    fileprivate let isUrgent: Bool
    private(set) var isHopeful: Bool

    fileprivate init(
      isHopeful: Bool, isUrgent: Bool, granted: @escaping () -> Void, wanted: @escaping () -> Void,
      demandChanged: @escaping () -> Void, dropped: @escaping () -> Void
    ) {
      self.isHopeful = isHopeful
      self.isUrgent = isUrgent
      self.granted = granted
      self.wanted = wanted
      self.demandChanged = demandChanged
      self.dropped = dropped
    }

    /// Its sensor is there.
    func provePresence() { isHopeful = false }
  }

  var isBusy: Bool { current != nil }
  var isWanted: Bool { !waiting.isEmpty }

  /// The turn is granted by `advance`. `wanted`: somebody else waits, and this turn is to end if that costs nothing.
  /// `demandChanged`: during this turn `areAdvertsNeeded` changed. `dropped`: it left the queue without a turn.
  func request(
    isHopeful: Bool = false, isUrgent: Bool = false, granted: @escaping () -> Void, wanted: @escaping () -> Void = {},
    demandChanged: @escaping () -> Void = {}, dropped: @escaping () -> Void = {}
  ) -> Ticket {
    let ticket = Ticket(
      isHopeful: isHopeful, isUrgent: isUrgent, granted: granted, wanted: wanted, demandChanged: demandChanged,
      dropped: dropped)
    waiting.append(ticket)
    return ticket
  }

  /// Starts the next turn, if nobody has it. Apart from `request`, so that the ticket is in its owner's hands first.
  func advance() {
    if waiting.isEmpty { return }
    let isCrowdOfHopes = waiting.allSatisfy(\.isHopeful) && (current?.isHopeful ?? (waiting.count > 1))
    if isCrowdOfHopes { return dropHopes() }
    if let current { return current.wanted() }
    let next = waiting.remove(at: indexOfNext)
    current = next
    onChange()
    next.granted()
    if !waiting.isEmpty, current === next { next.wanted() }
  }

  private var indexOfNext: Int {
    waiting.firstIndex { !$0.isHopeful && $0.isUrgent } ?? waiting.firstIndex { !$0.isHopeful } ?? 0
  }

  private func dropHopes() {
    let hopes = waiting
    waiting = []
    for hope in hopes { hope.dropped() }
    if let current { current.wanted() } else { onChange() }
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
