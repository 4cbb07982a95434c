// Thrown if a command cannot be done. The user sees the message.

public struct CommandFailure: Error, Equatable, Sendable {
  public let message: String

  public init(_ message: String) {
    self.message = message
  }
}
