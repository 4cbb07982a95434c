// Sensors that only advertise: valve caps and the like. Their adverts are their values; they stream from the first one on that
// has a value, and are never connected to. BlueZ repeats an advert's old data beside what is new (signal strength, another company's), so an
// advert counts as news only while somebody searches with repeats.

import EventLoop
import Linux
import SensorKit
import Sensors
import Wire

extension SensorSession {
  /// Takes an advert that carries values; false where it carries none that a plugin knows.
  func hearBroadcast(_ advert: Advert) -> Bool {
    guard state != .disabled, link == nil, ticket == nil else { return false }
    guard isBroadcaster || recognizeBroadcaster(advert) else { return false }
    let values = advert.values.filter { value in
      infos.contains { $0.knows(Source(value.origin, sender: sender)) }
    }
    guard !values.isEmpty else { return isBroadcaster }
    for value in values { decode(value.bytes.span, from: value.origin, isLive: true) }
    return true
  }

  private func recognizeBroadcaster(_ advert: Advert) -> Bool {
    let types = recognize(DeviceDescription(advert), among: registry)
    guard !types.isEmpty, types.allSatisfy({ $0.info.isBroadcast }) else { return false }
    host = PluginHost(types, settings: settings, quirks: knownQuirks, name: deviceName)
    infos = types.map { $0.info }
    isBroadcaster = true
    delegate?.sessionLearned(self)
    return true
  }
}

extension SensorInfo {
  /// Whether its sensors say all they say in adverts.
  var isBroadcast: Bool { characteristics.isEmpty && !adverts.isEmpty }
}

extension Advert {
  fileprivate var values: [(origin: Source.Origin, bytes: [UInt8])] {
    manufacturerData.map { (.manufacturer($0.company), $0.value) }
      + serviceData.map { (.serviceData($0.service), $0.value) }
  }
}
