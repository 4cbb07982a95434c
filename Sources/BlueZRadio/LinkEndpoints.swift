// The characteristics of a link's sensor, and their objects in BlueZ.

internal import BlueZ
import Radio
import Vocabulary

struct LinkEndpoints {
  /// The object path of each endpoint.
  private var paths: [Endpoint: String] = [:]
  private var hasStandIn = false

  /// Several characteristics with one UUID in one service count as one: the first.
  mutating func find(of device: Device) -> [Endpoint] {
    var endpoints: [Endpoint] = []
    for characteristic in device.characteristics {
      guard let service = characteristic.serviceUUID.flatMap({ BluetoothUUID($0) }),
        let uuid = characteristic.uuid.flatMap({ BluetoothUUID($0) })
      else { continue }
      let endpoint = Endpoint(service: service, characteristic: uuid)
      guard paths[endpoint] == nil else { continue }
      paths[endpoint] = characteristic.path
      endpoints.append(endpoint)
    }
    // Battery1 can be added after everything else.
    let hasBattery = device.hasBattery || device.uuids.contains { BluetoothUUID($0) == Endpoint.battery.service }
    hasStandIn = hasBattery && paths[.battery] == nil
    if hasStandIn { endpoints.append(.battery) }
    return endpoints
  }

  func path(of endpoint: Endpoint) -> String? { paths[endpoint] }

  /// Whether it is the battery level that bluetoothd keeps for itself and offers as Battery1.
  func isStandIn(_ endpoint: Endpoint) -> Bool { endpoint == .battery && paths[endpoint] == nil }

  func properties(of endpoint: Endpoint, in tree: ObjectTree) -> CharacteristicProperties {
    if hasStandIn, isStandIn(endpoint) { return [.read, .notify] }
    return paths[endpoint].map { CharacteristicProperties(flags: tree.characteristic(at: $0).flags) } ?? []
  }
}

extension CharacteristicProperties {
  /// As BlueZ names them; it has others, which a sensor's declaration does not.
  fileprivate init(flags: [String]) {
    self = []
    let named: [(String, CharacteristicProperties)] = [
      (BlueZName.Flag.read, .read), (BlueZName.Flag.write, .write),
      (BlueZName.Flag.writeWithoutResponse, .writeWithoutResponse), (BlueZName.Flag.notify, .notify),
      (BlueZName.Flag.indicate, .indicate),
    ]
    for (name, property) in named where flags.contains(name) { insert(property) }
  }
}
