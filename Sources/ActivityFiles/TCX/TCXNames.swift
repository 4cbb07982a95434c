// The names of TCX and of its extension, and the words that its schema allows.

enum TCXNames {
  static let database = "http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"
  static let activityExtension = "http://www.garmin.com/xmlschemas/ActivityExtension/v2"
  static let knownStart = "http://www.garmin.com/xmlschemas/"

  /// The schema limits names to these; devices cut longer ones.
  static let longestCourseName = 15
  static let longestCueName = 10

  static func sport(_ sport: SportCode?) -> String {
    switch sport {
    case .cycling, .electricCycling: "Biking"
    case .running: "Running"
    default: "Other"
    }
  }

  static func sport(named name: String) -> SportCode? {
    switch name {
    case "Biking": .cycling
    case "Running": .running
    default: nil
    }
  }

  static func trigger(_ trigger: ActivityLap.Trigger) -> String {
    switch trigger {
    case .manual, .end: "Manual"
    case .time: "Time"
    case .distance: "Distance"
    case .position: "Location"
    }
  }

  static func trigger(named name: String) -> ActivityLap.Trigger {
    switch name {
    case "Time": .time
    case "Distance": .distance
    case "Location": .position
    default: .manual
    }
  }

  /// All the kinds of cues that the schema has.
  private static let cues: [(word: String, kind: String)] = [
    ("Generic", "generic"), ("Summit", "summit"), ("Valley", "valley"), ("Water", "water"), ("Food", "food"),
    ("Danger", "danger"), ("Left", "left"), ("Right", "right"), ("Straight", "straight"), ("First Aid", "first_aid"),
    ("4th Category", "fourth_category"), ("3rd Category", "third_category"), ("2nd Category", "second_category"),
    ("1st Category", "first_category"), ("Hors Category", "hors_category"), ("Sprint", "sprint"),
  ]

  static func cue(_ kind: CueKind) -> String {
    guard let name = kind.name else { return "Generic" }
    if let exact = cues.first(where: { $0.kind == name }) { return exact.word }
    if name.hasSuffix("_left") || name == "left_fork" || name == "u_turn" { return "Left" }
    if name.hasSuffix("_right") || name == "right_fork" { return "Right" }
    return name == "middle_fork" ? "Straight" : "Generic"
  }

  static func cue(named word: String) -> CueKind {
    cues.first { $0.word == word }.flatMap { CueKind(name: $0.kind) } ?? .generic
  }
}
