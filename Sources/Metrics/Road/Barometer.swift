// The height that a pressure means in the standard atmosphere (ISO 2533, below 11 km). How much higher one place is than
// another is true within what the air is warmer or colder than in it: 0.4 % a kelvin.

internal import CMath
internal import SensorKit

enum Barometer {
  /// From the Dead Sea in a high to above every road; what says otherwise is no pressure of the air.
  private static let pressures = 30_000.0...111_000

  static func height(pascals: Double) -> Double? {
    guard pressures.contains(pascals) else { return nil }
    return 44_330.77 * (1 - pow(pascals / 101_325, 0.190_263_2))
  }
}

/// A height that is sampled with noise: a low-pass of first order in time, that begins with what comes first.
struct SmoothHeight: Sendable {
  private(set) var value: Double?
  private var time: MonotonicTime?
  private let memory: Double
  /// After a longer gap it begins anew.
  private let longestGap: Double

  init(memory: Double, longestGap: Double) {
    self.memory = memory
    self.longestGap = longestGap
  }

  /// What it moved by; nil where it began, or where nothing can have moved so fast.
  mutating func add(_ height: Double, at now: MonotonicTime) -> Double? {
    guard let value, let time, now.seconds(since: time) <= longestGap else {
      (self.value, self.time) = (height, now)
      return nil
    }
    let span = now.seconds(since: time)
    guard span > 0 else { return 0 }
    self.time = now
    guard abs(height - value) <= Self.fastest * (span + memory) else {
      self.value = height
      return nil
    }
    let step = (height - value) * (1 - exp(-span / memory))
    self.value = value + step
    return step
  }

  /// Metres a second, up or down.
  private static let fastest = 20.0

  func isFresh(at now: MonotonicTime) -> Bool {
    time.map { now.seconds(since: $0) <= longestGap } ?? false
  }
}
