// Tables that belong to an activity, a route or a segment, and what their columns can contain. A
// backup comes from outside, so everything in it is checked before it is stored: the readers of the
// logbook rely on these ranges.

import JSON
import SQLite

struct CopiedTable {
  enum Rule {
    case whole(ClosedRange<Int64>)
    case number(ClosedRange<Double>)
    case text(Int)
    /// JSON of any kind, of a string, or of an array of strings.
    case json(Int), jsonString(Int), jsonStrings(Int)
    case blob(Int)
    /// The id of another row, which has another id here.
    case activity
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

  var selection: String {
    let marks = keys.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
    let place = "(\(keys.joined(separator: ", ")))"
    return """
      SELECT \((keys + columns.map(\.name)).joined(separator: ", ")) FROM \(name)
      WHERE \(owner) = ?1 AND \(place) > (\(marks)) ORDER BY \(keys.joined(separator: ", ")) LIMIT 200
      """
  }

  var insertion: String {
    let marks = (1...columns.count + 1).map { "?\($0)" }.joined(separator: ", ")
    return "INSERT INTO \(name)(\(([owner] + columns.map(\.name)).joined(separator: ", "))) VALUES(\(marks))"
  }
}

extension CopiedTable {
  /// In milliseconds: three years, more than any activity.
  static let times: ClosedRange<Int64> = 0...100_000_000_000
  private static let seconds: ClosedRange<Int64> = 0...100_000_000
  private static let metres = -1e9...1e9
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
      columns: [Column(name: "sec", rule: .whole(seconds)), Column(name: "samples", rule: .blob(1 << 20))]),
    CopiedTable(
      name: "lap", owner: "activity", keys: ["n"],
      columns: [
        Column(name: "n", rule: .whole(0...1_000_000)), Column(name: "start_ms", rule: .whole(times)),
        Column(name: "end_ms", rule: .whole(times)), Column(name: "cause", rule: .text(64), isOptional: true),
        Column(name: "totals", rule: .json(longText), isOptional: true),
        Column(name: "detail", rule: .json(longText), isOptional: true),
      ]),
    CopiedTable(
      name: "event", owner: "activity", keys: ["at_ms", "id"],
      columns: [
        Column(name: "at_ms", rule: .whole(times)), Column(name: "kind", rule: .text(64)),
        Column(name: "data", rule: .json(longText), isOptional: true),
      ]),
  ]

  static let ofRoute = [
    CopiedTable(
      name: "route_point", owner: "route", keys: ["n"],
      columns: [
        Column(name: "n", rule: .whole(0...10_000_000)), Column(name: "latitude", rule: .number(-90...90)),
        Column(name: "longitude", rule: .number(-180...180)),
        Column(name: "altitude_m", rule: .number(metres), isOptional: true),
        Column(name: "distance_m", rule: .number(0...1e9)),
      ]),
    CopiedTable(
      name: "cue", owner: "route", keys: ["n"],
      columns: [
        Column(name: "n", rule: .whole(0...10_000_000)), Column(name: "distance_m", rule: .number(metres)),
        Column(name: "kind", rule: .text(64)), Column(name: "name", rule: .text(4096), isOptional: true),
        Column(name: "note", rule: .text(longText), isOptional: true),
      ]),
  ]

  static let ofSegment = [
    CopiedTable(
      name: "effort", owner: "segment", keys: ["activity", "start_ms"],
      columns: [
        Column(name: "activity", rule: .activity), Column(name: "start_ms", rule: .whole(times)),
        Column(name: "end_ms", rule: .whole(times)),
        Column(name: "summary", rule: .json(longText), isOptional: true),
      ])
  ]
}

extension CopiedTable.Column {
  /// Copies the value if it obeys the rule. Returns its bytes; nil if the row cannot be stored.
  func copy(
    _ index: Int32, of row: Statement, to target: Int32, of insertion: Statement, activities: [Int64: Int64]
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
    case .activity:
      if let id = activities[row.integer(index)] {
        try insertion.bind(target, id)
        return 8
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
    case .whole, .number, .blob, .activity: return false
    }
  }
}
