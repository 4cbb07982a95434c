// Adverts as plugins see them. Some sensors, such as valve caps, send all values in adverts and are
// never connected. BlueZ repeats an advert's old data with new RSSI or another company's data, so an
// advert counts as new only while discovery reports repeats.

package import Radio
package import SensorKit

extension SensorInfo {
  /// Whether its sensors send all values in adverts.
  package var isBroadcast: Bool { characteristics.isEmpty && !adverts.isEmpty }
}

extension Advert {
  var values: [(origin: PacketSource.Origin, bytes: [UInt8])] {
    manufacturerData.map { (.manufacturer($0.company), $0.value) }
      + serviceData.map { (.serviceData($0.service), $0.value) }
  }
}

extension DeviceDescription {
  package init(_ advert: Advert) {
    self.init()
    merge(advert)
  }

  /// Adverts are short, so the parts of several are merged.
  package mutating func merge(_ advert: Advert) {
    if let name = advert.name { self.name = name }
    for service in advert.services where !services.contains(service) { services.append(service) }
    for data in advert.manufacturerData where !companies.contains(data.company) { companies.append(data.company) }
    for data in advert.serviceData where !serviceData.contains(data.service) { serviceData.append(data.service) }
  }
}
