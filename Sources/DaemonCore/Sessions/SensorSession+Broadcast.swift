// Sensors that only advertise, such as valve caps. Their adverts carry the values, and they are
// never connected. They stream from the first advert with a value. BlueZ repeats an advert's old
// data with new RSSI or another company's data. So an advert counts as new only while discovery
// reports repeats.

import EventLoop
import Linux
import Radio
import SensorKit
import Wire

extension SensorSession {
  /// Handles an advert. Returns false if the sensor does not broadcast values.
  func handleBroadcast(_ advert: Advert) -> Bool {
    guard state != .disabled, link == nil, ticket == nil else { return false }
    guard isBroadcaster || recognizeBroadcaster(advert) else { return false }
    let values = advert.values.filter { value in
      infos.contains { $0.knows(PacketSource(value.origin, sender: sender)) }
    }
    guard !values.isEmpty else { return isBroadcaster }
    for value in values { decode(value.bytes.span, from: value.origin, isLive: true) }
    return true
  }

  private func recognizeBroadcaster(_ advert: Advert) -> Bool {
    let plugins = environment.plugins.recognize(DeviceDescription(advert))
    guard !plugins.isEmpty, plugins.allSatisfy(\.info.isBroadcast) else { return false }
    host = environment.plugins.host(plugins, settings: settings, name: deviceName)
    infos = plugins.map(\.info)
    isBroadcaster = true
    delegate?.sessionLearned(self)
    return true
  }
}

extension SensorInfo {
  /// Whether its sensors send all values in adverts.
  var isBroadcast: Bool { characteristics.isEmpty && !adverts.isEmpty }
}

extension Advert {
  fileprivate var values: [(origin: PacketSource.Origin, bytes: [UInt8])] {
    manufacturerData.map { (.manufacturer($0.company), $0.value) }
      + serviceData.map { (.serviceData($0.service), $0.value) }
  }
}
