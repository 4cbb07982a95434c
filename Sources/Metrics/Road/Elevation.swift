// The height of the bike, its ascent and descent, and the grade. A barometer is precise but drifts
// with the weather; a receiver is coarse but does not drift. With both, the barometer moves the
// height and the receiver corrects it slowly. Either works alone. Nothing jumps when one of them
// comes or goes.

public import Time

public struct Elevation: Sendable {
  /// The part that survives a restart. The height is measured again, because the bike may have been
  /// carried.
  public struct Saved: Equatable, Sendable {
    public var ascentM: Double
    public var descentM: Double

    public init(ascentM: Double, descentM: Double) {
      self.ascentM = ascentM
      self.descentM = descentM
    }
  }

  /// Changes below these do not count as ascent or descent, as on Strava: 2 m with a barometer, 10
  /// m without.
  private static let barometerThreshold = 2.0
  private static let receiverThreshold = 10.0
  private static let barometerStep = 5.0
  private static let receiverStep = 15.0
  /// A receiver's first heights are its worst, so for this many seconds they only set the start.
  private static let settling = 20.0
  /// Heights of roads, with a margin for weather in a barometer's height.
  private static let heights = -1_000.0...10_000
  /// Seconds over which the weather is followed: while riding, and while paused.
  private static let weatherMemory = 1_800.0
  private static let pausedMemory = 600.0
  /// The steepest grade accepted for a stretch without data.
  private static let steepest = 0.25
  /// Noise, in metres, of such a stretch.
  private static let noise = 5.0

  private var barometer = HeightTrack(HeightTrack.barometer)
  private var receiver = HeightTrack(HeightTrack.receiver)
  private var climb: Climb
  /// The ridden height, without changes during pauses.
  private var ridden = 0.0
  /// What would count if the pause turns out to have been ridden; nil while the bike is moving.
  private var pause: Pause?
  /// The previous pause, kept until it is known whether it was ridden.
  private var lastPause: Pause?
  private var slope = Grade()
  private var latest = MonotonicTime(nanoseconds: .min)
  /// The height from an arbitrary origin, moved by each measured step.
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

  /// Resets ascent and descent for the next ride.
  mutating func beginRide() {
    climb = Climb()
    lastPause = nil
    guard pause != nil else { return }
    pause?.ridden = ridden
    pause?.climb = climb
    pause?.begin = (ridden, climb)
  }

  public var ascentM: Double { climb.ascentM }
  public var descentM: Double { climb.descentM }
  /// Whether ascent and descent are known, even if they are 0, because some source gave heights.
  public var isKnown: Bool { hasMoved || climb.ascentM + climb.descentM > 0 }

  /// Height above mean sea level. Nil until a receiver reported one, because a pressure alone has
  /// no reference without the weather.
  public func elevationM(at now: MonotonicTime) -> Double? {
    guard hasSource(at: now), let offset = level.offset else { return nil }
    return relative + offset
  }

  /// Nil while it is unknown or the bike is too slow.
  public func gradePct(at now: MonotonicTime) -> Double? {
    guard hasSource(at: now) else { return nil }
    return slope.percent(step: step(at: now), at: now)
  }
}

// MARK: Measurements

extension Elevation {
  public mutating func add(pressurePa: Double, at now: MonotonicTime) {
    guard let height = Barometer.height(pascals: pressurePa) else { return }
    add(barometricM: height, at: now)
  }

  /// Adds a height that a sensor computed from the pressure itself.
  public mutating func add(barometricM height: Double, at now: MonotonicTime) {
    guard Self.heights.contains(height), now >= latest else { return }
    let wasFresh = barometer.isFresh(at: now)
    latest = now
    let step = barometer.add(height, at: now)
    // The barometer takes over from the receiver, whose points are too coarse and too far apart for
    // its slope.
    if !wasFresh || barometer.hasComeBack { slope.forget() }
    move(by: step ?? 0, threshold: Self.barometerThreshold)
  }

  /// Ignored if the fix is bad or has no altitude.
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
      let memory = pause == nil ? Self.weatherMemory : Self.pausedMemory
      let drift = level.follow(smooth - relative, at: now, memory: memory, isSettled: isSettled)
      // Weather is not a climb, so its effect on the height is taken back bit by bit.
      if hasMoved, drift != 0 { count(drift, threshold: Self.barometerThreshold) }
    } else if isSettled {
      if level.offset == nil || !hasMoved { level.set(smooth - relative - (step ?? 0)) }
      move(by: step ?? 0, threshold: Self.receiverThreshold)
      _ = level.follow(smooth - relative, at: now, memory: 60, isSettled: true)
    }
  }

  /// Adds the total distance of the ride, from the wheel or any other source.
  public mutating func add(distanceM: Double, at now: MonotonicTime) {
    guard distanceM.isFinite, hasMoved, hasSource(at: now) else { return }
    // While heights are rejected, a constant height says nothing about the road.
    guard !(barometer.isFresh(at: now) ? barometer.isWaiting : receiver.isWaiting) else { return }
    slope.add(distance: distanceM, height: ridden, step: step(at: now), at: now)
  }

  private mutating func move(by step: Double, threshold: Double) {
    relative += step
    hasMoved = true
    count(step, threshold: threshold)
  }

  private mutating func count(_ step: Double, threshold: Double) {
    guard var hidden = pause else {
      ridden += step
      return climb.add(ridden, threshold: threshold)
    }
    hidden.ridden += step
    hidden.climb.add(hidden.ridden, threshold: threshold)
    pause = hidden
  }

  private func hasSource(at now: MonotonicTime) -> Bool {
    barometer.isFresh(at: now) || receiver.isFresh(at: now)
  }

  private func step(at now: MonotonicTime) -> Double {
    barometer.isFresh(at: now) ? Self.barometerStep : Self.receiverStep
  }
}

