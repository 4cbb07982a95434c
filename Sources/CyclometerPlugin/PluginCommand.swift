// A command of a user.

public struct PluginCommand: Equatable, Sendable {
  public let name: String
  /// Nil if the command has no value.
  public let value: Double?
}
