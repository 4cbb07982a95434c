// A scripted systemd-logind, which signals on the bus when the computer goes to sleep and wakes up.

public import DBus
internal import EventLoop

public final class FakeLogind {
  private let bus: Bus
  public private(set) var isPreparing = false

  private static let service = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"
  private static let manager = "org.freedesktop.login1.Manager"

  /// `bus` must not be shared; it is started here.
  public init(_ bus: Bus) {
    self.bus = bus
    bus.handleCalls { [weak self] in self?.answer($0) ?? .unknown }
    bus.requestName(Self.service)
    bus.start()
  }

  public func prepareForSleep(_ isGoing: Bool) {
    isPreparing = isGoing
    let signal = BusMessage.signal(path: Self.path, interface: Self.manager, member: "PrepareForSleep")
    bus.send(signal.append(.bool(isGoing)))
  }

  /// Leaves the bus, as in a crash during sleep preparation.
  public func leave() {
    bus.releaseName(Self.service)
  }

  private func answer(_ call: BusMessage) -> CallAnswer {
    var reader = call.reader
    guard call.path == Self.path, call.member == "Get", reader.string() == Self.manager,
      reader.string() == "PreparingForSleep"
    else { return .unknown }
    return .reply(.reply(to: call).append(.variant(.bool(isPreparing))))
  }
}
