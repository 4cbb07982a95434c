// What a simulated radio plays: devices, and the bytes they send in the course of time. A scene says nothing of samples: its
// bytes go through the same links, sessions and plugins as those of a real sensor.

public import DaemonCore
public import SensorKit

public protocol Scene {
  var devices: [SceneDevice] { get }
  /// How long the devices are there before the scene's time begins: for a recorded one, enough to be connected, so that
  /// nothing of it is missed.
  var leadIn: Duration { get }

  /// The next thing to happen, in the order of time; nil when the scene is over.
  mutating func next() -> SceneEvent?

  /// What a device does when a value was written to it: the response of a control point.
  mutating func actions(afterWriting value: [UInt8], to endpoint: Endpoint, of device: Int) -> [SceneEvent.Action]
}

extension Scene {
  public mutating func actions(
    afterWriting value: [UInt8], to endpoint: Endpoint, of device: Int
  ) -> [SceneEvent.Action] { [] }
}

public struct SceneDevice: Sendable {
  public let address: DeviceAddress
  public let name: String
  /// Set for the sensors of the built-in scenes: short, so that examples can be typed. Without it the daemon makes one from name and
  /// address, as for a real sensor.
  public var id: String?
  public let services: [BluetoothUUID]
  public var rssi = -60
  /// Already known to the user when the simulation begins.
  public var isPaired = true
  /// Requires a bond, which requires this passkey.
  public var passkey: Int?
  /// What the user has set.
  public var settings: [PlayedSensor.Setting] = []
  /// What it can be asked for.
  public var endpoints: [Endpoint]

  public init(address: DeviceAddress, name: String, services: [BluetoothUUID], endpoints: [Endpoint]) {
    self.address = address
    self.name = name
    self.services = services
    self.endpoints = endpoints
  }

  /// Whether it has anything to connect to.
  var isConnectable: Bool { !services.isEmpty || !endpoints.isEmpty }

  var advert: Advert {
    Advert(address: address, name: name, rssi: rssi, services: services)
  }
}

public struct SceneEvent: Sendable {
  /// Since the scene began.
  public let at: Duration
  /// Its place among the scene's devices; of no meaning for what none of them does.
  public let device: Int
  public let action: Action

  public enum Action: Sendable {
    /// The link breaks, and a new one is waited for in vain until `accepts`.
    case refuses
    case accepts
    case notifies(Endpoint, [UInt8], indicated: Bool)
    /// An advert that carries data.
    case advertises(manufacturer: Advert.ManufacturerData?, service: Advert.ServiceData?)
    /// The value that a read gives from now on.
    case holds(Endpoint, [UInt8])
    /// gpsd says so.
    case reports(String)
  }

  public init(at: Duration, device: Int, _ action: Action) {
    self.at = at
    self.device = device
    self.action = action
  }
  /// What no device does.
  init(at: Duration, report: String) {
    self.init(at: at, device: 0, .reports(report))
  }
}
