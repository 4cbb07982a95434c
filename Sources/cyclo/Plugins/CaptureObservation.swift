// The devices of a capture or of an inspection, and their packets.

import CaptureFormat
import SensorKit
import Vocabulary
import Wire

struct CaptureObservation {
  struct Device {
    let id: String
    var name: String
    var services: [BluetoothUUID]
    var sources: [ObservedSource] = []
    /// What it told when it was connected; nil in a capture.
    var inspected: InspectReply?

    /// What it advertises, as far as the capture shows it.
    var description: DeviceDescription {
      var description = DeviceDescription(name: name, services: services)
      for source in sources {
        switch source.origin {
        case .company(let company): description.companies.append(company)
        case .serviceData(let service): description.serviceData.append(service)
        case .characteristic: break
        }
      }
      return description
    }

    func draft(_ plugins: PluginRegistry) -> SensorDraft {
      SensorDraft(name.isEmpty ? id : name, services: services, sources, inspected, plugins)
    }
  }

  private(set) var devices: [Device] = []
  private(set) var hasHeader = false
  private let plugins: PluginRegistry

  init(_ plugins: PluginRegistry) { self.plugins = plugins }

  /// Lines that are not of a capture are skipped.
  init(ofCapture content: [UInt8], _ plugins: PluginRegistry) {
    self.init(plugins)
    var reader = CaptureReader()
    reader.feed(content.span) { line, _ in add(try? line.get()) }
    reader.finish { line, _ in add(try? line.get()) }
  }

  mutating func introduce(_ device: InspectReply) {
    let services = device.services.compactMap { BluetoothUUID($0) }
    devices.append(Device(id: device.id, name: device.name ?? "", services: services, inspected: device))
  }

  mutating func add(_ line: CaptureLine?) {
    switch line {
    case .header: hasHeader = true
    case .device(let device):
      if let index = devices.firstIndex(where: { $0.id == device.id }) {
        devices[index].name = device.name ?? ""
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

  /// A packet does not tell the service of its characteristic. An inspection shows it. Built-in plugins
  /// know some; the others get the device's own service.
  private func service(of characteristic: BluetoothUUID, _ device: Device) -> BluetoothUUID {
    let shown = device.inspected?.characteristics.first { BluetoothUUID($0.characteristic) == characteristic }
    if let service = shown.flatMap({ BluetoothUUID($0.service) }) { return service }
    let uses = plugins.plugins.flatMap(\.info.characteristics).filter { $0.characteristic == characteristic }
    let known = uses.first { device.services.contains($0.service) } ?? uses.first
    let unknown = device.services.filter { service in
      !plugins.plugins.contains { $0.info.characteristics.contains { $0.service == service } }
    }
    return known?.service ?? unknown.first ?? device.services.first ?? characteristic
  }
}
