// The configuration: every key, its default, and what values it takes. A key that is not written has its default; one that is
// not known, or has a value that does not fit, stops the daemon from starting.

import Wire

public struct Configuration: Equatable, Sendable {
  public enum MetricsAccess: String, Sendable { case group, everyone }

  public var logLevel = LogLevel.info
  public var metricsAccess = MetricsAccess.group
  /// Switch an adapter that is off on, once, at start.
  public var powerOn = true
  /// Use only the adapter with this address.
  public var adapter: DeviceAddress?

  public init() {}

  /// Takes one line of a file; what was expected instead, where it does not fit.
  mutating func set(section: String, key: String, value: String) -> String? {
    switch (section, key) {
    case ("Daemon", "LogLevel"):
      guard let level = LogLevel(value) else { return "LogLevel is error, warning, info or debug" }
      logLevel = level
    case ("Sockets", "MetricsAccess"):
      guard let access = MetricsAccess(rawValue: value) else { return "MetricsAccess is group or everyone" }
      metricsAccess = access
    case ("Bluetooth", "PowerOn"):
      guard let flag = Self.flag(value) else { return "PowerOn is yes or no" }
      powerOn = flag
    case ("Bluetooth", "Adapter"):
      guard value == "any" || DeviceAddress(value) != nil else {
        return "Adapter is any, or an address like 00:11:22:33:44:55"
      }
      adapter = DeviceAddress(value)
    case ("Daemon", _), ("Sockets", _), ("Bluetooth", _):
      return "[\(section)] has the keys \(Self.keys(of: section).joined(separator: ", "))"
    case ("", _): return "a key stands in a section: [Daemon], [Sockets] or [Bluetooth]"
    default: return Self.whichSections
    }
    return nil
  }

  static let sections = ["Daemon", "Sockets", "Bluetooth"]
  static let whichSections = "the sections are [Daemon], [Sockets] and [Bluetooth]"

  private static func keys(of section: String) -> [String] {
    switch section {
    case "Daemon": ["LogLevel"]
    case "Sockets": ["MetricsAccess"]
    default: ["Adapter", "PowerOn"]
    }
  }

  private static func flag(_ value: String) -> Bool? {
    switch value {
    case "yes", "true", "on", "1": true
    case "no", "false", "off", "0": false
    default: nil
    }
  }
}
