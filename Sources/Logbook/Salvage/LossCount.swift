// Counts the seconds that were salvaged and those that are lost, and marks the gaps. A row names the
// one before it, so that a lost second is told from one that never was, and that a row is found whose
// activity is damaged: it follows a row of another one.

package import SQLite
package import Wire

package final class LossCount: SlicedWork {
  private struct Place {
    let activity: Int64
    /// Of the last row; -1 before the first one.
    var second: Int64 = -1
    /// What the next row can begin with.
    var links: [UInt16] = []
    var decoder: SecondDecoder
    /// The second with the last sample, as the activity's own row has it; nil if it does not.
    var end: Int64?
    var lost = 0
    /// Rows that belong to another activity.
    var strangers: [Int64] = []
  }

  private static let portion = 100
  /// A number of seconds that is larger is damaged itself.
  private static let mostLost: Int64 = 200_000

  private let database: Database
  private let activities: Statement
  private let rows: Statement
  private let event: Statement
  private let before: Statement
  private let deletion: Statement
  private var place: Place?
  private var last: Int64 = 0
  private var samples: [UInt8] = []
  package private(set) var salvaged = 0
  package private(set) var lost = 0
  /// Their totals are to be computed again.
  package private(set) var incomplete: [Int64] = []

  /// `database` is what `SalvageScan` made.
  package init(_ database: Database) throws(Refusal) {
    self.database = database
    do throws(SQLiteError) {
      activities = try database.prepare(
        """
        SELECT id, state, CASE WHEN source = 'recorded' AND spans IS NULL AND origin IS NULL THEN end_ms END
        FROM activity WHERE id > ?1 ORDER BY id LIMIT 1
        """)
      rows = try database.prepare(
        "SELECT sec, samples FROM second WHERE id > (?1 << 32) + ?2 AND \(SecondRows.areBeforeNext) ORDER BY id LIMIT \(Self.portion)"
      )
      before = try database.prepare(
        "SELECT samples FROM activity JOIN second ON second.id = (activity.id << 32) | ?1 WHERE activity.id != ?2")
      deletion = try database.prepare("DELETE FROM second WHERE id = (?1 << 32) | ?2")
      event = try database.prepare(EventRows.insertion)
    } catch {
      throw Refusal(storage: error)
    }
  }

  package func step() throws(Refusal) -> Bool {
    do throws(SQLiteError) {
      return try database.transaction { () throws(SQLiteError) in
        guard place != nil else { return try begin() }
        try count()
        return true
      }
    } catch {
      throw Refusal(storage: error)
    }
  }

  private func begin() throws(SQLiteError) -> Bool {
    try activities.bind(1, last)
    guard try activities.step() else { return false }
    last = activities.integer(0)
    let isOpen = activities.text(1) == StoredActivity.State.recording.rawValue
    let end = activities.optionalInteger(2).map { $0 / 1000 }
    activities.reset()
    place = Place(
      activity: last, decoder: SecondDecoder(streams: try SecondsReader.streams(of: last, in: database)), end: end)
    if isOpen { incomplete.append(last) }
    return true
  }

  private func count() throws(SQLiteError) {
    guard var place else { return }
    var found = 0
    try rows.bind(1, place.activity)
    try rows.bind(2, place.second)
    while try rows.step() {
      found += 1
      rows.blob(1, into: &samples)
      try add(rows.integer(0), to: &place)
    }
    for second in place.strangers {
      try deletion.bind(1, place.activity)
      try deletion.bind(2, second)
      try deletion.step()
    }
    salvaged += found - place.strangers.count
    place.strangers = []
    if found == Self.portion { return self.place = place }
    if let end = place.end { try lose(before: end + 1, in: &place) }
    if place.lost > 0, incomplete.last != place.activity { incomplete.append(place.activity) }
    self.place = nil
  }

  private func add(_ second: Int64, to place: inout Place) throws(SQLiteError) {
    let link = UInt16(truncatingIfNeeded: samples.span.littleEndian(at: 1, count: 2))
    // A recording that was taken up again, and the beginning, name no row before them.
    if link != 0, !place.links.contains(link) {
      if try isOfAnother(second, link, than: place.activity) { return place.strangers.append(second) }
      try lose(before: second, in: &place)
    }
    _ = place.decoder.decode(samples.span, of: second) { _ in }
    place.links = [SecondFormat.link(afterRow: samples)]
    // Without the samples that came late.
    if let link = place.decoder.link { place.links.append(link) }
    place.second = second
  }

  private func isOfAnother(_ second: Int64, _ link: UInt16, than activity: Int64) throws(SQLiteError) -> Bool {
    try before.bind(1, second - 1)
    try before.bind(2, activity)
    defer { before.reset() }
    while try before.step() {
      if SecondFormat.link(afterRow: before.blob(0)) == link { return true }
    }
    return false
  }

  private func lose(before second: Int64, in place: inout Place) throws(SQLiteError) {
    let count = second - place.second - 1
    guard count > 0, count <= Self.mostLost else { return }
    place.lost += Int(count)
    lost += Int(count)
    let (from, to) = ((place.second + 1) * 1000, second * 1000)
    try event.bind(1, place.activity)
    try event.bind(2, from)
    try event.bind(3, "damaged")
    try event.bind(4, "{\"from_ms\":\(from),\"to_ms\":\(to)}")
    try event.step()
  }
}
