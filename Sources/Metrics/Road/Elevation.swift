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
  /// In so many seconds the weather is followed, and while the bike stands.
  private static let weatherMemory = 1_800.0
  private static let pausedMemory = 600.0
  /// The steepest that is believed of a stretch that was not watched.
  private static let steepest = 0.25
  /// Of such a stretch, metres that are noise.
  private static let noise = 5.0

  private var barometer = HeightTrack(HeightTrack.barometer)
  private var receiver = HeightTrack(HeightTrack.receiver)
  private var climb: Climb
  /// The height as it was ridden: what moved it in a pause is not in it.
  private var ridden = 0.0
  /// What would count if the pause turned out to be ridden; nil while the bike is ridden.
  private var pause: Pause?
  /// The one before, until it is known whether it was ridden.
  private var lastPause: Pause?
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
    if !wasFresh || barometer.hasComeBack { slope.forget() }
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
      let memory = pause == nil ? Self.weatherMemory : Self.pausedMemory
      let drift = level.follow(smooth - relative, at: now, memory: memory, isSettled: isSettled)
      // The weather is no way up, and what it did to the height is taken back bit by bit.
      if hasMoved, drift != 0 { count(drift, threshold: Self.barometerThreshold) }
    } else if isSettled {
      if level.offset == nil || !hasMoved { level.set(smooth - relative - (step ?? 0)) }
      move(by: step ?? 0, threshold: Self.receiverThreshold)
      _ = level.follow(smooth - relative, at: now, memory: 60, isSettled: true)
    }
  }

  /// Takes how far the ride has gone, by the wheel or whatever tells it.
  public mutating func add(distanceM: Double, at now: MonotonicTime) {
    guard distanceM.isFinite, hasMoved, hasSource(at: now) else { return }
    // A height that stays because heights are rejected says nothing of the road.
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
  /// What the height does while the bike is not ridden.
  private struct Pause: Sendable {
    var ridden: Double
    var climb: Climb
    /// Both as they were when it began.
    var begin: (ridden: Double, climb: Climb)
    /// What the tracks told when it began.
    var barometer: Double?
    var receiver: Double?
    /// How far the receiver was from the height when it began, where both were known.
    var gap: Double?
  }

  /// The bike is ridden, or the ride is paused. Nothing of a pause moves ascent, descent or grade.
  mutating func ride(_ isRidden: Bool, at now: MonotonicTime) {
    guard isRidden == (pause != nil) else { return }
    if isRidden { resume(at: now) } else { beginPause(at: now) }
  }

  private mutating func beginPause(at now: MonotonicTime) {
    // What the filters have not told yet was ridden before it.
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
    // Where the bike is now is the reference.
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

  /// The rider paused the ride, or ends such a pause: nothing of it was ridden.
  mutating func interrupt(at now: MonotonicTime) {
    ride(false, at: now)
    guard pause != nil else { return }
    pause?.ridden = ridden
    pause?.climb = climb
    pause?.begin = (ridden, climb)
  }

  /// Some of the pause, or of the last one, was ridden after all: a source of the speed was silent, and has told so much of the way.
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

  /// How far the receiver is from the height that is told; nil where they are not both known.
  private func gap(at now: MonotonicTime) -> Double? {
    guard barometer.isFresh(at: now), receiver.isFresh(at: now), let offset = level.offset,
      let smooth = receiver.value
    else { return nil }
    return smooth - relative - offset
  }
}

/// What lies between the relative height and the sea.
private struct Level: Sendable {
  private(set) var offset: Double?
  /// Corrections of this sum are of what a pause did, and do not count.
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

  /// Moves towards what is measured: at first as the mean of all that came, then with the given memory. What it moved by
  /// once it was settled, less what a pause did.
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
