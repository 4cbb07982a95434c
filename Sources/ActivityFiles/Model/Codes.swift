// Sports and cues with the numbers of FIT.

/// A number with a name in text formats. Unknown numbers are kept.
public protocol NamedCode: RawRepresentable, Hashable, Sendable where RawValue == UInt8 {
  static var names: [(Self, String)] { get }
  init(rawValue: UInt8)
}

extension NamedCode {
  /// nil if the number is unknown.
  public var name: String? { Self.names.first { $0.0 == self }?.1 }

  public init?(name: String) {
    guard let known = Self.names.first(where: { $0.1 == name })?.0 else { return nil }
    self = known
  }
}

public struct SportCode: NamedCode {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  public static let generic = SportCode(rawValue: 0)
  public static let running = SportCode(rawValue: 1)
  public static let cycling = SportCode(rawValue: 2)
  public static let swimming = SportCode(rawValue: 5)
  public static let training = SportCode(rawValue: 10)
  public static let walking = SportCode(rawValue: 11)
  public static let rowing = SportCode(rawValue: 15)
  public static let electricCycling = SportCode(rawValue: 21)

  public static let names: [(SportCode, String)] = [
    (generic, "generic"), (running, "running"), (cycling, "cycling"), (swimming, "swimming"), (training, "training"),
    (walking, "walking"), (rowing, "rowing"), (electricCycling, "e_biking"),
  ]
}

public struct SubSportCode: NamedCode {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  public static let generic = SubSportCode(rawValue: 0)
  public static let indoorCycling = SubSportCode(rawValue: 6)
  public static let road = SubSportCode(rawValue: 7)
  public static let mountain = SubSportCode(rawValue: 8)
  public static let downhill = SubSportCode(rawValue: 9)
  public static let cyclocross = SubSportCode(rawValue: 11)
  public static let indoorRowing = SubSportCode(rawValue: 14)
  public static let lapSwimming = SubSportCode(rawValue: 17)
  public static let openWater = SubSportCode(rawValue: 18)
  public static let strength = SubSportCode(rawValue: 20)
  public static let gravel = SubSportCode(rawValue: 46)
  public static let virtual = SubSportCode(rawValue: 58)

  public static let names: [(SubSportCode, String)] = [
    (generic, "generic"), (indoorCycling, "indoor_cycling"), (road, "road"), (mountain, "mountain"),
    (downhill, "downhill"), (cyclocross, "cyclocross"), (indoorRowing, "indoor_rowing"),
    (lapSwimming, "lap_swimming"), (openWater, "open_water"), (strength, "strength_training"),
    (gravel, "gravel_cycling"), (virtual, "virtual_activity"),
  ]
}

public struct CueKind: NamedCode {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  public static let generic = CueKind(rawValue: 0)

  public static let names: [(CueKind, String)] =
    [
      "generic", "summit", "valley", "water", "food", "danger", "left", "right", "straight", "first_aid",
      "fourth_category", "third_category", "second_category", "first_category", "hors_category", "sprint", "left_fork",
      "right_fork", "middle_fork", "slight_left", "sharp_left", "slight_right", "sharp_right", "u_turn",
      "segment_start", "segment_end",
    ].enumerated().map { (CueKind(rawValue: UInt8($0)), $1) }
    + [
      (27, "campsite"), (28, "aid_station"), (29, "rest_area"), (35, "checkpoint"), (39, "toilet"), (44, "tunnel"),
      (45, "bridge"), (47, "crossing"), (48, "store"), (51, "transport"), (52, "alert"), (53, "info"),
    ].map { (CueKind(rawValue: $0), $1) }
}
