// Why the conversation with the daemon ended.

public struct PluginDisconnection: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
