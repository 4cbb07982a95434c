// One position report of a satellite receiver. Unknown values are nil, never 0.

public import Time

public struct Fix: Equatable, Sendable {
  public enum Mode: Int, Comparable, Sendable {
    case none = 0
    /// Without an altitude.
    case flat
    case full

    public static func < (left: Mode, right: Mode) -> Bool { left.rawValue < right.rawValue }
  }

  /// When it arrived, by this computer's clock.
  public var time: MonotonicTime
  /// The moment it is valid for, by the receiver's clock, in seconds since 1970. It gives the time
  /// between two reports more exactly than their arrival does.
  public var epoch: Double?
  public var mode: Mode
  public var latitudeDeg: Double?
  public var longitudeDeg: Double?
  /// Above mean sea level.
  public var altitudeM: Double?
  /// Ground speed, from the Doppler shift on all current receivers.
  public var speedMps: Double?
  /// Clockwise from true north. Receivers repeat or invent it when standing still.
  public var courseDeg: Double?
  public var climbMps: Double?
  /// The error is smaller than this in 95 of 100 cases; the same applies to the next two.
  public var accuracyM: Double?
  public var altitudeAccuracyM: Double?
  public var speedAccuracyMps: Double?
  /// The number of satellites used.
  public var satellites: Int?
  /// Horizontal dilution of precision: how unfavourably the satellites stand.
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

  /// The worst of mode, accuracy and satellites; docs/metrics.md has the table.
  public var quality: Quality {
    guard mode > .none, latitudeDeg != nil, longitudeDeg != nil else { return .bad }
    guard let reach = reachQuality else { return .bad }
    return min(mode == .full ? .good : .okay, reach, satelliteQuality)
  }

  /// By accuracy and dilution, if reported; nil if there is nothing to judge by. The bounds are
  /// wide, because gpsd derives a missing accuracy from the dilution: 19 m for a dilution of 1.
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
