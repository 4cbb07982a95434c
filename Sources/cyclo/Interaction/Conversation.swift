// Questions and answers on the terminal. Questions go to standard error, redrawn lists to standard
// output; a list becomes numbered lines if nothing can be redrawn. Without a terminal on standard
// input nothing is asked, and `--yes` gives all the default answers.

import CommandTable
import CycloCommands
import CyclometerClient
import Linux
import Text
import Time

final class Conversation {
  enum Means: Equatable {
    case none
    /// Typed lines: standard output is for data, or the terminal cannot redraw.
    case lines
    case keys
  }

  enum Event: Equatable {
    case record(ReceivedRecord)
    case keys([Key])
    case line(String)
    /// The end of the input.
    case ended
    case time
  }

  let means: Means
  let output: Output
  private var decoder = KeyDecoder()
  private var typed: [UInt8] = []
  private var readsKeys = false
  private var hasEnded = false

  init(_ session: Session) {
    output = session.output
    let canDraw = output.isTerminal && output.showsProgress && !session.isJSON
    // A process in the background is stopped if it reads or changes the terminal.
    let isThere = ProcessEnvironment.isTerminalInput && ProcessEnvironment.isTerminalError && Terminal.isInForeground
    means = session.invocation.has(.yes) || !isThere ? .none : canDraw ? .keys : .lines
  }

  var canAsk: Bool { means != .none }

  /// How often a list checks for a new terminal size.
  static let tick = Duration.milliseconds(500)

  /// The rest of a key's escape sequence follows at once.
  private static let doubt = Duration.milliseconds(50)
}

// MARK: Events

extension Conversation {
  /// Switches to keys, or to lines.
  func read(keys: Bool) {
    guard keys != readsKeys else { return }
    readsKeys = keys && Terminal.readKeys(true)
    if !keys { Terminal.readKeys(false) }
  }

  /// The next record of the daemon, or the next input.
  func next(_ connection: Connection, until deadline: MonotonicTime? = nil) throws(Failure) -> Event {
    while true {
      if let event = typedEvent { return event }
      if let record = try explained({ () throws(ClientError) in try connection.next(until: .now) }) {
        return .record(record)
      }
      let doubtEnds = decoder.isInDoubt ? MonotonicTime.now + Self.doubt : nil
      let end = [deadline, doubtEnds].compactMap { $0 }.min()
      let listens = canAsk && !hasEnded
      let isThere = try explained { () throws(ClientError) in try connection.wait(or: listens ? 0 : -1, until: end) }
      if !isThere { return decoder.isInDoubt ? .keys(decoder.settle()) : .time }
      if listens, try isReady(), try !read() {
        hasEnded = true
        return .ended
      }
    }
  }

  /// Waits for a line; nil at the end of the input.
  private func line() throws(Failure) -> String? {
    Terminal.draw(.question)
    defer { Terminal.draw(.nothing) }
    while !hasEnded {
      if case .line(let text)? = typedEvent { return text }
      hasEnded = try !read()
    }
    return nil
  }

  private var typedEvent: Event? {
    if readsKeys {
      guard !typed.isEmpty else { return nil }
      let keys = decoder.feed(typed)
      typed = []
      return keys.isEmpty ? nil : .keys(keys)
    }
    guard let end = typed.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { typed.removeFirst(end + 1) }
    return .line(String(decoding: typed[..<end], as: UTF8.self).trimmed)
  }

  private func isReady() throws(Failure) -> Bool {
    try system { () throws(SystemError) in try Waiting.untilReadable(0, deadline: .now) }
  }

  /// False at the end of the input.
  private func read() throws(Failure) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 512)
    while true {
      switch try system({ () throws(SystemError) in try readDescriptor(0, into: &chunk) }) {
      case .done(0): return false
      case .done(let count):
        typed.append(contentsOf: chunk[..<count])
        return true
      // Another process on this terminal may have made it non-blocking.
      case .wouldBlock: _ = try system { () throws(SystemError) in try Waiting.untilReadable(0, deadline: nil) }
      }
    }
  }

  private func system<Result>(_ body: () throws(SystemError) -> Result) throws(Failure) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw Failure(.failed, "cannot read the terminal: \(error.reason)")
    }
  }
}

// MARK: Questions

extension Conversation {
  /// The prompt before the answer.
  func put(_ question: String) {
    output.complain(question + " ")
  }

  /// The answer; an empty line is the default. The end of the input leaves the program.
  func ask(_ question: String, fallback: String? = nil) throws(Failure) -> String {
    while true {
      put(question + (fallback.map { " [\(printable($0))]" } ?? "") + ":")
      guard let answer = try line() else { throw hasLeft() }
      if !answer.isEmpty { return answer }
      if let fallback { return fallback }
    }
  }

  /// Asks until the answer is valid: `meaning` gives nil, and `hint` describes valid answers.
  func ask<Value>(
    _ question: String, fallback: String? = nil, hint: String, _ meaning: (String) -> Value?
  ) throws(Failure) -> Value {
    while true {
      if let value = meaning(try ask(question, fallback: fallback)) { return value }
      output.note("  \(hint)")
    }
  }

  func confirm(_ question: String, fallback: Bool = true) throws(Failure) -> Bool {
    while true {
      put("\(question) \(fallback ? "[Y/n]" : "[y/N]")")
      guard let answer = try line() else { throw hasLeft() }
      if let meaning = yesOrNo(answer, fallback: fallback) { return meaning }
      output.note("  y for yes, n for no")
    }
  }

  /// Waits for Enter.
  func pause(_ text: String) throws(Failure) {
    put(text)
    guard try line() != nil else { throw hasLeft() }
  }

  func hasLeft() -> Failure {
    output.complain("\n")
    return .left
  }
}

extension Output {
  /// A sentence, wrapped for the terminal.
  func say(_ sentence: String) {
    guard let columns = Terminal.size(2)?.columns else { return note(sentence) }
    for line in sentence.wrapped(to: columns - 1) { note(line) }
  }
}

extension Failure {
  /// The user left a dialogue with its key: nothing was changed and nothing failed.
  static var left: Failure { Failure(.failed, "") }
}

func yesOrNo(_ answer: String, fallback: Bool) -> Bool? {
  switch answer.lowercased() {
  case "": fallback
  case "y", "yes": true
  case "n", "no": false
  default: nil
  }
}

extension String {
  var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
