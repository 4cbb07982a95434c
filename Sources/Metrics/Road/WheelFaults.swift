// Faults of a wheel sensor, found by comparing stretches. Several in a row must agree.

public enum WheelEvent: Equatable, Sendable {
  /// The size was unknown and now is known.
  case measured(circumferenceM: Double)
  /// The size in use was so wrong that it had to jump.
  case resized(fromM: Double, toM: Double)
  /// The sensor misses this share of the revolutions, because the magnet is too far away or has
  /// slipped.
  case missesTurns(share: Double)
  /// It counts about twice as many revolutions as there are (two magnets), or half as many (a
  /// slipped one).
  case countsDouble
  case countsHalf
  /// The receiver finds a circumference that has nothing to do with the size in use.
  case disagrees(measuredM: Double)
  /// The fault is gone.
  case agreesAgain
}

struct WheelFaults: Sendable {
  private enum Fault: Equatable {
    case none, double, half, disagrees
    /// Too many to measure the size.
    case misses
    /// A few, which were added to the count, so the size is right.
    case missesFew
  }

  private static let needed = 4
  /// In metres: bicycle wheels from 16 inches up.
  private static let sizes = 1.1...2.5

  private var fault = Fault.none
  private var candidate = Fault.none
  private var count = 0
  private var sizeSum = 0.0
  private var missedSum = 0.0

  static func isPossible(_ circumferenceM: Double) -> Bool { sizes.contains(circumferenceM) }

  /// Judges the size found by a stretch: whether it can be used, and the event if the fault is new.
  mutating func judge(
    _ measured: Double, missedShare: Double, current: Double?
  ) -> (isSound: Bool, event: WheelEvent?) {
    let found = Self.fault(measured, missedShare, current)
    if found != candidate { (candidate, count, sizeSum, missedSum) = (found, 0, 0, 0) }
    count += 1
    sizeSum += measured
    missedSum += missedShare
    let isSound = found == .none || found == .missesFew
    guard count == Self.needed, candidate != fault else { return (isSound, nil) }
    fault = candidate
    return (isSound, event(size: sizeSum / Double(count), missed: missedSum / Double(count), current))
  }

  private static func fault(_ measured: Double, _ missedShare: Double, _ current: Double?) -> Fault {
    let few = missedShare > 0.005 ? Fault.missesFew : .none
    guard let current else {
      return measured < sizes.lowerBound ? .double : measured > sizes.upperBound ? .half : few
    }
    switch measured / current {
    case 0.45...0.55: return .double
    case 1.85...2.15: return .half
    // A larger wheel would hardly be this much larger.
    case 1.2...: return .misses
    case 1.05..., ..<0.95: return .disagrees
    default: return few
    }
  }

  private func event(size: Double, missed: Double, _ current: Double?) -> WheelEvent {
    switch fault {
    case .none: .agreesAgain
    case .double: .countsDouble
    case .half: .countsHalf
    case .disagrees: .disagrees(measuredM: size)
    case .missesFew: .missesTurns(share: missed)
    case .misses: .missesTurns(share: 1 - (current ?? size) / size)
    }
  }
}
