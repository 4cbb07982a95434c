// Metres climbed per hour (VAM) over the last minute of riding. A pause empties it.

/// Computes the rate of climbing from the ascent, second by second.
public struct ClimbRate: Sendable {
  private static let window = 60
  /// In seconds; with fewer, noise in the height would dominate.
  private static let least = 30

  /// The ascent of the ride so far in metres, one value per second.
  private var ascents = InlineArray<64, Double>(repeating: 0)
  private var count = 0

  public init() {}

  /// Call once a second. `ascent`: nil if it is unknown or the bike stands.
  public mutating func pass(_ ascent: Double?) {
    guard let ascent else { return count = 0 }
    ascents[count & 63] = ascent
    count += 1
  }

  public var metresPerHour: Double? {
    let seconds = min(count - 1, Self.window)
    guard seconds >= Self.least else { return nil }
    let rise = ascents[(count - 1) & 63] - ascents[(count - 1 - seconds) & 63]
    return max(0, rise / Double(seconds) * 3600)
  }
}
