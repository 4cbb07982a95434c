// A way to follow: its points, and the cues along it.

public import Earth

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
