// Whether the bike moves, is waiting at a light, or was paused by hand; and the times of that. A speed that is not known proves neither:
// then pedals that turn do, and where nothing is known the last that was known stands for some seconds and no longer.

import SensorKit

struct RideClock: Sendable {
  struct Settings: Equatable, Sendable {
    /// Below it the bike counts as standing.
    var pauseSpeed = 4 / 3.6
    /// Seconds after the last movement at which the ride is paused.
    var pauseDelay = 3.0

    init() {}
  }

  enum Phase: Equatable, Sendable { case moving, waiting, paused }

  var settings: Settings
  private(set) var phase = Phase.waiting
  /// The rider began the ride, and nothing that shows movement has spoken since. Then a heart rate is enough to ride, and only the
  /// rider pauses.
  private(set) var isBegunByHand = false
  /// Since the ride began, but what was paused by hand.
  private(set) var rideTime: Double
  /// Of that, what the bike moved.
  private(set) var movingTime: Double
  private var last: MonotonicTime?
  private(set) var movingSince: MonotonicTime?
  /// When it was last seen to move; with a wheel, at its last revolution.
  private(set) var movedAt: MonotonicTime?
  /// The last known speed is below the threshold.
  private var isSlow = false

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
    isBegunByHand = saved.isBegunByHand
  }

  var saved: SavedRide.Clock {
    var saved = SavedRide.Clock()
    (saved.rideTime, saved.movingTime, saved.isPausedByHand) = (rideTime, movingTime, phase == .paused)
    saved.isBegunByHand = isBegunByHand
    return saved
  }

  mutating func pause() { phase = .paused }

  mutating func beginByHand() { isBegunByHand = true }

  /// Something speaks that shows movement: from now on that decides.
  mutating func endByHand() { isBegunByHand = false }

  /// A heart rate is ridden with where nothing else can be known.
  mutating func addHeartRate() {
    if isBegunByHand, phase == .waiting { phase = .moving }
  }

  mutating func resume() {
    guard phase == .paused else { return }
    phase = .waiting
  }

  /// A speed of the source that is believed. `hasMoved`: it is more than the upper bound of a wheel that has not turned since.
  mutating func add(speed: Double, hasMoved: Bool, at time: MonotonicTime) {
    endByHand()
    guard speed.isFinite, phase != .paused else { return }
    isSlow = speed < settings.pauseSpeed
    if hasMoved, !isSlow { movedAt = time }
    switch phase {
    case .waiting where hasMoved && speed >= settings.pauseSpeed + Self.hysteresis:
      (phase, movingSince) = (.moving, time)
    case .moving where isSlow && isOverdue(at: time): phase = .waiting
    case .waiting, .moving, .paused: break
    }
  }

  /// Pedals that turn, or a wheel of unknown size, where nobody says how fast the bike is: on rollers, or with a power meter alone.
  mutating func addPedalling(at time: MonotonicTime) {
    endByHand()
    guard phase != .paused else { return }
    if phase != .moving { movingSince = time }
    movedAt = time
    isSlow = false
    phase = .moving
  }

  private func isOverdue(at time: MonotonicTime) -> Bool {
    movedAt.map { time.seconds(since: $0) >= settings.pauseDelay } ?? true
  }

  /// What is known of the bike at the moment: how fast it is, or only whether its pedals turn. `onlyPedals`: nothing has told a speed
  /// in this ride, as on rollers; pedals that stand are a stop there, and not a descent on which the wheel is out of reach.
  enum Knowledge: Sendable { case none, onlyPedals, pedals, speed }

  /// Counts the time up to now.
  mutating func advance(to time: MonotonicTime, _ known: Knowledge) {
    defer { last = max(time, last ?? time) }
    guard let last, time > last else { return }
    let step = time.seconds(since: last)
    if phase != .paused { rideTime += step }
    if known != .none { endByHand() }
    guard phase == .moving else { return }
    // Nothing says that it stopped, and nothing says that it goes on.
    let stood = movedAt.map { last.seconds(since: $0) } ?? .greatestFiniteMagnitude
    let left = isBegunByHand ? .infinity : patience(known) - stood
    if left <= step { phase = .waiting }
    movingTime += max(0, min(step, left, Self.longestStep))
  }

  private func patience(_ known: Knowledge) -> Double {
    switch known {
    case .none, .onlyPedals: settings.pauseDelay
    case .pedals: Self.longestCoasting
    case .speed: isSlow ? settings.pauseDelay : .infinity
    }
  }

  /// Time that nobody watched, and in which the bike moved; how much of that there is room for.
  mutating func credit(moving seconds: Double) -> Double {
    let credited = max(0, min(seconds, rideTime - movingTime))
    movingTime += credited
    return credited
  }
}
