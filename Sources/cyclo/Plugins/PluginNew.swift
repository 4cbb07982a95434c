// `plugin new`: writes a first file for a sensor, from a capture of its packets.

import CaptureFormat
import CommandTable
import CycloCommands
import Linux
import SensorKit
import Text
import Vocabulary

struct PluginNew {
  private let session: Session

  init(_ session: Session) { self.session = session }

  func run() throws(Failure) {
    guard let path = session.invocation.text(.fromCapture) else {
      throw Failure(usage: .plugin, "'new' needs --from-capture FILE")
    }
    try write(try draft(ofCapture: path).text)
  }

  private func write(_ text: String) throws(Failure) {
    guard let path = session.invocation.text(.output), path != "-" else { return session.output.text(text) }
    if Files.exists(path) {
      throw Failure(.failed, "\(path) already exists; not overwriting it", advice: ["Choose another name"])
    }
    do throws(SystemError) {
      try Files.replace(path, with: Array(text.utf8), mode: 0o644)
    } catch {
      throw Failure(.failed, "cannot write \(path): \(error.reason)")
    }
    session.output.note("Wrote \(printable(path)). Check it: cyclo plugin check \(shellQuoted(path))")
  }

  // MARK: From a capture

  private func draft(ofCapture path: String) throws(Failure) -> SensorDraft {
    let content = try PluginCheck.content(of: path)
    var reader = CaptureReader()
    var observed = CaptureObservation(session.plugins)
    reader.feed(content.span) { line, _ in observed.add(try? line.get()) }
    reader.finish { line, _ in observed.add(try? line.get()) }
    guard observed.hasHeader else { throw Failure.noCapture(path) }
    let devices = observed.devices.filter { !$0.sources.isEmpty }
    guard let device = devices.first else { throw Failure(.failed, "\(path) has no packets") }
    guard let wanted = session.invocation.text(.captureDevice) else {
      if devices.count > 1 {
        let names = devices.map(\.id).joined(separator: ", ")
        throw Failure(.failed, "\(path) has several devices: \(names)", advice: ["Choose one with --device"])
      }
      return device.draft(session.plugins)
    }
    guard let chosen = devices.first(where: { $0.id == wanted }) else {
      throw Failure(.failed, "\(path) has no packets of a device '\(wanted)'")
    }
    return chosen.draft(session.plugins)
  }
}

/// The devices of a capture, and their packets.
struct CaptureObservation {
  struct Device {
    let id: String
    var name: String
    var services: [BluetoothUUID]
    var sources: [ObservedSource] = []

    func draft(_ plugins: PluginRegistry) -> SensorDraft {
      SensorDraft(name.isEmpty ? id : name, services: services, sources, plugins)
    }
  }

  private(set) var devices: [Device] = []
  private(set) var hasHeader = false
  private let plugins: PluginRegistry

  init(_ plugins: PluginRegistry) { self.plugins = plugins }

  mutating func add(_ line: CaptureLine?) {
    switch line {
    case .header: hasHeader = true
    case .device(let device):
      if let index = devices.firstIndex(where: { $0.id == device.id }) {
        devices[index].services = device.services
      } else {
        devices.append(Device(id: device.id, name: device.name ?? "", services: device.services))
      }
    case .event(_, let id, let event):
      guard let index = devices.firstIndex(where: { $0.id == id }) else { return }
      add(event, toDevice: index)
    default: break
    }
  }

  private mutating func add(_ event: CaptureEvent, toDevice index: Int) {
    switch event {
    case .connected, .disconnected, .value(.write, _, _): break
    case .value(let verb, let uuid, let packet):
      let origin = ObservedSource.Origin.characteristic(service: service(of: uuid, devices[index]), uuid)
      let source = Self.source(origin, &devices[index])
      devices[index].sources[source].add(packet, by: verb)
    case .advert(let company, let packet):
      let source = Self.source(.company(company), &devices[index])
      devices[index].sources[source].add(packet)
    case .serviceData(let uuid, let packet):
      let source = Self.source(.serviceData(uuid), &devices[index])
      devices[index].sources[source].add(packet)
    }
  }

  private static func source(_ origin: ObservedSource.Origin, _ device: inout Device) -> Int {
    if let index = device.sources.firstIndex(where: { $0.origin == origin }) { return index }
    device.sources.append(ObservedSource(origin))
    return device.sources.count - 1
  }

  /// A capture does not record the service of a characteristic. Built-in plugins know some; the others
  /// get the device's own service.
  private func service(of characteristic: BluetoothUUID, _ device: Device) -> BluetoothUUID {
    let uses = plugins.plugins.flatMap(\.info.characteristics).filter { $0.characteristic == characteristic }
    let known = uses.first { device.services.contains($0.service) } ?? uses.first
    let unknown = device.services.filter { service in
      !plugins.plugins.contains { $0.info.characteristics.contains { $0.service == service } }
    }
    return known?.service ?? unknown.first ?? device.services.first ?? characteristic
  }
}
