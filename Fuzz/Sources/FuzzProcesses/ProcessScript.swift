// The meaning of an input: what up to four programs send, what happens to their sensors, and the time
// between. Every input is valid.

struct ProcessScript {
  enum Step {
    /// The program connects, again if it is connected.
    case connect(Int)
    case send(Int, [UInt8])
    case register(Int, file: Int)
    /// The answer to the first packet that has none, with these members.
    case done(Int, members: [UInt8])
    /// The same for commands and ticks.
    case said(Int, members: [UInt8])
    /// Answers everything without records.
    case catchUp(Int)
    /// The program stops reading, or reads again.
    case changeReading(Int)
    case hangUp(Int)
    case openSession(file: Int)
    case closeSession(Int)
    case changeLink(Int)
    case packets(session: Int, [UInt8], times: Int)
    case settings(session: Int)
    case command(session: Int, value: UInt8)
    /// What the owner does during its next callback.
    case react(Reaction)
    /// Milliseconds.
    case pass(Int)
  }

  enum Reaction: Int, CaseIterable {
    case closeSession, changeLink, packet, command, settings, end
  }

  static let programs = 4
  private(set) var steps: [Step] = []

  private static let pauses = [
    0, 1, 10, 50, 99, 100, 150, 250, 300, 500, 999, 1000, 2_600, 5_000, 16_000, 61_000,
  ]
  private static let mostSteps = 2000

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let first = rest.popFirst(), steps.count < Self.mostSteps { steps.append(Self.step(first, &rest)) }
  }

  private static func step(_ first: UInt8, _ rest: inout ArraySlice<UInt8>) -> Step {
    let operand = Int(first >> 4)
    let program = operand & 3
    let high = operand >> 2
    switch first & 15 {
    case 0: return .connect(program)
    case 1: return .send(program, take(&rest))
    case 2: return .send(program, take(&rest) + [UInt8(ascii: "\n")])
    case 3: return .register(program, file: high & 1)
    case 4: return .done(program, members: take(&rest))
    case 5: return .said(program, members: take(&rest))
    case 6: return .catchUp(program)
    case 7: return high & 1 == 0 ? .changeReading(program) : .hangUp(program)
    case 8: return .openSession(file: operand & 1)
    case 9: return .closeSession(operand)
    case 10: return .changeLink(operand)
    case 11: return .packets(session: operand, take(&rest), times: 1)
    case 12: return .packets(session: operand, [operand == 0 ? 0 : 255], times: Int(rest.popFirst() ?? 1))
    case 13:
      let value = rest.popFirst() ?? 0
      return value == 255 ? .settings(session: operand) : .command(session: operand, value: value)
    case 14: return .react(Reaction.allCases[operand % Reaction.allCases.count])
    default: return .pass(pauses[operand])
    }
  }

  /// As many bytes as the next byte states, or eight times as many from 128 on.
  private static func take(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    guard let length = rest.popFirst() else { return [] }
    let count = min(rest.count, length < 128 ? Int(length) : Int(length - 127) * 8)
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}
