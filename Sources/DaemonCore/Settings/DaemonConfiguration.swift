// The daemon's configuration: every key, its default, and its valid values.

public import Metrics
public import Position
public import ProgramKit
public import Radio

public struct DaemonConfiguration: Configuration, Equatable, Sendable {
  public enum MetricsAccess: String, Sendable { case group, everyone }

  public var logLevel = LogLevel.info
  public var metricsAccess = MetricsAccess.group
  public var radio = RadioSettings()
  public var ride = RideSettings()
  /// Nil without gpsd.
  public var gpsd: GPSDClient.Address? = .loopback()

  public init() {}

  public static let keys: [ConfigurationKey<DaemonConfiguration>] = [
    ConfigurationKey("Daemon", "LogLevel", "error, warning, info or debug", { LogLevel($0) }) { $0.logLevel = $1 },
    ConfigurationKey("Sockets", "MetricsAccess", "group or everyone", MetricsAccess.init(rawValue:)) {
      $0.metricsAccess = $1
    },
    .flag("Bluetooth", "PowerOn") { $0.radio.powerOn = $1 },
    ConfigurationKey(
      "Bluetooth", "Adapter", "any, or an address like 00:11:22:33:44:55", orNil("any", DeviceAddress.init)
    ) { $0.radio.adapter = $1 },
    .flag("Ride", "AutoPause") { $0.ride.autoPause = $1 },
    .number("Ride", "AutoPauseSpeed", 0.5...20, "km/h") { $0.ride.autoPauseSpeedMps = $1 / 3.6 },
    .number("Ride", "AutoPauseDelay", 0...60, "seconds") { $0.ride.autoPauseDelayS = $1 },
    .numberOrNone("Ride", "LapDistance", 0.1...1000, "kilometres") { $0.ride.lapDistanceM = $1.map { $0 * 1000 } },
    .number("Ride", "RideGap", 0.1...48, "hours") { $0.ride.rideGapS = $1 * 3600 },
    ConfigurationKey("Position", "GPSD", GPSDClient.Address.expectation, orNil("none", GPSDClient.Address.init)) {
      $0.gpsd = $1
    },
  ]

  /// A parser that takes a word for nil.
  private static func orNil<Value>(
    _ word: String, _ parse: @escaping @Sendable (String) -> Value?
  ) -> @Sendable (String) -> Value?? {
    { $0 == word ? .some(nil) : parse($0).map(Optional.some) }
  }
}
