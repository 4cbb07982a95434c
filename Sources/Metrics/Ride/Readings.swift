// What a packet says about speed and power, and which values are plausible.

import Vocabulary

/// Speed and distance of one packet; at least one of them is known.
struct SpeedReading: Sendable {
  var speed: Double?
  /// Metres since the previous packet, for sources that count.
  var distance: Double?
  /// The source counts revolutions. If the wheel has not turned since the previous packet, the speed
  /// is only an upper bound.
  var isWheel = false

  var isPlausible: Bool { speed.map(Plausible.speed.contains) ?? distance.map { $0 >= 0 } ?? false }
  var hasMoved: Bool { !isWheel || distance != 0 }
}

/// Power of one packet, or of a pair of pedals.
struct PowerReading: Sendable {
  var watts: Double
  var balance: Double?
  /// Which leg the balance refers to, if the meter reports it.
  var reference: Word?
}

/// What a bicycle and its rider can do. Packets with values outside these ranges are ignored.
enum Plausible {
  /// In m/s; the upper bound is about the record for riding down a mountain.
  static let speed = 0.0...65.0
  /// The greatest mean speed over more than a few seconds, in m/s.
  static let cruise = 25.0
  static let cadence = 0.0...300.0
  /// Of a 28 inch wheel, in metres.
  static let usualCircumference = 2.1
  /// A fixed gear that is held back yields negative power.
  static let power = -4000.0...4000.0
}

/// Pace, as runners and climbers read speed.
enum Pace {
  /// Below this there is no meaningful pace.
  private static let slowest = 0.5

  static func secondsPerKilometre(at speed: Double) -> Double? { speed >= slowest ? 1000 / speed : nil }
}
