// Heart-rate zones. They come from the rider's own bounds, from the threshold or from the maximum,
// whichever is known first in this order. A zone begins at its floor and ends where the next one
// begins. Zone 0 is below the first.

import Vocabulary

/// Computes the floors of the rider's zones, and the zone of a heart rate.
public struct HeartRateZones: Equatable, Sendable {
  /// The most zones that a rider can define.
  public static let most = Setting.zoneCounts.upperBound

  /// The five zones of Edwards (1993), as shares of the maximum.
  private static let sharesOfMaximum = [0.50, 0.60, 0.70, 0.80, 0.90]
  /// Friel's zones for cycling (The Cyclist's Training Bible), as shares of the rate at threshold.
  /// His 5a, 5b and 5c, all above threshold, are one zone here. The first zone includes everything
  /// below the second.
  private static let sharesOfThreshold = [0.0, 0.81, 0.90, 0.94, 1.00]

  /// In beats per minute, ascending.
  public let floors: [Double]

  /// Nil if neither bounds nor rates are known.
  public init?(_ rider: Rider) {
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

  /// 1 for the first zone, 0 below it; nil for an implausible heart rate.
  public func zone(of bpm: Double) -> Int? {
    guard HeartRate.plausible.contains(bpm) else { return nil }
    var zone = 0
    while zone < floors.count, bpm >= floors[zone] { zone += 1 }
    return zone
  }
}

/// The heart rates that a rider can have.
public enum HeartRate {
  /// In beats per minute.
  public static let plausible = 25.0...250.0
}
