// The files, vectors and captures of declared sensors.

import DeclaredSensors
import Foundation
import JSON
import SensorKit
import Testing

struct DeclaredFile: CustomTestStringConvertible, Sendable {
  let name: String
  var testDescription: String { name }

  static let all = [
    "heart_rate", "speed_cadence", "power", "moxy", "tire_caps", "tacx_trainer", "ruuvitag", "glucose_monitor",
  ].map { DeclaredFile(name: $0) }

  static let root = URL(filePath: #filePath).deletingLastPathComponent()

  var text: [UInt8] {
    get throws { Array(try Data(contentsOf: Self.root.appending(path: "Files/\(name).sensor"))) }
  }

  func program() throws -> SensorProgram { try SensorFile(try text, words: SensorWords()).program }

  func vectors() throws -> [DeclaredVector] {
    let file = try JSONValue.parse(Array(try Data(contentsOf: Self.root.appending(path: "Vectors/\(name).json"))))
    return (file["vectors"]?.items ?? []).map { DeclaredVector(file: self, value: $0) }
  }
}

/// Packets of one session, and what they give.
struct DeclaredVector: CustomTestStringConvertible, Sendable {
  let file: DeclaredFile
  let value: JSONValue
  var name: String { value["name"]?.text ?? "" }
  var testDescription: String { "\(file.name): \(name)" }

  var sender: Sender {
    Sender(address: value["device"]?["address"]?.text ?? "", name: value["device"]?["name"]?.text ?? "")
  }

  var settings: SensorSettings {
    SensorSettings(
      circumferenceMM: value["settings"]?["circumference_mm"]?.number,
      role: value["settings"]?["role"]?.text.flatMap { SensorRole(rawValue: $0) })
  }

  var packets: [DeclaredPacket] { (value["packets"]?.items ?? []).map { DeclaredPacket(value: $0) } }
  var expectations: [[JSONValue]] { (value["expect"]?.items ?? []).map { $0.items ?? [] } }
}

struct DeclaredPacket: Sendable {
  let value: JSONValue
  var time: MonotonicTime { MonotonicTime(seconds: value["t"]?.number ?? 0) }
  var bytes: [UInt8] { hexBytes(value["hex"]?.text ?? "") }

  func source(_ host: PluginHost, _ sender: Sender) throws -> PacketSource {
    let from = value["from"]?.text ?? ""
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

func hexBytes(_ text: String) -> [UInt8] {
  stride(from: 0, to: text.utf8.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
}
