// Whether the computer is about to sleep, as systemd-logind says it on the system bus; where there is no logind, it never is.
//
// Nobody is delayed for it: what is said before the computer sleeps gets out or does not.

internal import DBus
internal import EventLoop

final class SleepWatch {
  private(set) var isAsleep = false
  /// Told when that has changed, from the loop.
  var changed: () -> Void = {}

  private let bus: Bus
  private let loop: EventLoop
  private var match: Match?
  private var service: NameWatch?
  private var limit: Deadline?

  private static let logind = "org.freedesktop.login1"
  /// The boot clock counts the time asleep too: so long after the announcement the computer has slept and is awake, or never
  /// slept, and the end of it was missed.
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
      if let isGoing = reader.bool() { self?.enter(isGoing) }
    }
    // One that died in the middle of it says the end no more, nor does one that the bus has lost.
    service = bus.watchName(Self.logind) { [weak self] _ in self?.enter(false) }
  }

  func stop() {
    limit?.cancel()
    match?.cancel()
    service?.cancel()
    (match, service, isAsleep) = (nil, nil, false)
  }

  private func enter(_ isGoing: Bool) {
    guard isGoing != isAsleep else { return }
    isAsleep = isGoing
    limit?.cancel()
    if isGoing { limit = loop.schedule(after: Self.longest) { [weak self] in self?.enter(false) } }
    changed()
  }
}
