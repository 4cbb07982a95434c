// Where the bike is, as one report of a satellite receiver says. What the receiver does not know is nil, and never 0.

public import SensorKit

public struct Fix: Equatable, Sendable {
  public enum Mode: Int, Comparable, Sendable {
    case none = 0
    /// Without an altitude.
    case flat
    case full

    public static func < (left: Mode, right: Mode) -> Bool { left.rawValue < right.rawValue }
  }

  /// When it came, by this computer's clock.
  public var time: MonotonicTime
  /// The moment it is true for, by the receiver's clock: seconds since 1970. Of two reports it tells how far they are apart
  /// better than the times of their coming do.
  public var epoch: Double?
  public var mode: Mode
  public var latitudeDeg: Double?
  public var longitudeDeg: Double?
  /// Above the mean sea level.
  public var altitudeM: Double?
  /// Over ground, from the Doppler shift where the receiver measures that, as all do that are built today.
  public var speedMps: Double?
  /// Clockwise from true north; receivers repeat or invent it when standing still.
  public var courseDeg: Double?
  public var climbMps: Double?
  /// In 95 of 100 cases the error is less; so are the two that follow.
  public var accuracyM: Double?
  public var altitudeAccuracyM: Double?
  public var speedAccuracyMps: Double?
  /// How many satellites it was reckoned from.
  public var satellites: Int?
  /// Horizontal dilution of precision: how badly the satellites stand.
  public var dilution: Double?

  public init(time: MonotonicTime, mode: Mode) {
    self.time = time
    self.mode = mode
  }
}

// MARK: Quality

extension Fix {
  public enum Quality: Int, Comparable, Sendable {
    case bad, okay, good

    public static func < (left: Quality, right: Quality) -> Bool { left.rawValue < right.rawValue }
  }

  /// The worst of what its mode, its accuracy and its satellites say; the table is in docs/metrics.md.
  public var quality: Quality {
    guard mode > .none, latitudeDeg != nil, longitudeDeg != nil else { return .bad }
    guard let reach = reachQuality else { return .bad }
    return min(mode == .full ? .good : .okay, reach, satelliteQuality)
  }

  /// By the stated accuracy and by the dilution, as far as they are stated; nil where nothing is. The bounds are wide, for where
  /// a receiver states no accuracy, gpsd makes one of the dilution: 19 m for a dilution of 1.
  private var reachQuality: Quality? {
    let byAccuracy = accuracyM.map { grade($0, good: 30, okay: 75) }
    let byDilution = dilution.map { grade($0, good: 1.6, okay: 4) }
    if let byAccuracy, let byDilution { return min(byAccuracy, byDilution) }
    return byAccuracy ?? byDilution ?? (satellites == nil ? nil : .okay)
  }

  private var satelliteQuality: Quality {
    guard let satellites else { return .good }
    return satellites >= 6 ? .good : satellites >= 4 ? .okay : .bad
  }

  private func grade(_ value: Double, good: Double, okay: Double) -> Quality {
    value <= good ? .good : value <= okay ? .okay : .bad
  }
}
