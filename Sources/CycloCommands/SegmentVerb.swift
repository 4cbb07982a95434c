// The verb `segment`: its actions.

import CommandTable

/// What `cyclo segment` can do.
public enum SegmentAction: String, CaseIterable, Sendable {
  case list, propose, add, show, rename, remove
}

extension SegmentAction {
  static let verb = Verb(
    "segment", "List, propose, add and compare segments", group: .ride,
    details: [
      "A segment is a part of a past ride that you want to compare your times on. list shows yours. "
        + "add makes one of a PART of the activity ID, in its time, such as 10:00-15:30. show lists all "
        + "efforts on a segment, past rides included. rename and remove change the list.",
      "propose looks for stretches of an activity, by default of the newest one, that you rode at least "
        + "three times in the same direction, and that are 500 m or longer. Nothing is added: you decide.",
    ],
    arguments: [
      Argument("ACTION", .oneOf(SegmentAction.allCases.map(\.rawValue))),
      Argument("ID|PART|NAME", .text, required: false, repeated: true),
    ],
    options: [],
    examples: [
      Example("cyclo segment propose", "what you ride often"),
      Example("cyclo segment add 12 10:00-15:30 Mill hill", "a part of activity 12"),
      Example("cyclo segment show 3", "all efforts on segment 3"),
    ])
}
