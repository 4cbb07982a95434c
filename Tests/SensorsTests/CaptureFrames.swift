// The frames of all captures. The tests of hostile frames and of allocations use them, so that a
// sensor with captures is covered there without code of its own.

import CaptureFormat
import Foundation
import SensorKit
import Sensors
import Time
import Vocabulary

@testable import generate_pages

struct CaptureFrame: Hashable, CustomStringConvertible, Sendable {
  let bytes: [UInt8]
  let origin: Origin
  private let address: String
  private let name: String

  enum Origin: Hashable, Sendable {
    case characteristic(BluetoothUUID)
    case manufacturer(UInt16)
    case serviceData(BluetoothUUID)
  }

  static let all = Set(CaptureFolder.captures.flatMap { (try? frames(of: $0)) ?? [] })

  /// One frame of each origin and length, which is enough for tests that change the bytes.
  static let oneOfEachLength = Dictionary(grouping: all) { LengthAtOrigin(origin: $0.origin, length: $0.bytes.count) }
    .values.compactMap { $0.min { $0.bytes.lexicographicallyPrecedes($1.bytes) } }

  private struct LengthAtOrigin: Hashable {
    let origin: Origin
    let length: Int
  }

  private static func frames(of capture: String) throws -> [CaptureFrame] {
    var devices: [String: CaptureDevice] = [:]
    var frames: [CaptureFrame] = []
    let text = try String(contentsOf: CaptureFolder.root.appending(path: capture), encoding: .utf8)
    for line in text.split(separator: "\n") {
      switch try CaptureLine.parse(String(line)) {
      case .device(let device): devices[device.id] = device
      case .event(_, let id, let event): if let frame = CaptureFrame(event, of: devices[id]) { frames.append(frame) }
      default: break
      }
    }
    return frames
  }

  /// Nil if the event carries no frame, or one that the host wrote.
  private init?(_ event: CaptureEvent, of device: CaptureDevice?) {
    switch event {
    case .value(let verb, let uuid, let bytes) where verb != .write:
      (origin, self.bytes) = (.characteristic(uuid), bytes)
    case .advert(let company, let bytes): (origin, self.bytes) = (.manufacturer(company), bytes)
    case .serviceData(let uuid, let bytes): (origin, self.bytes) = (.serviceData(uuid), bytes)
    default: return nil
    }
    address = device?.address ?? ""
    name = device?.name ?? ""
  }

  var description: String { "\(origin) \(bytes)" }

  /// One source per service that has the characteristic, because some belong to several services.
  var sources: [PacketSource] {
    let sender = Sender(address: address, name: name)
    switch origin {
    case .characteristic(let uuid):
      let uses = builtInPlugins.plugins.flatMap { $0.info.characteristics }.filter { $0.characteristic == uuid }
      return Set(uses.map(\.service)).map { PacketSource(.notified(service: $0, characteristic: uuid), sender: sender) }
    case .manufacturer(let company): return [PacketSource(.manufacturer(company), sender: sender)]
    case .serviceData(let uuid): return [PacketSource(.serviceData(uuid), sender: sender)]
    }
  }

  /// Whether sensors send it repeatedly. Refused frames are excluded, and facts, which are read
  /// once per link.
  func isStreamed(from source: PacketSource) -> Bool {
    var host = PluginHost(builtInPlugins.plugins, settings: SensorSettings())
    var batch = Batch()
    do throws(DecodeError) {
      try host.decode(bytes.span, from: source, at: MonotonicTime(seconds: 1), into: &batch)
      return !batch.entries.contains { $0.kind == .fact }
    } catch {
      return false
    }
  }
}
