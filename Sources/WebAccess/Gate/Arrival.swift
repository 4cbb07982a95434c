// How a connection arrived. No right follows from it; what is our own host and origin does.

/// The address is the literal one of this end of the connection, as getsockname(2) has it, without
/// brackets.
public enum Arrival: Equatable, Sendable {
  case loopback(address: String, port: UInt16)
  /// Plain HTTP in a network, where others can listen.
  case lan(address: String, port: UInt16)
  /// Through front.sock, from a program that ends TLS. What it forwards about its clients is not
  /// believed.
  case front

  /// Whether browsers reach this server by https.
  public var isEncrypted: Bool { self == .front }

  /// The host that a request names, in lower case, if it is one of ours. Any other was resolved to
  /// our address by somebody else's name server, so that a page of theirs may read our answers.
  func ownHost(_ host: String, names: [String]) -> String? {
    let host = host.lowercased()
    switch self {
    case .loopback(let address, let port), .lan(let address, let port):
      let literal = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
      let suffix = port == 80 ? "" : ":\(port)"
      return (["localhost", literal] + names).contains { $0 + suffix == host } ? host : nil
    case .front:
      return names.contains { host == $0 || Self.isName($0, withPortIn: host) } ? host : nil
    }
  }

  func origin(ofHost host: String) -> String { (isEncrypted ? "https://" : "http://") + host }

  /// The port on which the program in front listens is not known here.
  private static func isName(_ name: String, withPortIn host: String) -> Bool {
    guard host.utf8.starts(with: name.utf8) else { return false }
    let rest = host.utf8.dropFirst(name.utf8.count)
    let digits = rest.dropFirst()
    return rest.first == UInt8(ascii: ":") && digits.first != UInt8(ascii: "0") && (1...5).contains(digits.count)
      && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
