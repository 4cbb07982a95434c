// The connection of a program to the daemon, with this command in between: passes every byte on, and
// shows every line.

import DeclaredSensors
import JSON
import Linux
import SensorProcesses
import Time

final class PluginRelay {
  private struct Direction {
    let mark: PluginConversationText.Mark
    let source: Int32
    let target: Int32
    var splitter = LineSplitter()
    /// What the target has not taken yet.
    var waiting: [UInt8] = []
    var isEnded = false

    init(_ mark: PluginConversationText.Mark, from source: Int32, to target: Int32) {
      self.mark = mark
      self.source = source
      self.target = target
    }
  }

  private let program: FileDescriptor
  private let daemon: FileDescriptor
  private let text: PluginConversationText
  private let within: Duration
  private var check: AnswerCheck
  private var toProgram: Direction
  private var fromProgram: Direction
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)
  /// When each packet without an answer was passed on.
  private var packets: [(number: Int, time: MonotonicTime)] = []
  /// The sensors that the daemon opened.
  private(set) var sensors: Set<String> = []
  /// Why the daemon disconnects the program.
  private(set) var reason: String?

  /// More than this is left with the side that sends it.
  private static let mostWaiting = 256 << 10

  init(
    _ program: consuming FileDescriptor, _ daemon: consuming FileDescriptor, of process: ProcessProgram,
    _ text: PluginConversationText
  ) {
    self.text = text
    within = process.within
    check = AnswerCheck(process)
    toProgram = Direction(.toProgram, from: daemon.number, to: program.number)
    fromProgram = Direction(.fromProgram, from: program.number, to: daemon.number)
    self.program = program
    self.daemon = daemon
  }

  /// The descriptors to wait for; negative for one that is not to be read now.
  var inputs: (daemon: Int32, program: Int32) {
    (Self.input(toProgram), Self.input(fromProgram))
  }

  private static func input(_ direction: Direction) -> Int32 {
    direction.isEnded || direction.waiting.count > mostWaiting ? -1 : direction.source
  }

  /// Whether a side has not taken everything.
  var isBehind: Bool { !toProgram.waiting.isEmpty || !fromProgram.waiting.isEmpty }
  /// Whether one of the sides closed the connection.
  var isEnded: Bool { toProgram.isEnded || fromProgram.isEnded }
  var isEndedByProgram: Bool { fromProgram.isEnded && !toProgram.isEnded }

  /// Passes on what there is, without waiting.
  func serve() {
    serve(&fromProgram)
    serve(&toProgram)
  }

  private func serve(_ direction: inout Direction) {
    do throws(SystemError) {
      while Self.input(direction) >= 0, case .done(let count) = try readDescriptor(direction.source, into: &buffer) {
        if count == 0 {
          direction.isEnded = true
          break
        }
        show(count, &direction)
        direction.waiting += buffer[..<count]
        try send(&direction)
      }
      try send(&direction)
    } catch {
      // The other side went away. What it has sent can still be read.
      direction.waiting = []
      if !error.isPeerGone { direction.isEnded = true }
    }
  }

  private func send(_ direction: inout Direction) throws(SystemError) {
    while !direction.waiting.isEmpty {
      guard case .done(let count) = try StreamSocket.send(direction.target, direction.waiting.span) else { return }
      direction.waiting.removeFirst(count)
    }
  }

  private func show(_ count: Int, _ direction: inout Direction) {
    let mark = direction.mark
    var lines: [[UInt8]] = []
    let outcome = direction.splitter.feed(buffer.span.extracting(..<count)) { line in
      var bytes: [UInt8] = []
      bytes.append(line)
      lines.append(bytes)
      return true
    }
    for line in lines {
      text.line(mark, line)
      if mark == .toProgram { followDaemon(line) } else { followProgram(line) }
    }
    if outcome == .lineTooLong { text.problem("a line is longer than \(LineSplitter.protocolLimit) bytes") }
  }
}

// MARK: What is in the lines

extension PluginRelay {
  private func followDaemon(_ line: [UInt8]) {
    guard let message = try? JSONValue.parse(line) else { return }
    switch message["class"]?.text {
    case "open": if let sensor = message["sensor"]?.text { sensors.insert(sensor) }
    case "packet": if let number = message["packet"]?.integer { packets.append((number, .now)) }
    case "error":
      let reason = "\(message["code"]?.text ?? "error"): \(message["message"]?.text ?? "")"
      self.reason = reason
      text.problem("the daemon disconnects the program: \(reason)")
    default: break
    }
  }

  private func followProgram(_ line: [UInt8]) {
    if check.leavesFile(line.span) {
      text.problem("refused as out_of_range: the file does not have such a record, or a number is too large")
    }
    guard let message = try? JSONReader.document(line.span, hugeNumbers: .infinite), message["class"]?.text == "done",
      let number = message["packet"]?.integer
    else { return }
    if let refused = message["refused"]?.text {
      text.problem("packet \(number) is refused: \(refused) at byte \(message["at"]?.integer ?? 0)")
    }
    guard let index = packets.firstIndex(where: { $0.number == number }) else { return }
    let time = MonotonicTime.now - packets[index].time
    packets.removeFirst(index + 1)
    guard time > within else { return }
    let (took, may) = (time.wholeNanoseconds / 1_000_000, within.wholeNanoseconds / 1_000_000)
    text.problem("the answer to packet \(number) took \(took) ms. After \(may) ms the daemon ignores it")
  }
}
