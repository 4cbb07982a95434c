// An address of IPv4 or IPv6 with a port. An IPv4 address that the kernel reports in the form of
// IPv6, as it does on a socket for both, is the same as the plain one.

internal import CLinux

public struct InternetAddress: Hashable, Sendable {
  /// The 16 bytes of an IPv6 address. IPv4 addresses are mapped: `::ffff:127.0.0.1`.
  private let high: UInt64
  private let low: UInt64
  /// The interface of a link-local address.
  private let scope: UInt32
  public let port: UInt16

  /// `host` is a literal such as `127.0.0.1` or `::1`; nil if it is not.
  public init?(_ host: String, port: UInt16) {
    var name = cyclometer_internet_address()
    // C would not see what follows a zero.
    guard !host.utf8.contains(0), unsafe cyclometer_internet_parse(host, &name) == 1 else { return nil }
    name.port = port
    self.init(name)
  }

  public static func loopback(port: UInt16) -> InternetAddress {
    InternetAddress(high: 0, low: ipv4Prefix | 0x7f00_0001, scope: 0, port: port)
  }

  /// Of this computer in its networks, those of IPv4 first.
  public static func ofInterfaces(port: UInt16) throws(SystemError) -> [InternetAddress] {
    let most = 64
    var names = [cyclometer_internet_address](repeating: cyclometer_internet_address(), count: most)
    // The shim writes at most `most` addresses into the array.
    let count = try systemCall("getifaddrs") { unsafe cyclometer_interface_addresses(&names, Int32(most)) }
    let addresses = names.prefix(Int(count)).map { name in
      var name = name
      name.port = port
      return InternetAddress(name)
    }
    return addresses.filter(\.isIPv4) + addresses.filter { !$0.isIPv4 }
  }

  init(_ name: cyclometer_internet_address) {
    self.init(
      high: UInt64(bigEndian: name.host.0), low: UInt64(bigEndian: name.host.1), scope: name.scope, port: name.port)
  }

  private init(high: UInt64, low: UInt64, scope: UInt32, port: UInt16) {
    (self.high, self.low, self.scope, self.port) = (high, low, scope, port)
  }

  var name: cyclometer_internet_address {
    cyclometer_internet_address(host: (high.bigEndian, low.bigEndian), scope: scope, port: port)
  }

  private static let ipv4Prefix: UInt64 = 0xffff_0000_0000

  public var isIPv4: Bool { high == 0 && low & ~0xffff_ffff == Self.ipv4Prefix }

  /// Whether only this computer can be at the other end.
  public var isLoopback: Bool { isIPv4 ? low >> 24 & 0xff == 127 : high == 0 && low == 1 }

  /// Whether a socket with this address listens on all addresses of the family.
  public var isUnspecified: Bool { high == 0 && (low == 0 || low == Self.ipv4Prefix) }

  public func hasSameHost(as other: InternetAddress) -> Bool {
    (high, low, scope) == (other.high, other.low, other.scope)
  }

  /// The literal without the port and, as in a URL, without the interface.
  public var host: String {
    // INET6_ADDRSTRLEN is 46, with the final zero.
    var text = [CChar](repeating: 0, count: 46)
    var name = name
    guard unsafe cyclometer_internet_text(&name, &text, socklen_t(text.count)) == 0 else { return "?" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension InternetAddress: CustomStringConvertible {
  /// As in a URL: `127.0.0.1:8080`, `[::1]:8080`.
  public var description: String { isIPv4 ? "\(host):\(port)" : "[\(host)]:\(port)" }
}