// MARK: Pauses

extension Elevation {
  /// The changes in height during a pause.
  private struct Pause: Sendable {
    var ridden: Double
    var climb: Climb
    /// Both values when the pause began.
    var begin: (ridden: Double, climb: Climb)
    /// The values of the tracks when it began.
    var barometer: Double?
    var receiver: Double?
    /// The receiver's difference from the height when it began, if both were known.
    var gap: Double?
  }

  /// The ride is moving or paused. Changes in a pause affect neither ascent, descent nor grade.
  mutating func ride(_ isRidden: Bool, at now: MonotonicTime) {
    guard isRidden == (pause != nil) else { return }
    if isRidden { resume(at: now) } else { beginPause(at: now) }
  }

  private mutating func beginPause(at now: MonotonicTime) {
    // The part that the filters still hold back was ridden before the pause.
    let steps = (barometer.catchUp(at: now), receiver.catchUp(at: now))
    if hasMoved {
      let isFine = barometer.isFresh(at: now)
      move(by: isFine ? steps.0 : steps.1, threshold: isFine ? Self.barometerThreshold : Self.receiverThreshold)
    }
    lastPause = nil
    pause = Pause(
      ridden: ridden, climb: climb, begin: (ridden, climb), barometer: barometer.value, receiver: receiver.value,
      gap: gap(at: now))
  }

  private mutating func resume(at now: MonotonicTime) {
    guard var hidden = pause else { return }
    pause = nil
    // The current height is the new reference.
    let heights = (barometer.value ?? 0, receiver.value ?? 0)
    barometer.restart(at: now, after: hidden.barometer)
    receiver.restart(at: now, after: hidden.receiver)
    let steps = ((barometer.value ?? 0) - heights.0, (receiver.value ?? 0) - heights.1)
    let isFine = barometer.isFresh(at: now)
    let step = isFine ? steps.0 : steps.1
    relative += step
    hidden.ridden += step
    hidden.climb.add(hidden.ridden, threshold: isFine ? Self.barometerThreshold : Self.receiverThreshold)
    lastPause = hidden
    if let before = hidden.gap, let after = gap(at: now) { level.forgive(after - before) }
  }

  /// A manual pause begins or ends: nothing of it was ridden.
  mutating func interrupt(at now: MonotonicTime) {
    ride(false, at: now)
    guard pause != nil else { return }
    pause?.ridden = ridden
    pause?.climb = climb
    pause?.begin = (ridden, climb)
  }

  /// Part of this pause or the previous one was ridden after all: a silent speed source has
  /// reported that much distance.
  mutating func credit(wayM: Double) {
    guard let hidden = pause ?? lastPause, wayM > 0 else { return }
    lastPause = nil
    let most = Self.steepest * wayM + Self.noise
    let up = hidden.climb.ascentM - hidden.begin.climb.ascentM
    let down = hidden.climb.descentM - hidden.begin.climb.descentM
    let rise = hidden.ridden - hidden.begin.ridden
    guard up <= most, down <= most, abs(rise) <= most else { return }
    ridden += rise
    if pause == nil {
      climb.credit(up: up, down: down, rise: rise)
    } else {
      climb = hidden.climb
      pause?.begin = (ridden, climb)
    }
  }

  /// The receiver's difference from the published height; nil unless both are known.
  private func gap(at now: MonotonicTime) -> Double? {
    guard barometer.isFresh(at: now), receiver.isFresh(at: now), let offset = level.offset,
      let smooth = receiver.value
    else { return nil }
    return smooth - relative - offset
  }
}

/// The offset between the relative height and sea level.
private struct Level: Sendable {
  private(set) var offset: Double?
  /// Corrections up to this sum were caused by a pause and do not count.
  private var forgiven = 0.0
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

  mutating func forgive(_ change: Double) { forgiven += change }

  /// Moves towards the measured offset: first as the mean of all values, then with the given
  /// memory. Returns the settled part of the step, without what a pause caused.
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
    let uncounted = step > 0 ? min(step, max(0, forgiven)) : max(step, min(0, forgiven))
    forgiven -= uncounted
    return step - uncounted
  }
}
