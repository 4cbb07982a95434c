// One link to one sensor, from connect to disconnect. Each connection uses a new link, so late
// callbacks cannot be mistaken for new ones.

public import Vocabulary

public protocol Link: AnyObject {
  var delegate: (any LinkDelegate)? { get set }
  /// A user is pairing and can answer questions, so the link may bond if the sensor requires it.
  var mayBond: Bool { get set }

  /// What a cancel would interrupt now, while the link is coming up.
  var connectStage: ConnectStage { get }
  /// The sensor is a radar. If the controller keeps a lost link to it, other links must give way.
  var isUrgent: Bool { get set }

  /// Connects and waits for the services. The delegate gets `openedWith` or `closedWith`.
  func open()

  /// Disconnects or cancels the connect. The delegate gets `closedWith`, unless the link was closed
  /// already.
  func close()

  /// Closes only this side if another program made the connection and uses it.
  func leave()

  func subscribe(_ endpoint: Endpoint, _ completion: @escaping (Result<Void, LinkFailure>) -> Void)
  func read(_ endpoint: Endpoint, _ completion: @escaping (Result<[UInt8], LinkFailure>) -> Void)
  func write(
    _ value: [UInt8], to endpoint: Endpoint, withResponse: Bool,
    _ completion: @escaping (Result<Void, LinkFailure>) -> Void)

  /// After something failed because a bond is missing: ends the link, and the next one bonds before
  /// it opens.
  func bond()

  /// The sensor is bonded with this computer. Stays true after the link has ended.
  var isBonded: Bool { get }
  /// The sensor was bonded when it last worked. If the bond is gone, the user must be told.
  var shouldBeBonded: Bool { get set }

  /// Ends the link, and makes the Bluetooth daemon forget the sensor's services. Returns false and
  /// does nothing if the Bluetooth daemon has other data about the sensor, or needs it for other
  /// programs.
  func closeAndForget() -> Bool

  /// Subscribes again to a characteristic that never sent a value.
  func resubscribe(_ endpoint: Endpoint, _ completion: @escaping (Result<Void, LinkFailure>) -> Void)

  /// What the sensor allows with a characteristic of an open link. Empty if it has none like it.
  func properties(of endpoint: Endpoint) -> CharacteristicProperties

  /// Called before `open`. However the link ends, the Bluetooth daemon then forgets the sensor and a
  /// bond that this link made, unless someone else uses the sensor.
  func leaveNoTrace()
}

extension Link {
  /// A radio without bonds has nothing to allow.
  public var mayBond: Bool {
    get { false }
    set {}
  }

  public var connectStage: ConnectStage { .listening }

  public var isUrgent: Bool {
    get { false }
    set {}
  }

  public func leave() { close() }

  public func bond() {}

  public var isBonded: Bool { false }

  public var shouldBeBonded: Bool {
    get { false }
    set {}
  }

  public func closeAndForget() -> Bool { false }

  /// A radio that stores nothing leaves nothing.
  public func leaveNoTrace() {}

  public func resubscribe(_ endpoint: Endpoint, _ completion: @escaping (Result<Void, LinkFailure>) -> Void) {
    subscribe(endpoint, completion)
  }
}

/// How far a connect is. If a cancel reaches the controller just as it succeeds, it can leave a
/// link that the kernel does not know. The sensor then believes that it is connected, and never
/// advertises again.
public enum ConnectStage: Equatable, Sendable {
  /// The kernel waits for an advert: a cancel is safe.
  case listening
  /// The controller is creating the link: the sensor is present.
  case creating
  /// Treated like `creating`.
  case unknown

  /// A connect is not cancelled while the controller creates its link. The kernel ends that after
  /// 4 s, so it is over this long after a cancel was wanted.
  public static let creationTime = Duration.seconds(5)
}

public protocol LinkDelegate: AnyObject {
  /// The sensor is connected; its services are still being resolved.
  func linkIsUp(_ link: any Link)
  /// The sensor has revealed its permanent address in a bonding, and is identified by it from now
  /// on.
  func link(_ link: any Link, revealed address: DeviceAddress)
  func link(_ link: any Link, openedWith endpoints: [Endpoint])
  func link(_ link: any Link, received value: Span<UInt8>, from endpoint: Endpoint, indicated: Bool)
  func link(_ link: any Link, closedWith failure: LinkFailure)
}

extension LinkDelegate {
  public func linkIsUp(_ link: any Link) {}
  public func link(_ link: any Link, revealed address: DeviceAddress) {}
}

/// A value to write to a characteristic.
public struct LinkWrite: Equatable, Sendable {
  public let value: [UInt8]
  public let endpoint: Endpoint
  public let withResponse: Bool

  public init(_ value: [UInt8], to endpoint: Endpoint, withResponse: Bool) {
    self.value = value
    self.endpoint = endpoint
    self.withResponse = withResponse
  }
}

/// A characteristic of a service. Several services can have the same characteristic.
public struct Endpoint: Hashable, Sendable {
  public let service: BluetoothUUID
  public let characteristic: BluetoothUUID

  public init(service: BluetoothUUID, characteristic: BluetoothUUID) {
    self.service = service
    self.characteristic = characteristic
  }
}
