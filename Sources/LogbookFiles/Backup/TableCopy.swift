// Copies the rows of one owner from a backup, some hundred at a time.

import Logbook
import SQLite
import Wire

struct TableCopy {
  private let table: CopiedTable
  private let source: Int64
  private let target: Int64
  private var place: [Int64]
  /// Whether impossible rows are left out.
  private let isLenient: Bool

  init(_ table: CopiedTable, from source: Int64, to target: Int64, isLenient: Bool) {
    (self.table, self.source, self.target, self.isLenient) = (table, source, target, isLenient)
    place = table.keys.map { _ in Int64.min }
  }

  /// Copies some rows in one transaction. Returns how many, and their bytes; no rows after the last.
  mutating func step(
    _ backup: Database, _ database: Database
  ) throws(MergeFailure) -> (rows: Int, bytes: Int) {
    do throws(SQLiteError) {
      try database.execute("BEGIN IMMEDIATE")
    } catch {
      throw .storage(error)
    }
    do throws(MergeFailure) {
      let result = try copy(backup, database)
      do throws(SQLiteError) { try database.execute("COMMIT") } catch { throw .storage(error) }
      return result
    } catch {
      if database.isInTransaction { try? database.execute("ROLLBACK") }
      throw error
    }
  }

  private mutating func copy(
    _ backup: Database, _ database: Database
  ) throws(MergeFailure) -> (rows: Int, bytes: Int) {
    let (rows, insertion) = try statements(backup, database)
    defer { rows.reset() }
    var result = (rows: 0, bytes: 0)
    while try next(rows) {
      result.rows += 1
      do throws(SQLiteError) {
        try insertion.bind(1, target)
        if let copied = try copyColumns(rows, insertion) {
          result.bytes += copied
          try insertion.step()
          continue
        }
      } catch {
        throw .storage(error)
      }
      guard isLenient else { throw .impossible(table.name) }
    }
    return result
  }

  private func statements(
    _ backup: Database, _ database: Database
  ) throws(MergeFailure) -> (rows: Statement, insertion: Statement) {
    let rows: Statement
    do throws(SQLiteError) {
      rows = try backup.prepare(table.selection)
      try rows.bind(1, source)
      for (index, value) in place.enumerated() { try rows.bind(Int32(index + 2), value) }
    } catch {
      throw .backup(error)
    }
    do throws(SQLiteError) { return (rows, try database.prepare(table.insertion)) } catch { throw .storage(error) }
  }

  /// Rows must rise: with damaged pages they could repeat themselves forever.
  private mutating func next(_ rows: Statement) throws(MergeFailure) -> Bool {
    do throws(SQLiteError) {
      guard try rows.step() else { return false }
    } catch {
      throw .backup(error)
    }
    let found = table.keys.indices.map { rows.integer(Int32($0)) }
    guard place.lexicographicallyPrecedes(found) else { throw .impossible(table.name) }
    place = found
    return true
  }

  private func copyColumns(
    _ rows: Statement, _ insertion: Statement
  ) throws(SQLiteError) -> Int? {
    var bytes = 0
    for (index, column) in table.columns.enumerated() {
      guard
        let copied = try column.copy(
          Int32(index + table.keys.count), of: rows, to: Int32(index + 2), of: insertion)
      else { return nil }
      bytes += copied
    }
    return bytes
  }
}

/// Why a backup cannot be read on.
enum MergeFailure: Error {
  case storage(SQLiteError)
  case backup(SQLiteError)
  /// A value in this table that no logbook has.
  case impossible(String)
  case tooLarge
}

extension Refusal {
  init(merge failure: MergeFailure) {
    switch failure {
    case .storage(let error): self.init(storage: error)
    case .backup(let error): self.init(.badFile, "the backup is damaged: \(error.message)")
    case .impossible(let table): self.init(.badFile, "the backup is damaged: impossible values in the table \(table)")
    case .tooLarge: self.init(.badFile, "the backup is damaged: its rows are larger than the file")
    }
  }
}
