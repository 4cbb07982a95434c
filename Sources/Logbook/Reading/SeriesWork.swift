// Answers `series`: curves of an activity, in slices.

import ActivityFiles
package import LogbookWire
package import SQLite
package import Wire

package final class SeriesWork: SlicedWork {
  private static let rowsPerStep = 60
  /// More numbers would make a transfer that takes more than a step to write.
  private static let mostValues = 24_000

  /// Where the values come from.
  private enum Source {
    case points(PointReader, fields: [PointField])
    case sensor(SecondsReader, RawFields)
  }

  private let id: Int
  private let source: Source
  private let hasChosenFields: Bool
  private var bins: SeriesBins
  /// The fields of the activity that is being read, by stream.
  private var places: (activity: Int64, byStream: [[(field: Int, series: Int)]])?

  package init(_ request: SeriesRequest, in database: Database) throws(Refusal) {
    let activity = try StoredActivity.requested(request.id, in: database)
    let spans = activity.shownSpans
    let range = try Refusal.storage { () throws(SQLiteError) in
      try CurveRange(activity, fromS: request.fromS, toS: request.toS, in: database)
    }
    let wanted: [String]
    if let sensor = request.sensor {
      let raw = try Refusal.storage { () throws(SQLiteError) in try RawFields(sensor, spans, in: database) }
      try raw.requireSensor()
      wanted = try Self.chosen(request.fields, of: raw.names)
      source = .sensor(
        try Refusal.storage { () throws(SQLiteError) in
          try SecondsReader(spans, in: database, fromMS: range.fromMS, toMS: range.toMS)
        }, raw)
    } else {
      let known = try Refusal.storage { () throws(SQLiteError) in try PointStream.fields(spans, in: database) }
      wanted = try Self.chosen(request.fields, of: known.map(\.seriesName))
      source = .points(
        try Refusal.storage { () throws(SQLiteError) in
          try PointReader(spans, in: database, fromMS: range.fromMS, toMS: range.toMS)
        }, fields: wanted.compactMap(PointField.init(seriesName:)))
    }
    (id, hasChosenFields) = (request.id, request.fields != nil)
    let points = min(request.points ?? RequestLimits.defaultPoints, Self.mostValues / max(1, wanted.count))
    bins = SeriesBins(wanted, fromMS: range.fromMS, stepS: range.stepS(points: points))
  }

  /// Valid once `step` returned false.
  package var document: SeriesDocument { bins.document(id: id, withEmptyFields: hasChosenFields) }

  package func step() throws(Refusal) -> Bool {
    try Refusal.storage { () throws(SQLiteError) in
      switch source {
      case .points(let reader, let fields):
        try reader.readRide(Self.rowsPerStep) { point, ride in add(point, ride, fields) }
      case .sensor(let reader, let raw):
        try reader.read(Self.rowsPerStep) { moment, sample in add(sample, moment, raw) }
      }
    }
  }

  private static func chosen(_ fields: [String]?, of known: [String]) throws(Refusal) -> [String] {
    guard let fields else { return known }
    if let unknown = fields.first(where: { !known.contains($0) }) {
      let list = known.isEmpty ? "there are none" : "there are " + known.joined(separator: ", ")
      throw Refusal(.badRequest, "this activity has no field \(unknown); \(list)")
    }
    return fields
  }

  private func add(_ point: ActivityPoint, _ ride: RideSecond, _ fields: [PointField]) {
    guard ride.state != .pausedByHand else { return bins.breakPiece() }
    bins.begin(at: Int64(point.t) * 1000)
    for (index, field) in fields.enumerated() {
      if let value = point[field] { bins.add(value, field: index) }
    }
  }

  private func add(_ sample: borrowing SecondDecoder.Sample, _ moment: SecondsReader.Moment, _ raw: RawFields) {
    if places?.activity != moment.activity {
      places = (moment.activity, raw.places(of: bins.fields, in: moment.activity))
    }
    guard let all = places?.byStream, moment.stream < all.count, !all[moment.stream].isEmpty else { return }
    bins.begin(at: moment.atMS)
    for (field, series) in all[moment.stream] where field < sample.values.count {
      if let value = sample.values[field]?.number { bins.add(value, field: series) }
    }
  }
}
