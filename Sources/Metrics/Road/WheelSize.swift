// The wheel measures itself: its circumference from its turns and the distance that a receiver finds meanwhile.
//
// - It is measured on good stretches only (WheelStretch), and the last of them are asked together (WheelBank).
// - What the user said, or what was known before, stands until the stretches contradict it beyond their own error.
// - The size in use then slides, by at most 0.1 % a stretch; where it must jump, there is an event.
// - A wheel that is more than 5 % off is no wheel of another size but a fault: it is told, and nothing is changed.

public import SensorKit

public struct WheelSize: Sendable {
  /// What survives a restart.
  public struct Saved: Equatable, Sendable {
    /// What the user had said.
    public var saidM: Double?
    public var circumferenceM: Double?
    public var isMeasured: Bool
    /// The last ones it was measured on, the oldest first.
    public var stretches: [Stretch]

    public struct Stretch: Equatable, Sendable {
      public var circumferenceM: Double
      /// 1 for one on an open road.
      public var weight: Double
      /// The part of the turns that the sensor did not see.
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

  /// The size in use, in metres; nil while nobody knows it.
  public private(set) var circumferenceM: Double?
  /// Whether the size in use was measured, or else is what the user said.
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

  /// `circumferenceM` is what the user said, if anything.
  public init(circumferenceM: Double?) {
    self.said = circumferenceM.flatMap(Self.usable)
    self.circumferenceM = said
  }

  /// Goes on from what was known, unless the user has said another size since.
  public init(saved: Saved, circumferenceM: Double?) {
    self.init(circumferenceM: circumferenceM)
    // The tire may have been pumped up since: what was measured then counts half, and after many starts still something.
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

  /// What is left of a stretch, however old.
  private static let weightOfOld = 0.2

  public var saved: Saved {
    Saved(
      saidM: said, circumferenceM: circumferenceM, isMeasured: isMeasured,
      stretches: bank.oldestFirst.map {
        Saved.Stretch(circumferenceM: $0.circumferenceM, weight: $0.weight, missedShare: $0.missedShare)
      })
  }

  /// The user says another size: it stands until the stretches contradict it. Who takes back what he said is left with what was
  /// measured.
  public mutating func settingsChanged(circumferenceM: Double?) {
    said = circumferenceM.flatMap(Self.usable)
    guard said == nil else {
      (self.circumferenceM, isMeasured, faults) = (said, false, WheelFaults())
      return forgetOtherWheel()
    }
    if !isMeasured { takeMeasured() }
    // What was wrong with a size is not with none.
    if self.circumferenceM == nil { faults = WheelFaults() }
  }

  /// Nobody says a size: it is what the stretches find, if they are sure of it.
  private mutating func takeMeasured() {
    guard let estimate, hasSureEstimate else {
      circumferenceM = nil
      return
    }
    (circumferenceM, isMeasured) = (estimate.circumferenceM, true)
  }

  /// What was measured on a wheel that is 3 % larger was measured on another one.
  private mutating func forgetOtherWheel() {
    guard let said, let estimate, abs(said / estimate.circumferenceM - 1) > 0.03 else { return }
    (bank, self.estimate, rest) = (WheelBank(), nil, Rest())
  }

  private static func usable(_ circumferenceM: Double) -> Double? {
    WheelFaults.isPossible(circumferenceM) ? circumferenceM : nil
  }

  /// What was measured, also if it confirms what the user said.
  public struct Measurement: Equatable, Sendable {
    public let circumferenceM: Double
    /// How probable it is that it is right within 0.3 %.
    public let confidence: Double
    /// Whether what the user said is within 0.5 % of it; nil if the user said nothing.
    public let agrees: Bool?
  }

  /// Nil until the stretches are sure of a size.
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

  /// How probable it is that the size in use is right within 0.3 %; nil while it was not measured against.
  public var confidence: Double? {
    guard let circumferenceM, let estimate, estimate.count >= WheelBank.fewest else { return nil }
    return estimate.confidence(in: circumferenceM)
  }

  /// Whether fixes at the full rate are of use to it: it is being measured. A size that is known well is looked at again after
  /// some kilometres, for tires lose air.
  public var wantsFixes: Bool { !rest.isResting(counter.turns.total) }

  /// Whether it has turned in the last minute: one that stands longer, or counts no turns at all, cannot be measured.
  public func isTurning(at time: MonotonicTime) -> Bool {
    counter.lastTurn.map { time.seconds(since: $0) <= 60 } ?? false
  }
}

// MARK: Measuring

extension WheelSize {
  /// Takes the count of turns as the sensor sends it, and how many turns a second it tells; without that, missed turns cannot
  /// be told from a larger wheel while they are few.
  public mutating func add(turns count: Double, rate: Double?, at time: MonotonicTime) {
    counter.add(count, rate: rate, at: time)
  }

  /// Takes a fix, and says what came of the stretch that ended with it.
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

  /// The stretch has ended.
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
    // One event at a time: what is to change can wait for the next stretch.
    guard event == nil, let estimate, estimate.count >= WheelBank.fewest else { return event }
    let change = adopt(estimate)
    rest.note(
      isKnown: bank.hasMany && abs(estimate.slope) < Self.restfulSlope && (confidence ?? 0) >= 0.95,
      turns: counter.turns.total)
    return change
  }

  /// Towards what was measured, as far as that is certain.
  private mutating func adopt(_ estimate: WheelBank.Estimate) -> WheelEvent? {
    let measured = estimate.circumferenceM
    guard let current = circumferenceM else {
      guard estimate.error < Self.mostError else { return nil }
      (circumferenceM, isMeasured) = (measured, true)
      return .measured(circumferenceM: measured)
    }
    let difference = measured / current - 1
    // What was said before stands where it may be right, and moves by what is beyond doubt.
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

  /// After a tunnel, a receiver takes so many seconds to be what it says.
  private static let settling = 20.0
  private static let leastWeight = 0.15
  /// What a tire may lose in a kilometre, as a part of its circumference, and be left alone for one.
  private static let restfulSlope = 0.0001
  /// Of an estimate that the size in use is moved by a little, as a part of it.
  private static let mostError = 0.0025
  /// Of what the user said, in standard errors.
  private static let doubt = 0.25
  private static let longestSlide = 0.001
  /// What is further off is no slow change: it is told.
  private static let longestQuiet = 0.005
}

/// When the receiver may be slow: once the size is known well, until the wheel has gone on for some kilometres, and again
/// when it was then looked at.
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
