// The captures of declared sensors. Their names begin with the name of the sensor's file.

import CaptureFormat
import Foundation
import SensorKit
import Testing

struct DeclaredCapture: CustomTestStringConvertible, Sendable {
  let name: String
  var testDescription: String { name }
  var fileName: String { String(name.prefix { $0 != "-" }) }

  private static let folder = DeclaredFile.root.appending(path: "Captures")
  static let all = DeclaredFile.names(in: folder, ending: ".capture").map { DeclaredCapture(name: $0) }

  var text: String {
    get throws { try String(contentsOf: Self.folder.appending(path: "\(name).capture"), encoding: .utf8) }
  }

  var expected: String {
    get throws { try String(contentsOf: Self.folder.appending(path: "\(name).expected"), encoding: .utf8) }
  }

  /// The packets of each device.
  func sessions(_ host: PluginHost) throws -> [PacketSession] {
    var sessions: [(id: String, session: PacketSession)] = []
    for line in try text.split(separator: "\n") {
      switch try CaptureLine.parse(String(line)) {
      case .device(let device):
        let sender = Sender(address: device.address ?? "", name: device.name ?? "")
        sessions.append((device.id, PacketSession(name: "\(name): \(device.id)", sender: sender)))
      case .event(let time, let device, let event):
        let index = try #require(sessions.firstIndex { $0.id == device })
        guard let (origin, bytes) = packet(event, host) else { continue }
        let source = PacketSource(origin, sender: sessions[index].session.sender)
        sessions[index].session.packets.append(PacketSession.Packet(time: time, bytes: bytes, source: source))
      default: break
      }
    }
    return sessions.map(\.session)
  }

  private func packet(_ event: CaptureEvent, _ host: PluginHost) -> (PacketSource.Origin, [UInt8])? {
    switch event {
    case .connected, .disconnected: return nil
    case .advert(let company, let bytes): return (.manufacturer(company), bytes)
    case .serviceData(let uuid, let bytes): return (.serviceData(uuid), bytes)
    case .value(let verb, let uuid, let bytes):
      guard verb != .write, let service = host.service(of: uuid, among: []) else { return nil }
      return (
        verb == .read
          ? .read(service: service, characteristic: uuid) : .notified(service: service, characteristic: uuid), bytes
      )
    }
  }
}
