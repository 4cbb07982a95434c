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

  init(session: Session) {
    self.session = session
    deadline = session.invocation.number(.seconds).map { .now + .seconds($0) }
    left = session.invocation.count(.count)
    view = WatchView(style: session.style)
  }

  mutating func run() throws(Failure) {
    var connection = try session.connect(for: .read)
    // Names are resolved once: a daemon that comes back without the sensor knows its id as well as its name.
    let sensors = try session.chosenSensors(connection)
    let parameters = subscription(sensors)
    try session.ask(connection, "subscribe", parameters)
    while true {
      let isOver: Bool?
      do throws(ClientError) {
        isOver = try follow(connection, sensors)
      } catch {
        guard error.isLossOfConnection else { throw Failure(error) }
        isOver = nil
      }
      if let isOver { return try finish(isOver) }
      session.output.note("cyclo: lost the daemon; waiting for it to come back")
      guard let next = try reconnect(parameters) else {
        throw Failure(.noDaemon, "the daemon did not come back")
      }
      let isNew = next.greeting.instance != connection.greeting.instance
      session.output.note("cyclo: connected again\(isNew ? "; the daemon was restarted" : "")")
      connection = next
    }
  }

  private func subscription(_ sensors: [String]) -> JSON {
    var parameters: [JSON.Member] = []
    let kinds = session.invocation.words.map(kindName)
    if !kinds.isEmpty { parameters.append(JSON.Member("kinds", .array(kinds.map { .string($0) }))) }
    if !sensors.isEmpty { parameters.append(JSON.Member("sensors", .array(sensors.map { .string($0) }))) }
    return .object(parameters)
  }

  /// False when the time was over first.
  private mutating func follow(_ connection: Connection, _ sensors: [String]) throws(ClientError) -> Bool {
    var isDry = false
    while true {
      // Written out before sleeping, not after every record: a burst costs one write.
      let record = try connection.next(until: isDry ? deadline : .now)
      guard let record else {
        if let deadline, BootTime.now >= deadline { return false }
        session.output.flush()
        isDry = true
        continue
      }
      isDry = false
      if record.recordClass == "error" { throw record.refusal }
      guard isWanted(record, sensors) else { continue }
      show(record)
      if record.recordClass == "sample", let more = left {
        left = more - 1
        if more == 1 { return true }
      }
    }
  }

  private func finish(_ isComplete: Bool) throws(Failure) {
    session.output.flush()
    if !isComplete, let left { throw Failure(.timeout, "\(left) of the samples did not come in time") }
  }

  /// The daemon tells every subscriber of every sensor's state; who chose sensors asked for theirs.
  private func isWanted(_ record: ReceivedRecord, _ sensors: [String]) -> Bool {
    guard !["hello", "reply"].contains(record.recordClass) else { return false }
    guard !sensors.isEmpty, let id = record["sensor"]?.text ?? record["sensor"]?["id"]?.text else { return true }
    return sensors.contains(id)
  }

  private mutating func show(_ record: ReceivedRecord) {
    if session.isJSON { return session.output.line(record.line) }
    if let line = view.line(record.content, received: .now) { session.output.line(line) }
  }

  /// Nil when the time was over before the daemon came back.
  private func reconnect(_ parameters: JSON) throws(Failure) -> Connection? {
    var pause = Duration.milliseconds(250)
    while true {
      let wake = min(.now + pause, deadline ?? .now + pause)
      _ = try? Waiting.until(wake)
      if let deadline, BootTime.now >= deadline { return nil }
      pause = min(pause * 2, .seconds(2))
      do throws(ClientError) {
        let connection = try Connection(to: session.endpoint, for: .read)
        _ = try connection.request("subscribe", parameters)
        return connection
      } catch {
        guard error.isLossOfConnection || error.isAboutToPass else { throw Failure(error) }
      }
    }
  }
}

extension ClientError {
  fileprivate var isLossOfConnection: Bool { self == .closed }

  /// What a daemon that is just starting gives.
  fileprivate var isAboutToPass: Bool {
    switch self {
    case .noDaemon, .notAllowed, .timeout: true
    case .refused(let code, _): code == "too_many"
    default: false
    }
  }
}
