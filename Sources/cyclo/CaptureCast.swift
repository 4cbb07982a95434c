// The sensors of a capture: their names in its lines, and the lines that introduce them. Anonymous
// ones keep what a decoder needs: the maker's half of address and name.

import CaptureFormat
import JSON
import SensorKit
import Text
import Time
import Vocabulary
import Wire

struct CaptureCast {
  let isAnonymous: Bool
  private let known: PluginRegistry
  /// The plugins of files, which only the daemon knows.
  private let declared: [PluginRecord]
  private var players: [String: Device] = [:]

  private struct Device {
    /// Its name in the capture.
    let name: String
    let address: Address?
    let standIn: Address?
  }

  init(isAnonymous: Bool, plugins: PluginRegistry, declared: [PluginRecord]) {
    self.isAnonymous = isAnonymous
    known = plugins
    self.declared = declared
  }

  func knows(_ sensor: String) -> Bool { players[sensor] != nil }

  /// The lines with its identity and settings.
  mutating func introduce(_ sensor: SensorRecord) -> [CaptureLine] {
    let address = Address(sensor.address)
    let number = players.count + 1
    let plugins = sensor.plugins
    let standIn = isAnonymous ? address?.standIn(number) : address
    let player = Device(
      name: isAnonymous ? "\(plugins.first ?? "sensor")-\(number)" : sensor.id, address: address, standIn: standIn)
    players[sensor.id] = player
    let anonymous = AnonymousName(
      sensor: sensor, address: address?.hex ?? [], standIn: standIn?.hex ?? [], plugins: known,
      declared: declared)
    let name = isAnonymous ? anonymous.text(otherwise: player.name) : sensor.name
    var lines: [CaptureLine] = []
    let identity: [Field] = [.manufacturer, .model, .firmware, .hardware, .software]
    let facts = identity.compactMap { field in
      sensor.facts[field]?.text.map { "\(field.name) \(printable($0))" }
    }
    if !facts.isEmpty { lines.append(.comment(" \(player.name): \(facts.joined(separator: ", "))")) }
    // A name from the air must not start a new line.
    let device = CaptureDevice(
      id: player.name, address: standIn?.text, name: name.isEmpty ? nil : printable(name),
      services: services(of: plugins))
    lines.append(.device(device))
    for setting in settings(of: sensor) {
      lines.append(.setting(device: player.name, key: setting.name, value: described(setting.value)))
    }
    return lines
  }

  /// The sensor has the services of each of its plugins.
  private func services(of plugins: [String]) -> [BluetoothUUID] {
    let ofFiles = declared.filter { plugins.contains($0.id) }.flatMap { $0.services + $0.announced.map(\.service) }
    return known.plugins(called: plugins).flatMap(\.info.services) + ofFiles.compactMap { BluetoothUUID($0) }
  }

  private func settings(of sensor: SensorRecord) -> [JSONValue.Member] {
    let role = sensor.role.map { [JSONValue.Member(Setting.role.key, .string($0.text))] } ?? []
    return role + (sensor.settings.members ?? [])
  }

  private func described(_ value: JSONValue) -> String { value.text ?? value.encoded }

  /// A packet. `start`: the beginning of the capture, in nanoseconds of the same clock.
  func line(_ record: RawRecord, since start: Int64) -> CaptureLine {
    let player = players[record.sensor]
    let time = MonotonicTime(nanoseconds: max(0, record.time.nanoseconds - start))
    let event = isAnonymous ? masked(record.event, player) : record.event
    return .event(time: time, device: player?.name ?? record.sensor, event)
  }
}

// MARK: Anonymity

extension CaptureCast {
  private static let serialNumber = BluetoothUUID(0x2a25)
  private static let systemID = BluetoothUUID(0x2a23)

  private func masked(_ event: CaptureEvent, _ player: Device?) -> CaptureEvent {
    switch event {
    case .connected, .disconnected: event
    case .value(let verb, Self.serialNumber, let value):
      .value(verb, Self.serialNumber, value.map { _ in UInt8(ascii: "0") })
    case .value(let verb, Self.systemID, let value): .value(verb, Self.systemID, value.map { _ in 0 })
    case .value(let verb, let uuid, let value): .value(verb, uuid, masked(value, player))
    case .advert(let company, let value): .advert(company, masked(value, player))
    case .serviceData(let uuid, let value): .serviceData(uuid, masked(value, player))
    }
  }

  /// Some valve caps send their address, in one byte order or the other.
  private func masked(_ value: [UInt8], _ player: Device?) -> [UInt8] {
    guard let address = player?.address, let standIn = player?.standIn else { return value }
    let masked = replaced(address.bytes, by: standIn.bytes, in: value)
    return replaced(address.bytes.reversed(), by: standIn.bytes.reversed(), in: masked)
  }

  private struct Address {
    let bytes: [UInt8]

    init?(_ text: String) {
      let parts = text.split(separator: ":").map { UInt8($0, radix: 16) }
      guard parts.count == 6 else { return nil }
      bytes = parts.compactMap { $0 }
      if bytes.count != 6 { return nil }
    }

    private init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    func standIn(_ number: Int) -> Address {
      Address(
        bytes: Array(bytes.prefix(3)) + [0, UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)])
    }

    var text: String { hex.joined(separator: ":") }

    var hex: [String] {
      bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
    }
  }
}

/// Replaces every `old` by `new`, which has the same length.
private func replaced(_ old: [UInt8], by new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
  var result = bytes
  var start = 0
  while start + old.count <= result.count {
    if result[start..<start + old.count].elementsEqual(old) {
      result.replaceSubrange(start..<start + old.count, with: new)
      start += old.count
    } else {
      start += 1
    }
  }
  return result
}
