// The devices of a capture, with what they advertise in it.

import CaptureFormat
import SensorKit

struct CapturedDevices {
  /// In the order of the capture.
  private(set) var descriptions: [(id: String, description: DeviceDescription)] = []

  init(_ content: [UInt8]) {
    var reader = CaptureReader()
    var lines: [CaptureLine] = []
    reader.feed(content.span) { line, _ in if case .success(let line) = line { lines.append(line) } }
    reader.finish { line, _ in if case .success(let line) = line { lines.append(line) } }
    for line in lines { add(line) }
  }

  private mutating func add(_ line: CaptureLine) {
    switch line {
    case .device(let device):
      var description = self.description(of: device.id) ?? DeviceDescription()
      description.name = device.name ?? ""
      description.services = device.services
      set(description, of: device.id)
    case .event(_, let id, .advert(let company, _)):
      guard var description = description(of: id), !description.companies.contains(company) else { return }
      description.companies.append(company)
      set(description, of: id)
    case .event(_, let id, .serviceData(let service, _)):
      guard var description = description(of: id), !description.serviceData.contains(service) else { return }
      description.serviceData.append(service)
      set(description, of: id)
    default: break
    }
  }

  private func description(of id: String) -> DeviceDescription? { descriptions.first { $0.id == id }?.description }

  private mutating func set(_ description: DeviceDescription, of id: String) {
    let known = descriptions.firstIndex { $0.id == id }
    if let known { descriptions[known].description = description } else { descriptions.append((id, description)) }
  }
}
