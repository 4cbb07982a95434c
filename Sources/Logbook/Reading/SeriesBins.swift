// Minimum, mean and maximum of several fields over equal spans of time, in pieces between gaps.
// Memory depends on the number of points, and not on the length of the activity.

import LogbookWire

struct SeriesBins {
  private struct Bin {
    var minimum = Double.infinity
    var maximum = -Double.infinity
    var sum = 0.0
    var count = 0.0

    mutating func add(_ value: Double) {
      minimum = min(minimum, value)
      maximum = max(maximum, value)
      sum += value
      count += 1
    }
  }

  private struct Piece {
    /// Counted from the start of the series.
    var firstBin: Int
    var lastBin: Int
    /// By field.
    var bins: [[Bin]]
  }

  let fields: [String]
  let stepS: Double
  private let fromMS: Int64
  private var pieces: [Piece] = []
  private var lastMS: Int64?
  private var isBroken = false

  /// A longer time without samples starts a new piece, in seconds.
  static let longestGap = 10.0

  init(_ fields: [String], fromMS: Int64, stepS: Double) {
    (self.fields, self.fromMS, self.stepS) = (fields, fromMS, stepS)
  }

  /// The next value starts a new piece.
  mutating func breakPiece() { isBroken = true }

  /// Call this once for each moment, then `add` for its values.
  mutating func begin(at atMS: Int64) {
    let bin = max(0, Int(Double(atMS - fromMS) / 1000 / stepS))
    let gap = lastMS.map { Double(atMS - $0) / 1000 > max(Self.longestGap, stepS) } ?? true
    lastMS = atMS
    if let last = pieces.last, bin <= last.lastBin || !gap && !isBroken {
      extend(to: bin)
    } else {
      pieces.append(Piece(firstBin: bin, lastBin: bin, bins: fields.map { _ in [Bin()] }))
    }
    isBroken = false
  }

  private mutating func extend(to bin: Int) {
    let index = pieces.count - 1
    while pieces[index].lastBin < bin {
      pieces[index].lastBin += 1
      for field in fields.indices { pieces[index].bins[field].append(Bin()) }
    }
  }

  mutating func add(_ value: Double, field: Int) {
    guard let last = pieces.indices.last, value.isFinite else { return }
    pieces[last].bins[field][pieces[last].bins[field].count - 1].add(value)
  }

  /// `withEmptyFields`: fields without any value are kept, because the client asked for them.
  func document(id: Int, withEmptyFields: Bool) -> SeriesDocument {
    var document = SeriesDocument()
    (document.id, document.stepS) = (id, stepS)
    let kept = fields.indices.filter { field in
      withEmptyFields || pieces.contains { $0.bins[field].contains { $0.count > 0 } }
    }
    document.pieces = pieces.map { piece in
      var result = SeriesPiece()
      result.startS = Double(fromMS) / 1000 + Double(piece.firstBin) * stepS
      result.fields = kept.map { Self.values(fields[$0], piece.bins[$0]) }
      return result
    }
    return document
  }

  private static func values(_ field: String, _ bins: [Bin]) -> SeriesValues {
    var values = SeriesValues()
    values.field = field
    for bin in bins {
      let hasValues = bin.count > 0
      values.minima.append(Reading(hasValues ? bin.minimum : nil))
      values.means.append(Reading(hasValues ? bin.sum / bin.count : nil))
      values.maxima.append(Reading(hasValues ? bin.maximum : nil))
    }
    return values
  }
}
