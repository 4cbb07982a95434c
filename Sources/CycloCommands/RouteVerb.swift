// The verb `route`: its actions.

import CommandTable

/// What `cyclo route` can do.
public enum RouteAction: String, CaseIterable, Sendable {
  case list, add, follow, leave
}

extension RouteAction {
  static let verb = Verb(
    "route", "List, add and follow routes", group: .ride,
    details: [
      "The recorder, cyclometer-recorder, keeps your routes. list shows them. add reads GPX, TCX and FIT "
        + "files, as routes whatever they contain. 'cyclo logbook route' writes one to a file.",
      "follow makes the guide, cyclometer-guide, follow the route ID that list shows. Any display of "
        + "its socket then gets the distance to go, the next turn and the next climb. leave ends that.",
    ],
    arguments: [
      Argument("ACTION", .oneOf(RouteAction.allCases.map(\.rawValue))),
      Argument("ID|FILE", .file, required: false, repeated: true),
    ],
    options: [],
    examples: [
      Example("cyclo route add tour.gpx", "a route from a file"),
      Example("cyclo route follow 4", "the route with this number"),
    ])
}
