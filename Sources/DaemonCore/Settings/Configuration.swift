// The configuration: every key, its default, and its valid values. An unknown key or an invalid value
// stops the daemon from starting.

public import Metrics
public import Position

public struct Configuration: Equatable, Sendable {
  public enum MetricsAccess: String, Sendable { case group, everyone }

  public var logLevel = LogLevel.info
  public var metricsAccess = MetricsAccess.group
  /// Switch on an adapter that is off, once, at startup.
  public var powerOn = true
  /// Use only the adapter with this address.
  public var adapter: DeviceAddress?
  public var ride = RideMetrics.Settings()
  /// Nil without gpsd.
  public var gpsd: GPSDClient.Address? = .loopback()

  public init() {}

  /// Applies one line of a file. Returns what was expected if it is not valid.
  mutating func set(section: String, key: String, value: String) -> String? {
    switch (section, key) {
    case ("Daemon", "LogLevel"):
      guard let level = LogLevel(value) else { return "LogLevel must be error, warning, info or debug" }
      logLevel = level
    case ("Sockets", "MetricsAccess"):
      guard let access = MetricsAccess(rawValue: value) else { return "MetricsAccess must be group or everyone" }
      metricsAccess = access
    case ("Bluetooth", "PowerOn"):
      guard let flag = Self.flag(value) else { return "PowerOn must be yes or no" }
      powerOn = flag
    case ("Bluetooth", "Adapter"):
      guard value == "any" || DeviceAddress(value) != nil else {
        return "Adapter must be any, or an address like 00:11:22:33:44:55"
      }
      adapter = DeviceAddress(value)
    case ("Ride", "AutoPause"):
      guard let flag = Self.flag(value) else { return "AutoPause must be yes or no" }
      ride.autoPause = flag
    case ("Ride", "AutoPauseSpeed"):
      guard let speed = Self.number(value, 0.5...20) else { return "AutoPauseSpeed must be 0.5 to 20 (km/h)" }
      ride.autoPauseSpeedMps = speed / 3.6
    case ("Ride", "AutoPauseDelay"):
      guard let delay = Self.number(value, 0...60) else { return "AutoPauseDelay must be 0 to 60 (seconds)" }
      ride.autoPauseDelayS = delay
    case ("Ride", "LapDistance"):
      guard value == "none" || Self.number(value, 0.1...1000) != nil else {
        return "LapDistance must be none, or 0.1 to 1000 (kilometres)"
      }
      ride.lapDistanceM = Self.number(value, 0.1...1000).map { $0 * 1000 }
    case ("Ride", "RideGap"):
      guard let gap = Self.number(value, 0.1...48) else { return "RideGap must be 0.1 to 48 (hours)" }
      ride.rideGapS = gap * 3600
    case ("Position", "GPSD"):
      guard value == "none" || GPSDClient.Address(value) != nil else {
        return "GPSD must be \(GPSDClient.Address.expectation)"
      }
      gpsd = GPSDClient.Address(value)
    case ("Daemon", _), ("Sockets", _), ("Bluetooth", _), ("Ride", _), ("Position", _):
      return "[\(section)] has the keys \(Self.keys(of: section).joined(separator: ", "))"
    case ("", _): return "a key must be in a section: [Daemon], [Sockets], [Bluetooth], [Ride] or [Position]"
    default: return Self.whichSections
    }
    return nil
  }

  static let sections = ["Daemon", "Sockets", "Bluetooth", "Ride", "Position"]
  static let whichSections = "the sections are [Daemon], [Sockets], [Bluetooth], [Ride] and [Position]"

  static func keys(of section: String) -> [String] {
    switch section {
    case "Daemon": ["LogLevel"]
    case "Sockets": ["MetricsAccess"]
    case "Ride": ["AutoPause", "AutoPauseDelay", "AutoPauseSpeed", "LapDistance", "RideGap"]
    case "Position": ["GPSD"]
    default: ["Adapter", "PowerOn"]
    }
  }

  private static func number(_ text: String, _ range: ClosedRange<Double>) -> Double? {
    Double(text).flatMap { range.contains($0) ? $0 : nil }
  }

  private static func flag(_ value: String) -> Bool? {
    switch value {
    case "yes", "true", "on", "1": true
    case "no", "false", "off", "0": false
    default: nil
    }
  }
}
