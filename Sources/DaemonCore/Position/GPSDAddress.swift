// Reads the address of gpsd from the configuration.

import Position

extension GPSDClient.Address {
  /// The expected values, for error messages.
  static let expectation = "localhost:PORT, the path of a Unix socket, or none"

  private static let host = "localhost:"
  /// The longest path of a Unix socket, without the terminating zero.
  private static let longestPath = 107

  init?(_ text: String) {
    if text.hasPrefix(Self.host) {
      guard let port = UInt16(text.dropFirst(Self.host.count)), port > 0, !text.contains("+") else { return nil }
      self = .loopback(port: port)
    } else {
      guard text.hasPrefix("/"), text.utf8.count <= Self.longestPath else { return nil }
      self = .unix(path: text)
    }
  }
}
