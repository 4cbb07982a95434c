// Packets of one session, and the records that they give, from a file of vectors.

import JSON
import SensorKit
import Testing

struct DeclaredVector: CustomTestStringConvertible, Sendable {
  let file: DeclaredFile
  let value: JSONValue
  var name: String { value["name"]?.text ?? "" }
  var testDescription: String { "\(file.name): \(name)" }

  private var sender: Sender {
    Sender(address: value["device"]?["address"]?.text ?? "", name: value["device"]?["name"]?.text ?? "")
  }

  private var settings: SensorSettings {
    SensorSettings(
      circumferenceMM: value["settings"]?["circumference_mm"]?.number,
      role: value["settings"]?["role"]?.text.flatMap { SensorRole(rawValue: $0) })
  }

  var expectations: [[JSONValue]] { (value["expect"]?.items ?? []).map { $0.items ?? [] } }

  func session(_ host: PluginHost) throws -> PacketSession {
    let packets = try (value["packets"]?.items ?? []).map { packet in
      PacketSession.Packet(
        time: MonotonicTime(seconds: packet["t"]?.number ?? 0), bytes: hexBytes(packet["hex"]?.text ?? ""),
        source: try source(packet["from"]?.text ?? "", host))
    }
    return PacketSession(name: testDescription, sender: sender, settings: settings, packets: packets)
  }

  private func source(_ from: String, _ host: PluginHost) throws -> PacketSource {
    let parts = from.split(separator: ":").map(String.init)
    if parts.count == 2, parts[0] == "company" {
      return PacketSource(.manufacturer(try #require(UInt16(parts[1], radix: 16))), sender: sender)
    }
    if parts.count == 2 { return PacketSource(.serviceData(try #require(BluetoothUUID(parts[1]))), sender: sender) }
    let uuid = try #require(BluetoothUUID(from))
    let service = try #require(host.service(of: uuid, among: []))
    return PacketSource(.notified(service: service, characteristic: uuid), sender: sender)
  }
}
