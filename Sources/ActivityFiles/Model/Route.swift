// A way to follow: its points, and the cues along it.

public struct RoutePoint: Equatable, Sendable {
  public var position: Coordinate
  public var altitude: Double?
  /// From the start, in metres.
  public var distance: Double?

  public init(position: Coordinate, altitude: Double? = nil, distance: Double? = nil) {
    self.position = position
    self.altitude = altitude
    self.distance = distance
  }
}

public struct RouteCue: Equatable, Sendable {
  public var position: Coordinate?
  /// From the start, in metres.
  public var distance: Double?
  public var kind: CueKind
  public var name: String?
  /// The longer text, in formats that have two.
  public var note: String?

  public init(kind: CueKind, position: Coordinate? = nil, distance: Double? = nil) {
    self.kind = kind
    self.position = position
    self.distance = distance
  }
}

/// With the numbers of FIT. Unknown numbers are kept.
public struct CueKind: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  public static let generic = CueKind(rawValue: 0)
  public static let summit = CueKind(rawValue: 1)
  public static let valley = CueKind(rawValue: 2)
  public static let water = CueKind(rawValue: 3)
  public static let food = CueKind(rawValue: 4)
  public static let danger = CueKind(rawValue: 5)
  public static let left = CueKind(rawValue: 6)
  public static let right = CueKind(rawValue: 7)
  public static let straight = CueKind(rawValue: 8)
  public static let firstAid = CueKind(rawValue: 9)
  public static let fourthCategory = CueKind(rawValue: 10)
  public static let thirdCategory = CueKind(rawValue: 11)
  public static let secondCategory = CueKind(rawValue: 12)
  public static let firstCategory = CueKind(rawValue: 13)
  public static let horsCategory = CueKind(rawValue: 14)
  public static let sprint = CueKind(rawValue: 15)
  public static let slightLeft = CueKind(rawValue: 19)
  public static let sharpLeft = CueKind(rawValue: 20)
  public static let slightRight = CueKind(rawValue: 21)
  public static let sharpRight = CueKind(rawValue: 22)
  public static let uTurn = CueKind(rawValue: 23)
}
