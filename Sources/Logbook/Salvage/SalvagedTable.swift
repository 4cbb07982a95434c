// Which table a row of a damaged database belongs to: its values tell, because no two tables of the
// logbook have the same columns.

import SQLite

struct SalvagedTable {
  private struct Column {
    let type: String
    let isOptional: Bool
    let name: String

    func accepts(_ value: DamagedValue) -> Bool {
      switch value {
      case .null: isOptional
      case .integer: type == "INTEGER" || type == "REAL"
      case .real: type == "REAL"
      case .text: type == "TEXT"
      case .blob(let bytes): type == "BLOB" && (name != "uuid" || bytes.count == 16)
      }
    }
  }

  static let second = "second"

  let name: String
  private let columns: [Column]
  private let hasRowID: Bool
  private let insertion: Statement

  /// The tables of a new logbook, with statements that add their rows to `target`.
  static func all(into target: Database) throws(SQLiteError) -> [SalvagedTable] {
    let names = try target.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    var tables: [SalvagedTable] = []
    while try names.step() { tables.append(try SalvagedTable(names.text(0) ?? "", in: target)) }
    return tables
  }

  private init(_ name: String, in target: Database) throws(SQLiteError) {
    self.name = name
    let rows = try target.prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_info('\(name)')")
    var columns: [Column] = []
    while try rows.step() {
      columns.append(
        Column(
          type: rows.text(1) ?? "", isOptional: rows.integer(2) == 0 && rows.integer(3) == 0, name: rows.text(0) ?? ""))
    }
    hasRowID = columns.first?.name == "id"
    self.columns = columns
    let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    insertion = try target.prepare("INSERT OR IGNORE INTO \(name) VALUES(\(marks))")
  }

  /// Whether the row can be one of this table.
  func fits(_ cell: DamagedCell) -> Bool {
    guard cell.values.count == columns.count, (cell.rowID != nil) == hasRowID else { return false }
    if let id = cell.rowID, id < 1 || cell.values[0] != .null { return false }
    return zip(columns, cell.values).dropFirst(hasRowID ? 1 : 0).allSatisfy { $0.accepts($1) }
  }

  /// Adds the row unless one with the same key is there. Returns whether it was added.
  @discardableResult
  func add(_ cell: DamagedCell, to target: Database) throws(SQLiteError) -> Bool {
    for (index, value) in cell.values.enumerated() {
      let place = Int32(index + 1)
      switch value {
      case .null:
        if index == 0, let id = cell.rowID { try insertion.bind(place, id) } else { try insertion.bindNull(place) }
      case .integer(let number): try insertion.bind(place, number)
      case .real(let number): try insertion.bind(place, number)
      case .text(let bytes): try insertion.bind(place, String(decoding: bytes, as: UTF8.self))
      case .blob(let bytes): try insertion.bind(place, bytes.span)
      }
    }
    do throws(SQLiteError) {
      try insertion.step()
    } catch  where error.code.isConstraint {
      return false
    }
    return target.changes > 0
  }
}

/// A row of the table `second`.
struct SalvagedSecond: Equatable {
  let activity: Int64
  let second: Int64
  let samples: [UInt8]

  /// Nil if it is not one, or not as it was written.
  init?(_ cell: DamagedCell) {
    guard let id = cell.rowID, cell.values.count == 2, cell.values[0] == .null, case .blob(let samples) = cell.values[1]
    else {
      return nil
    }
    (activity, second) = SecondRows.place(of: id)
    self.samples = samples
    guard activity > 0, SecondDecoder.isWhole(samples.span, of: second) else { return nil }
  }

  /// What the next row of the activity begins with, unless samples came late.
  var link: UInt16 { SecondFormat.link(afterRow: samples) }

  /// The checksum proves the number of the second and not the activity. In a page rows are in order,
  /// and each names the one before, so that a wrong activity contradicts its neighbours. Returns the
  /// places of those that do not.
  static func consistent(_ rows: [SalvagedSecond]) -> [Int] {
    var (contradictions, agreements) = ([Int](repeating: 0, count: rows.count), [Int](repeating: 0, count: rows.count))
    for index in rows.indices.dropFirst() {
      let (before, row) = (rows[index - 1], rows[index])
      let isSame = before.activity == row.activity
      let rises = isSame ? before.second < row.second : before.activity < row.activity
      let follows = before.second < row.second && row.samples.span.littleEndian(at: 1, count: 2) == UInt32(before.link)
      if !rises || !isSame && follows {
        contradictions[index - 1] += 1
        contradictions[index] += 1
      } else if isSame {
        agreements[index - 1] += 1
        agreements[index] += 1
      }
    }
    return rows.indices.filter { contradictions[$0] == 0 || agreements[$0] > 0 }
  }
}
