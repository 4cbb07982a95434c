// `watch`: follows what the daemon says, through restarts of the daemon, until enough came, the time is over, or the user
// interrupts it.

import CommandTable
import CyclometerClient
import Linux
import Wire

func watch(_ session: Session) throws(Failure) {
  var watcher = Watcher(session: session)
  try watcher.run()
}

private struct Watcher {
  let session: Session
  let deadline: BootTime?
  var left: Int?
  var view: WatchView
  var wasConnected = false

  init(session: Session) {
    self.session = session
    deadline = session.invocation.number(.seconds).map { .now + .seconds($0) }
    left = session.invocation.count(.count)
    view = WatchView(style: session.style)
  }

  mutating func run() throws(Failure) {
    // Names are resolved once: a daemon that comes back without the sensor knows its id as well as its name.
    let sensors =
      session.invocation.texts(.sensor).isEmpty ? [] : try session.chosenSensors(session.connect(for: .read))
    let kinds = session.invocation.words.map(kindName)
    let endpoint = session.endpoint
    let feed = try explained { () throws(ClientError) in
      try Feed(Subscription(kinds: kinds, sensors: sensors), from: endpoint)
    }
    var isOver = false
    while !isOver {
      // Written out before sleeping, not after every record: a burst costs one write.
      if let update = try next(of: feed, until: .now) {
        isOver = try show(update, sensors)
      } else {
        session.output.flush()
        guard let update = try next(of: feed, until: deadline) else { break }
        isOver = try show(update, sensors)
      }
    }
    if feed.greeting == nil { throw Failure(.noDaemon, "the daemon did not come back") }
    try finish(isOver)
  }

  private func next(of feed: Feed, until deadline: BootTime?) throws(Failure) -> Update? {
    try explained { () throws(ClientError) in try feed.next(until: deadline) }
  }

  /// True when enough came.
  private mutating func show(_ update: Update, _ sensors: [String]) throws(Failure) -> Bool {
    switch update {
    case .connected(_, let isNewInstance):
      if wasConnected {
        session.output.note("cyclo: connected again\(isNewInstance ? "; the daemon was restarted" : "")")
      }
      wasConnected = true
    case .disconnected(let reason):
      // A daemon that never was there, or that sends this client away, is not waited for.
      guard wasConnected, !reason.isRefusal else { throw Failure(reason) }
      session.output.note("cyclo: lost the daemon; waiting for it to come back")
    case .record(let record), .lag(_, let record):
      guard isWanted(record, sensors) else { return false }
      show(record)
      if record.recordClass == "sample", let more = left {
        left = more - 1
        return more == 1
      }
    // A gap is seen in the numbers; nothing was asked.
    case .gap, .answer: break
    }
    return false
  }

  private func finish(_ isComplete: Bool) throws(Failure) {
    session.output.flush()
    if !isComplete, let left { throw Failure(.timeout, "\(left) of the samples did not come in time") }
  }

  /// The daemon tells every subscriber of every sensor's state; who chose sensors asked for theirs.
  private func isWanted(_ record: ReceivedRecord, _ sensors: [String]) -> Bool {
    guard !sensors.isEmpty, let id = record["sensor"]?.text ?? record["sensor"]?["id"]?.text else { return true }
    return sensors.contains(id)
  }

  private mutating func show(_ record: ReceivedRecord) {
    if session.isJSON { return session.output.line(record.line) }
    if let line = view.line(record.content, received: .now) { session.output.line(line) }
  }
}

extension ClientError {
  fileprivate var isRefusal: Bool {
    if case .refused = self { true } else { false }
  }
}
