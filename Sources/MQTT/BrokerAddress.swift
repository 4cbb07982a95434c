// Where a broker is, as users write it: `mqtts://broker.example:8883`.

internal import Linux

public struct BrokerAddress: Hashable, Sendable {
  /// A name or an address, without the brackets of IPv6.
  public let host: String
  public let port: UInt16
  /// Over TLS.
  public let isEncrypted: Bool

  public init(host: String, port: UInt16, isEncrypted: Bool) {
    (self.host, self.port, self.isEncrypted) = (host, port, isEncrypted)
  }

  /// Without a port, it is 8883 with TLS and 1883 without.
  public init(_ text: String) throws(BrokerAddressProblem) {
    guard let (isEncrypted, rest) = Self.scheme(of: text[...].utf8) else {
      throw BrokerAddressProblem(text, "it must begin with mqtts:// (encrypted) or mqtt://")
    }
    guard !rest.contains(UInt8(ascii: "@")) else {
      throw BrokerAddressProblem(text, "user and password do not belong here: use User= and PasswordFile=")
    }
    guard let (host, port) = Self.parts(of: rest) else {
      throw BrokerAddressProblem(text, "write the host's name or address, such as mqtts://broker.example:8883")
    }
    guard Self.isHost(host) else {
      throw BrokerAddressProblem(text, "'\(host)' is not the name or the address of a host")
    }
    self.host = String(host)
    self.isEncrypted = isEncrypted
    guard let port else {
      self.port = isEncrypted ? 8883 : 1883
      return
    }
    guard let number = UInt16(port), number > 0, port.utf8.allSatisfy(Self.isDigit) else {
      throw BrokerAddressProblem(text, "'\(port)' is not a port: use a number from 1 to 65535")
    }
    self.port = number
  }

  /// Whether nothing sent there can leave this computer.
  public var isLoopback: Bool {
    host == "localhost" || InternetAddress(host, port: port)?.isLoopback == true
  }

  private static func scheme(of text: Substring.UTF8View) -> (isEncrypted: Bool, rest: Substring.UTF8View)? {
    for (scheme, isEncrypted) in [("mqtts://", true), ("mqtt://", false)] where text.starts(with: scheme.utf8) {
      return (isEncrypted, text.dropFirst(scheme.utf8.count))
    }
    return nil
  }

  /// Nil without a host. The port is nil without a colon.
  private static func parts(of text: Substring.UTF8View) -> (host: Substring, port: Substring?)? {
    // A path would be silently ignored otherwise, but a slash at the end is a habit.
    let text = text.last == UInt8(ascii: "/") ? text.dropLast() : text
    if text.first == UInt8(ascii: "[") {
      guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      let (host, rest) = (text[..<end].dropFirst(), text[end...].dropFirst())
      guard !host.isEmpty, InternetAddress(String(Substring(host)), port: 0)?.isIPv4 == false else { return nil }
      guard !rest.isEmpty else { return (Substring(host), nil) }
      return rest.first == UInt8(ascii: ":") ? (Substring(host), Substring(rest.dropFirst())) : nil
    }
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
      return text.isEmpty ? nil : (Substring(text), nil)
    }
    let (host, port) = (text[..<colon], text[colon...].dropFirst())
    // More colons are those of an IPv6 address without brackets.
    guard !host.isEmpty, !port.contains(UInt8(ascii: ":")) else { return nil }
    return (Substring(host), Substring(port))
  }

  private static func isHost(_ host: Substring) -> Bool {
    // Colons only come from brackets.
    let others = "-._:".utf8
    return host.utf8.count <= 253
      && host.utf8.allSatisfy { byte in
        isDigit(byte) || 0x61...0x7a ~= byte | 0x20 || others.contains(byte)
      }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}

extension BrokerAddress: CustomStringConvertible {
  public var description: String {
    let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return "\(isEncrypted ? "mqtts" : "mqtt")://\(shown):\(port)"
  }
}

public struct BrokerAddressProblem: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ text: String, _ reason: String) {
    description = "'\(text)' is not the address of a broker: \(reason)"
  }
}
