// Addresses of brokers as users write them.

import MQTT
import Testing

struct AddressTests {
  struct Row: Sendable {
    let text: String
    let host: String
    let port: UInt16
    let isEncrypted: Bool
  }

  static let good = [
    Row(text: "mqtts://broker.example:8884", host: "broker.example", port: 8884, isEncrypted: true),
    Row(text: "mqtts://broker.example", host: "broker.example", port: 8883, isEncrypted: true),
    Row(text: "mqtt://localhost", host: "localhost", port: 1883, isEncrypted: false),
    Row(text: "mqtt://127.0.0.1:1/", host: "127.0.0.1", port: 1, isEncrypted: false),
    Row(text: "mqtts://[::1]:8883", host: "::1", port: 8883, isEncrypted: true),
    Row(text: "mqtt://[fe80::1]", host: "fe80::1", port: 1883, isEncrypted: false),
    Row(text: "mqtt://my-broker_2:65535", host: "my-broker_2", port: 65_535, isEncrypted: false),
  ]

  @Test("an address has a host, a port and a scheme", arguments: good)
  func hasParts(_ row: Row) throws {
    let address = try BrokerAddress(row.text)
    #expect(address == BrokerAddress(host: row.host, port: row.port, isEncrypted: row.isEncrypted))
    // What is shown can be read again.
    #expect(try BrokerAddress("\(address)") == address)
  }

  static let bad = [
    ("broker.example:8883", "must begin with mqtts://"),
    ("", "must begin with mqtts://"),
    ("https://broker.example", "must begin with mqtts://"),
    ("mqtts://", "write the host's name"),
    ("mqtts://:8883", "write the host's name"),
    ("mqtts:///", "write the host's name"),
    ("mqtt://fe80::1", "write the host's name"),
    ("mqtt://[127.0.0.1]:1883", "write the host's name"),
    ("mqtt://[::1", "write the host's name"),
    ("mqtt://[::1]x", "write the host's name"),
    ("mqtts://me:secret@broker.example", "User= and PasswordFile="),
    ("mqtts://broker.example/path", "'broker.example/path' is not the name"),
    ("mqtts://broker example", "'broker example' is not the name"),
    ("mqtts://bröker", "'bröker' is not the name"),
    ("mqtts://broker:", "'' is not a port"),
    ("mqtts://broker:0", "'0' is not a port"),
    ("mqtts://broker:65536", "'65536' is not a port"),
    ("mqtts://broker:+1", "'+1' is not a port"),
    ("mqtts://broker:8883/x", "'8883/x' is not a port"),
  ]

  @Test("an error shows the address and what to write", arguments: bad)
  func isRefused(_ text: String, _ reason: String) {
    let problem = #expect(throws: BrokerAddressProblem.self) { try BrokerAddress(text) }
    #expect(problem?.description.contains(reason) == true, "\(problem?.description ?? "")")
    #expect(problem?.description.hasPrefix("'\(text)' is not the address of a broker: ") == true)
  }

  @Test("every prefix of an address is either an address or an error")
  func prefixesAreHandled() {
    for text in Self.good.map(\.text) {
      for length in 0...text.utf8.count {
        let prefix = String(decoding: text.utf8.prefix(length), as: UTF8.self)
        guard let address = try? BrokerAddress(prefix) else { continue }
        #expect(!address.host.isEmpty && address.port > 0)
      }
    }
  }

  @Test(
    "only this computer is the loopback",
    arguments: [
      ("mqtt://localhost", true), ("mqtt://127.0.0.1", true), ("mqtt://127.9.9.9", true), ("mqtt://[::1]", true),
      ("mqtt://localhost.example", false), ("mqtt://192.168.1.2", false), ("mqtt://[fe80::1]", false),
    ])
  func knowsLoopback(_ text: String, _ isLoopback: Bool) throws {
    #expect(try BrokerAddress(text).isLoopback == isLoopback)
  }
}
