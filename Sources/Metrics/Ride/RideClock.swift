// Whether the bike moves, is waiting at a light, or was paused by hand; and the times of that. A speed that is not known proves neither:
// then pedals that turn do, and where nothing is known the last that was known stands for some seconds and no longer.

import SensorKit

struct RideClock: Sendable {
  struct Settings: Equatable, Sendable {
    /// Below it the bike counts as standing.
    var pauseSpeed = 4 / 3.6
    /// For so long, before the ride is paused.
    var pauseDelay = 3.0

    init() {}
  }

  enum Phase: Equatable, Sendable { case moving, waiting, paused }

  var settings: Settings
  private(set) var phase = Phase.waiting
  /// Since the ride began, but what was paused by hand.
  private(set) var rideTime: Double
  /// Of that, what the bike moved.
  private(set) var movingTime: Double
  private var last: MonotonicTime?
  private var slowSince: MonotonicTime?
  private var movedAt: MonotonicTime?

  /// Faster than this by so much it has surely started again: a speed that swings about the threshold pauses nothing.
  private static let hysteresis = 1 / 3.6
  /// Who has no other sensor than pedals may coast for so long.
  private static let longestCoasting = 60.0
  /// A second of more is a source that went, or a computer that slept.
  private static let longestStep = 5.0

  init(_ settings: Settings = Settings(), saved: SavedRide.Clock = SavedRide.Clock()) {
    self.settings = settings
    rideTime = saved.rideTime
    movingTime = saved.movingTime
    phase = saved.isPausedByHand ? .paused : .waiting
  }

  var saved: SavedRide.Clock {
    var saved = SavedRide.Clock()
    (saved.rideTime, saved.movingTime, saved.isPausedByHand) = (rideTime, movingTime, phase == .paused)
    return saved
  }

  mutating func pause() { phase = .paused }

  mutating func resume() {
    guard phase == .paused else { return }
    (phase, slowSince) = (.waiting, nil)
  }

  /// A speed of the source that is believed.
  mutating func add(speed: Double, at time: MonotonicTime) {
    guard speed.isFinite, phase != .paused else { return }
    if speed >= settings.pauseSpeed { movedAt = time }
    switch phase {
    case .waiting where speed >= settings.pauseSpeed + Self.hysteresis: (phase, slowSince) = (.moving, nil)
    case .moving where speed < settings.pauseSpeed:
      let since = slowSince ?? time
      slowSince = since
      if time.seconds(since: since) >= settings.pauseDelay { phase = .waiting }
    case .moving: slowSince = nil
    case .waiting, .paused: break
    }
  }

  /// Pedals that turn, or a wheel of unknown size, where nobody says how fast the bike is: on rollers, or with a power meter alone.
  mutating func addPedalling(at time: MonotonicTime) {
    guard phase != .paused else { return }
    movedAt = time
    slowSince = nil
    phase = .moving
  }

  /// What is known of the bike at the moment: how fast it is, or only whether its pedals turn.
  enum Knowledge: Sendable { case none, pedals, speed }

  /// Counts the time up to now.
  mutating func advance(to time: MonotonicTime, _ known: Knowledge) {
    defer { last = max(time, last ?? time) }
    guard let last, time > last else { return }
    let step = time.seconds(since: last)
    if phase != .paused { rideTime += step }
    // Nothing says that it stopped, and nothing says that it goes on.
    if phase == .moving, movedAt.map({ time.seconds(since: $0) > patience(known) }) ?? true { phase = .waiting }
    if phase == .moving { movingTime += min(step, Self.longestStep) }
  }

  private func patience(_ known: Knowledge) -> Double {
    switch known {
    case .none: settings.pauseDelay
    case .pedals: Self.longestCoasting
    case .speed: .infinity
    }
  }

  /// Time that nobody watched, and in which the bike moved; how much of that there is room for.
  mutating func credit(moving seconds: Double) -> Double {
    let credited = max(0, min(seconds, rideTime - movingTime))
    movingTime += credited
    return credited
  }
}
