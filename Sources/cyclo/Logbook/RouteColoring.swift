// Colors a track by a value in five steps, as the page's maps do.

import CycloCommands
import Earth
import LogbookWire

extension RouteColor {
  /// The field of the recorder's series.
  var field: String {
    switch self {
    case .heartRate: "bpm"
    case .speed: "speed_mps"
    case .power: "power_w"
    case .grade: "grade_pct"
    }
  }

  var words: String { self == .heartRate ? "heart rate" : rawValue }
}

struct RouteColoring {
  static let steps = 5

  let color: RouteColor
  let low: Double
  let high: Double
  /// Where each zone begins; without them, steps are equal.
  let floors: [Double]
  private let values: [Double?]

  /// Nil if the value is unknown along the whole track.
  init?(_ color: RouteColor, _ track: RouteTrack, _ series: SeriesDocument?, floors: [Double]) {
    values = Self.values(of: color.field, along: track, series)
    let known = values.compactMap(\.self)
    guard let low = known.min(), let high = known.max() else { return nil }
    (self.color, self.low, self.high) = (color, low, high)
    self.floors = color == .heartRate ? floors : []
  }

  /// By what the user wants, otherwise by the first that is known.
  static func chosen(
    _ wanted: RouteColor?, _ track: RouteTrack, _ series: SeriesDocument?, floors: [Double]
  ) -> RouteColoring? {
    for color in wanted.map({ [$0] }) ?? RouteColor.allCases {
      if let coloring = RouteColoring(color, track, series, floors: floors) { return coloring }
    }
    return nil
  }

  private static func values(of field: String, along track: RouteTrack, _ series: SeriesDocument?) -> [Double?] {
    guard let series, series.stepS > 0 else { return track.times.map { _ in nil } }
    let pieces = series.pieces.map { (start: $0.startS, means: $0.fields.first { $0.field == field }?.means ?? []) }
    var piece = 0
    return track.times.map { time in
      guard let time else { return nil }
      while piece + 1 < pieces.count, pieces[piece + 1].start <= time { piece += 1 }
      guard pieces.indices.contains(piece) else { return nil }
      let place = ((time - pieces[piece].start) / series.stepS).rounded(.down)
      guard place >= 0, place < Double(pieces[piece].means.count) else { return nil }
      return pieces[piece].means[Int(place)].value
    }
  }

  /// From 1 to 5; 0 without a value.
  func step(of value: Double?) -> Int {
    guard let value else { return 0 }
    let step: Int
    if !floors.isEmpty {
      step = floors.count { value >= $0 }
    } else {
      step = high == low ? 1 : 1 + Int((value - low) / (high - low) * Double(Self.steps))
    }
    return max(1, min(Self.steps, step))
  }

  struct Run: Equatable {
    var step: Int
    var range: ClosedRange<Int>
  }

  /// Divides a piece into runs of one step each. No color is shorter than `stretch` metres, because
  /// it could not be seen.
  func runs(of piece: ClosedRange<Int>, in track: RouteTrack, stretch: Double) -> [Run] {
    var runs: [Run] = []
    var from = piece.lowerBound
    var length = 0.0
    for index in piece {
      if index > piece.lowerBound { length += (track.places[index] - track.places[index - 1]).length }
      if length < stretch, index < piece.upperBound { continue }
      let step = stepOfMean(from...index)
      if let last = runs.last, last.step == step {
        runs[runs.count - 1].range = last.range.lowerBound...index
      } else {
        runs.append(Run(step: step, range: from...index))
      }
      (from, length) = (index, 0)
    }
    return runs
  }

  private func stepOfMean(_ range: ClosedRange<Int>) -> Int {
    let known = values[range].compactMap(\.self)
    return step(of: known.isEmpty ? nil : known.reduce(0, +) / Double(known.count))
  }
}
