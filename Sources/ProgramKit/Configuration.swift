// The configuration of a service, which an administrator writes as `Key=value` in sections. A
// program lists its keys once; the reader, the error messages and the tests of the manual use the
// list. An unknown key or an invalid value is an error.

public protocol Configuration {
  static var keys: [ConfigurationKey<Self>] { get }
  /// The folder of further files, next to the file.
  static var dropInFolder: String { get }

  /// The defaults.
  init()

  var logLevel: LogLevel { get }
  /// Why valid values do not go together; nil if they do.
  var conflict: String? { get }
}

public struct ConfigurationKey<Settings>: Sendable {
  public let section: String
  public let name: String
  /// What a valid value is, for errors: `0 to 60 (seconds)`.
  public let expectation: String
  /// Returns false if the value is not valid.
  let set: @Sendable (inout Settings, String) -> Bool

  public init<Value>(
    _ section: String, _ name: String, _ expectation: String, _ parse: @escaping @Sendable (String) -> Value?,
    _ set: @escaping @Sendable (inout Settings, Value) -> Void
  ) {
    self.section = section
    self.name = name
    self.expectation = expectation
    self.set = { settings, text in
      guard let value = parse(text) else { return false }
      set(&settings, value)
      return true
    }
  }

  public static func flag(
    _ section: String, _ name: String, _ set: @escaping @Sendable (inout Settings, Bool) -> Void
  ) -> ConfigurationKey {
    ConfigurationKey(section, name, "yes or no", Self.flag(_:), set)
  }

  private static func flag(_ text: String) -> Bool? {
    switch text {
    case "yes", "true", "on", "1": true
    case "no", "false", "off", "0": false
    default: nil
    }
  }

  /// A number within a range. `unit` completes the expectation: `0 to 60 (seconds)`.
  public static func number(
    _ section: String, _ name: String, _ range: ClosedRange<Double>, _ unit: String,
    _ set: @escaping @Sendable (inout Settings, Double) -> Void
  ) -> ConfigurationKey {
    ConfigurationKey(section, name, "\(range.text) (\(unit))", range.number(_:), set)
  }

  /// A number within a range, or `none`.
  public static func numberOrNone(
    _ section: String, _ name: String, _ range: ClosedRange<Double>, _ unit: String,
    _ set: @escaping @Sendable (inout Settings, Double?) -> Void
  ) -> ConfigurationKey {
    ConfigurationKey(
      section, name, "none, or \(range.text) (\(unit))",
      { $0 == "none" ? .some(nil) : range.number($0).map(Optional.some) }, set)
  }
}

extension ClosedRange<Double> {
  fileprivate func number(_ text: String) -> Double? {
    Double(text).flatMap { contains($0) ? $0 : nil }
  }

  fileprivate var text: String { "\(Self.text(lowerBound)) to \(Self.text(upperBound))" }

  private static func text(_ bound: Double) -> String { Int(exactly: bound).map(String.init) ?? "\(bound)" }
}

extension Configuration {
  public static var dropInFolder: String { "conf.d" }

  public var conflict: String? { nil }

  /// In the order of the keys.
  public static var sections: [String] {
    keys.reduce(into: []) { sections, key in
      if !sections.contains(key.section) { sections.append(key.section) }
    }
  }

  public static func keys(of section: String) -> [String] {
    keys.filter { $0.section == section }.map(\.name).sorted()
  }

  static var whichSections: String { "the sections are \(sectionList("and"))" }

  /// Applies one line of a file. Returns what was expected if it is not valid.
  package mutating func set(section: String, key: String, value: String) -> String? {
    guard !section.isEmpty else { return "a key must be in a section: \(Self.sectionList("or"))" }
    guard Self.sections.contains(section) else { return Self.whichSections }
    guard let known = Self.keys.first(where: { $0.section == section && $0.name == key }) else {
      return "[\(section)] has the keys \(Self.keys(of: section).joined(separator: ", "))"
    }
    return known.set(&self, value) ? nil : "\(key) must be \(known.expectation)"
  }

  private static func sectionList(_ conjunction: String) -> String {
    let names = sections.map { "[\($0)]" }
    return (names.count > 1 ? names.dropLast().joined(separator: ", ") + " \(conjunction) " : "") + (names.last ?? "")
  }
}
