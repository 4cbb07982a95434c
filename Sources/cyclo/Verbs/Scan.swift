// `scan`: shows sensors as they are heard. The daemon filters what is no sensor; this prints each once.

import CommandTable
import CyclometerClient
import Linux
import Wire

private let usualSeconds = 15.0

func scan(_ session: Session) throws(Failure) {
  let connection = try session.connect(for: .control)
  let seconds = session.invocation.number(.seconds) ?? usualSeconds
  var parameters: [JSON.Member] = [JSON.Member("seconds", .number(seconds))]
  if session.invocation.has(.all) { parameters.append(JSON.Member("all", true)) }
  try session.ask(connection, "scan", .object(parameters))
  var finds = Finds(session: session, end: .now + .seconds(seconds))
  try finds.follow(connection)
  finds.finish(after: seconds)
}

private struct Finds {
  let session: Session
  let end: BootTime
  /// What was printed of each address: a find is shown again when more became known of it.
  private var shown: [String: String] = [:]

  init(session: Session, end: BootTime) {
    self.session = session
    self.end = end
  }

  mutating func follow(_ connection: Connection) throws(Failure) {
    // The daemon ends the scan; should it not, it is given a little longer than it was asked for.
    let patience = end + .seconds(5)
    while true {
      showProgress()
      session.output.flush()
      let nextLook = session.output.showsProgress ? min(patience, .now + .seconds(1)) : patience
      let record = try explained { () throws(ClientError) in try connection.next(until: nextLook) }
      guard let record else {
        if BootTime.now >= patience { throw Failure(.timeout, "the daemon did not say that the scan ended") }
        continue
      }
      if session.isJSON, ["found", "scan_ended"].contains(record.recordClass) { session.output.line(record.line) }
      if record.recordClass == "error" { throw Failure(record.refusal) }
      if record.recordClass == "scan_ended" { return }
      if let found = FoundRecord(record.content), record.recordClass == "found" { show(found) }
    }
  }

  func finish(after seconds: Double) {
    session.output.flush()
    session.output.eraseProgress()
    if session.isJSON { return }
    if shown.isEmpty {
      session.output.note("No sensor was heard in \(spanText(seconds)).")
      session.output.note("Wake them: spin the crank or the wheel, wear the strap.")
    } else {
      session.output.note("\(shown.count) found. 'cyclo pair ADDRESS' adds one.")
    }
  }

  private mutating func show(_ found: FoundRecord) {
    let name = printable(found.name ?? "")
    let known = "\(name) \(found.kinds)"
    if shown.isEmpty, !session.isJSON, session.output.isTerminal {
      session.output.line(session.style.paint(row("ADDRESS", "SIGNAL", "KINDS", "NAME"), .faint))
    }
    guard shown.updateValue(known, forKey: found.address) != known, !session.isJSON else { return }
    let kinds = found.kinds.isEmpty ? "-" : found.kinds.map(printable).joined(separator: ", ")
    let signal = found.rssiDBm.map { "\($0) dBm" } ?? ""
    session.output.line(row(found.address, signal, kinds, name + (found.isPaired ? "  (paired)" : "")))
  }

  private func row(_ address: String, _ signal: String, _ kinds: String, _ name: String) -> String {
    [printable(address).padded(to: 17), signal.padded(to: 8), kinds.padded(to: 24), name].joined(separator: "  ")
      .trimmedAtEnd
  }

  private func showProgress() {
    let left = max(0, (end - .now).wholeNanoseconds / 1_000_000_000)
    session.output.progress("Listening, \(left) s left; \(shown.count) found")
  }
}
