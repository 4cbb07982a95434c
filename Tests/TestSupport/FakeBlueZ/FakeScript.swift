// How the fake behaves wherever BlueZ may behave in several ways. By default everything succeeds,
// in about the time of a real adapter. A test replaces the closures that it is about.

public import DBus

public struct FakeScript {
  /// The result of Device1.Connect. Attempts are counted per sensor, from 1.
  public var onConnect: (FakeSensor, Int) -> ConnectOutcome = { sensor, _ in
    // The kernel gives up after 20 s if a sensor does not respond.
    sensor.isInRange ? .succeed() : .fail(.connectionAborted, after: .seconds(20))
  }
  /// The result of a cancel that reaches the controller while it creates a link.
  public var onCancel: (FakeSensor) -> CancelOutcome = { _ in .cancelled }
  /// Whether controller events can be read, as through a raw HCI socket.
  public var showsControllers = true
  /// What happens to the services once the link is up.
  public var onResolve: (FakeSensor, Int) -> ResolveOutcome = { _, _ in .resolve() }
  /// An error instead of the normal result, for any method of any object.
  public var refuse: (BusMessage) -> BusError? = { _ in nil }
  /// Calls that are never answered.
  public var ignores: (BusMessage) -> Bool = { _ in false }
  /// The result of Device1.Pair before any agent is asked.
  public var onPair: (FakeSensor) -> BusError? = { _ in nil }
  /// Since BlueZ 5.78, AcquireNotify returns an error if the required bond fails; earlier versions
  /// send no reply.
  public var answersFailedAcquire = false
  /// If its own bonding was refused, BlueZ 5.87 does not answer StartNotify and drops the link
  /// after this time.
  public var hangsUpUnbonded: Duration?

  /// The version in the Modalias of adapters. Before 5.86, a link that ends while a notification is
  /// being acquired leaves it acquired, and stopping it then crashes bluetoothd.
  public var release = (major: 5, minor: 87)
  var crashesOnWhatEnded: Bool { release < (5, 86) }

  public var timing = FakeTiming()
  /// Since BlueZ 5.80, AcquireNotify accepts characteristics that can only indicate.
  public var acquiresIndications = false
  /// Since BlueZ 5.83, Device1 reports why a link ended.
  public var saysDisconnectReason = false
  /// bluetoothd's AutoEnable: adapters are switched on when it starts.
  public var autoEnable = true
  /// A plugin of bluetoothd claims the battery service: Battery1 replaces the service's objects.
  public var claimsBatteryService = true
  /// The value of `Discovering`, if it should be wrong.
  public var claimedDiscovering: Bool?
  /// Devices that are neither connected nor paired are removed this long after their last
  /// advertisement.
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
  /// The kernel waits for an advertisement for `after`; then the controller creates the link. Nil:
  /// in vain, until the kernel cancels after 4 s.
  case create(after: Duration, lasting: Duration?)
  case fail(BusError, after: Duration = .zero)
  /// Pending until any client calls Disconnect.
  case never
  /// The link is up for that long; then it is lost and the call fails.
  case flap(upFor: Duration, BusError)
  /// The object is removed while the call is pending, and there is no reply.
  case vanish(after: Duration)
}

public enum CancelOutcome: Sendable {
  case cancelled
  /// Command Disallowed, and the link comes up later as if there had been no cancel.
  case linked(after: Duration)
  /// Command Disallowed: controller and sensor have a link that the kernel does not know.
  case lost
  /// Command Disallowed, because the connect had failed at that moment.
  case failed
}

public enum ResolveOutcome: Sendable {
  case resolve(after: Duration? = nil)
  case never
  /// ServicesResolved is set first; the objects appear later.
  case early(objectsAfter: Duration)
  /// ServicesResolved goes true, false and true again, with this time in between.
  case flip(every: Duration)
}

/// The reason in Device1.Disconnected, since 5.83.
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

  /// org.bluez.Error.Failed is used for many errors, which differ in their text.
  public static func bluezFailed(_ text: String) -> BusError { BusError("org.bluez.Error.Failed", text) }
}
