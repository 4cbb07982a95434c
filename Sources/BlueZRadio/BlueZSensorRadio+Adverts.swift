// Adverts, which BlueZ reports as properties of devices, and sensors that are already connected.
//
// A device in the tree was not necessarily received: BlueZ keeps bonded ones for ever, and others
// for a while. It was received if it has an RSSI, which BlueZ removes when discovery ends.

internal import BlueZ
public import Radio
import Text
import Vocabulary

extension BlueZSensorRadio {
  public func connectedSensors() -> [Advert] {
    tree.devices.filter { isReachable($0.path) && $0.isConnected }.compactMap { advert(of: $0) }
  }

  /// A device that was added to the tree, or was there before us.
  func noteDevice(_ path: String) {
    let device = tree.device(at: path)
    guard isOurs(path) && device.rssi != nil || isReachable(path) && device.isConnected else { return }
    tell(device)
  }

  func deviceChanged(_ path: String, _ names: [String]) {
    guard isReachable(path) else { return }
    let device = tree.device(at: path)
    // RSSI changes far more often than the rest.
    if names == [BlueZ.Property.rssi] {
      adverts[path]?.rssi = device.rssi
    } else {
      adverts[path] = nil
    }
    let saysAnything =
      names.contains(BlueZ.Property.rssi) && device.rssi != nil
      || names.contains(BlueZ.Property.manufacturerData) || names.contains(BlueZ.Property.serviceData)
    let isFound = saysAnything && isOurs(path)
    let wasConnected = names.contains(BlueZ.Property.connected) && device.isConnected && !hasLink(device)
    if isFound || wasConnected { tell(device) }
    if names.contains(BlueZ.Property.connected), !device.isConnected { lostLinks.resetIdleAdapters() }
  }

  private func hasLink(_ device: Device) -> Bool {
    let address = device.address.flatMap { DeviceAddress($0) }
    return links.contains { $0.address == address }
  }

  private func tell(_ device: Device) {
    if !device.isConnected {
      scanner?.advertArrived()
      inUse?.resets = 0
    }
    guard let advert = advert(of: device) else { return }
    lostLinks.advertised(advert.address)
    delegate?.radio(received: advert)
  }

  private func advert(of device: Device) -> Advert? {
    if let known = adverts[device.path] { return known }
    guard let address = device.address.flatMap({ DeviceAddress($0) }) else { return nil }
    var advert = Advert(
      address: address, name: device.name.flatMap(advertisedName), rssi: device.rssi,
      services: device.uuids.compactMap { BluetoothUUID($0) })
    advert.isConnected = device.isConnected
    advert.manufacturerData = device.manufacturerData.map {
      Advert.ManufacturerData(company: $0.company, value: $0.value)
    }
    advert.serviceData = device.serviceData.compactMap { data in
      BluetoothUUID(data.service).map { Advert.ServiceData(service: $0, value: data.value) }
    }
    adverts[device.path] = advert
    return advert
  }
}

/// A name can be anything that a device nearby sends. Keeps only printable characters, up to the
/// limit; nil if none are left.
private func advertisedName(_ name: String) -> String? {
  let kept = name.unicodeScalars.lazy.filter { !$0.isUnprintable }.prefix(String.longestName)
  return kept.isEmpty ? nil : String(String.UnicodeScalarView(kept))
}
