// One link to one sensor, from connecting to its loss. A link is used for one connection only; the next one is a new link, so
// that nothing late can be taken for something new.

public import SensorKit

public protocol Link: AnyObject {
  var delegate: (any LinkDelegate)? { get set }
  /// Somebody is there to answer questions: it may bond with a sensor that wants to.
  var mayBond: Bool { get set }

  /// What a cancel would meet now, while the link is coming up.
  var connectStage: ConnectStage { get }
  /// Its sensor watches the road: if the controller keeps a lost link to it, other links have to wait.
  var isUrgent: Bool { get set }

  /// Connects and waits for the services. Answered by `linkOpened` or `linkClosed`.
  func open()

  /// Disconnects, or gives up connecting. Answered by `linkClosed`, unless it was closed already.
  func close()

  /// Closed on this side only, where another program made the connection and uses it.
  func leave()

  func subscribe(_ endpoint: Endpoint, _ completion: @escaping (Result<Void, LinkFailure>) -> Void)
  func read(_ endpoint: Endpoint, _ completion: @escaping (Result<[UInt8], LinkFailure>) -> Void)
  func write(
    _ value: [UInt8], to endpoint: Endpoint, withResponse: Bool,
    _ completion: @escaping (Result<Void, LinkFailure>) -> Void)

  /// After something failed for the want of a bond: the link ends, and the next one bonds before it opens.
  func bond()

  /// The sensor is bonded with this computer; true still when the link has ended, if it was.
  var isBonded: Bool { get }
  /// It was bonded when it worked last: where the bond is gone from here, its user must be told.
  var shouldBeBonded: Bool { get set }

  /// Ends the link, and with it what the Bluetooth daemon remembers of the sensor's services. False where it remembers more
  /// than that, or for somebody else: then nothing was done.
  func closeAndForget() -> Bool

  /// Subscribes anew to what was subscribed to and never gave a value.
  func resubscribe(_ endpoint: Endpoint, _ completion: @escaping (Result<Void, LinkFailure>) -> Void)
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

  public func resubscribe(_ endpoint: Endpoint, _ completion: @escaping (Result<Void, LinkFailure>) -> Void) {
    subscribe(endpoint, completion)
  }
}

/// How far a connect is. A cancel that reaches the controller in the moment of success can leave a link that the kernel does not
/// know: the sensor believes that it is connected, and never advertises again.
public enum ConnectStage: Equatable, Sendable {
  /// The kernel waits for an advert: a cancel does no harm.
  case listening
  /// The controller creates the link: the sensor is there.
  case creating
  /// Treated like `creating`.
  case unknown
}

public protocol LinkDelegate: AnyObject {
  /// The sensor is connected; what it offers is still being found out.
  func linkIsUp(_ link: any Link)
  /// The sensor hid its address until it was bonded with: this is its own, by which it is known from now on.
  func link(_ link: any Link, revealed address: DeviceAddress)
  func link(_ link: any Link, openedWith endpoints: [Endpoint])
  func link(_ link: any Link, received value: Span<UInt8>, from endpoint: Endpoint, indicated: Bool)
  func link(_ link: any Link, closedWith failure: LinkFailure)
}

extension LinkDelegate {
  public func linkIsUp(_ link: any Link) {}
  public func link(_ link: any Link, revealed address: DeviceAddress) {}
}

/// A characteristic inside its service: the same characteristic can stand in several.
public struct Endpoint: Hashable, Sendable {
  public let service: BluetoothUUID
  public let characteristic: BluetoothUUID

  public init(service: BluetoothUUID, characteristic: BluetoothUUID) {
    self.service = service
    self.characteristic = characteristic
  }
}
