// Addresses of TCP as text, and as the kernel reports them.

import CLinux
import Linux
import Testing
import Time

struct InternetAddressTests {
  @Test(
    "an address is written as in a URL",
    arguments: [
      ("127.0.0.1", "127.0.0.1", "127.0.0.1:80"), ("::1", "::1", "[::1]:80"), ("::", "::", "[::]:80"),
      ("FE80:0::A", "fe80::a", "[fe80::a]:80"), ("::ffff:10.0.0.1", "10.0.0.1", "10.0.0.1:80"),
    ])
  func text(_ literal: String, host: String, description: String) throws {
    let address = try #require(InternetAddress(literal, port: 80))
    #expect(address.host == host && "\(address)" == description)
  }

  @Test(
    "a name, or an address with anything else, is not a literal",
    arguments: ["localhost", "", "127.0.0.1:80", "127.1", "[::1]", "fe80::1%lo", "::1 ", "::1\0"])
  func noLiteral(_ text: String) {
    #expect(InternetAddress(text, port: 80) == nil)
  }

  @Test("hosts are compared without ports, and an IPv4 address in either form")
  func hosts() throws {
    let addresses = try ["127.0.0.1", "::ffff:127.0.0.1", "::1"].map { try #require(InternetAddress($0, port: 1)) }
    #expect(addresses[0] == addresses[1] && addresses[0] == .loopback(port: 1))
    #expect(addresses[0].hasSameHost(as: .loopback(port: 2)) && !addresses[0].hasSameHost(as: addresses[2]))
    #expect(addresses.map(\.isIPv4) == [true, true, false])
  }

  @Test(
    "loopback addresses are recognized",
    arguments: [
      ("127.0.0.1", true), ("127.255.0.3", true), ("::1", true), ("::ffff:127.0.0.1", true), ("10.0.0.1", false),
      ("128.0.0.1", false), ("::", false), ("::127.0.0.1", false), ("fe80::1", false),
    ])
  func loopback(_ literal: String, isLoopback: Bool) throws {
    #expect(try #require(InternetAddress(literal, port: 1)).isLoopback == isLoopback)
  }

  @Test("both ends of a connection have addresses", arguments: ["127.0.0.1", "::1"])
  func ends(_ host: String) throws {
    let listener = try TCPSocket.listen(on: try #require(InternetAddress(host, port: 0)))
    let address = try TCPSocket.localAddress(of: listener.number)
    #expect(address.host == host && address.port > 0)
    let client = try TCPSocket.connect(to: address)
    #expect(try Waiting.untilReadable(listener.number, deadline: .now + .seconds(10)))
    guard let accepted = try StreamSocket.accept(from: listener.number) else {
      Issue.record("the listener has no connection")
      return
    }
    #expect(try TCPSocket.localAddress(of: accepted.number) == address)
    #expect(try TCPSocket.peerAddress(of: client.number) == address)
    #expect(try TCPSocket.peerAddress(of: accepted.number) == TCPSocket.localAddress(of: client.number))
    let isEmpty = try StreamSocket.accept(from: listener.number) == nil
    #expect(isEmpty)
  }

  @Test("a listener for IPv6 leaves the port of IPv4 to others")
  func families() throws {
    let listener = try TCPSocket.listen(on: try #require(InternetAddress("::1", port: 0)))
    var (value, size) = (Int32(0), socklen_t(4))
    // The kernel writes one number.
    #expect(unsafe getsockopt(listener.number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &value, &size) == 0 && value == 1)
    let again = #expect(throws: SystemError.self) {
      _ = try TCPSocket.listen(on: try TCPSocket.localAddress(of: listener.number))
    }
    #expect(again?.isInUse == true)
  }

  @Test("two pieces are sent in order, and a full socket is a result")
  func pieces() throws {
    let pair = try PacketPair()
    let (first, second, none): ([UInt8], [UInt8], [UInt8]) = ([1, 2], [3], [])
    var results = [try StreamSocket.send(pair.near.number, first.span, second.span)]
    results.append(try StreamSocket.send(pair.near.number, none.span, second.span))
    #expect(results == [.done(3), .done(1)])
    var buffer = [UInt8](repeating: 0, count: 8)
    #expect(try pair.far.read(into: &buffer) == .done(3))
    #expect(buffer.prefix(3) == [1, 2, 3])
    while case .done = try StreamSocket.send(pair.near.number, buffer.span, buffer.span) {}
  }
}
