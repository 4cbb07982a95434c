// A route while it is read from a file or an activity. Its rows are written some hundred at a time,
// so that a route of any length needs little memory and delays no commit.

package import ActivityFiles
import Earth
import Metrics
package import SQLite

/// Call `flush` after some points, and after the last one `finish` until it returns false. Then `row`
/// can be completed.
package struct NewRoute {
  /// A longer way than anybody follows.
  package static let mostPoints = 200_000
  package static let mostCues = 1000
  private static let portion = 500
  /// Their texts can be long.
  private static let cuePortion = 50
  /// Altitudes of maps and receivers are not exact.
  private static let threshold = 10.0
  /// In metres. Nothing that is stored is longer.
  private static let longest = 1e9

  package private(set) var row: StoredRoute
  /// How many points and cues were too many.
  package private(set) var dropped = 0
  private var waiting: [RoutePoint] = []
  private var last: RoutePoint?
  /// What the distances of the source count from.
  private var origin = 0.0
  private var climb = Climb()
  private var hasAltitude = false
  private var cues: [RouteCue] = []
  private lazy var search = CueSearch(cues)
  /// Once their distances are known.
  private var placed: [RouteCue]?

  /// The name and the hash are those of the row; its id and its totals follow.
  package init(_ row: StoredRoute) {
    self.row = row
    self.row.uuid = .uniqueID()
  }

  /// Whether it has a way to follow.
  package var isRoute: Bool { row.points > 1 }

  /// A distance that is missing or falls follows from the line.
  package mutating func add(_ point: RoutePoint) {
    guard row.points < Self.mostPoints else { return dropped += 1 }
    var point = point
    if let last {
      let line = row.distanceM + last.position.distance(to: point.position)
      let given = point.distance.map { $0 - origin } ?? line
      row.distanceM = min(max(row.distanceM, given.isFinite ? given : line), Self.longest)
    } else {
      origin = point.distance.flatMap { $0.isFinite ? $0 : nil } ?? 0
    }
    point.distance = row.distanceM
    point.altitude = point.altitude.flatMap { abs($0) < Self.longest ? $0 : nil }
    if let altitude = point.altitude {
      hasAltitude = true
      climb.add(altitude, threshold: Self.threshold)
    }
    row.points += 1
    waiting.append(point)
    last = point
  }

  package mutating func add(_ cue: RouteCue) {
    guard cues.count < Self.mostCues else { return dropped += 1 }
    // Without a place it cannot be followed.
    if cue.distance != nil || cue.position != nil { cues.append(cue) }
  }

  // MARK: Storing

  /// Stores what was added, once it is worth a commit.
  package mutating func flush(_ table: RouteTable) throws(SQLiteError) {
    if waiting.count >= Self.portion { try storePoints(table) }
  }

  /// Stores the rest, in slices. Returns whether there is more to do.
  package mutating func finish(_ table: RouteTable) throws(SQLiteError) -> Bool {
    guard isRoute else { return false }
    guard waiting.isEmpty else {
      try storePoints(table)
      return true
    }
    guard let placed else {
      if try search.step(table, row.id) { return true }
      placed = search.placed(from: origin, length: row.distanceM)
      (row.ascentM, row.descentM) = hasAltitude ? (climb.ascentM, climb.descentM) : (nil, nil)
      return true
    }
    let cues = placed[row.cues...].prefix(Self.cuePortion)
    guard !cues.isEmpty else { return false }
    let row = row
    try table.database.transaction { () throws(SQLiteError) in
      for (index, cue) in cues.enumerated() { try table.insert(cue, row.cues + index, of: row.id) }
    }
    self.row.cues += cues.count
    return true
  }

  /// At most a portion in one transaction.
  private mutating func storePoints(_ table: RouteTable) throws(SQLiteError) {
    let points = waiting.prefix(Self.portion)
    let first = row.points - waiting.count
    let row = row
    self.row.id = try table.database.transaction { () throws(SQLiteError) in
      let id = row.id > 0 ? row.id : try table.insert(row)
      for (index, point) in points.enumerated() { try table.insert(point, first + index, of: id) }
      return id
    }
    waiting.removeFirst(points.count)
  }
}
