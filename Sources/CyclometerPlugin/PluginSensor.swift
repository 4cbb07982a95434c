// A sensor as the daemon describes it.

public import JSON

public struct PluginSensor: Equatable, Sendable {
  public let id: String
  public let name: String
  /// An object; absent settings are unknown.
  public var settings: JSONValue
  public var quirks: [String]
}
