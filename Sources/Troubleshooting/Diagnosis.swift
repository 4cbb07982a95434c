// What one check of `cyclo doctor` can report: the text that doctor prints, and that
// docs/troubleshooting.md explains. Only this module makes a `Diagnosis`, so both have the same
// ones.

public enum Verdict: String, Sendable {
  case ok
  /// It works, but could be better.
  case warning
  case error
  /// It cannot be determined.
  case unknown
}

public struct Diagnosis {
  public let check: Check
  public let verdict: Verdict
  public let found: String
  /// Empty if the verdict is ok.
  public let why: String
  /// What to do; `command` does it, if there is one.
  public let fix: String
  public let command: String?

  init(
    _ check: Check, _ verdict: Verdict, _ found: String, why: String = "", fix: String = "", command: String? = nil
  ) {
    self.check = check
    self.verdict = verdict
    self.found = found
    self.why = why
    self.fix = fix
    self.command = command
  }

  static func ok(_ check: Check, _ found: String) -> Diagnosis { Diagnosis(check, .ok, found) }

  static let joinGroup = "sudo usermod -aG cyclometer \"$USER\""
  static let joinAdvice = "Join the group, then log in again for it to take effect."

  /// The user is outside the group, whose members may use the socket of an optional service.
  static func noPermission(_ check: Check, path: String, why: String) -> Diagnosis {
    Diagnosis(
      check, .warning, "you have no permission to use \(path)", why: why, fix: joinAdvice, command: joinGroup)
  }
}

/// Stands in the page where doctor prints a value.
public enum Placeholder: String {
  case activity = "ID"
  case adapter = "ADAPTER"
  case address = "ADDRESS"
  case count = "NUMBER"
  case device = "DEVICE"
  case duration = "DURATION"
  case folder = "FOLDER"
  case habit = "DIFFERENCE"
  case interface = "INTERFACE"
  case level = "LEVEL"
  case line = "LINE"
  case measured = "MEASURED_LENGTH"
  case message = "MESSAGE"
  case ownRelease = "CYCLO_RELEASE"
  case path = "PATH"
  case plugin = "PLUGIN"
  case receiver = "RECEIVER"
  case release = "RELEASE"
  case route = "ROUTE"
  case sensor = "SENSOR"
  case server = "HOST:PORT"
  case state = "STATE"
  /// Of every adapter.
  case states = "STATES"
  case strength = "STRENGTH"
  case `switch` = "SWITCH"
  case timeout = "MILLISECONDS"
  case topics = "TOPICS"
  case total = "TOTAL"
  case user = "USER"
  case version = "VERSION"
  case wheel = "LENGTH"
}

/// What replaces the placeholders.
public struct Values: ExpressibleByDictionaryLiteral {
  private let pairs: [(Placeholder, String)]
  private let arePlaceholders: Bool

  /// For the page: every placeholder stays.
  public static var placeholders: Values { Values() }

  private init() { (pairs, arePlaceholders) = ([], true) }

  public init(dictionaryLiteral elements: (Placeholder, String)...) {
    (pairs, arePlaceholders) = (elements, false)
  }

  private init(_ pairs: [(Placeholder, String)]) { (self.pairs, arePlaceholders) = (pairs, false) }

  public func with(_ placeholder: Placeholder, _ value: String) -> Values {
    Values(pairs + [(placeholder, value)])
  }

  subscript(_ placeholder: Placeholder) -> String { self[placeholder, or: placeholder.rawValue] }

  /// `shown` is what the page has there.
  subscript(_ placeholder: Placeholder, or shown: @autoclosure () -> String) -> String {
    for pair in pairs where pair.0 == placeholder { return pair.1 }
    assert(arePlaceholders, "no value for \(placeholder.rawValue)")
    return shown()
  }
}
