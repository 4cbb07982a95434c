// The sport of a ride: the one named by the rider, else the one that the source of speed is made
// for.

import SensorKit

struct RideSport: Sendable {
  /// The sport named by the rider.
  private(set) var named: Sport?
  /// Moving time in each sport, in the order of `Sport.allCases`.
  private(set) var seconds: [Double]
  /// The sport that the source of speed shows now.
  var current = Sport.cycling

  init(named: Sport? = nil, seconds: [Double] = []) {
    self.named = named
    let isWhole = seconds.count == Sport.allCases.count
    self.seconds = isWhole ? seconds : [Double](repeating: 0, count: Sport.allCases.count)
  }

  mutating func add(moving moved: Double) { seconds[Self.place(of: current)] += moved }

  /// The sport named by the rider, else the one with the most moving time. Cycling before any
  /// movement.
  var sport: Sport {
    if let named { return named }
    var best = Sport.cycling
    for sport in Sport.allCases where seconds[Self.place(of: sport)] > seconds[Self.place(of: best)] { best = sport }
    return best
  }

  private static func place(of sport: Sport) -> Int {
    switch sport {
    case .cycling: 0
    case .running: 1
    case .walking: 2
    case .rowing: 3
    }
  }
}
