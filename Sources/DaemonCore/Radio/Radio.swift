// What the daemon needs of a radio: to hear sensors and to hold links to them. Implemented over BlueZ, and by Simulation,
// so that a simulated ride goes through the same sessions, plugins and sockets as a real one.
//
// Everything is asked and answered on the loop's thread. A delegate is never called from within the call that asked.

public import SensorKit
public import Wire

public protocol Radio: AnyObject {
  var delegate: (any RadioDelegate)? { get set }

  func start()

  /// Ends discovery, closes links, leaves nothing behind.
  func stop()

  /// Whether anything can be heard at all, and if not, why.
  var condition: RadioCondition { get }
  var adapters: [RadioAdapter] { get }
  /// The release of the Bluetooth daemon, where there is one.
  var bluezRelease: String? { get }

  /// What discovery has to hear from now on; nil ends it.
  func search(_ demand: SearchDemand?)

  /// Sensors that are held connected already and so advertise no more.
  func connectedSensors() -> [Advert]

  /// What a sensor that was heard calls itself.
  func name(of address: DeviceAddress) -> String?

  /// The id of a sensor that has one from the start, as simulated sensors do. Any other sensor's id is made from its name and address.
  func id(of address: DeviceAddress) -> String?

  func link(to address: DeviceAddress) -> any Link

  /// How strongly a link is received, in dBm. Answered later, and not at all where nobody knows. False: not now.
  func readStrength(of address: DeviceAddress, _ done: @escaping (Int) -> Void) -> Bool

  /// Whether whatever it stands on still answers. It is told soon, and within seconds where nothing answers.
  func prove(_ isAlive: @escaping (Bool) -> Void)

  /// What of a changed configuration concerns it.
  func apply(_ configuration: Configuration)

  /// Forgets this computer's bond with a sensor, because its user wants a new one. False where there is none.
  func forgetBond(with address: DeviceAddress) -> Bool
}

extension Radio {
  /// A radio without links of its own has no strength to tell.
  public func readStrength(of address: DeviceAddress, _ done: @escaping (Int) -> Void) -> Bool { true }

  public func forgetBond(with address: DeviceAddress) -> Bool { false }

  public func id(of address: DeviceAddress) -> String? { nil }

  public func prove(_ isAlive: @escaping (Bool) -> Void) { isAlive(true) }

  public func apply(_ configuration: Configuration) {}
}

public protocol RadioDelegate: AnyObject {
  func radio(heard advert: Advert)
  func radioChanged(_ adapter: RadioAdapter)
  func radioConditionChanged()
  /// An adapter hangs, and whatever may be done without privilege was done.
  func radio(cannotRevive adapter: String)
  /// The controller keeps a link to a sensor that the kernel does not know: no unprivileged process can end it.
  func radio(keepsLostLinkTo address: DeviceAddress, detail: String)
  /// A bonding asks the user something; where no user can be asked it is to be refused.
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

  var record: AdapterRecord { AdapterRecord(adapter: name, address: address, state: state, links: links) }
}

/// Whether sensors can be heard; if not, the reason that states carry, and a sentence that says what to do.
public struct RadioCondition: Equatable, Sendable {
  public var obstacle: StateReason?
  public var message: String

  public init(obstacle: StateReason?, message: String) {
    self.obstacle = obstacle
    self.message = message
  }

  public static let ready = RadioCondition(obstacle: nil, message: "ready")
}

/// What discovery has to hear.
public struct SearchDemand: Equatable, Sendable {
  /// Also adverts that say the same again: where sensors are paired that only broadcast.
  public var repeats: Bool

  public init(repeats: Bool = false) {
    self.repeats = repeats
  }
}

/// A sensor heard, or held connected.
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
