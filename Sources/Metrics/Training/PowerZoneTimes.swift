// Seconds in each of Coggan's seven power zones, which are shares of threshold power. The upper
// bound belongs to the zone.

/// Computes the seconds in each power zone.
public struct PowerZoneTimes: Equatable, Sendable {
  public static let count = 7
  /// Of all zones but the last, as shares of threshold power.
  private static let upperBounds = [0.55, 0.75, 0.90, 1.05, 1.20, 1.50] as InlineArray<6, Double>

  public let thresholdW: Double
  private var seconds = InlineArray<7, Double>(repeating: 0)

  /// Starts at zero if the saved times belong to another threshold or are invalid.
  public init?(_ rider: Rider, saved: SavedRide.PowerZones? = nil) {
    guard let thresholdW = rider.thresholdPowerW, thresholdW > 0 else { return nil }
    self.thresholdW = thresholdW
    guard let saved, saved.thresholdW == thresholdW, saved.seconds.count == Self.count,
      saved.seconds.allSatisfy({ $0.isFinite && $0 >= 0 })
    else { return }
    for zone in seconds.indices { seconds[zone] = saved.seconds[zone] }
  }

  public static func == (left: Self, right: Self) -> Bool { left.saved == right.saved }

  public var saved: SavedRide.PowerZones {
    SavedRide.PowerZones(thresholdW: thresholdW, seconds: seconds.indices.map { seconds[$0] })
  }

  /// Zone 1 is the first.
  public func zone(of watts: Double) -> Int {
    var zone = 1
    for share in Self.upperBounds.indices where watts > Self.upperBounds[share] * thresholdW { zone += 1 }
    return zone
  }

  public func seconds(in zone: Int) -> Double { seconds[zone - 1] }

  public mutating func add(_ watts: Double) { seconds[zone(of: watts) - 1] += 1 }
}
