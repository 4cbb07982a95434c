// What the fake does where BlueZ could do one thing or another. Without a script everything goes well, in about the time it
// takes on a real adapter; a test replaces the closure of the point it is about.

public import DBus

public struct FakeScript {
  /// What comes of a call of Device1.Connect. The attempts are counted per sensor, from 1.
  public var onConnect: (FakeSensor, Int) -> ConnectOutcome = { sensor, _ in
    // The kernel gives up after 20 s when a sensor does not answer.
    sensor.isInRange ? .succeed() : .fail(.connectionAborted, after: .seconds(20))
  }
  /// What comes of a cancel that reaches the controller while it creates a link.
  public var onCancel: (FakeSensor) -> CancelOutcome = { _ in .cancelled }
  /// Whether what controllers say can be read, as through a raw HCI socket.
  public var showsControllers = true
  /// What happens to the services once the link is up.
  public var onResolve: (FakeSensor, Int) -> ResolveOutcome = { _, _ in .resolve() }
  /// An error in place of whatever the method would do. Any method of any object; the member says which.
  public var refuse: (Message) -> BusError? = { _ in nil }
  /// Calls that are never answered.
  public var ignores: (Message) -> Bool = { _ in false }
  /// What comes of Device1.Pair before anybody is asked.
  public var onPair: (FakeSensor) -> BusError? = { _ in nil }
  /// Since BlueZ 5.78, AcquireNotify says when the bond that it needs cannot be had; before it is silent.
  public var answersFailedAcquire = false
  /// BlueZ 5.87 does not answer StartNotify when its own bonding was refused, and ends the link so long afterwards.
  public var hangsUpUnbonded: Duration?

  /// What the Modalias of adapters says. Before 5.86, a link that ends while a notification is being acquired leaves it acquired, and
  /// whoever stops it then crashes bluetoothd.
  public var release = (major: 5, minor: 87)
  var crashesOnWhatEnded: Bool { release < (5, 86) }

  public var timing = FakeTiming()
  /// Since BlueZ 5.80, AcquireNotify takes characteristics that only indicate.
  public var acquiresIndications = false
  /// Since BlueZ 5.83, Device1 says why a link ended.
  public var saysDisconnectReason = false
  /// bluetoothd's AutoEnable: adapters are on when it starts.
  public var autoEnable = true
  /// A plugin of bluetoothd claims the battery service: Battery1 in place of the service's objects.
  public var claimsBatteryService = true
  /// What adapters say of `Discovering`, where that is a lie.
  public var claimedDiscovering: Bool?
  /// Devices that are neither connected nor paired leave the tree so long after they were last heard.
  public var temporaryTimeout: Duration = .seconds(30)

  public init() {}
}

public struct FakeTiming: Sendable {
  public var start: Duration = .milliseconds(100)
  public var power: Duration = .milliseconds(100)
  public var connect: Duration = .milliseconds(200)
  public var resolve: Duration = .milliseconds(300)
  public var disconnect: Duration = .milliseconds(50)
  public var subscribe: Duration = .milliseconds(30)
  public var readOrWrite: Duration = .milliseconds(30)
  public var pair: Duration = .milliseconds(500)
  public var advertInterval: Duration = .milliseconds(250)

  public init() {}
}

public enum ConnectOutcome: Sendable {
  case succeed(after: Duration? = nil)
  /// The kernel listens that long, then the controller creates the link. Nil: in vain, until the kernel cancels it after 4 s.
  case create(after: Duration, lasting: Duration?)
  case fail(BusError, after: Duration = .zero)
  /// Pending until Disconnect, whoever calls it.
  case never
  /// The link is up for that long; then it is gone, and the call fails.
  case flap(upFor: Duration, BusError)
  /// The object leaves the tree while the call is pending; nobody answers it.
  case vanish(after: Duration)
}

public enum CancelOutcome: Sendable {
  case cancelled
  /// Command Disallowed, and the link comes up that much later as if nobody had cancelled it.
  case linked(after: Duration)
  /// Command Disallowed: the controller and the sensor have a link, and the kernel does not know it.
  case lost
  /// Command Disallowed, because the connect had failed in that moment.
  case failed
}

public enum ResolveOutcome: Sendable {
  case resolve(after: Duration? = nil)
  case never
  /// ServicesResolved comes first and the objects that much later.
  case early(objectsAfter: Duration)
  /// True, false that much later, and true again after as long.
  case flip(every: Duration)
}

/// Why a link ended, as Device1.Disconnected says it from 5.83 on.
public enum LinkLoss: String, Sendable {
  case timeout = "org.bluez.Reason.Timeout"
  case local = "org.bluez.Reason.Local"
  case remote = "org.bluez.Reason.Remote"
  case authentication = "org.bluez.Reason.Authentication"
  case unknown = "org.bluez.Reason.Unknown"
}

extension BusError {
  public static let notReady = BusError("org.bluez.Error.NotReady", "Resource Not Ready")
  public static let inProgress = BusError("org.bluez.Error.InProgress", "Operation already in progress")
  public static let notConnected = BusError("org.bluez.Error.NotConnected", "Not Connected")
  public static let notPermitted = BusError("org.bluez.Error.NotPermitted", "Notify acquired")
  public static let notSupported = BusError("org.bluez.Error.NotSupported", "Operation is not supported")
  public static let doesNotExist = BusError("org.bluez.Error.DoesNotExist", "Does Not Exist")
  public static let blocked = BusError("org.bluez.Error.Blocked", "Blocked through rfkill")
  public static let connectionAborted = bluezFailed("le-connection-abort-by-local")
  public static let connectionCanceled = bluezFailed("br-connection-canceled")
  public static let notPaired = BusError("org.bluez.Error.NotPermitted", "Not paired")
  public static let authenticationCanceled = BusError(
    "org.bluez.Error.AuthenticationCanceled", "Authentication Canceled")
  public static let authenticationFailed = BusError("org.bluez.Error.AuthenticationFailed", "Authentication Failed")

  /// org.bluez.Error.Failed: the text tells them apart.
  public static func bluezFailed(_ text: String) -> BusError { BusError("org.bluez.Error.Failed", text) }
}
