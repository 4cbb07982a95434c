// Whether a plugin fits a device, by its advertisement or its services. Companions (battery, device
// information) only accompany a sensor; a device with nothing else is not a sensor.

public import Vocabulary

/// What is known about a device before pairing. Lists may be incomplete, because advertisements are
/// short.
public struct DeviceDescription: Equatable, Sendable {
  public var name: String
  public var services: [BluetoothUUID]
  public var companies: [UInt16]
  public var serviceData: [BluetoothUUID]

  public init(
    name: String = "", services: [BluetoothUUID] = [], companies: [UInt16] = [], serviceData: [BluetoothUUID] = []
  ) {
    self.name = name
    self.services = services
    self.companies = companies
    self.serviceData = serviceData
  }
}

extension SensorInfo {
  /// Whether the device has a service of this plugin, announces it in another way, or broadcasts
  /// data that it decodes.
  public func fits(_ device: DeviceDescription) -> Bool {
    services.contains { device.services.contains($0) } || announcements.contains { $0.fits(device) }
      || adverts.contains { $0.fits(device) }
  }
}

extension Announcement {
  fileprivate func fits(_ device: DeviceDescription) -> Bool {
    device.services.contains(service) && device.name.hasPrefix(namePrefix)
  }
}

extension AdvertPattern {
  fileprivate func fits(_ device: DeviceDescription) -> Bool {
    let isCarried =
      switch carrier {
      case .manufacturer(let company): device.companies.contains(company)
      case .serviceData(let uuid): device.serviceData.contains(uuid)
      case .anyManufacturer: !device.companies.isEmpty
      }
    return isCarried && accepts(name: device.name) && service.map(device.services.contains) ?? true
  }
}
