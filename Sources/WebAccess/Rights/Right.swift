// What a paired screen may do. Each right includes the ones before it. Help, documentation and the
// page list the rights from here.

public enum Right: String, CaseIterable, Comparable, Sendable {
  case view
  case ride
  case manage

  /// For people, after "may".
  public var meaning: String {
    switch self {
    case .view: "see values, rides and the layout"
    case .ride: "also start, pause and end a ride, mark laps, and change layout and settings"
    case .manage: "also pair sensors, change rider and bikes, delete rides, and let other screens in"
    }
  }

  /// The right and the ones that it includes.
  public var included: [Right] { Right.allCases.filter { $0 <= self } }

  public static func < (left: Right, right: Right) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .view: 0
    case .ride: 1
    case .manage: 2
    }
  }
}
