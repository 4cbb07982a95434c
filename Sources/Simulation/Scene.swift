// The content of a simulated radio: devices, and the bytes they send over time. A scene contains no
// samples. Its bytes go through the same links, sessions and plugins as those of a real sensor.

public import Radio
public import Vocabulary

public protocol Scene {
  var devices: [SceneDevice] { get }
  /// How long the devices exist before the scene's time begins. A recorded scene needs time for
  /// connecting, so that nothing is missed.
  var leadIn: Duration { get }
  /// The folder of a daemon that shares the devices with others; nil if it has them alone.
  var folder: String? { get }

  /// The next event in order of time; nil when the scene is over.
  mutating func next() -> SceneEvent?

  /// The events caused by a written value, such as the response of a control point.
  mutating func actions(afterWriting value: [UInt8], to endpoint: Endpoint, of device: Int) -> [SceneEvent.Action]
}

extension Scene {
  public var folder: String? { nil }

  public mutating func actions(
    afterWriting value: [UInt8], to endpoint: Endpoint, of device: Int
  ) -> [SceneEvent.Action] { [] }
}

public struct SceneDevice: Sendable {
  public let address: DeviceAddress
  public let name: String
  /// Short ids for the built-in scenes, so that examples are easy to type. Otherwise the daemon
  /// derives one from name and address, as for a real sensor.
  public var id: String?
  public let services: [BluetoothUUID]
  public var rssi = -60
  /// Already paired when the simulation begins.
  public var isPaired = true
  /// Requires a bond with this passkey.
  public var passkey: Int?
  /// The user's settings.
  public var settings: [PlayedSensor.Setting] = []
  /// The characteristics it has.
  public var endpoints: [Endpoint]
  /// What it allows with each of them.
  var properties: [Endpoint: CharacteristicProperties] = [:]

  public init(address: DeviceAddress, name: String, services: [BluetoothUUID], endpoints: [Endpoint]) {
    self.address = address
    self.name = name
    self.services = services
    self.endpoints = endpoints
  }

  /// Whether it accepts connections.
  var isConnectable: Bool { !services.isEmpty || !endpoints.isEmpty }

  var advert: Advert {
    Advert(address: address, name: name, rssi: rssi, services: services)
  }
}

public struct SceneEvent: Sendable {
  /// Time since the scene began.
  public let at: Duration
  /// Its index among the scene's devices; unused for events without a device.
  public let device: Int
  public let action: Action

  public enum Action: Sendable {
    /// The link breaks, and connecting fails until `accepts`.
    case refuses
    case accepts
    case notifies(Endpoint, [UInt8], indicated: Bool)
    /// An advertisement with data.
    case advertises(manufacturer: Advert.ManufacturerData?, service: Advert.ServiceData?)
    /// The value of a read from now on.
    case holds(Endpoint, [UInt8])
    /// A report of gpsd.
    case reports(String)
  }

  public init(at: Duration, device: Int, _ action: Action) {
    self.at = at
    self.device = device
    self.action = action
  }
  /// An event without a device.
  init(at: Duration, report: String) {
    self.init(at: at, device: 0, .reports(report))
  }
}
