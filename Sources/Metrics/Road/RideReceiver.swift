// The satellite receiver of the ride: a source of speed if no wheel sends any, and the witness when
// a wheel sensor has stopped counting.

import Time

struct RideReceiver: Sendable {
  typealias Source = RideMetrics.Source

  /// As a source of speed.
  private(set) var source: Source?
  private var firstFix: MonotonicTime?
  private var stuck = StuckWheel()
  /// When the pedals last turned.
  private var pedalled: MonotonicTime?

  /// Every wheel sensor has a higher priority.
  static let sensor = RideSensor(id: "gps", priority: -1000)
  /// After standing for this many seconds, the receiver may report seldom; it still notices a start
  /// soon enough.
  private static let timeout = 180.0
  /// Seconds for which the last pedalling counts as current.
  private static let pedalling = 3.0

  mutating func register(as source: Source) { self.source = source }

  mutating func forget(_ source: Source) { stuck.forget(source) }

  mutating func add(_ fix: Fix) {
    if firstFix == nil, fix.mode > .none { firstFix = fix.time }
  }

  mutating func addPedalling(at time: MonotonicTime) { pedalled = time }

  /// Whether it should report often, as far as the speed needs it. `source`: the live one.
  func isNeeded(beside source: Source?, lastMoved: MonotonicTime?, at time: MonotonicTime) -> Bool {
    if let source, source != self.source { return false }
    guard let firstFix else { return true }
    return time.seconds(since: max(firstFix, lastMoved ?? firstFix)) < Self.timeout
  }

  // MARK: A wheel that is stuck

  /// The wheel sensor to ignore: it reports 0 or a single revolution while the receiver sees the
  /// bike move.
  var stuckWheel: Source? { stuck.source }

  /// Handles a fix that is not bad. Returns what a wheel that is now stuck did not count.
  mutating func findStuckWheel(_ fix: Fix, movingTime: Double) -> Odometer.Silence? {
    let isPedalling = pedalled.map { fix.time.seconds(since: $0) <= Self.pedalling } ?? false
    guard case .stuck(let silence) = stuck.add(fix, isPedalling: isPedalling, movingTime: movingTime) else {
      return nil
    }
    return silence
  }

  /// Handles a speed of a wheel sensor. Returns whether it is no longer stuck.
  mutating func isFreed(_ source: Source, turningAt speed: Double, isBelieved: Bool, at time: MonotonicTime) -> Bool {
    stuck.add(speed, from: source, isBelieved: isBelieved, at: time) == .turnsAgain
  }
}
