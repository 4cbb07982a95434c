// Measures the circumference of a wheel from its revolutions and the distance found by the
// receiver.
//
// - Only good stretches are used (WheelStretch), and the last ones are evaluated together
//   (WheelBank).
// - The user's setting or the earlier size stays until the stretches contradict it beyond their own
//   error.
// - The size in use then slides by at most 0.1 % per stretch. If it has to jump, there is an event.
// - A difference of more than 5 % is a fault and not another size: it is reported, and nothing
//   changes.

public import Time

public struct WheelSize: Sendable {
  /// The part that survives a restart.
  public struct Saved: Equatable, Sendable {
    /// The user's setting at that time.
    public var saidM: Double?
    public var circumferenceM: Double?
    public var isMeasured: Bool
    /// The last stretches, oldest first.
    public var stretches: [Stretch]

    public struct Stretch: Equatable, Sendable {
      public var circumferenceM: Double
      /// 1 for a stretch on an open road.
      public var weight: Double
      /// The share of revolutions that the sensor missed.
      public var missedShare: Double

      public init(circumferenceM: Double, weight: Double, missedShare: Double) {
        self.circumferenceM = circumferenceM
        self.weight = weight
        self.missedShare = missedShare
      }
    }

    public init(saidM: Double?, circumferenceM: Double?, isMeasured: Bool, stretches: [Stretch]) {
      self.saidM = saidM
      self.circumferenceM = circumferenceM
      self.isMeasured = isMeasured
      self.stretches = stretches
    }
  }

  /// The size in use, in metres; nil if unknown.
  public private(set) var circumferenceM: Double?
  /// Whether the size in use was measured rather than set by the user.
  public private(set) var isMeasured = false

  private var said: Double?
  private var counter = WheelCounter()
  private var stretch: WheelStretch?
  private var stretchBreaks = 0
  private var bank = WheelBank()
  private var estimate: WheelBank.Estimate?
  private var faults = WheelFaults()
  private var rest = Rest()
  private var lastPoor: MonotonicTime?

  /// `circumferenceM`: the user's setting, if any.
  public init(circumferenceM: Double?) {
    self.said = circumferenceM.flatMap(Self.usable)
    self.circumferenceM = said
  }

  /// Continues with the saved size, unless the user's setting changed in the meantime.
  public init(saved: Saved, circumferenceM: Double?) {
    self.init(circumferenceM: circumferenceM)
    // The tire may have been pumped up since, so old stretches count half. A minimum remains even
    // after many restarts.
    bank = WheelBank(
      saved.stretches.filter { $0.missedShare.isFinite }.map {
        WheelBank.Entry(
          circumferenceM: $0.circumferenceM, weight: max($0.weight / 2, min($0.weight, Self.weightOfOld)),
          missedShare: $0.missedShare, turns: 0)
      })
    estimate = bank.estimate
    let known = saved.circumferenceM.flatMap(Self.usable)
    if let known, said == saved.saidM || said == nil && saved.isMeasured {
      (self.circumferenceM, isMeasured) = (known, saved.isMeasured)
    } else if said == nil {
      takeMeasured()
    } else {
      forgetOtherWheel()
    }
  }

  /// The least weight of an old stretch.
  private static let weightOfOld = 0.2

  public var saved: Saved {
    Saved(
      saidM: said, circumferenceM: circumferenceM, isMeasured: isMeasured,
      stretches: bank.oldestFirst.map {
        Saved.Stretch(circumferenceM: $0.circumferenceM, weight: $0.weight, missedShare: $0.missedShare)
      })
  }

  /// The user changed the setting, which now stands until the stretches contradict it. Without a
  /// setting, the measured size is used.
  public mutating func settingsChanged(circumferenceM: Double?) {
    said = circumferenceM.flatMap(Self.usable)
    guard said == nil else {
      (self.circumferenceM, isMeasured, faults) = (said, false, WheelFaults())
      return forgetOtherWheel()
    }
    if !isMeasured { takeMeasured() }
    // A fault was relative to a size, so without a size there is none.
    if self.circumferenceM == nil { faults = WheelFaults() }
  }

  /// Without a setting, the measured size is used once it is certain enough.
  private mutating func takeMeasured() {
    guard let estimate, hasSureEstimate else {
      circumferenceM = nil
      return
    }
    (circumferenceM, isMeasured) = (estimate.circumferenceM, true)
  }

  /// A difference of 3 % means that the stretches belong to another wheel.
  private mutating func forgetOtherWheel() {
    guard let said, let estimate, abs(said / estimate.circumferenceM - 1) > 0.03 else { return }
    (bank, self.estimate, rest) = (WheelBank(), nil, Rest())
  }

  private static func usable(_ circumferenceM: Double) -> Double? {
    WheelFaults.isPossible(circumferenceM) ? circumferenceM : nil
  }

  /// The measured size, even if it only confirms the user's setting.
  public struct Measurement: Equatable, Sendable {
    public let circumferenceM: Double
    /// The probability that it is right within 0.3 %.
    public let confidence: Double
    /// Whether the user's setting is within 0.5 % of it; nil without a setting.
    public let agrees: Bool?
  }

  /// Nil until the stretches are certain enough.
  public var measurement: Measurement? {
    guard isMeasured || hasSureEstimate, let size = isMeasured ? circumferenceM : estimate?.circumferenceM else {
      return nil
    }
    let isSure = (estimate?.count ?? 0) >= WheelBank.fewest
    return Measurement(
      circumferenceM: size, confidence: isSure ? estimate?.confidence(in: size) ?? 0 : 0,
      agrees: said.map { abs(size / $0 - 1) <= Self.longestQuiet })
  }

