// The segments of the logbook: new ones, and their lines.

import ActivityFiles
import Earth
package import LogbookWire
package import SQLite
import Segments
package import Wire

/// A row of the table `segment`.
struct StoredSegment: Equatable, Sendable {
  var id: Int64 = 0
  var name = ""
  var distanceM = 0.0
  var ascentM: Double?
  var box: PositionBox

  /// Begins a query whose rows `init` reads.
  static let selection = "SELECT id, name, distance_m, ascent_m, south, west, north, east FROM segment"

  init(_ row: Statement) {
    (id, name) = (row.integer(0), row.text(1) ?? "")
    (distanceM, ascentM) = (row.number(2) ?? 0, row.number(3))
    box = row.box(4)
  }

  /// Without its efforts.
  var record: SegmentRecord {
    var record = SegmentRecord()
    (record.id, record.name) = (Int(id), name)
    (record.distanceM, record.ascentM) = (distanceM, ascentM)
    return record
  }
}

package final class SegmentBook {
  private let database: Database
  private let search: Statement
  private let same: Statement
  private let insertion: Statement
  private let renaming: Statement
  private let pointInsertion: Statement
  private let points: Statement

  package init(_ database: Database) throws(SQLiteError) {
    self.database = database
    search = try database.prepare(StoredSegment.selection + " WHERE id = ?1")
    same = try database.prepare(
      "SELECT id FROM segment WHERE distance_m = ?1 AND (south, west, north, east) = (?2, ?3, ?4, ?5)")
    insertion = try database.prepare(
      """
      INSERT INTO segment(uuid, name, distance_m, ascent_m, south, west, north, east)
      VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """)
    renaming = try database.prepare("UPDATE segment SET name = ?1 WHERE id = ?2")
    pointInsertion = try database.prepare("INSERT INTO segment_point VALUES(?1, ?2, ?3, ?4)")
    points = try database.prepare(
      "SELECT n, latitude, longitude FROM segment_point WHERE segment = ?1 AND n >= ?2 ORDER BY n LIMIT ?3")
  }

  func find(_ id: Int) throws(Refusal) -> StoredSegment {
    let found = try Refusal.storage { () throws(SQLiteError) -> StoredSegment? in
      try search.bind(1, id)
      defer { search.reset() }
      return try search.step() ? StoredSegment(search) : nil
    }
    guard let found else { throw Refusal(.noSuchActivity, "there is no segment \(id)") }
    return found
  }

  package func rename(_ request: SegmentEditRequest) throws(Refusal) {
    _ = try find(request.id)
    try Refusal.storage { () throws(SQLiteError) in
      try renaming.bind(1, request.name)
      try renaming.bind(2, request.id)
      try renaming.step()
    }
  }

  /// Nil if the positions are damaged.
  func line(of segment: Int64) throws(SQLiteError) -> SegmentLine? {
    var first: Int64 = 0
    return SegmentLine(try positions(of: segment, from: &first, atMost: .max))
  }

  /// `next` becomes the number of the position after these.
  func positions(of segment: Int64, from next: inout Int64, atMost limit: Int) throws(SQLiteError) -> [Coordinate] {
    try points.bind(1, segment)
    try points.bind(2, next)
    try points.bind(3, limit)
    var positions: [Coordinate] = []
    while try points.step() {
      next = points.integer(0) + 1
      let position = Coordinate(latitude: points.number(1) ?? .nan, longitude: points.number(2) ?? .nan)
      if let position { positions.append(position) }
    }
    return positions
  }

  /// Returns the id.
  package func add(_ segment: NewSegment) throws(Refusal) -> Int {
    guard let line = SegmentLine(segment.positions) else {
      throw Refusal(.badRequest, "a segment needs positions of 100 m to 50 km")
    }
    if let known = try duplicate(of: line) {
      throw Refusal(.duplicate, "segment \(known) has the same line")
    }
    return try Refusal.storage { () throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        try insertion.bind(1, [UInt8].uniqueID().span)
        try insertion.bind(2, segment.name)
        try insertion.bind(3, line.length)
        try insertion.bind(4, segment.ascentM)
        try bind(line.box, to: insertion, from: 5)
        try insertion.step()
        let id = database.lastInsertedRow
        for (index, position) in segment.positions.enumerated() {
          try pointInsertion.bind(1, id)
          try pointInsertion.bind(2, index)
          try pointInsertion.bind(3, position.latitude)
          try pointInsertion.bind(4, position.longitude)
          try pointInsertion.step()
        }
        return Int(id)
      }
    }
  }

  private func duplicate(of line: SegmentLine) throws(Refusal) -> Int? {
    try Refusal.storage { () throws(SQLiteError) in
      try same.bind(1, line.length)
      try bind(line.box, to: same, from: 2)
      defer { same.reset() }
      return try same.step() ? Int(same.integer(0)) : nil
    }
  }

  private func bind(_ box: PositionBox, to statement: Statement, from index: Int32) throws(SQLiteError) {
    for (offset, degrees) in [box.south, box.west, box.north, box.east].enumerated() {
      try statement.bind(index + Int32(offset), degrees)
    }
  }
}
