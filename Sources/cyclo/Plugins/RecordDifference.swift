// The first record that differs from what was expected.

import JSON
import Text

struct RecordDifference {
  /// Of the expected records, counted from 1.
  let line: Int
  /// Nil after the last one.
  private let expected: String?
  private let decoded: String?

  /// Nil if both have the same lines.
  init?(expected: [UInt8], decoded: [UInt8]) {
    let (expected, decoded) = (Self.lines(expected), Self.lines(decoded))
    let count = max(expected.count, decoded.count)
    let index = (0..<count).first { index in
      index >= expected.count || index >= decoded.count || expected[index].text != decoded[index].text
    }
    guard let index else { return nil }
    line = expected.indices.contains(index) ? expected[index].number : (expected.last?.number ?? 0) + 1
    self.expected = expected.indices.contains(index) ? expected[index].text : nil
    self.decoded = decoded.indices.contains(index) ? decoded[index].text : nil
  }

  /// The records with their lines. `plugin check --json` prints other lines too, and adds to
  /// a refusal its line of the file, which the records of `decode --json` do not have.
  private static func lines(_ bytes: [UInt8]) -> [(number: Int, text: String)] {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, line in
      let text = String(decoding: line, as: UTF8.self)
      if text.isEmpty || ownClasses.contains(where: { text.hasPrefix("{\"class\":\"\($0)\"") }) { return nil }
      guard text.hasPrefix("{\"class\":\"refused\"") else { return (index + 1, text) }
      let (front, place) = text.divided(at: ",\"file\":\"")
      return (index + 1, place == nil ? text : front + "}")
    }
  }

  private static let ownClasses = ["plugin", "unrecognized", "counts", "difference"]

  /// Side by side: what differs in the two records, or all of a record that only one side has.
  var table: Table {
    var table = Table(heading: ["FIELD", "EXPECTED", "DECODED"])
    let (left, right) = (Self.members(expected), Self.members(decoded))
    guard !left.isEmpty || !right.isEmpty else {
      table.rows.append([Cell("(line)"), Cell(expected ?? ""), Cell(decoded ?? "")])
      return table
    }
    let isOneSided = left.isEmpty || right.isEmpty
    for name in left.map(\.name) + right.map(\.name).filter({ name in !left.contains { $0.name == name } }) {
      let (one, other) = (Self.value(name, left), Self.value(name, right))
      if one != other || isOneSided {
        table.rows.append([Cell(name), Cell(one ?? "(none)", .good), Cell(other ?? "(none)", .bad)])
      }
    }
    // The members are equal, so only their order or the text of a number differs.
    if table.rows.count == 1 { table.rows.append([Cell("(line)"), Cell(expected ?? ""), Cell(decoded ?? "")]) }
    return table
  }

  var json: JSONValue {
    var members = [JSONValue.Member("class", "difference"), JSONValue.Member("line", .number(Double(line)))]
    for (name, text) in [("expected", expected), ("decoded", decoded)] {
      guard let text else { continue }
      members.append(JSONValue.Member(name, (try? JSONValue.parse(text)) ?? .string(text)))
    }
    return .object(members)
  }

  private static func members(_ text: String?) -> [JSONValue.Member] {
    text.flatMap { try? JSONValue.parse($0) }?.members ?? []
  }

  private static func value(_ name: String, _ members: [JSONValue.Member]) -> String? {
    members.first { $0.name == name }.map { $0.value.text ?? $0.value.encoded }
  }
}
