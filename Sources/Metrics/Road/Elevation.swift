// How high the bike is, how much it has climbed and how steep it is. A barometer tells heights finely and drifts with the
// weather; a receiver tells them coarsely and does not drift. With both, the barometer moves the height and the receiver
// corrects it slowly; alone, each does what it can. Nothing jumps when one of them comes or goes.

public import SensorKit

public struct Elevation: Sendable {
  /// What survives a restart: what was climbed. Where the bike is it learns anew, for it may have been carried.
  public struct Saved: Equatable, Sendable {
    public var ascentM: Double
    public var descentM: Double

    public init(ascentM: Double, descentM: Double) {
      self.ascentM = ascentM
      self.descentM = descentM
    }
  }

  /// What is left out of ascent and descent, as Strava has it: 2 m with a barometer, 10 m without.
  private static let barometerThreshold = 2.0
  private static let receiverThreshold = 10.0
  private static let barometerStep = 5.0
  private static let receiverStep = 15.0
  /// A receiver's first heights are its worst: so many seconds of them only say where it begins.
  private static let settling = 20.0
  /// Of roads, with what the weather does to a barometer's.
  private static let heights = -1_000.0...10_000
  /// In so many seconds the weather is followed.
  private static let weatherMemory = 1_800.0

  private var barometer = SmoothHeight(memory: 3, longestGap: 60)
  private var receiver = SmoothHeight(memory: 15, longestGap: 60)
  private var climb: Climb
  private var slope = Grade()
  private var latest = MonotonicTime(nanoseconds: .min)
  /// The height as it was moved by what was measured, from any beginning.
  private var relative = 0.0
  private var hasMoved = false
  private var level = Level()

  public init() {
    climb = Climb()
  }

  public init(saved: Saved) {
    climb = Climb(
      ascentM: saved.ascentM.isFinite ? max(0, saved.ascentM) : 0,
      descentM: saved.descentM.isFinite ? max(0, saved.descentM) : 0)
  }

  /// Nothing was climbed of the next ride yet.
  mutating func beginRide() { climb = Climb() }

  public var ascentM: Double { climb.ascentM }
  public var descentM: Double { climb.descentM }
  /// What was climbed is known, be it nothing: somebody has said how high the bike is.
  public var isKnown: Bool { hasMoved || climb.ascentM + climb.descentM > 0 }

  /// Above the mean sea level; nil while no receiver has told it, for a pressure alone means a height only in known weather.
  public func elevationM(at now: MonotonicTime) -> Double? {
    guard hasSource(at: now), let offset = level.offset else { return nil }
    return relative + offset
  }

  /// Nil while it is not known, or the bike is too slow.
  public func gradePct(at now: MonotonicTime) -> Double? {
    guard hasSource(at: now) else { return nil }
    return slope.percent(step: step(at: now), at: now)
  }
}

// MARK: What is measured

extension Elevation {
  /// Takes the pressure of the air.
  public mutating func add(pressurePa: Double, at now: MonotonicTime) {
    guard let height = Barometer.height(pascals: pressurePa) else { return }
    add(barometricM: height, at: now)
  }

  /// Takes a height that a sensor has made of the pressure itself.
  public mutating func add(barometricM height: Double, at now: MonotonicTime) {
    guard Self.heights.contains(height), now >= latest else { return }
    let wasFresh = barometer.isFresh(at: now)
    latest = now
    let step = barometer.add(height, at: now)
    // It takes over from the receiver: the points of its slope are too far apart and too coarse.
    if !wasFresh { slope.forget() }
    move(by: step ?? 0, threshold: Self.barometerThreshold)
  }

  /// Takes a fix; of one without an altitude, or that is bad, nothing.
  public mutating func add(_ fix: Fix) {
    let now = fix.time
    guard fix.mode == .full, fix.quality > .bad, let altitude = fix.altitudeM, Self.heights.contains(altitude),
      now >= latest
    else { return }
    latest = now
    let step = receiver.add(altitude, at: now)
    guard let smooth = receiver.value else { return }
    if step == nil { level.receiverBegins(at: now) }
    let isSettled = level.secondsSinceBegin(now) >= Self.settling
    if barometer.isFresh(at: now) {
      let drift = level.follow(smooth - relative, at: now, memory: Self.weatherMemory, isSettled: isSettled)
      // The weather is no way up, and what it did to the height is taken back bit by bit.
      if hasMoved, drift != 0 { climb.add(relative + level.drifted, threshold: Self.barometerThreshold) }
    } else if isSettled {
      if level.offset == nil || !hasMoved { level.set(smooth - relative - (step ?? 0)) }
      move(by: step ?? 0, threshold: Self.receiverThreshold)
      level.follow(smooth - relative, at: now, memory: 60, isSettled: true)
    }
  }

  /// Takes how far the ride has gone, by the wheel or whatever tells it.
  public mutating func add(distanceM: Double, at now: MonotonicTime) {
    guard distanceM.isFinite, hasMoved, hasSource(at: now) else { return }
    slope.add(distance: distanceM, height: relative, step: step(at: now), at: now)
  }

  private mutating func move(by step: Double, threshold: Double) {
    relative += step
    hasMoved = true
    climb.add(relative + level.drifted, threshold: threshold)
  }

  private func hasSource(at now: MonotonicTime) -> Bool {
    barometer.isFresh(at: now) || receiver.isFresh(at: now)
  }

  private func step(at now: MonotonicTime) -> Double {
    barometer.isFresh(at: now) ? Self.barometerStep : Self.receiverStep
  }
}

/// What lies between the relative height and the sea.
private struct Level: Sendable {
  private(set) var offset: Double?
  /// By how much it has been corrected since it was first known.
  private(set) var drifted = 0.0
  private var begin: MonotonicTime?
  private var last: MonotonicTime?
  private var samples = 0.0

  mutating func receiverBegins(at now: MonotonicTime) {
    (begin, last, samples) = (now, nil, 0)
  }

  func secondsSinceBegin(_ now: MonotonicTime) -> Double {
    begin.map { now.seconds(since: $0) } ?? 0
  }

  mutating func set(_ value: Double) {
    offset = value
  }

  /// Moves towards what is measured: at first as the mean of all that came, then with the given memory. What it moved by
  /// once it was settled.
  @discardableResult
  mutating func follow(_ measured: Double, at now: MonotonicTime, memory: Double, isSettled: Bool) -> Double {
    defer { last = now }
    samples += 1
    guard let offset else {
      self.offset = measured
      return 0
    }
    let span = last.map { now.seconds(since: $0) } ?? 0
    guard isSettled else {
      self.offset = offset + (measured - offset) / samples
      return 0
    }
    let step = (measured - offset) * min(1, span / memory)
    self.offset = offset + step
    drifted += memory > 100 ? step : 0
    return step
  }
}
