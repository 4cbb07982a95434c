// Maps characteristics to plugins, once per sensor, because thousands of packets come from the same
// few places.

import Vocabulary

struct Routes {
  private struct Route {
    let service: BluetoothUUID
    let characteristic: BluetoothUUID
    let plugin: Int
  }

  /// For characteristics that exactly one plugin knows.
  private var routes: [Route] = []
  /// The source of the last packet; the next one is likely to have the same.
  private var last: Route?

  init(of infos: [SensorInfo]) {
    for (plugin, info) in infos.enumerated() {
      for use in info.characteristics {
        let isShared = infos.indices.contains { $0 != plugin && infos[$0].uses(use) }
        let isKnown = routes.contains { $0.service == use.service && $0.characteristic == use.characteristic }
        guard !isShared, !isKnown else { continue }
        routes.append(Route(service: use.service, characteristic: use.characteristic, plugin: plugin))
      }
    }
  }

  /// Nil if no plugin or several know the source, and for advertisements, which may depend on the
  /// name.
  @inline(__always)
  mutating func onlyPlugin(for source: PacketSource) -> Int? {
    switch source.origin {
    case .notified(let service, let characteristic), .indicated(let service, let characteristic),
      .read(let service, let characteristic):
      if let last, last.characteristic == characteristic, last.service == service { return last.plugin }
      return find(service, characteristic)
    case .manufacturer, .serviceData: return nil
    }
  }

  private mutating func find(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) -> Int? {
    for route in routes where route.characteristic == characteristic && route.service == service {
      last = route
      return route.plugin
    }
    return nil
  }
}

extension SensorInfo {
  fileprivate func uses(_ other: CharacteristicUse) -> Bool {
    characteristics.contains { $0.characteristic == other.characteristic && $0.service == other.service }
  }
}
