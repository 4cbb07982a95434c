// Proposes segments: stretches of an activity that were ridden at least three times in the same
// direction, in it and in the newest others. In slices.

import ActivityFiles
import Earth
package import LogbookWire
package import SQLite
import Segments
package import Wire

package final class SegmentProposals: SlicedWork {
  private static let rowsPerStep = 60
  /// How many seconds of rides are compared: 100 hours.
  private static let mostRows = 360_000

  private enum Phase {
    case way, rides
    case choice(StretchSelection)
    case finished
  }

  private let database: Database
  private let activity: StoredActivity
  private let others: NearbyActivities
  private let mostRows: Int
  private var phase = Phase.way
  private var reader: PointReader?
  private var stretches: RepeatedStretches?
  /// Of the rides.
  private(set) var rowsRead = 0
  /// Complete when `step` has returned false.
  package private(set) var reply = SegmentProposalsReply()

  package convenience init(_ request: SegmentProposeRequest, in database: Database) throws(Refusal) {
    try self.init(request, in: database, mostRows: Self.mostRows)
  }

  /// Without an activity, of the newest one with positions.
  init(_ request: SegmentProposeRequest, in database: Database, mostRows: Int) throws(Refusal) {
    (self.database, self.mostRows) = (database, mostRows)
    let id: Int
    if let asked = request.activity { id = asked } else { id = try Self.newest(in: database) }
    activity = try StoredActivity.requested(id, in: database)
    do throws(SQLiteError) {
      others = try NearbyActivities(to: activity.id, in: database)
      reader = try PointReader(activity.shownSpans, in: database)
    } catch {
      throw Refusal(storage: error)
    }
  }

  private static func newest(in database: Database) throws(Refusal) -> Int {
    let found = try Refusal.storage { () throws(SQLiteError) in
      try database.integer(
        """
        SELECT activity.id FROM activity WHERE \(ActivityCatalogue.isShown)
        AND EXISTS(SELECT 1 FROM track_box WHERE track_box.activity = activity.id) ORDER BY sort_ms DESC, id DESC LIMIT 1
        """)
    }
    guard let found else { throw Refusal(.noSuchActivity, "no activity has positions") }
    return Int(found)
  }

  package func step() throws(Refusal) -> Bool {
    try Refusal.storage { () throws(SQLiteError) in
      switch phase {
      case .way: try readWay()
      case .rides: try readRides()
      case .choice(var selection):
        // Nothing else refers to it, so that it is not copied.
        phase = .finished
        if selection.step() { phase = .choice(selection) } else { try propose(selection.stretches) }
      case .finished: break
      }
    }
    if case .finished = phase { return false }
    return true
  }

  private func readWay() throws(SQLiteError) {
    if try reader?.readRide(Self.rowsPerStep, extend) == true { return }
    // It was ridden once itself.
    (reader, phase) = (try PointReader(activity.shownSpans, in: database), .rides)
  }

  private func extend(_ point: ActivityPoint, _ ride: RideSecond) {
    guard let position = point.position else { return }
    if stretches == nil { stretches = RepeatedStretches(at: position) }
    stretches?.extend(to: position, atMS: ride.positionMS ?? Int64(point.t) * 1000)
  }

  private func readRides() throws(SQLiteError) {
    guard rowsRead < mostRows else { return finishRides() }
    if let reader {
      rowsRead += Self.rowsPerStep
      if try reader.readRide(Self.rowsPerStep, ride) { return }
      self.reader = nil
      stretches?.endRide()
      return
    }
    switch try others.step() {
    case .found(let other, let times):
      reader = try PointReader(
        other.shownSpans, in: database, fromMS: times.lowerBound * 1000, toMS: times.upperBound * 1000)
    case .searching: break
    case .finished: finishRides()
    }
  }

  private func finishRides() {
    reader = nil
    stretches?.endRide()
    phase = stretches.map { .choice(StretchSelection($0)) } ?? .finished
    stretches = nil
  }

  private func ride(_ point: ActivityPoint, _ ride: RideSecond) {
    guard let position = point.position else { return }
    stretches?.ride(to: position, atMS: ride.positionMS ?? Int64(point.t) * 1000)
  }

  private func propose(_ stretches: [RepeatedStretches.Stretch]) throws(SQLiteError) {
    let known = try knownRanges()
    for stretch in stretches where !known.contains(where: { stretch.isSame(as: $0) }) {
      var proposal = SegmentProposalRecord()
      proposal.activity = Int(activity.id)
      // The last position is part of it.
      (proposal.fromS, proposal.toS) = (Double(stretch.fromMS) / 1000, Double(stretch.toMS) / 1000 + 0.5)
      (proposal.distanceM, proposal.times) = ((stretch.lengthM * 10).rounded() / 10, stretch.times)
      reply.proposals.append(proposal)
    }
  }

  /// The efforts on segments in this activity.
  private func knownRanges() throws(SQLiteError) -> [Range<Int64>] {
    let statement = try database.prepare("SELECT start_ms, end_ms FROM effort WHERE activity = ?1 LIMIT 1000")
    try statement.bind(1, activity.id)
    var ranges: [Range<Int64>] = []
    while try statement.step() {
      ranges.append(statement.integer(0)..<max(statement.integer(0), statement.integer(1)))
    }
    return ranges
  }
}

extension RepeatedStretches.Stretch {
  /// A segment that has so much of a stretch, and the other way round, is the same.
  private static let sameShare = 0.8

  fileprivate func isSame(as effort: Range<Int64>) -> Bool {
    let common = Double(effort.clamped(to: fromMS..<max(fromMS, toMS)).count)
    return common > Self.sameShare * Double(toMS - fromMS) && common > Self.sameShare * Double(effort.count)
  }
}
