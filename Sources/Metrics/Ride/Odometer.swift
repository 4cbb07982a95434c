// The distance ridden, from whichever source is chosen at the moment. When another source takes
// over, it also supplies the distance since the previous one's last packet. This way no metre is
// lost or counted twice.

public import Time

/// Computes the distance ridden from the packets of all its sources.
public struct Odometer: Sendable {
  /// The counts at one moment: of one source, of all together, and of time.
  public struct Mark: Equatable, Sendable {
    public var total = 0.0
    public var way = 0.0
    public var movingTime = 0.0
    public var time = 0.0
  }

  /// The count of one source over time, with enough history to look up its value at the previous
  /// source's last packet.
  private struct Counter: Sendable {
    let source: RideMetrics.Source
    var total = 0.0
    var times = InlineArray<64, Double>(repeating: 0)
    var totals = InlineArray<64, Double>(repeating: 0)
    var count = 0
    private(set) var lastWord: Double?
    /// The counts at its last packet.
    private var mark = Mark()
    /// The counts at its last packet before a silence in which it kept counting; set until the
    /// source is chosen.
    private(set) var unsettled: Mark?

    init(_ source: RideMetrics.Source) { self.source = source }

    mutating func add(_ distance: Double, at time: Double) {
      total += distance
      // One entry per second is fine enough to interpolate.
      if count > 1, time - times[(count - 2) & 63] < 1 { count -= 1 }
      times[count & 63] = time
      totals[count & 63] = total
      count += 1
    }

    mutating func speak(_ distance: Double, at time: Double, isCount: Bool) {
      if isCount, unsettled == nil, let lastWord, time - lastWord > Odometer.longestStep { unsettled = mark }
      add(distance, at: time)
      lastWord = time
    }

    mutating func note(way: Double, movingTime: Double, isBelieved: Bool) {
      mark = Mark(total: total, way: way, movingTime: movingTime, time: lastWord ?? 0)
      if isBelieved { unsettled = nil }
    }

    /// During an interruption its count is useless, because not all of it belongs to the ride.
    mutating func interrupt(at time: Double) {
      unsettled = nil
      if let last = lastWord, time - last > Odometer.longestStep { lastWord = nil }
    }

    /// Its count at that time, interpolated between packets. Before its first packet, the first
    /// known total.
    func total(at time: Double) -> Double {
      var later: Int?
      let (times, totals) = (times.span, totals.span)
      for back in 1...64 where back <= count {
        let index = (count - back) & 63
        if times[index] <= time {
          guard let later, times[later] > times[index] else { return totals[index] }
          let share = (time - times[index]) / (times[later] - times[index])
          return totals[index] + share * (totals[later] - totals[index])
        }
        later = index
      }
      return later.map { totals[$0] } ?? total
    }
  }

  private var counters: [Counter] = []
  /// The time of the chosen source's last packet.
  public private(set) var coveredUntil: Double?
  private var coveredBy: RideMetrics.Source?
  /// Metres since the odometer was created.
  public private(set) var distance = 0.0

  /// The longest time, in seconds, that a speed is extrapolated back.
  private static let longestStep = 6.0
  /// Seconds that a packet may be late.
  private static let lateness = 5.0

  /// How much the distance has grown.
  public struct Growth: Equatable, Sendable {
    /// Since the chosen source's last packet.
    public var recent = 0.0
    /// During a silence before that, counted only by the source that was silent.
    public var late = 0.0
    /// The whole of that silence, by the source that was silent.
    public var silence = Silence()
  }

  /// A time in which the distance was not counted: its metres and seconds, and the moving time at
  /// its beginning.
  public struct Silence: Equatable, Sendable {
    public var way = 0.0
    public var seconds = 0.0
    public var movingTime = 0.0
  }

  public init() {}

  /// Adds the distance since the source's last packet. For sources that do not count, it is
  /// computed from the speed.
  public mutating func add(
    _ delta: Double?, speed: Double? = nil, from source: RideMetrics.Source, isBelieved: Bool,
    movingTime: Double = 0, at time: MonotonicTime
  ) -> Growth {
    let now = time.seconds
    let index = counters.firstIndex { $0.source == source } ?? counters.count
    if index == counters.count {
      counters.append(Counter(source))
      // The first packet covers the time before it only if no other source did.
      counters[index].add(0, at: coveredUntil ?? now)
    }
    let silence = max(0, now - (counters[index].lastWord ?? now))
    let isPossible = delta.map { $0 >= 0 && $0 <= Self.furthest(in: silence) } ?? false
    let rolled = isPossible ? delta ?? 0 : (speed ?? 0) * min(silence, Self.longestStep)
    counters[index].speak(rolled, at: now, isCount: isPossible)
    var growth = Growth()
    if isBelieved {
      // Fast path: most packets come from the source that was chosen last.
      let goesOn = coveredBy == source && counters[index].unsettled == nil
      growth = goesOn ? Growth(recent: rolled) : growthSince(coveredUntil ?? now - 1, by: index, at: now)
      (coveredUntil, coveredBy) = (now, source)
    }
    distance += growth.recent + growth.late
    counters[index].note(way: distance, movingTime: movingTime, isBelieved: isBelieved)
    return growth
  }

  /// Adds a distance that no source counted.
  public mutating func join(_ way: Double) { distance += way }

  private func growthSince(_ begin: Double, by index: Int, at now: Double) -> Growth {
    let recent = counters[index].total - counters[index].total(at: begin)
    guard let before = counters[index].unsettled else { return Growth(recent: recent) }
    // The distance that other sources counted during its silence is subtracted from its own.
    let whole = counters[index].total - before.total
    let uncounted = whole - (distance - before.way)
    let isRecent = now - begin <= Self.longestStep
    return Growth(
      recent: isRecent ? recent : 0, late: max(0, uncounted - (isRecent ? recent : 0)),
      silence: Silence(way: whole, seconds: now - before.time, movingTime: before.movingTime))
  }

  /// No rider keeps up the top speed for minutes.
  private static func furthest(in silence: Double) -> Double {
    let burst = min(silence, longestStep)
    return Plausible.speed.upperBound * (burst + lateness) + Plausible.cruise * (silence - burst)
  }

  /// A new ride begins, or a manual pause begins or ends.
  public mutating func interrupt(at time: MonotonicTime) {
    for index in counters.indices { counters[index].interrupt(at: time.seconds) }
  }

  public mutating func forget(_ source: RideMetrics.Source) {
    counters.removeAll { $0.source == source }
    if coveredBy == source { coveredBy = nil }
  }
}
