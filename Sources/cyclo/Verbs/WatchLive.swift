// `watch` on a terminal: redraws the screen when something changes, at most ten times per second,
// and once per second because ages change. The last line lists the keys.

import CommandTable
import CycloCommands
import CyclometerClient
import Linux
import Text
import Time
import Wire

struct LiveWatcher {
  private let session: Session
  private let choice: WatchChoice
  private let deadline: MonotonicTime?
  private let subscription: Subscription
  private var dashboard: Dashboard
  /// The recorder's events; nil with --no-events.
  private let logbook: LogbookFeed?
  /// The guide's samples; nil if none are wanted.
  private let guide: GuideFeed?
  private var guidePresence = GuidePresence()
  private var lastDrawn = MonotonicTime.now
  private var isChanged = true
  private var hint = ""
  private var page = Page.values
  private var offset = 0
  private var decoder = KeyDecoder()
  /// The number of the pending `status` request.
  private var asked: Pending<StatusReply>?

  /// The shortest time between two frames: faster than anyone reads, and cheap for a small
  /// computer.
  private static let pause = Duration.milliseconds(100)

  init(session: Session, choice: WatchChoice) {
    self.session = session
    self.choice = choice
    deadline = session.deadline
    var subscription = choice.ofDaemon
    (subscription.maxHz, subscription.events) = (10, !session.invocation.has(.noEvents))
    self.subscription = subscription
    logbook = session.logbookFeed
    guide = choice.guideFeed(of: session.endpoint)
    dashboard = Dashboard(style: session.style, sensors: choice.sensors, kinds: choice.kinds)
  }

  mutating func run() throws(Failure) {
    let feed = try feed()
    // Before switching to the full screen, so that the error stays visible.
    try waitForDaemon(feed)
    let screen = Screen(session.output, .whole)
    let readsKeys = Terminal.readKeys(true)
    if readsKeys { hint = LivePage.hint }
    Terminal.wakeOnChange(feed.waker)
    var wasEndedByKey = false
    defer {
      Terminal.wakeOnChange(nil)
      if readsKeys { Terminal.readKeys(false) }
      screen.end(leaving: !wasEndedByKey)
    }
    while !isOver {
      takeEvents()
      takeGuidance()
      drawIfDue(screen)
      feed.wake(onInputOf: readsKeys ? 0 : -1, logbook?.number ?? -1, guide?.number ?? -1)
      if let update = try next(of: feed) {
        try take(update, feed)
      } else if readsKeys, takeKeys() {
        wasEndedByKey = true
        return
      }
    }
    if feed.greeting == nil { throw Failure.daemonStaysAway }
  }

  private var isOver: Bool { deadline.map { MonotonicTime.now >= $0 } ?? false }

  private func feed() throws(Failure) -> Feed {
    let (subscription, endpoint) = (subscription, session.endpoint)
    return try explained { () throws(ClientError) in try Feed(subscription, from: endpoint) }
  }

  private mutating func waitForDaemon(_ feed: Feed) throws(Failure) {
    let deadline = deadline
    while dashboard.presence != .connected {
      let update = try explained { () throws(ClientError) in try feed.next(until: deadline) }
      guard let update else { throw Failure(.timeout, "the daemon does not answer") }
      if case .disconnected(let reason) = update { throw Failure(reason) }
      try take(update, feed)
    }
  }

  private func next(of feed: Feed) throws(Failure) -> Update? {
    let until = [deadline, nextPicture, logbook?.deadline, guide?.deadline].compactMap(\.self).min()
    return try explained { () throws(ClientError) in try feed.next(until: until) }
  }

  private var nextPicture: MonotonicTime {
    if isChanged { return lastDrawn + Self.pause }
    // Once per second: spark lines move by a column.
    let second: Int64 = 1_000_000_000
    return MonotonicTime(nanoseconds: (lastDrawn.nanoseconds / second + 1) * second)
  }

  private mutating func drawIfDue(_ screen: Screen) {
    let now = MonotonicTime.now
    guard now >= nextPicture || screen.isOutdated() else { return }
    let view = LiveView(dashboard: dashboard, now: now, hint: hint, page: page, offset: offset)
    screen.draw(view.lines(screen.size))
    lastDrawn = now
    isChanged = false
  }

  private mutating func take(_ update: Update, _ feed: Feed) throws(Failure) {
    isChanged = true
    switch update {
    case .connected:
      dashboard.connected()
      logbook?.connect(at: .now)
      guide?.connect(at: .now)
      // After the subscription on the same connection, so that no record is lost in between.
      asked = try? feed.send(.status)
    case .disconnected(let reason):
      guard !reason.isRefusal else { throw Failure(reason) }
      dashboard.disconnected()
    case .record(let record), .lag(_, let record):
      let message = record.message
      if message.isWanted(of: choice.sensors) { dashboard.take(message, at: .now) }
    case .answer(let answer):
      guard let asked, answer.request == asked.number, case .success(let result) = answer.result else { return }
      if let status = try? asked.reply(result).content { dashboard.take(status: status) }
    case .gap: break
    }
  }

  private mutating func takeEvents() {
    guard let logbook else { return }
    while let item = logbook.next(at: .now) {
      dashboard.take(item.event, at: .now)
      isChanged = true
    }
    if logbook.number < 0, dashboard.storageTrouble != nil {
      dashboard.lostRecorder()
      isChanged = true
    }
  }

  private mutating func takeGuidance() {
    guard let guide else { return }
    while let record = guide.next(at: .now) {
      dashboard.take(record.message, at: .now)
      isChanged = true
    }
    if let note = guidePresence.change(of: guide) { dashboard.show(note, at: .now) }
    guard dashboard.hasGuide != guide.isFollowing else { return }
    dashboard.guide(isThere: guide.isFollowing)
    isChanged = true
  }

  /// True if the user wants to quit.
  private mutating func takeKeys() -> Bool {
    guard let keys = decoder.typed() else { return true }
    for key in keys {
      switch key {
      case .letter("q"), .letter("Q"), .end: return true
      case .letter("u"), .letter("U"): dashboard.show(in: dashboard.style.units == .metric ? .imperial : .metric)
      case .letter("a"), .letter("A"): turn(to: .all)
      case .letter("h"), .letter("H"), .letter("?"): turn(to: .help)
      case .escape: turn(to: .values)
      case .down, .letter("j"): scroll(by: 1)
      case .up, .letter("k"): scroll(by: -1)
      case .letter(" "): scroll(by: 10)
      default: continue
      }
      isChanged = true
    }
    return false
  }

  /// The same key leads back.
  private mutating func turn(to other: Page) {
    page = page == other ? .values : other
    offset = 0
  }

  private mutating func scroll(by lines: Int) {
    guard page != .values else { return }
    offset = max(0, offset + lines)
  }
}
