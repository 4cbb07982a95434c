// The possible sports of a ride, which is cycling unless the rider or the sensors indicate another.

public enum Sport: String, CaseIterable, Sendable {
  case cycling, running, walking, rowing

  public var word: Word {
    switch self {
    case .cycling: "cycling"
    case .running: "running"
    case .walking: "walking"
    case .rowing: "rowing"
    }
  }
}
