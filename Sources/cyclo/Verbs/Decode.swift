// `decode`: a capture through the plugins, without a daemon. The file is read as a stream, so a pipe is shown as it comes.
// A line that makes no sense is complained of and passed over, as refused bytes are.

import CaptureDecoding
import CommandTable
import Linux
import Sensors
import Wire

func decode(_ session: Session) throws(Failure) {
  let path = session.invocation.words[0]
  let decoding = Decoding(session, name: path == "-" ? "standard input" : path)
  do throws(SystemError) {
    let take = { (piece: ArraySlice<UInt8>) in
      decoding.take(piece.span)
      session.output.flush()
    }
    if path == "-" { try readStandardInput(take) } else { try Files.stream(path, take) }
  } catch {
    throw Failure(.failed, "cannot read \(decoding.name): \(error.reason)")
  }
  try decoding.finish()
}

/// In the pieces in which it comes, to its end.
func readStandardInput(_ take: (ArraySlice<UInt8>) -> Void) throws(SystemError) {
  var chunk = [UInt8](repeating: 0, count: 64 << 10)
  while true {
    switch try readDescriptor(0, into: &chunk) {
    case .done(0): return
    case .done(let count): take(chunk[..<count])
    // Whoever shares the terminal may have made it non-blocking.
    case .wouldBlock: _ = try Waiting.untilReadable(0, deadline: nil)
    }
  }
}

private final class Decoding {
  let name: String
  private let session: Session
  private var run: CaptureRun
  private var hasRecords = false
  private var hasProblems = false

  init(_ session: Session, name: String) {
    self.session = session
    self.name = name
    run = CaptureRun(registry: registry, quirks: knownQuirks, withRide: session.invocation.has(.ride))
  }

  func take(_ bytes: Span<UInt8>) {
    var output: [UInt8] = []
    var problems: [String] = []
    run.feed(bytes, into: &output) { problems.append("\($0)") }
    show(output, problems)
  }

  func finish() throws(Failure) {
    var output: [UInt8] = []
    var problems: [String] = []
    run.finish(into: &output) { problems.append("\($0)") }
    show(output, problems)
    if hasRecords { return }
    if !run.hasHeader { throw Failure.noCapture(name) }
    if hasProblems { throw Failure(.failed, "\(name) has nothing that could be decoded") }
  }

  private func show(_ output: [UInt8], _ problems: [String]) {
    hasRecords = hasRecords || !output.isEmpty
    hasProblems = hasProblems || !problems.isEmpty
    for problem in problems { session.output.note("cyclo: \(name): \(printable(problem))") }
    for record in output.split(separator: UInt8(ascii: "\n")) {
      if session.isJSON {
        session.output.line(record)
      } else if let content = try? JSON.parse(Array(record)), let text = decodedLine(content, session.style) {
        session.output.line(text)
      }
    }
  }
}

/// `0.250000  hr1  heart_rate  142 bpm  rr 421.9 ms`
func decodedLine(_ record: JSON, _ style: Style = .plain) -> String? {
  guard let sensor = record["sensor"]?.text else { return nil }
  let time = Quantity.decimal(record["t"]?.number ?? 0, places: 6)
  let start = String(repeating: " ", count: max(0, 12 - time.count)) + time + "  \(printable(sensor))  "
  if let sample = Sample(record, style) {
    return start + [sample.kind, sample.headline, sample.details].filter { !$0.isEmpty }.joined(separator: "  ")
  }
  if record["class"]?.text == "event" { return start + eventText(record, style) }
  if record["class"]?.text == "refused" {
    let place = record["offset"]?.integer.map { " at byte \($0)" } ?? ""
    return start + "refused  \(record["source"]?.text ?? ""): \(reasonText(record["error"]?.text ?? ""))\(place)"
  }
  if let name = record["name"]?.text, let value = record["value"], record["class"]?.text == "fact" {
    return start + "fact  \(Quantity.label(name)) \(described(JSON.Member(name, value), style))"
  }
  let header: Set<String> = ["class", "sensor", "t", "kind", "seq"]
  let members = (record.members ?? []).filter { !header.contains($0.name) }
  return start + "\(record["class"]?.text ?? "")  "
    + members.map { "\(Quantity.label($0.name)) \(described($0, style))" }.joined(separator: ", ")
}
