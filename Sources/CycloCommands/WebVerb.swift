// The verb `web`: its actions and options.

public import CommandTable

/// What `cyclo web` can do.
public enum WebAction: String, CaseIterable, Sendable {
  case link, phones, revoke, status
}

extension Option {
  public static let right = Option(
    "right", .required(UserWord("RIGHT", .oneOf(["view", "ride", "manage"]))),
    "What the screen may do: view, ride or manage; ride by default")
  public static let screenName = Option("name", .required(UserWord("NAME", .text)), "Name the screen NAME")
  public static let page = Option(
    "page", .required(UserWord("FILE", .file)), "Write a page that opens the link, for a kiosk, and print nothing")
  public static let allPhones = Option("all", .none, "Revoke all screens")
}

extension Verb {
  static let web = Verb(
    "web", "Let a phone use the dashboard, and list or revoke phones", group: .dashboard,
    details: [
      "The dashboard, cyclometer-web, shows your ride in a browser. A screen has to be let in once. "
        + "link prints a link and its QR code. Open it on the phone within two minutes. It can be "
        + "used once.",
      "A screen with the right view sees values and rides. With ride it also controls the ride and "
        + "changes layout and settings. With manage it also pairs sensors, deletes rides, and lets "
        + "other screens in.",
      "phones lists the screens that were let in. revoke ID, or revoke --all, turns them away at "
        + "once. status shows where the dashboard listens and who uses it.",
      "A link with the name kiosk replaces the screen of that name. --page FILE writes a page that "
        + "only you can read and that opens the link, because other users can read a command line.",
    ],
    arguments: [
      Argument("ACTION", .oneOf(WebAction.allCases.map(\.rawValue))),
      Argument("ID", .text, required: false),
    ],
    options: [.right, .screenName, .page, .allPhones],
    examples: [
      Example("cyclo web link", "a QR code for your phone"),
      Example("cyclo web link --right manage --name Workshop", "a tablet that may change everything"),
      Example("cyclo web phones", "who was let in, and when it was last here"),
      Example("cyclo web revoke 3", "a phone that you lost"),
    ])
}
