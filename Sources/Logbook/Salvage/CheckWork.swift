// Looks for damage: reads every row of the logbook in both directions, some hundred at a time, and
// compares the checksums of seconds. Where a page leads to a wrong one, the order of rows breaks in
// one direction.

package import SQLite
package import Wire

package final class CheckWork: SlicedWork {
  private struct Walk {
    let table: String
    let keys: [String]
    var index: String?
    var isBackward = false

    var selection: String {
      let marks = keys.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
      let order = keys.map { isBackward ? $0 + " DESC" : $0 }.joined(separator: ", ")
      return """
        SELECT \(keys.joined(separator: ", "))\(table == SalvagedTable.second ? ", samples" : "") FROM \(table)
        \(index.map { "INDEXED BY " + $0 } ?? "") WHERE (\(keys.joined(separator: ", "))) \(isBackward ? "<" : ">") (\(marks))
        ORDER BY \(order) LIMIT ?1
        """
    }

    func isInOrder(_ first: [Int64], _ second: [Int64]) -> Bool {
      isBackward ? second.lexicographicallyPrecedes(first) : first.lexicographicallyPrecedes(second)
    }
  }

  private static let portion = 200
  private static let tables = [
    Walk(table: "activity", keys: ["id"]), Walk(table: "stream", keys: ["id"]),
    Walk(table: "part", keys: ["activity", "n"]), Walk(table: SalvagedTable.second, keys: ["id"]),
    Walk(table: "lap", keys: ["activity", "n"]), Walk(table: "event", keys: ["activity", "at_ms", "n"]),
    Walk(table: "clock", keys: ["id"]),
    Walk(table: "route", keys: ["id"]), Walk(table: "route_point", keys: ["route", "n"]),
    Walk(table: "cue", keys: ["route", "n"]), Walk(table: "segment", keys: ["id"]),
    Walk(table: "segment_point", keys: ["segment", "n"]), Walk(table: "effort_search", keys: ["activity"]),
    Walk(table: "track_box", keys: ["activity", "from_s"]),
    Walk(table: "effort", keys: ["segment", "activity", "start_ms"]),
    Walk(table: "activity", keys: ["sort_ms", "id"], index: "activity_by_time"),
  ]

  private let database: Database
  private var walks: ArraySlice<Walk>
  private var place: [Int64]?
  private var samples: [UInt8] = []
  /// What is wrong; nil if nothing was found.
  package private(set) var damage: String?

  package init(_ database: Database) {
    self.database = database
    walks =
      Self.tables.flatMap { walk -> [Walk] in
        var back = walk
        back.isBackward = true
        return [walk, back]
      }[...]
  }

  package func step() throws(Refusal) -> Bool {
    guard damage == nil, let walk = walks.first else { return false }
    do throws(SQLiteError) {
      if try read(walk) < Self.portion {
        walks.removeFirst()
        place = nil
      }
    } catch {
      guard error.code.isDamage else { throw Refusal(storage: error) }
      damage = "the table \(walk.table): \(error.message)"
    }
    return damage == nil && !walks.isEmpty
  }

  /// Returns how many rows there were.
  private func read(_ walk: Walk) throws(SQLiteError) -> Int {
    let rows = try database.prepare(walk.selection)
    var place = place ?? walk.keys.map { _ in walk.isBackward ? Int64.max : Int64.min }
    try rows.bind(1, Self.portion)
    for (index, value) in place.enumerated() { try rows.bind(Int32(index + 2), value) }
    var count = 0
    while damage == nil, try rows.step() {
      count += 1
      let found = walk.keys.indices.map { rows.integer(Int32($0)) }
      if !walk.isInOrder(place, found) { damage = "the table \(walk.table): its rows are not in order" }
      place = found
      guard walk.table == SalvagedTable.second, !walk.isBackward else { continue }
      rows.blob(1, into: &samples)
      let (activity, second) = SecondRows.place(of: found[0])
      if !SecondDecoder.isWhole(samples.span, of: second) {
        damage = "activity \(activity): the second \(second) is not as it was written"
      }
    }
    self.place = place
    return count
  }
}
