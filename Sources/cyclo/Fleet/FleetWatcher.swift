// `fleet watch`: follows what the bridge reads of other receivers, through its restarts, until the time is
// reached or the user interrupts it. On a terminal it shows a screen, elsewhere one line per record.

import CommandTable
import CycloCommands
import CyclometerClient
import FleetWire
import JSON
import Linux
import Text
import Time
import Wire

struct FleetWatcher {
  /// The shortest time between two frames.
  private static let pause = Duration.milliseconds(100)

  private let session: Session
  private let feed: WallFeed
  private let deadline: MonotonicTime?
  private var wasFollowing = false
  private var board: FleetBoard
  private var view: WatchView
  private var decoder = KeyDecoder()
  private var lastDrawn = MonotonicTime.now
  private var isChanged = true
  private var offset = 0

  init(_ session: Session, group: String?) {
    self.session = session
    deadline = session.deadline
    feed = WallFeed(WallRecords(request: WallRequest(groups: group.map { [$0] })), of: session.endpoint, at: .now)
    board = FleetBoard(style: session.style)
    view = WatchView(style: session.style, columns: session.output.columns)
  }

  mutating func run() throws(Failure) {
    feed.connect(at: .now)
    if session.output.canDraw, !session.isJSON, !session.invocation.has(.lines) { return try runScreen() }
    while !isOver {
      while let record = try next() { show(record) }
      session.output.flush()
      wait(until: [deadline, feed.deadline].compactMap(\.self).min())
    }
    session.output.flush()
  }

  private var isOver: Bool { deadline.map { MonotonicTime.now >= $0 } ?? false }

  private func wait(or keys: Int32 = -1, _ waker: Int32 = -1, until end: MonotonicTime?) {
    _ = try? Waiting.untilReadable(feed.number, or: keys, or: [waker], deadline: end)
  }

  /// With each record, because a connection may begin and end before the next wait.
  private mutating func next() throws(Failure) -> ReceivedRecord? {
    let record = feed.next(at: .now)
    try followPresence()
    return record
  }

  /// Does not wait for a bridge that was never there, or that refuses. Of one that was lost it is
  /// reported once, and that it has returned.
  private mutating func followPresence() throws(Failure) {
    if let absence = feed.absence, !feed.hasFollowed || absence.isRefusal { throw Failure(bridge: absence) }
    guard feed.isFollowing != board.isFollowing else { return }
    isChanged = true
    if feed.isFollowing {
      board.bridgeFound()
      if wasFollowing { note("cyclo: the bridge is there again") }
      wasFollowing = true
    } else {
      board.bridgeLost()
      note("cyclo: lost the bridge; waiting for it to return")
    }
  }

  /// Not on a screen, whose first line shows this.
  private func note(_ text: String) {
    if !session.output.canDraw || session.isJSON { session.output.note(text) }
  }
}

// MARK: Lines

extension FleetWatcher {
  private mutating func show(_ record: ReceivedRecord) {
    if session.isJSON { return session.output.line(record.line) }
    view.show(bike: record["receiver"]?.text ?? "")
    let text: [String] =
      switch record.recordClass {
      case "receiver": view.lines(of: "receiver", state: state(of: record), received: .now)
      case BrokerRecord.className: view.lines(of: "broker", state: state(of: record), received: .now)
      default: view.lines(FleetBoard.message(of: record), received: .now)
      }
    for line in text { session.output.line(line) }
  }

  private func state(of record: ReceivedRecord) -> String {
    let words = [record["state"]?.text, record["reason"]?.text ?? record["message"]?.text]
    return printable(words.compactMap(\.self).joined(separator: ": "))
  }
}

// MARK: The screen

extension FleetWatcher {
  private mutating func runScreen() throws(Failure) {
    // Before switching to the full screen, so that the error stays visible.
    while !board.isFollowing, !isOver {
      while let record = try next() { board.take(record, at: .now) }
      if !board.isFollowing { wait(until: [deadline, feed.deadline].compactMap(\.self).min()) }
    }
    let screen = Screen(session.output, .whole)
    let readsKeys = Terminal.readKeys(true)
    let waker = try? Waker()
    Terminal.wakeOnChange(waker)
    var wasEndedByKey = false
    defer {
      Terminal.wakeOnChange(nil)
      if readsKeys { Terminal.readKeys(false) }
      screen.end(leaving: !wasEndedByKey)
    }
    while !isOver {
      while let record = try next() {
        board.take(record, at: .now)
        isChanged = true
      }
      drawIfDue(screen, hint: readsKeys ? "q quit, u units, up and down scroll" : "")
      wait(
        or: readsKeys ? 0 : -1, waker?.number ?? -1,
        until: [deadline, feed.deadline, nextPicture].compactMap(\.self).min())
      _ = waker?.clear()
      if readsKeys, takeKeys() {
        wasEndedByKey = true
        return
      }
    }
  }

  private var nextPicture: MonotonicTime {
    if isChanged { return lastDrawn + Self.pause }
    // Ages change.
    let second: Int64 = 1_000_000_000
    return MonotonicTime(nanoseconds: (lastDrawn.nanoseconds / second + 1) * second)
  }

  private mutating func drawIfDue(_ screen: Screen, hint: String) {
    let now = MonotonicTime.now
    guard now >= nextPicture || screen.isOutdated() else { return }
    screen.draw(FleetView(board: board, now: now, hint: hint, offset: offset).lines(screen.size))
    lastDrawn = now
    isChanged = false
  }

  /// True if the user wants to quit.
  private mutating func takeKeys() -> Bool {
    guard let keys = decoder.typed() else { return true }
    for key in keys {
      switch key {
      case .letter("q"), .letter("Q"), .end: return true
      case .letter("u"), .letter("U"): board.show(in: board.style.units == .metric ? .imperial : .metric)
      case .down, .letter("j"): offset = min(offset + 1, board.bikes.count)
      case .up, .letter("k"): offset = max(0, offset - 1)
      default: continue
      }
      isChanged = true
    }
    return false
  }
}
