// What `plugin run` prints: each line between the daemon and a program with its time, what the daemon
// publishes, and what is wrong.

import JSON
import Linux
import Text
import Time

struct PluginConversationText {
  enum Mark: String {
    case toProgram = "to_program"
    case fromProgram = "from_program"
    case published
    case problem

    /// In text.
    fileprivate var sign: String {
      switch self {
      case .toProgram: ">"
      case .fromProgram: "<"
      case .published: "="
      case .problem: "!"
      }
    }
  }

  private let output: Output
  private let isJSON: Bool
  private let start = MonotonicTime.now

  init(_ session: Session) {
    output = session.output
    isJSON = session.isJSON
  }

  func line(_ mark: Mark, _ line: [UInt8]) {
    if isJSON {
      write(mark, (try? JSONValue.parse(line)) ?? .string(String(decoding: line, as: UTF8.self)))
    } else {
      write(mark, String(decoding: line, as: UTF8.self))
    }
  }

  func problem(_ text: String) {
    if isJSON { write(.problem, .string(text)) } else { write(.problem, text) }
  }

  private var milliseconds: Int64 { (MonotonicTime.now - start).wholeNanoseconds / 1_000_000 }

  private func write(_ mark: Mark, _ value: JSONValue) {
    output.line(
      JSONValue.object([.init("t", .number(Double(milliseconds) / 1000)), .init(mark.rawValue, value)]).encoded)
  }

  private func write(_ mark: Mark, _ text: String) {
    let thousandths = String(milliseconds % 1000)
    let time = "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - thousandths.utf8.count))\(thousandths)"
    let gap = String(repeating: " ", count: max(0, 8 - time.utf8.count))
    output.line("\(gap)\(time) \(mark.sign) \(printable(text))")
  }
}
