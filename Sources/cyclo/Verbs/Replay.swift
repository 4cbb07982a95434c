// `replay`: plays a capture on the simulated adapter of a running daemon. Lines are sent a few
// seconds ahead of their time, so a capture can be hours long and stops soon after an interrupt.

import CaptureFormat
import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Linux
import Time
import Wire

/// How far ahead of its time a line is sent.
private let lead = 5.0
/// The daemon starts a capture a moment after its first line arrived.
private let leadIn = 2.0
/// Wait this long at the end, so that the last value is available when the program exits.
private let settling = 0.05
/// A request is one line of the protocol. JSON escapes at most double the text.
private let longestPiece = 24 << 10

func replay(_ session: Session) throws(Failure) {
  let path = session.invocation.words[0]
  let name = path == "-" ? "standard input" : path
  let script = try ReplayScript(content(of: path), name: name)
  let speed = session.invocation.number(.speed) ?? 1
  let connection = try session.connect(for: .control)
  var player = ReplayClient(session, connection, script, speed: speed)
  try player.run()
}

/// From a file, or from standard input for `-`.
func content(of path: String) throws(Failure) -> [UInt8] {
  do throws(SystemError) {
    guard path == "-" else { return try Files.read(path, atMost: 1 << 30) }
    var content: [UInt8] = []
    try readStandardInput { content += $0 }
    return content
  } catch {
    throw Failure(.failed, "cannot read \(path == "-" ? "standard input" : path): \(error.reason)")
  }
}

/// The lines of a capture except comments, each with its time.
struct ReplayScript {
  private(set) var lines: [(time: Double, text: String)] = []
  var length: Double { lines.last?.time ?? 0 }

  /// Throws at the first invalid line, so that a capture is played whole or not at all.
  init(_ content: [UInt8], name: String) throws(Failure) {
    var problem: CaptureError?
    var hasHeader = false
    var time = 0.0
    var lines: [(time: Double, text: String)] = []
    let take = { (result: Result<CaptureLine, CaptureError>, number: Int) in
      switch result {
      case .failure(let error): problem = problem ?? error
      case .success(.blank), .success(.comment): break
      case .success(let line):
        if case .header = line { hasHeader = true }
        if let moment = line.time { time = max(time, Double(moment.nanoseconds) / 1e9) }
        lines.append((time, line.text))
      }
    }
    var reader = CaptureReader()
    reader.feed(content.span, take)
    reader.finish(take)
    if let problem { throw Failure(.failed, "\(name): \(problem)") }
    guard hasHeader, case .header? = try? CaptureLine.parse(lines.first?.text ?? "") else {
      throw Failure.noCapture(name)
    }
    self.lines = lines
  }
}

extension Failure {
  static func noCapture(_ name: String) -> Failure {
    Failure(.failed, "\(name) is not a capture: it does not start with \(CaptureLine.headerText)")
  }
}

private struct ReplayClient {
  let session: Session
  let connection: Connection
  let script: ReplayScript
  let speed: Double
  var next = 0
  var began = MonotonicTime.now

  init(_ session: Session, _ connection: Connection, _ script: ReplayScript, speed: Double) {
    self.session = session
    self.connection = connection
    self.script = script
    self.speed = speed
  }

  mutating func run() throws(Failure) {
    while next < script.lines.count {
      try wait(until: script.lines[next].time / speed - lead)
      try hand(over: piece())
    }
    try wait(until: script.length / speed + leadIn + settling)
    session.output.eraseProgress()
    if session.isJSON { return session.output.record(EmptyReply()) }
    session.output.note("\(counted(script.lines.count - 1, "line")) played in \(spanText(elapsed)).")
  }

  private var elapsed: Double { (MonotonicTime.now - began).inSeconds }

  /// The lines that are due and those of the next seconds; the first piece has the devices.
  private func piece() -> ArraySlice<(time: Double, text: String)> {
    let horizon = (elapsed + 2 * lead) * speed
    var size = 0
    let end = script.lines[next...].firstIndex { line in
      size += line.text.utf8.count
      return size > longestPiece || line.time > horizon
    }
    return script.lines[next..<max(next + 1, end ?? script.lines.count)]
  }

  private mutating func hand(over piece: ArraySlice<(time: Double, text: String)>) throws(Failure) {
    let parameters = ReplayParameters(lines: piece.map(\.text), speed: speed)
    while true {
      do throws(ClientError) {
        _ = try connection.request(.replay(parameters))
        if next == 0 { began = .now }
        next = piece.endIndex
        return
      } catch {
        // Too much is waiting, perhaps of another capture: a replay replaces it only with its
        // header.
        guard case .refused("busy", _) = error else { throw Failure(error) }
        try wait(until: elapsed + 1)
      }
    }
  }

  /// Waits until this many seconds after the start.
  private func wait(until moment: Double) throws(Failure) {
    // Limits the wait, because the clock's numbers are finite.
    let end = began + .seconds(min(moment, 1e9))
    while MonotonicTime.now < end {
      let place = min(script.length, max(0, elapsed - leadIn) * speed)
      session.output.progress("\(spanText(place)) of \(spanText(script.length)) played")
      session.output.flush()
      let nextLook = session.output.showsProgress ? min(end, .now + .seconds(1)) : end
      // The daemon sends nothing meanwhile, but a disconnect is noticed at once.
      _ = try explained { () throws(ClientError) in try connection.next(until: nextLook) }
    }
  }
}
