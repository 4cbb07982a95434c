// What the daemon needs from a radio: discovering sensors and linking to them. Implemented over
// BlueZ and by Simulation. A simulated ride thus uses the same sessions, plugins and sockets as a
// real one.
//
// All calls are made on the loop's thread. The delegate is never called from within a call that it
// made.

public import Vocabulary
public import Wire

public protocol SensorRadio: AnyObject {
  var delegate: (any RadioDelegate)? { get set }

  func start()

  /// Ends discovery, closes links and releases everything.
  func stop()

  /// Whether the radio can receive, and if not, why.
  var condition: RadioCondition { get }
  var adapters: [RadioAdapter] { get }
  /// The release of the Bluetooth daemon, if there is one.
  var bluezRelease: String? { get }

  /// Sets what discovery must receive; nil ends it.
  func search(_ demand: SearchDemand?)

  /// Sensors that are already connected and so do not advertise.
  func connectedSensors() -> [Advert]

  /// The advertised name of a discovered sensor.
  func name(of address: DeviceAddress) -> String?

  /// The id of a sensor that has one from the start, as simulated sensors do. Other ids are made
  /// from name and address.
  func id(of address: DeviceAddress) -> String?

  func link(to address: DeviceAddress) -> any Link

  /// Reads the RSSI of a link in dBm. `done` is called later, or not at all if it is unknown.
  /// Returns false if it cannot be read now.
  func readStrength(of address: DeviceAddress, _ done: @escaping (Int) -> Void) -> Bool

  /// Checks whether the bus still answers. `isAlive` gets the result within seconds.
  func prove(_ isAlive: @escaping (Bool) -> Void)

  /// Applies changed settings.
  func apply(_ settings: RadioSettings)

  /// Removes this computer's bond with a sensor, because the user wants a new one. Returns false if
  /// there is none.
  func forgetBond(with address: DeviceAddress) -> Bool
}

extension SensorRadio {
  /// A radio without real links has no RSSI.
  public func readStrength(of address: DeviceAddress, _ done: @escaping (Int) -> Void) -> Bool { true }

  public func forgetBond(with address: DeviceAddress) -> Bool { false }

  public func id(of address: DeviceAddress) -> String? { nil }

  public func prove(_ isAlive: @escaping (Bool) -> Void) { isAlive(true) }

  public func apply(_ settings: RadioSettings) {}
}

/// What an administrator configures about the radio.
public struct RadioSettings: Equatable, Sendable {
  /// Switch on an adapter that is off, once, at startup.
  public var powerOn = true
  /// Use only the adapter with this address.
  public var adapter: DeviceAddress?

  public init() {}
}

public protocol RadioDelegate: AnyObject {
  func radio(received advert: Advert)
  func radioChanged(_ adapter: RadioAdapter)
  /// An adapter was added or switched on by others, not only power-cycled by this radio.
  func radioGainedAdapter()
  func radioConditionChanged()
  /// An adapter hangs, and all unprivileged remedies have been tried.
  func radio(cannotRevive adapter: String)
  /// The controller keeps a link to a sensor that the kernel does not know. No unprivileged process
  /// can end it.
  func radio(keepsLostLinkTo address: DeviceAddress, detail: String)
  /// A bonding asks the user something. If no user is pairing, refuse it.
  func radio(asks question: PairingQuestion)
}

extension RadioDelegate {
  public func radio(keepsLostLinkTo address: DeviceAddress, detail: String) {}
}

public struct RadioAdapter: Equatable, Sendable {
  public var name: String
  public var address: String
  public var state: AdapterState
  public var links: LinkParameters?

  public init(name: String, address: String, state: AdapterState) {
    self.name = name
    self.address = address
    self.state = state
  }

  package var record: AdapterRecord { AdapterRecord(adapter: name, address: address, state: state, links: links) }
}

/// Whether sensors can be received. If not, it has the reason for their states, and a sentence that
/// says what to do.
public struct RadioCondition: Equatable, Sendable {
  public var obstacle: StateReason?
  public var message: String

  public init(obstacle: StateReason?, message: String) {
    self.obstacle = obstacle
    self.message = message
  }

  public static let ready = RadioCondition(obstacle: nil, message: "ready")
}

public struct SearchDemand: Equatable, Sendable {
  /// Also report repeated identical adverts, for paired sensors that only broadcast.
  public var repeats: Bool

  public init(repeats: Bool = false) {
    self.repeats = repeats
  }
}

/// A sensor that advertised or is connected.
public struct Advert: Sendable {
  public var address: DeviceAddress
  public var name: String?
  public var rssi: Int?
  public var services: [BluetoothUUID]
  public var manufacturerData: [ManufacturerData] = []
  public var serviceData: [ServiceData] = []
  public var isConnected = false

  public struct ManufacturerData: Sendable {
    public var company: UInt16
    public var value: [UInt8]

    public init(company: UInt16, value: [UInt8]) {
      self.company = company
      self.value = value
    }
  }

  public struct ServiceData: Sendable {
    public var service: BluetoothUUID
    public var value: [UInt8]

    public init(service: BluetoothUUID, value: [UInt8]) {
      self.service = service
      self.value = value
    }
  }

  public init(address: DeviceAddress, name: String?, rssi: Int?, services: [BluetoothUUID]) {
    self.address = address
    self.name = name
    self.rssi = rssi
    self.services = services
  }
}
