// The sports that a ride can be. A ride is a bicycle ride unless the rider or the sensors show something else.

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
