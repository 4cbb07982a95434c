// The sensors of the scenes, with their services and characteristics.

import Radio
import Vocabulary

extension Endpoint {
  static let heartRate = Endpoint(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a37))
  static let bodyLocation = Endpoint(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a38))
  static let wheel = Endpoint(service: BluetoothUUID(0x1816), characteristic: BluetoothUUID(0x2a5b))
  static let power = Endpoint(service: BluetoothUUID(0x1818), characteristic: BluetoothUUID(0x2a63))
  static let radar = Endpoint(service: radarService, characteristic: radarTargets)
  fileprivate static let charge = Endpoint(service: BluetoothUUID(0x180f), characteristic: BluetoothUUID(0x2a19))
  fileprivate static let maker = Endpoint(service: BluetoothUUID(0x180a), characteristic: BluetoothUUID(0x2a29))
  fileprivate static let model = Endpoint(service: BluetoothUUID(0x180a), characteristic: BluetoothUUID(0x2a24))
  private static let radarService = BluetoothUUID(maker: "6a4e3200-667b-11e3-949a-0800200c9a66")
  private static let radarTargets = BluetoothUUID(maker: "6a4e3203-667b-11e3-949a-0800200c9a66")
}

extension SceneDevice {
  mutating func allow(_ allowed: CharacteristicProperties, with endpoint: Endpoint) {
    properties[endpoint, default: []].formUnion(allowed)
  }

  static func strap(_ id: String, _ address: String, _ name: String) -> SceneDevice? {
    SceneDevice(id, address, name, [.heartRate, .bodyLocation, .heartRateControl])
  }

  /// Every sensor also has a charge, a manufacturer and a model. Nil if the address is invalid.
  init?(_ id: String, _ address: String, _ name: String, _ own: [Endpoint]) {
    guard let address = DeviceAddress(address) else { return nil }
    let endpoints = own + [.charge, .maker, .model]
    self.init(
      address: address, name: name,
      services: endpoints.map(\.service).reduce(into: []) { if !$0.contains($1) { $0.append($1) } },
      endpoints: endpoints)
    self.id = id
    for endpoint in endpoints { allow(endpoint.knownProperties, with: endpoint) }
  }

  /// A recorded value shows what the device allows.
  mutating func learn(from action: SceneEvent.Action) {
    switch action {
    case .holds(let endpoint, _): allow(.read, with: endpoint)
    case .notifies(let endpoint, _, let indicated): allow(indicated ? .indicate : .notify, with: endpoint)
    case .refuses, .accepts, .advertises, .reports: break
    }
  }
}

extension Endpoint {
  fileprivate var knownProperties: CharacteristicProperties {
    switch self {
    case .heartRate, .wheel, .power, .radar: .notify
    case .charge: [.read, .notify]
    case .wheelControl, .powerControl: [.write, .indicate]
    case .heartRateControl: .write
    default: .read
    }
  }
}

extension SceneEvent {
  /// Values that can be read as soon as the device exists.
  static func identity(of device: Int, charge: UInt8) -> [SceneEvent] {
    [(Endpoint.charge, [charge]), (.maker, Array("Cyclometer".utf8)), (.model, Array("Simulation".utf8))].map {
      SceneEvent(at: .zero, device: device, .holds($0, $1))
    }
  }
}
