// `watch`: follows the daemon's records, through its restarts, until the count or the time is
// reached or the user interrupts it. On a terminal it shows a screen (WatchLive.swift), elsewhere
// one line per record.

import CommandTable
import CycloCommands
import CyclometerClient
import GuideWire
import JSON
import Linux
import Text
import Time
import Wire

func watch(_ session: Session) throws(Failure) {
  // Names are resolved once: after a restart without the sensor, the daemon knows neither its id
  // nor its name.
  let sensors = try session.chosenSensors(
    session.connect(for: .read), derived: [SensorID.ride, SensorID.guide])
  let choice = WatchChoice(sensors: sensors, kinds: session.invocation.words.map(kindName))
  // With --count, every sample matters.
  let wantsLines = session.isJSON || session.invocation.has(.lines) || session.invocation.has(.count)
  do throws(Failure) {
    if session.output.canDraw, !wantsLines {
      var watcher = LiveWatcher(session: session, choice: choice)
      return try watcher.run()
    }
    var watcher = Watcher(session: session, choice: choice)
    try watcher.run()
  } catch {
    throw error.suggestingKinds(choice.kinds, among: session.plugins.allKinds + GuideKinds.all)
  }
}

private struct Watcher {
  let session: Session
  let choice: WatchChoice
  let deadline: MonotonicTime?
  var left: Int?
  var view: WatchView
  /// The recorder's events; nil with --no-events.
  let logbook: LogbookFeed?
  /// The guide's samples; nil if none are wanted.
  let guide: GuideFeed?
  var presence = GuidePresence()
  var wasConnected = false

  init(session: Session, choice: WatchChoice) {
    self.session = session
    self.choice = choice
    deadline = session.deadline
    left = session.invocation.count(.count)
    view = WatchView(style: session.style, columns: session.output.columns)
    logbook = session.logbookFeed
    // Samples of the snapshot do not count.
    guide = choice.guideFeed(of: session.endpoint, snapshot: left == nil)
  }

  mutating func run() throws(Failure) {
    let endpoint = session.endpoint
    var subscription = choice.ofDaemon
    (subscription.snapshot, subscription.events) = (left == nil, !session.invocation.has(.noEvents))
    let feed = try explained { () throws(ClientError) in try Feed(subscription, from: endpoint) }
    var isOver = false
    while !isOver {
      // Flushed before waiting, not after every record, so that a burst costs one write.
      if let update = try next(of: feed, until: .now) {
        isOver = try show(update)
        continue
      }
      showEvents()
      isOver = showGuidance()
      if isOver { break }
      session.output.flush()
      feed.wake(onInputOf: logbook?.number ?? -1, guide?.number ?? -1)
      let end = [deadline, logbook?.deadline, guide?.deadline].compactMap(\.self).min()
      if let update = try next(of: feed, until: end) {
        isOver = try show(update)
      } else if let deadline, MonotonicTime.now >= deadline {
        break
      }
    }
    if feed.greeting == nil, !isOver { throw Failure.daemonStaysAway }
    session.output.flush()
    if !isOver, let left { throw Failure(.timeout, "\(left) samples did not arrive in time") }
  }

  private func next(of feed: Feed, until deadline: MonotonicTime?) throws(Failure) -> Update? {
    try explained { () throws(ClientError) in try feed.next(until: deadline) }
  }

  /// True if the count is reached.
  private mutating func show(_ update: Update) throws(Failure) -> Bool {
    switch update {
    case .connected(_, let isNewInstance):
      if wasConnected {
        session.output.note("cyclo: connected again\(isNewInstance ? "; the daemon was restarted" : "")")
      }
      wasConnected = true
      logbook?.connect(at: .now)
      guide?.connect(at: .now)
    case .disconnected(let reason):
      // Does not wait for a daemon that was never there, or that turns this client away.
      guard wasConnected, !reason.isRefusal else { throw Failure(reason) }
      session.output.note("cyclo: lost the daemon; waiting for it to return")
    case .record(let record), .lag(_, let record):
      return show(record)
    // Sequence numbers show gaps.
    case .gap, .answer: break
    }
    return false
  }

  private mutating func showEvents() {
    while let item = logbook?.next(at: .now) {
      if session.isJSON {
        session.output.line(item.line)
      } else {
        for line in view.lines(item.event, received: .now) { session.output.line(line) }
      }
    }
  }

  /// True if the count is reached.
  private mutating func showGuidance() -> Bool {
    while let record = guide?.next(at: .now) {
      notePresence()
      if show(record) { return true }
    }
    notePresence()
    return false
  }

  private mutating func notePresence() {
    if let guide, let note = presence.change(of: guide) { session.output.note("cyclo: \(note)") }
  }

  /// True if the count is reached.
  private mutating func show(_ record: ReceivedRecord) -> Bool {
    let message = record.message
    guard message.isWanted(of: choice.sensors) else { return false }
    if session.isJSON {
      session.output.line(record.line)
    } else {
      for line in view.lines(message, received: .now) { session.output.line(line) }
    }
    guard case .sample = message, let more = left else { return false }
    left = more - 1
    return more == 1
  }
}

extension Session {
  /// The end set by `--seconds`.
  var deadline: MonotonicTime? { invocation.number(.seconds).map { .now + .seconds($0) } }

  /// Follows the recorder that belongs to the daemon, if there is one.
  var logbookFeed: LogbookFeed? {
    invocation.has(.noEvents) ? nil : LogbookFeed(of: endpoint, at: .now)
  }
}

extension Failure {
  /// Names the unknown kind and suggests a known one. A user may also have meant a sensor.
  func suggestingKinds(_ kinds: [String], among known: [String]) -> Failure {
    guard status == .usage, let unknown = kinds.first(where: { !known.contains($0) }) else { return self }
    var advice = suggestion(for: unknown, among: known).map { ["Did you mean '\($0)'?"] } ?? []
    if advice.isEmpty { advice.append("Kinds: \(known.joined(separator: ", "))") }
    advice.append("To choose a sensor: --sensor \(unknown)")
    return Failure(.usage, "unknown kind '\(unknown)'", advice: advice)
  }

  static let daemonStaysAway = Failure(.noDaemon, "the daemon did not return")
}

extension ClientError {
  var isRefusal: Bool {
    if case .refused = self { true } else { false }
  }
}

extension Message {
  /// The daemon sends every subscriber the states of all sensors; with --sensor, only the chosen ones
  /// are shown.
  func isWanted(of sensors: [String]) -> Bool {
    let id: String? =
      switch self {
      case .sample(let sample): sample.sensor
      case .state(let state): state.sensor
      case .sensor(let change): change.sensor.id
      case .event(let event): event.sensor
      default: nil
      }
    return sensors.isEmpty || id.map(sensors.contains) ?? true
  }
}
