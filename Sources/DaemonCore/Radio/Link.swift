// One link to one sensor, from connecting to its loss. A link is used for one connection only; the next one is a new link, so
// that nothing late can be taken for something new.

public import SensorKit
public import Wire

public protocol Link: AnyObject {
  var delegate: (any LinkDelegate)? { get set }
  /// Somebody is there to answer questions: it may bond with a sensor that wants to.
  var mayBond: Bool { get set }

  /// Connects and waits for the services. Answered by `linkOpened` or `linkClosed`.
  func open()

  /// Disconnects, or gives up connecting. Answered by `linkClosed`, unless it was closed already.
  func close()

  func subscribe(_ endpoint: Endpoint, _ completion: @escaping (Result<Void, LinkFailure>) -> Void)
  func read(_ endpoint: Endpoint, _ completion: @escaping (Result<[UInt8], LinkFailure>) -> Void)
  func write(
    _ value: [UInt8], to endpoint: Endpoint, withResponse: Bool,
    _ completion: @escaping (Result<Void, LinkFailure>) -> Void)

  /// After something failed for the want of a bond: the link ends, and the next one bonds before it opens.
  func bond()
}

extension Link {
  /// A radio without bonds has nothing to allow.
  public var mayBond: Bool {
    get { false }
    set {}
  }

  public func bond() {}
}

public protocol LinkDelegate: AnyObject {
  /// The sensor is connected; what it offers is still being found out.
  func linkIsUp(_ link: any Link)
  func link(_ link: any Link, openedWith endpoints: [Endpoint])
  func link(_ link: any Link, received value: Span<UInt8>, from endpoint: Endpoint, indicated: Bool)
  func link(_ link: any Link, closedWith failure: LinkFailure)
}

extension LinkDelegate {
  public func linkIsUp(_ link: any Link) {}
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

/// Why a link, or something asked of it, failed.
public struct LinkFailure: Error, Equatable, Sendable {
  public var reason: StateReason
  /// What the Bluetooth daemon said, for the log.
  public var detail: String
  /// No use trying again before the user has done something.
  public var needsUser: Bool
  /// The sensor says this only to those it is bonded with.
  public var needsBond: Bool

  public init(_ reason: StateReason, _ detail: String, needsUser: Bool = false, needsBond: Bool = false) {
    self.reason = reason
    self.detail = detail
    self.needsUser = needsUser
    self.needsBond = needsBond
  }
}
