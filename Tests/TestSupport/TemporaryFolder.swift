// A temporary directory that is removed with its object.

internal import Foundation

public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    // Short, because a socket's path is limited to 107 bytes.
    path = "/tmp/cyclometer-\(UInt64.random(in: .min ... .max))"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  public func file(_ name: String) -> String { path + "/" + name }
}
