// Watches whether the computer is about to sleep, as systemd-logind reports on the system bus.
// Without logind it never is.
//
// It takes no inhibitor lock, so the computer may sleep before everything is published.

internal import DBus
internal import EventLoop
import Radio

final class SleepWatch {
  private(set) var isAsleep = false
  /// Called from the loop when `isAsleep` has changed.
  var changed: () -> Void = {}

  private let bus: Bus
  private let loop: EventLoop
  private var match: Match?
  private var service: NameWatch?
  private var limit: Deadline?

  private static let logind = "org.freedesktop.login1"
  /// The boot clock includes time asleep. This long after the announcement, the computer has slept
  /// and woken up, or never slept, and the end was missed.
  private static let longest = Duration.seconds(60)

  init(_ bus: Bus, loop: EventLoop) {
    self.bus = bus
    self.loop = loop
  }

  func start() {
    guard match == nil else { return }
    let rule = MatchRule(
      sender: Self.logind, interface: Self.logind + ".Manager", member: "PrepareForSleep",
      path: "/org/freedesktop/login1")
    match = bus.addMatch(rule) { [weak self] signal in
      var reader = signal.reader
      if let isGoing = reader.bool() { self?.setAsleep(isGoing) }
    }
    // If logind exits or loses the bus, it will not announce the end of the sleep.
    service = bus.watchName(Self.logind) { [weak self] _ in self?.setAsleep(false) }
  }

  func stop() {
    limit?.cancel()
    match?.cancel()
    service?.cancel()
    (match, service, isAsleep) = (nil, nil, false)
  }

  private func setAsleep(_ isGoing: Bool) {
    guard isGoing != isAsleep else { return }
    isAsleep = isGoing
    limit?.cancel()
    if isGoing { limit = loop.schedule(after: Self.longest) { [weak self] in self?.setAsleep(false) } }
    changed()
  }
}
