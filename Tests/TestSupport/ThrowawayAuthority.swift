// An authority for one test, made by openssl, and the certificates that it issues.

internal import Foundation

public final class ThrowawayAuthority {
  public struct Certificate: Sendable {
    public let certificate: String
    public let key: String
    /// The file that verifies it.
    public let authorities: String
  }

  /// The file with its own certificate.
  public var file: String { folder.file("ca.crt") }

  private let folder: TemporaryFolder
  private static let openssl = "/usr/bin/openssl"
  private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

  public init() throws {
    folder = try TemporaryFolder()
    try runProgram(
      Self.openssl,
      ["req", "-x509"] + Self.newKey + ["-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=Throwaway", "-days", "2"],
      in: folder.path)
  }

  /// `names` are subject alternative names: `DNS:localhost`, `IP:127.0.0.1`.
  public func issue(_ commonName: String, _ names: [String] = []) throws -> Certificate {
    let file = commonName + "-\(UInt32.random(in: .min ... .max))"
    let alternatives = names.isEmpty ? [] : ["-addext", "subjectAltName=\(names.joined(separator: ","))"]
    try runProgram(
      Self.openssl,
      ["req", "-x509", "-CA", "ca.crt", "-CAkey", "ca.key"] + Self.newKey
        + ["-keyout", "\(file).key", "-out", "\(file).crt", "-subj", "/CN=\(commonName)", "-days", "1"]
        + ["-addext", "basicConstraints=critical,CA:FALSE"] + alternatives,
      in: folder.path)
    return Certificate(
      certificate: folder.file("\(file).crt"), key: folder.file("\(file).key"), authorities: self.file)
  }
}
