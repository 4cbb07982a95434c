// Decides whether the bike is moving, waiting or paused by hand, and counts the times. While no
// speed is known, turning pedals prove movement. If nothing is known, the last known state holds
// for some seconds.

import Time

struct RideClock: Sendable {
  struct Settings: Equatable, Sendable {
    /// Pause the ride when the bike stands. Otherwise only the rider pauses.
    var isAutomatic = true
    /// Below this the bike counts as standing.
    var pauseSpeed = 4 / 3.6
    /// Seconds after the last movement until the ride is paused.
    var pauseDelay = 3.0

    init() {}
  }

  enum Phase: Equatable, Sendable { case moving, waiting, paused }

  private var settings: Settings
  private(set) var phase = Phase.waiting
  /// The rider began the ride by hand, and no sensor that shows movement has sent anything since.
  /// Then a heart rate is enough to count as riding, and only the rider pauses.
  private(set) var isBegunByHand = false
  /// Time since the ride began, without pauses by hand.
  private(set) var rideTime: Double
  /// The part of it in which the bike moved.
  private(set) var movingTime: Double
  private var last: MonotonicTime?
  private(set) var movingSince: MonotonicTime?
  /// When it was last seen to move; with a wheel sensor, the last revolution.
  private(set) var movedAt: MonotonicTime?
  /// When the rider paused the ride.
  private var pausedAt: MonotonicTime?
  /// The last known speed was below the threshold.
  private var isSlow = false

  /// Starting again requires this much more than the threshold, so that the ride does not flap.
  private static let hysteresis = 1 / 3.6
  /// With pedals as the only sensor, standing pedals may mean coasting for this long.
  private static let longestCoasting = 60.0
  /// A longer step means a lost source or a suspended computer.
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

  mutating func apply(_ settings: Settings) { self.settings = settings }

  /// The next ride begins. A pause by hand goes on.
  mutating func beginRide() {
    let (isPaused, since) = (phase == .paused, pausedAt)
    self = RideClock(settings)
    if isPaused { (phase, pausedAt) = (.paused, since) }
  }

  mutating func pause(at time: MonotonicTime) { (phase, pausedAt) = (.paused, time) }

  /// When the current pause began: by hand, or at the last movement.
  var pausedSince: MonotonicTime? {
    switch phase {
    case .moving: nil
    case .waiting: movedAt
    case .paused: pausedAt
    }
  }

  mutating func beginByHand() { isBegunByHand = true }

  /// A sensor that shows movement has sent data, so it decides from now on.
  mutating func endByHand() { isBegunByHand = false }

  /// Counts as movement only after the ride was begun by hand.
  mutating func addHeartRate() {
    if isBegunByHand, phase == .waiting { phase = .moving }
  }

  mutating func resume() {
    guard phase == .paused else { return }
    phase = .waiting
  }

  /// A speed of the chosen source. `hasMoved` is false if the wheel has not turned since, so that
  /// the speed is only an upper bound.
  mutating func add(speed: Double, hasMoved: Bool, at time: MonotonicTime) {
    endByHand()
    guard speed.isFinite, phase != .paused else { return }
    isSlow = speed < settings.pauseSpeed
    if hasMoved, !isSlow { movedAt = time }
    switch phase {
    case .waiting where hasMoved && speed >= settings.pauseSpeed + Self.hysteresis:
      (phase, movingSince) = (.moving, time)
    case .moving where isSlow && settings.isAutomatic && isOverdue(at: time): phase = .waiting
    case .waiting, .moving, .paused: break
    }
  }

  /// Pedals turn, or a wheel of unknown size, while there is no speed: on rollers, or with only a
  /// power meter.
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

  /// What is known at the moment: the speed, or only whether the pedals turn. `onlyPedals`: this
  /// ride has had no speed at all, as on rollers, where standing pedals mean a stop. Otherwise they
  /// may mean a descent with the wheel sensor out of reach.
  enum Knowledge: Sendable { case none, onlyPedals, pedals, speed }

  /// Adds the time up to now.
  mutating func advance(to time: MonotonicTime, _ known: Knowledge) {
    defer { last = max(time, last ?? time) }
    guard let last, time > last else { return }
    let step = time.seconds(since: last)
    if phase != .paused { rideTime += step }
    if known != .none { endByHand() }
    guard phase == .moving else { return }
    // There is no evidence for either stopping or moving.
    let stood = movedAt.map { last.seconds(since: $0) } ?? .greatestFiniteMagnitude
    let left = isBegunByHand || !settings.isAutomatic ? .infinity : timeout(known) - stood
    if left <= step { phase = .waiting }
    movingTime += max(0, min(step, left, Self.longestStep))
  }

  /// How long the last state holds after the last movement.
  private func timeout(_ known: Knowledge) -> Double {
    switch known {
    case .none, .onlyPedals: settings.pauseDelay
    case .pedals: Self.longestCoasting
    case .speed: isSlow ? settings.pauseDelay : .infinity
    }
  }

  /// Adds moving time from a stretch without data. Returns how much of it fits into the ride time.
  mutating func credit(moving seconds: Double) -> Double {
    let credited = max(0, min(seconds, rideTime - movingTime))
    movingTime += credited
    return credited
  }
}

extension RideClock.Settings {
  init(_ settings: RideSettings) {
    isAutomatic = settings.autoPause
    (pauseSpeed, pauseDelay) = (settings.autoPauseSpeedMps, settings.autoPauseDelayS)
  }
}