  private var hasSureEstimate: Bool {
    estimate.map { $0.count >= WheelBank.fewest && $0.error < Self.mostError } ?? false
  }

  /// The probability that the size in use is right within 0.3 %; nil until it can be compared.
  public var confidence: Double? {
    guard let circumferenceM, let estimate, estimate.count >= WheelBank.fewest else { return nil }
    return estimate.confidence(in: circumferenceM)
  }

  /// Whether the wheel is being measured and needs fixes at the full rate. Because tires lose air,
  /// a well-known size is checked again after some kilometres.
  public var wantsFixes: Bool { !rest.isResting(counter.turns.total) }

  /// Whether it turned in the last minute; otherwise it cannot be measured.
  public func isTurning(at time: MonotonicTime) -> Bool {
    counter.lastTurn.map { time.seconds(since: $0) <= 60 } ?? false
  }
}

// MARK: Measuring

extension WheelSize {
  /// Handles the sensor's count and its rate in revolutions per second. Without a rate, a few
  /// missed revolutions look like a larger wheel.
  public mutating func add(turns count: Double, rate: Double?, at time: MonotonicTime) {
    counter.add(count, rate: rate, at: time)
  }

  /// Handles a fix, and returns the event of the stretch that it ended, if any.
  public mutating func add(_ fix: Fix) -> WheelEvent? {
    if fix.quality != .good { lastPoor = fix.time }
    guard let turns = counter.turns(at: fix.time), counter.breaks == stretchBreaks else {
      stretchBreaks = counter.breaks
      return finish()
    }
    guard stretch?.extend(to: fix, turns) == true else {
      let event = finish()
      let isSettled = lastPoor.map { fix.time.seconds(since: $0) >= Self.settling } ?? true
      stretch = isSettled ? WheelStretch(fix, turns) : nil
      return event
    }
    guard stretch?.isLongest == true else { return nil }
    let next = stretch?.next(fix)
    let event = finish()
    stretch = next
    return event
  }

  /// Ends the stretch.
  private mutating func finish() -> WheelEvent? {
    defer { stretch = nil }
    guard let result = stretch?.result else { return nil }
    let missedShare = result.missed / result.turns
    let (isSound, event) = faults.judge(result.circumferenceM, missedShare: missedShare, current: circumferenceM)
    let weight = WheelBank.usualSpread * WheelBank.usualSpread / (result.error * result.error)
    guard isSound, weight > Self.leastWeight else { return event }
    bank.add(
      WheelBank.Entry(
        circumferenceM: result.circumferenceM, weight: weight, missedShare: missedShare, turns: counter.turns.total,
        quickening: result.quickening))
    estimate = bank.estimate
    // One event at a time; the change can wait for the next stretch.
    guard event == nil, let estimate, estimate.count >= WheelBank.fewest else { return event }
    let change = adopt(estimate)
    rest.note(
      isKnown: bank.hasMany && abs(estimate.slope) < Self.restfulSlope && (confidence ?? 0) >= 0.95,
      turns: counter.turns.total)
    return change
  }

  /// Moves the size towards the measured one, as far as that is certain.
  private mutating func adopt(_ estimate: WheelBank.Estimate) -> WheelEvent? {
    let measured = estimate.circumferenceM
    guard let current = circumferenceM else {
      guard estimate.error < Self.mostError else { return nil }
      (circumferenceM, isMeasured) = (measured, true)
      return .measured(circumferenceM: measured)
    }
    let difference = measured / current - 1
    // The user's setting stays while it may be right, and moves only by what is beyond doubt.
    isMeasured = isMeasured || abs(difference) > 3 * estimate.error
    let doubt = isMeasured ? 0 : Self.doubt * estimate.error
    guard abs(difference) > doubt, isMeasured && abs(difference) > Self.longestQuiet || estimate.error < Self.mostError
    else { return nil }
    if isMeasured, abs(difference) > Self.longestQuiet {
      circumferenceM = measured
      return .resized(fromM: current, toM: measured)
    }
    let slide = min(abs(difference) - doubt, Self.longestSlide)
    circumferenceM = current * (1 + (difference < 0 ? -slide : slide))
    return nil
  }

  /// Seconds that a receiver needs to settle after poor reception.
  private static let settling = 20.0
  private static let leastWeight = 0.15
  /// The relative loss per kilometre up to which a tire need not be measured for a kilometre.
  private static let restfulSlope = 0.0001
  /// The largest relative error of an estimate that may move the size in use.
  private static let mostError = 0.0025
  /// In standard errors, applied to the user's setting.
  private static let doubt = 0.25
  private static let longestSlide = 0.001
  /// A larger difference is not a slow change, so it causes an event.
  private static let longestQuiet = 0.005
}

/// Decides when the receiver may be slow: after the size is well known, for about a kilometre, and
/// again after each new check.
private struct Rest: Sendable {
  /// About 1 km.
  private static let turns = 480.0
  private static let stretches = 8

  private var until: Double?
  private var measured = 0

  func isResting(_ turns: Double) -> Bool { until.map { turns < $0 } ?? false }

  mutating func note(isKnown: Bool, turns: Double) {
    guard !isResting(turns) else { return }
    measured += 1
    guard measured >= Self.stretches, isKnown else { return }
    (until, measured) = (turns + Self.turns, 0)
  }
}
