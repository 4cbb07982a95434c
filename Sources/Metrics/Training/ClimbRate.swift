// Metres climbed per hour (VAM) over the last minute of riding. A pause empties it.

struct ClimbRate: Sendable {
  private static let window = 60
  /// Seconds: of fewer the noise of the height would be most of it.
  private static let least = 30

  /// The ascent of the ride so far in metres, one value a second.
  private var ascents = InlineArray<64, Double>(repeating: 0)
  private var count = 0

  /// Called once a second. `ascent`: nil where it is unknown or the bike stands.
  mutating func pass(_ ascent: Double?) {
    guard let ascent else { return count = 0 }
    ascents[count & 63] = ascent
    count += 1
  }

  var metresPerHour: Double? {
    let seconds = min(count - 1, Self.window)
    guard seconds >= Self.least else { return nil }
    let rise = ascents[(count - 1) & 63] - ascents[(count - 1 - seconds) & 63]
    return max(0, rise / Double(seconds) * 3600)
  }
}
