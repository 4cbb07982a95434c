// The items of a stored activity in the order of a file, some at a time.

import ActivityFiles
import Earth
import Logbook
import SQLite

final class ItemSequence {
  private let points: PointReader
  private let frame: ActivityFrame
  private var hasBegun = false
  private var isFinished = false
  private var nextOther = 0
  private var laps: [ActivityLap]
  private var nextLap = 0
  private var places = SummaryPositions()
  private var found: [ActivityPoint] = []
  /// Seconds that can no longer be read.
  private(set) var damaged = 0

  /// `toMS` is the end of what is shown: a recording may go on.
  init(_ frame: ActivityFrame, _ spans: [ActivitySpan], toMS: Int64, in database: Database) throws(SQLiteError) {
    points = try PointReader(spans, in: database, toMS: toMS)
    self.frame = frame
    laps = frame.header.laps
  }

  /// Returns false after the last item.
  func next(_ limit: Int, _ emit: (ActivityItem) throws(ActivityFileError) -> Void) throws(ExportFailure) -> Bool {
    guard !isFinished else { return false }
    do throws(ActivityFileError) {
      if !hasBegun {
        hasBegun = true
        try emit(.header(frame.header))
      }
    } catch {
      throw .file(error)
    }
    found.removeAll(keepingCapacity: true)
    let hasMore: Bool
    do throws(SQLiteError) {
      hasMore = try points.read(limit, damaged: { _ in damaged += 1 }) { found.append($0) }
    } catch {
      throw .storage(error)
    }
    do throws(ActivityFileError) {
      for point in found {
        try emitOthers(before: point.t, emit)
        try emitLaps(endingBefore: Double(point.t), emit)
        places.add(point, laps.indices.contains(nextLap) ? nextLap : nil)
        try emit(.point(point))
      }
      if !hasMore { try finish(emit) }
    } catch {
      throw .file(error)
    }
    return hasMore
  }

  private func finish(_ emit: (ActivityItem) throws(ActivityFileError) -> Void) throws(ActivityFileError) {
    isFinished = true
    try emitOthers(before: .max, emit)
    try emitLaps(endingBefore: .infinity, emit)
    for zones in frame.zones { try emit(.zones(zones)) }
    var summary = frame.summary
    if frame.needsPositions { (summary.startPosition, summary.endPosition) = (places.first, places.last) }
    try emit(.summary(summary))
  }

  private func emitOthers(
    before t: Int, _ emit: (ActivityItem) throws(ActivityFileError) -> Void
  ) throws(ActivityFileError) {
    while nextOther < frame.others.count, frame.others[nextOther].after < t {
      let item = frame.others[nextOther].item
      if case .event(let event) = item { try emitLaps(endingBefore: Double(event.t), emit) }
      try emit(item)
      nextOther += 1
    }
  }

  private func emitLaps(
    endingBefore t: Double, _ emit: (ActivityItem) throws(ActivityFileError) -> Void
  ) throws(ActivityFileError) {
    while nextLap < laps.count, laps[nextLap].summary.end < t {
      if frame.needsPositions, let place = places.ofLap {
        (laps[nextLap].summary.startPosition, laps[nextLap].summary.endPosition) = (place.first, place.last)
      }
      places.endLap()
      try emit(.lap(laps[nextLap]))
      nextLap += 1
    }
  }
}

/// Why an export ends early.
enum ExportFailure: Error {
  case storage(SQLiteError)
  case file(ActivityFileError)
}

/// Where an activity and its current lap began and ended.
private struct SummaryPositions {
  private(set) var first: Coordinate?
  private(set) var last: Coordinate?
  private(set) var ofLap: (first: Coordinate, last: Coordinate)?

  mutating func add(_ point: ActivityPoint, _ lap: Int?) {
    guard let position = point.position else { return }
    first = first ?? position
    last = position
    if lap != nil { ofLap = (ofLap?.first ?? position, position) }
  }

  mutating func endLap() { ofLap = nil }
}
