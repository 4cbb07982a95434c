// Heart-rate zones: what the rider's own bounds, threshold or maximum make of a heart rate; the first of these that is known decides. A
// zone begins at its floor and ends where the next begins; zone 0 is below the first.

struct HeartRateZones: Equatable, Sendable {
  /// As many as a rider may make.
  static let most = 10

  /// Five of Edwards' (1993), in shares of the maximum.
  private static let sharesOfMaximum = [0.50, 0.60, 0.70, 0.80, 0.90]
  /// Friel's for cycling (The Cyclist's Training Bible), in shares of the rate at threshold; his 5a, 5b and 5c, all of them above
  /// threshold, are one here. All that is below his second zone is in the first.
  private static let sharesOfThreshold = [0.0, 0.81, 0.90, 0.94, 1.00]

  /// Beats a minute, rising.
  let floors: [Double]

  /// None for a rider of whom neither bounds nor rates are known.
  init?(_ rider: Rider) {
    if !rider.zoneFloorsBpm.isEmpty {
      guard rider.zoneFloorsBpm.count <= Self.most else { return nil }
      floors = rider.zoneFloorsBpm
    } else if let threshold = rider.thresholdBpm {
      floors = Self.sharesOfThreshold.map { $0 * threshold }
    } else if let maximum = rider.maxBpm {
      floors = Self.sharesOfMaximum.map { $0 * maximum }
    } else {
      return nil
    }
  }

  /// From 1; 0 below the first. Nothing for what is no heart rate.
  func zone(of bpm: Double) -> Int? {
    guard HeartRate.plausible.contains(bpm) else { return nil }
    var zone = 0
    while zone < floors.count, bpm >= floors[zone] { zone += 1 }
    return zone
  }
}

enum HeartRate {
  /// Beats a minute that a living rider may have.
  static let plausible = 25.0...250.0
}
