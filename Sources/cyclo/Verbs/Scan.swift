// `scan`: lists sensors as they are found. On a terminal it redraws one list, which stays on the screen;
// in a pipe each device is a line, repeated when more is known. The daemon filters other devices.

import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Linux
import Text
import Time
import Wire

private let defaultSeconds = 15.0

func scan(_ session: Session) throws(Failure) {
  let seconds = session.invocation.number(.seconds) ?? defaultSeconds
  guard seconds > 0, seconds <= ScanParameters.longest else {
    let range = "a number above 0, at most \(Quantity.short(ScanParameters.longest))"
    throw Failure(usage: .scan, "--seconds is \(range) for a scan, not \(Quantity.short(seconds))")
  }
  let connection = try session.connect(for: .control)
  try beginScan(session, connection, seconds: seconds, all: session.invocation.has(.all))
  let conversation = Conversation(session)
  var view = ScanView(session, end: .now + .seconds(seconds), endsEarly: conversation.means == .keys)
  if conversation.means == .keys { conversation.read(keys: true) }
  defer { conversation.read(keys: false) }
  // The daemon ends the scan. In case it does not, wait a little longer than that.
  let deadline = MonotonicTime.now + .seconds(seconds + 5)
  var isOver = false
  while !isOver {
    view.draw()
    session.output.flush()
    let nextLook = view.isMoving ? min(deadline, .now + Conversation.tick) : deadline
    switch try conversation.next(connection, until: nextLook) {
    case .record(let record): isOver = try view.take(record)
    case .keys(let keys):
      if keys.contains(where: { [.enter, .escape, .end, .letter("q")].contains($0) }) { isOver = true }
    case .line, .ended: break
    case .time: if MonotonicTime.now >= deadline { throw Failure(.timeout, "the daemon did not end the scan in time") }
    }
  }
  view.finish()
}

func beginScan(_ session: Session, _ connection: Connection, seconds: Double, all: Bool) throws(Failure) {
  try session.ask(connection, .scan(ScanParameters(seconds: seconds, all: all)))
}

/// What to do if nothing is found.
let howToWake = "Wake them: spin the crank or the wheel, moisten the strap and put it on."

private struct ScanView {
  let session: Session
  let begin = MonotonicTime.now
  let end: MonotonicTime
  /// Ended by a key.
  let endsEarly: Bool
  private let screen: Screen?
  private var finds = ScanResults()
  private var commands: PluginCommands

  init(_ session: Session, end: MonotonicTime, endsEarly: Bool) {
    self.session = session
    commands = PluginCommands(session)
    self.end = end
    self.endsEarly = endsEarly
    let canDraw = session.output.isTerminal && session.output.showsProgress && !session.isJSON
    screen = canDraw ? Screen(session.output) : nil
  }

  var isMoving: Bool { screen != nil || session.output.showsProgress }

  private var secondsLeft: Int64 { max(0, (end - .now).wholeNanoseconds / 1_000_000_000) }

  /// True at the end of the scan.
  mutating func take(_ record: ReceivedRecord) throws(Failure) -> Bool {
    switch record.message {
    case .error: throw Failure(record.refusal)
    case .scanEnded:
      if session.isJSON { session.output.line(record.line) }
      return true
    case .found(let found):
      if session.isJSON { session.output.line(record.line) }
      if screen != nil { commands.learn(found) }
      if finds.take(found), screen == nil, !session.isJSON { session.output.line(found.plainLine) }
    default: break
    }
    return false
  }

  func draw() {
    guard let screen else {
      return session.output.progress("Scanning, \(secondsLeft) s left; \(finds.all.count) found")
    }
    let size = screen.size
    var lines = [Line("Looking for sensors, \(secondsLeft) s" + (endsEarly ? "; q quits" : ""), .faint)]
    if finds.all.isEmpty { lines += howToWake.wrapped(to: size.columns - 1).map { Line($0) } }
    // Leaves room for the heading and the cursor's line; the last lines are the newest.
    let shown = finds.all.suffix(size.rows - 2)
    for found in shown {
      lines.append(found.row(nameWidth: finds.nameWidth, columns: size.columns, session.style))
    }
    screen.draw(lines, keeping: shown.count)
  }

  func finish() {
    screen?.end()
    if let screen {
      for found in finds.all {
        let lines = found.lines(
          nameWidth: finds.nameWidth, columns: screen.size.columns, style: session.style, commands: commands)
        for line in lines { session.output.line(line) }
      }
    }
    session.output.flush()
    session.output.eraseProgress()
    if session.isJSON { return }
    guard finds.all.isEmpty else {
      let adding = finds.all.allSatisfy(\.isPaired) ? "all are paired" : "'cyclo pair' adds one"
      return session.output.note("\(finds.all.count) found; \(adding).")
    }
    session.output.note("No sensor found in \(spanText((MonotonicTime.now - begin).inSeconds)).")
    session.output.note(howToWake)
    session.output.note("A sensor connected to a phone, a watch or a bike computer cannot be found.")
  }
}

extension Duration {
  var inSeconds: Double { Double(wholeNanoseconds) / 1e9 }
}
