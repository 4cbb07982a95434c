// Answers `track`: the positions of an activity, in slices.

import ActivityFiles
import Earth
package import LogbookWire
package import SQLite
package import Wire

package final class TrackWork: SlicedWork {
  private static let rowsPerStep = 60
  private static let defaultPoints = RequestLimits.defaultPoints

  /// Where the positions come from.
  private enum Source {
    case points(PointReader)
    case sensor(SecondsReader, RawFields)
  }

  private let source: Source
  private var line: TrackLine
  private var places: (activity: Int64, byStream: [[(field: Int, series: Int)]])?
  private let id: Int

  private static let fields = ["latitude_deg", "longitude_deg", "altitude_m"]

  package init(_ request: TrackRequest, in database: Database) throws(Refusal) {
    let activity = try StoredActivity.requested(request.id, in: database)
    let spans = activity.shownSpans
    let range = try Refusal.storage { () throws(SQLiteError) in
      try CurveRange(activity, fromS: request.fromS, toS: request.toS, in: database)
    }
    if let sensor = request.sensor {
      let raw = try Refusal.storage { () throws(SQLiteError) in try RawFields(sensor, spans, in: database) }
      try raw.requireSensor()
      source = .sensor(
        try Refusal.storage { () throws(SQLiteError) in
          try SecondsReader(spans, in: database, fromMS: range.fromMS, toMS: range.toMS)
        }, raw)
    } else {
      source = .points(
        try Refusal.storage { () throws(SQLiteError) in
          try PointReader(spans, in: database, fromMS: range.fromMS, toMS: range.toMS)
        })
    }
    id = request.id
    line = TrackLine(stepS: range.stepS(points: request.points ?? Self.defaultPoints))
  }

  /// Valid once `step` returned false.
  package var document: TrackDocument {
    var document = TrackDocument()
    document.id = id
    document.pieces = line.pieces
    return document
  }

  package func step() throws(Refusal) -> Bool {
    try Refusal.storage { () throws(SQLiteError) in
      let hasMore =
        switch source {
        case .points(let reader):
          try reader.readRide(Self.rowsPerStep) { point, ride in add(point, ride) }
        case .sensor(let reader, let raw):
          try reader.read(Self.rowsPerStep) { moment, sample in add(sample, moment, raw) }
        }
      if !hasMore { line.finish() }
      return hasMore
    }
  }

  private func add(_ point: ActivityPoint, _ ride: RideSecond) {
    guard ride.state != .pausedByHand else { return line.breakPiece() }
    guard let position = point.position else { return }
    var place = TrackPoint()
    (place.atS, place.distanceM, place.altitudeM) = (Double(point.t), point[.distance], point[.altitude])
    (place.latitudeDeg, place.longitudeDeg) = (position.latitude, position.longitude)
    line.add(place, at: Double(point.t))
  }

  private func add(_ sample: borrowing SecondDecoder.Sample, _ moment: SecondsReader.Moment, _ raw: RawFields) {
    if places?.activity != moment.activity {
      places = (moment.activity, raw.places(of: Self.fields, in: moment.activity))
    }
    guard let all = places?.byStream, moment.stream < all.count else { return }
    var values: [Double?] = [nil, nil, nil]
    for (field, series) in all[moment.stream] where field < sample.values.count {
      values[series] = sample.values[field]?.number
    }
    guard let latitude = values[0], let longitude = values[1],
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else { return }
    var place = TrackPoint()
    (place.atS, place.altitudeM) = (Double(moment.atMS) / 1000, values[2])
    (place.latitudeDeg, place.longitudeDeg) = (position.latitude, position.longitude)
    line.add(place, at: Double(moment.atMS) / 1000)
  }
}

/// Keeps one position of each stretch of time, and the last one of each piece.
struct TrackLine {
  /// A longer time without positions starts a new piece, in seconds.
  static let longestGap = 10.0

  private(set) var pieces: [TrackPiece] = []
  private let stepS: Double
  private var keptS = 0.0
  private var lastS = -Double.infinity
  /// The last position, if it was not kept.
  private var skipped: TrackPoint?
  private var isBroken = true

  init(stepS: Double) { self.stepS = stepS }

  mutating func breakPiece() { isBroken = true }

  mutating func add(_ point: TrackPoint, at time: Double) {
    let isNew = isBroken || time - lastS > max(Self.longestGap, stepS)
    lastS = time
    if isNew {
      finish()
      pieces.append(TrackPiece())
      isBroken = false
    } else if time - keptS < stepS {
      skipped = point
      return
    }
    pieces[pieces.count - 1].points.append(point)
    (keptS, skipped) = (time, nil)
  }

  /// The piece ends with its last position.
  mutating func finish() {
    guard let skipped, let last = pieces.indices.last else { return }
    pieces[last].points.append(skipped)
    self.skipped = nil
  }
}
