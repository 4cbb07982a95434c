// Tables that belong to an activity, a route or a segment, and what their columns can contain. A
// backup comes from outside, so everything in it is checked before it is stored: the readers of the
// logbook rely on these ranges.

import JSON
import Logbook
import SQLite

struct CopiedTable {
  enum Rule {
    case whole(ClosedRange<Int64>)
    case number(ClosedRange<Double>)
    case text(Int)
    /// JSON of any kind, of a string, or of an array of strings.
    case json(Int), jsonString(Int), jsonStrings(Int)
    case blob(Int)
  }

  struct Column {
    let name: String
    let rule: Rule
    /// A value that breaks the rule becomes NULL.
    var isOptional = false
  }

  let name: String
  let owner: String
  /// In the order of these columns, the rows are read; they rise.
  let keys: [String]
  let columns: [Column]
  /// The condition and the order of the rows after the key ?2 of the owner ?1, and where such a row
  /// goes, if its owner and keys are not stored as columns.
  var search: String? = nil
  var destination: String? = nil

  var selection: String {
    let marks = keys.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
    let order = keys.joined(separator: ", ")
    return """
      SELECT \((keys + columns.map(\.name)).joined(separator: ", ")) FROM \(name)
      WHERE \(search ?? "\(owner) = ?1 AND (\(order)) > (\(marks)) ORDER BY \(order)") LIMIT 200
      """
  }

  var insertion: String {
    if let destination { return "INSERT INTO \(destination)" }
    let marks = (1...columns.count + 1).map { "?\($0)" }.joined(separator: ", ")
    return "INSERT INTO \(name)(\(([owner] + columns.map(\.name)).joined(separator: ", "))) VALUES(\(marks))"
  }
}

extension CopiedTable {
  /// In milliseconds: three years, more than any activity.
  static let times: ClosedRange<Int64> = 0...100_000_000_000
  private static let seconds: ClosedRange<Int64> = 0...100_000_000
  static let distances = 0...1e9
  private static let metres = -1e9...1e9
  /// Points or cues of a route.
  static let mostNumbered = 10_000_000
  private static let longText = 65_536
  private static let shortText = 1024

  static let ofActivity = [
    CopiedTable(
      name: "part", owner: "activity", keys: ["n"],
      columns: [
        Column(name: "n", rule: .whole(0...100_000)), Column(name: "boot", rule: .blob(64)),
        Column(name: "boot_s", rule: .whole(0...100_000_000_000)), Column(name: "at_s", rule: .whole(seconds)),
      ]),
    CopiedTable(
      name: "stream", owner: "activity", keys: ["n"],
      columns: [
        // As many as a second can have.
        Column(name: "n", rule: .whole(0...4095)), Column(name: "sensor", rule: .jsonString(shortText)),
        Column(name: "kind", rule: .jsonString(shortText)),
        Column(name: "name", rule: .text(shortText), isOptional: true),
        Column(name: "facts", rule: .json(longText), isOptional: true),
        Column(name: "fields", rule: .jsonStrings(longText)),
      ]),
    CopiedTable(
      name: "second", owner: "activity", keys: ["sec"],
      columns: [Column(name: "sec", rule: .whole(seconds)), Column(name: "samples", rule: .blob(1 << 20))],
      search: "id > (?1 << 32) + max(?2, -1) AND \(SecondRows.areBeforeNext) ORDER BY id",
      destination: "second(id, samples) VALUES((?1 << 32) | ?2, ?3)"),
    CopiedTable(
      name: "lap", owner: "activity", keys: ["n"],
      columns: [
        Column(name: "n", rule: .whole(0...1_000_000)), Column(name: "start_ms", rule: .whole(times)),
        Column(name: "end_ms", rule: .whole(times)), Column(name: "cause", rule: .text(64), isOptional: true),
        Column(name: "totals", rule: .json(longText), isOptional: true),
        Column(name: "detail", rule: .json(longText), isOptional: true),
      ]),
    CopiedTable(
      name: "event", owner: "activity", keys: ["at_ms", "n"],
      columns: [
        Column(name: "at_ms", rule: .whole(times)), Column(name: "n", rule: .whole(1...1_000_000)),
        Column(name: "kind", rule: .text(64)),
        Column(name: "data", rule: .json(longText), isOptional: true),
      ]),
  ]

  static let ofRoute = [
    CopiedTable(
      name: "route_point", owner: "route", keys: ["n"],
      columns: [
        Column(name: "n", rule: .whole(0...Int64(mostNumbered))), Column(name: "latitude", rule: .number(-90...90)),
        Column(name: "longitude", rule: .number(-180...180)),
        Column(name: "altitude_m", rule: .number(metres), isOptional: true),
        Column(name: "distance_m", rule: .number(distances)),
      ]),
    CopiedTable(
      name: "cue", owner: "route", keys: ["n"],
      columns: [
        Column(name: "n", rule: .whole(0...Int64(mostNumbered))), Column(name: "distance_m", rule: .number(metres)),
        Column(name: "kind", rule: .text(64)), Column(name: "name", rule: .text(4096), isOptional: true),
        Column(name: "note", rule: .text(longText), isOptional: true),
      ]),
  ]

  /// Efforts are searched again, because they follow from the rest.
  static let ofSegment = [
    CopiedTable(
      name: "segment_point", owner: "segment", keys: ["n"],
      columns: [
        Column(name: "n", rule: .whole(0...10_000_000)), Column(name: "latitude", rule: .number(-90...90)),
        Column(name: "longitude", rule: .number(-180...180)),
      ])
  ]
}

extension CopiedTable.Column {
  /// Copies the value if it obeys the rule. Returns its bytes; nil if the row cannot be stored.
  func copy(
    _ index: Int32, of row: Statement, to target: Int32, of insertion: Statement
  ) throws(SQLiteError) -> Int? {
    switch rule {
    case .whole(let range):
      if let value = row.optionalInteger(index), range.contains(value) {
        try insertion.bind(target, value)
        return 8
      }
    case .number(let range):
      if let value = row.number(index), range.contains(value) {
        try insertion.bind(target, value)
        return 8
      }
    case .text, .json, .jsonString, .jsonStrings:
      if let value = row.text(index), isValid(value) {
        try insertion.bind(target, value)
        return value.utf8.count
      }
    case .blob(let most):
      let value = row.blob(index)
      if value.count <= most, !row.isNull(index) {
        try insertion.bind(target, value.span)
        return value.count
      }
    }
    guard isOptional else { return nil }
    try insertion.bindNull(target)
    return 0
  }

  private func isValid(_ text: String) -> Bool {
    let count = text.utf8.count
    switch rule {
    case .text(let most): return count <= most
    case .json(let most): return count <= most && (try? JSONValue.parse(text)) != nil
    case .jsonString(let most): return count <= most && text.jsonText != nil
    case .jsonStrings(let most): return count <= most && (try? JSONValue.parse(text))?.texts != nil
    case .whole, .number, .blob: return false
    }
  }
}
