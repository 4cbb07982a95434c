// Time spent in each heart-rate zone. A value holds until the next one, if that arrives soon
// enough. Longer gaps count for no zone.

public import Time

/// Computes the seconds in each heart-rate zone.
public struct TimeInZones: Equatable, Sendable {
  /// After this the strap is stale, and its last value does not hold any more.
  private static let longestStep = 5.0

  public struct Saved: Equatable, Sendable {
    /// Saved with the seconds, which are only valid for the same zones.
    public var floorsBpm: [Double]
    /// Below the first zone, then one entry per zone.
    public var seconds: [Double]
  }

  public let zones: HeartRateZones
  /// Indexed by zone; 0 is below the first.
  private var seconds: [Double]
  public private(set) var zone: Int?
  private var last: MonotonicTime?

  /// Starts at zero if the saved times belong to other zones or are invalid.
  public init(_ zones: HeartRateZones, saved: Saved? = nil) {
    self.zones = zones
    seconds = Array(repeating: 0, count: zones.floors.count + 1)
    guard let saved, saved.floorsBpm == zones.floors, saved.seconds.count == seconds.count,
      saved.seconds.allSatisfy({ $0.isFinite && $0 >= 0 })
    else { return }
    seconds = saved.seconds
  }

  public var saved: Saved { Saved(floorsBpm: zones.floors, seconds: seconds) }

  public func seconds(in zone: Int) -> Double { seconds[zone] }

  /// `counts`: whether the ride is moving.
  public mutating func add(bpm: Double, at time: MonotonicTime, counts: Bool = true) {
    guard let now = zones.zone(of: bpm), last.map({ time >= $0 }) ?? true else { return }
    if counts, let zone, let last {
      let step = time.seconds(since: last)
      if step <= Self.longestStep { seconds[zone] += step }
    }
    zone = now
    last = time
  }

  /// The ride is paused or the source changed: the time until the next value counts for no zone.
  public mutating func interrupt() {
    zone = nil
    last = nil
  }
}
