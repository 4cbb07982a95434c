// The sport of a ride: the one named by the rider, else the one that the source of speed is made
// for.

import Vocabulary

struct RideSport: Sendable {
  /// Set by the rider.
  private(set) var named: Sport?
  /// Moving time in each sport, in the order of `Sport.allCases`.
  private(set) var seconds: [Double]
  /// What the source of the speed is made for.
  private var current = Sport.cycling
  /// Sources that are made for another sport than cycling. Few, so that a search is cheap.
  private var others: [(source: RideMetrics.Source, sport: Sport)] = []

  init(named: Sport? = nil, seconds: [Double] = []) {
    self.named = named
    let isWhole = seconds.count == Sport.allCases.count
    self.seconds = isWhole ? seconds : [Double](repeating: 0, count: Sport.allCases.count)
  }

  mutating func beginRide(named: Sport? = nil) {
    self.named = named
    for index in seconds.indices { seconds[index] = 0 }
  }

  /// A sample shows what the sensor is made for.
  mutating func note(_ sport: Sport, of source: RideMetrics.Source) {
    if let index = others.firstIndex(where: { $0.source == source }) {
      others[index].sport = sport
    } else {
      others.append((source, sport))
    }
  }

  mutating func forget(_ source: RideMetrics.Source) { others.removeAll { $0.source == source } }

  /// The speed comes from this source now.
  mutating func use(_ source: RideMetrics.Source) {
    current = others.isEmpty ? .cycling : others.first { $0.source == source }?.sport ?? .cycling
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
