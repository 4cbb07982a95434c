// Changes what activities show of their recordings: crop, split, join, and revert, which undoes all of
// them. Recorded seconds never change. The zero of an edited activity is the beginning of the second
// in which it begins, as for any other.

package import LogbookWire
package import SQLite
package import Wire

/// What follows from a change of activities.
package struct ActivityEdit: Equatable {
  /// The activities of the reply, in its order. Their totals are obsolete.
  package var changed: [Int64] = []
  /// Those that the list has from now on.
  package var added: [Int64] = []
  /// Those that it no longer has.
  package var removed: [Int64] = []

  package init(changed: [Int64] = [], added: [Int64] = [], removed: [Int64] = []) {
    (self.changed, self.added, self.removed) = (changed, added, removed)
  }
}

package final class ActivityEditor {
  /// As many as a backup can contain.
  package static let mostSpans = 1000
  /// Files count in whole seconds, so that one can begin a second before the end of another.
  private static let mostOverlapMS: Int64 = 2000

  private let catalogue: ActivityCatalogue
  private let rows: EditedRows

  package init(_ catalogue: ActivityCatalogue) throws(SQLiteError) {
    self.catalogue = catalogue
    rows = try EditedRows(catalogue.table)
  }

  package func crop(_ request: CropRequest) throws(Refusal) -> ActivityEdit {
    var row = try editable(request.id, request.ifVersion)
    let from = max(row.startMS, request.fromS?.inMilliseconds ?? .min)
    let to = min(row.endMS, request.toS?.inMilliseconds ?? .max)
    if from == row.startMS, to == row.endMS {
      throw Refusal(.badRequest, "activity \(row.id) has nothing outside these times: it lasts \(row.lengthText)")
    }
    guard from < to, try cut(&row, from: from, to: to < row.endMS ? to : nil) else {
      throw Refusal(.badRequest, "activity \(row.id) has nothing between these times: it lasts \(row.lengthText)")
    }
    return try write(ActivityEdit(changed: [row.id])) { [rows] () throws(SQLiteError) in try rows.replace([row]) }
  }

  package func split(_ request: SplitRequest) throws(Refusal) -> ActivityEdit {
    var row = try editable(request.id, request.ifVersion)
    let at = request.atS.inMilliseconds
    var second = row
    guard at > row.startMS, at < row.endMS, try cut(&second, from: at, to: nil),
      try cut(&row, from: row.startMS, to: at)
    else {
      throw Refusal(.badRequest, "activity \(row.id) has nothing before or after this time: it lasts \(row.lengthText)")
    }
    (second.id, second.uuid, second.version, second.origin) = (0, .uniqueID(), 1, row.id)
    (second.rideID, second.sourceHash) = (nil, nil)
    second.baseSpans = second.spans
    // Of an unknown date, it comes after the first part in time, and before it in lists.
    if second.startUTCMS == nil { second.sortMS += 1 }
    var edit = ActivityEdit(changed: [row.id])
    return try write { [rows] () throws(SQLiteError) in
      try rows.replace([row])
      edit.added = [try rows.insert(second)]
      edit.changed += edit.added
      return edit
    }
  }

  package func join(_ request: JoinRequest) throws(Refusal) -> ActivityEdit {
    var parts = try partsInOrder(request.ids)
    var first = parts[0]
    first.noteBase()
    var spans = first.shownSpans
    var shift: Int64 = 0
    for index in 1..<parts.count {
      shift += try distance(from: parts[index - 1], to: parts[index])
      spans = spans.joined(with: parts[index].shownSpans.shifted(by: shift))
      first.endMS = parts[index].endMS + shift
      parts[index].joinedInto = first.id
    }
    guard Double(first.endMS) / 1000 <= RequestLimits.seconds.upperBound else {
      throw Refusal(.badRequest, "the activities are too far apart: together they would last more than a year")
    }
    guard spans.count <= Self.mostSpans else {
      throw Refusal(.badRequest, "the activities have more than \(Self.mostSpans) parts")
    }
    first.spans = spans
    parts[0] = first
    let edit = ActivityEdit(changed: [first.id], removed: parts.dropFirst().map(\.id))
    return try write(edit) { [rows, parts] () throws(SQLiteError) in try rows.replace(parts) }
  }

  /// Those that splits made of it go away: it shows their seconds again. Those that were joined to it,
  /// or to one of these, come back.
  package func revert(_ request: RevertRequest) throws(Refusal) -> ActivityEdit {
    var row = try editable(request.id, request.ifVersion)
    let before = row
    let parts = try Refusal.storage { () throws(SQLiteError) in try rows.descendants(of: row.id) }
    let partIDs = Set(parts.map(\.id))
    var joined: [StoredActivity] = []
    try Refusal.storage { () throws(SQLiteError) in
      for shown in [row] + parts { joined += try rows.members(of: shown.id).filter { !partIDs.contains($0.id) } }
      row.revert(endMS: try rows.end(of: row.baseSpans))
    }
    for part in parts {
      let top = try Refusal.storage { () throws(SQLiteError) in try rows.top(of: part) }
      guard top != row.id, !partIDs.contains(top) else { continue }
      throw Refusal(.badRequest, "activity \(top) shows a part of activity \(row.id): revert that one first")
    }
    guard row != before || !parts.isEmpty || !joined.isEmpty else {
      let origin = row.origin.map { ", but a part of activity \($0): revert that one" } ?? ""
      throw Refusal(.badRequest, "activity \(row.id) is not edited\(origin)")
    }
    for index in joined.indices { joined[index].joinedInto = nil }
    let gone = parts.filter { $0.joinedInto == nil && $0.deletedUTCMS == nil }.map(\.id)
    let edit = ActivityEdit(changed: [row.id], added: joined.map(\.id), removed: gone)
    return try write(edit) { [rows, row, joined] () throws(SQLiteError) in
      try rows.replace([row] + joined)
      try rows.remove(parts)
    }
  }

  // MARK: Checks

  private func editable(_ id: Int, _ version: Int?) throws(Refusal) -> StoredActivity {
    let row = try catalogue.find(Int64(id), version: version)
    try row.requireShown()
    if row.state == .recording { throw Refusal(.busy, "activity \(id) is being recorded") }
    if row.source == .hand { throw Refusal(.badRequest, "activity \(id) was added by hand: it has no recording") }
    return row
  }

  /// Returns false if nothing would be left.
  private func cut(_ row: inout StoredActivity, from fromMS: Int64, to toMS: Int64?) throws(Refusal) -> Bool {
    let ends = try Refusal.storage { () throws(SQLiteError) in try rows.ends(of: row.shownSpans) }
    guard let part = row.shownSpans.part(fromMS: fromMS, toMS: toMS, ends: ends) else { return false }
    guard try Refusal.storage({ () throws(SQLiteError) in try rows.haveSeconds(part.spans) }) else { return false }
    row.show(part)
    return true
  }

  private func partsInOrder(_ ids: [Int]) throws(Refusal) -> [StoredActivity] {
    var parts: [StoredActivity] = []
    for id in ids {
      let row = try editable(id, nil)
      if parts.contains(where: { $0.id == row.id }) { throw Refusal(.badRequest, "activity \(id) is given twice") }
      if let first = parts.first, SportFamily(first.sport) != SportFamily(row.sport) {
        throw Refusal(.badRequest, "activities \(first.id) and \(id) are of different sports")
      }
      parts.append(row)
    }
    guard parts.count > 1 else { throw Refusal(.badRequest, "one activity cannot be joined: give two or more") }
    return parts.sorted { $0.place.lexicographicallyPrecedes($1.place) }
  }

  /// How far the zero of an activity is after that of the one before it, once they are joined: the
  /// true distance if it is known, otherwise so that it begins a second after the end.
  private func distance(from first: StoredActivity, to second: StoredActivity) throws(Refusal) -> Int64 {
    let next = first.endMS + 1000 - second.startMS
    guard let before = first.startUTCMS, let own = second.startUTCMS else { return next }
    let overlap = before + first.endMS - (own + second.startMS)
    if overlap <= 0 { return own - before }
    guard overlap <= Self.mostOverlapMS else {
      throw Refusal(.badRequest, "activities \(first.id) and \(second.id) overlap in time")
    }
    return next
  }

  // MARK: Writing

  /// What a change shows is obsolete at once, so this and the change are one transaction.
  private func write(_ body: () throws(SQLiteError) -> ActivityEdit) throws(Refusal) -> ActivityEdit {
    try Refusal.storage { () throws(SQLiteError) in
      try catalogue.table.database.transaction { () throws(SQLiteError) in
        let edit = try body()
        try rows.forgetResults(of: edit)
        return edit
      }
    }
  }

  private func write(
    _ edit: ActivityEdit, _ body: () throws(SQLiteError) -> Void
  ) throws(Refusal) -> ActivityEdit {
    try write { () throws(SQLiteError) in
      try body()
      return edit
    }
  }
}

extension StoredActivity {
  /// Its place in time among others. Those of an unknown date have no start, and what splits made of
  /// one of these is in the order of its recording.
  fileprivate var place: [Int64] {
    let first = shownSpans.first
    return [sortMS, startUTCMS == nil ? 0 : startMS, first?.activity ?? id, first?.fromMS ?? 0, id]
  }

  fileprivate var lengthText: String { "\(endMS / 1000) s" }
}

extension Double {
  fileprivate var inMilliseconds: Int64 { Int64((self * 1000).rounded()) }
}
