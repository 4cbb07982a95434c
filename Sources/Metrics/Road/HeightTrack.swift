// Smooths a noisy height with outliers. A median removes single outliers. Steps that no bicycle can
// climb are not part of the track: it waits until the old height is back, or restarts at the new
// one without a step.

internal import CMath
import Time

struct HeightTrack: Sendable {
  struct Traits: Sendable {
    /// Time constant of the first-order low-pass after the median, in seconds.
    var memory: Double
    /// The median covers the samples of this many seconds, and at least `fewest`.
    var window: Double
    var fewest: Int
    /// Seconds that a new height has to last before it is accepted.
    var confirmation: Double
    /// After a gap of this length, the first heights are ignored for `settling` seconds.
    var interruption: Double
    var settling: Double
    /// After a wrong height that lasted longer than `confirmation`, the change of the road in the
    /// meantime is added.
    var comesBack = false
  }

  /// A barometer's errors are single packets. A receiver's height can be wrong for seconds, and its
  /// first heights are the worst.
  static let barometer = Traits(
    memory: 2, window: 4.5, fewest: 5, confirmation: 10, interruption: 60, settling: 0, comesBack: true)
  static let receiver = Traits(
    memory: 11, window: 8.5, fewest: 3, confirmation: 20, interruption: 12, settling: 20)

  private(set) var value: Double?
  private let traits: Traits
  private var samples = InlineArray<9, (height: Double, time: MonotonicTime)>(
    repeating: (0, MonotonicTime(nanoseconds: 0)))
  private var count = 0
  /// The last median that a bicycle can have reached.
  private var accepted: (height: Double, time: MonotonicTime)?
  /// Recent rate in m/s. Where heights are rejected, the road is assumed to continue like this.
  private var rate = 0.0
  /// Mean difference between consecutive samples.
  private var scatter = 2.0
  /// The last sample, accepted or not.
  private var last: MonotonicTime?
  /// A height that no bicycle can have reached, and since when it has lasted.
  private var candidate: (height: Double, since: MonotonicTime)?
  /// Where the track was before it restarted at another height. If that height was wrong, the track
  /// comes back.
  private var departure: Departure?
  private var settlesUntil: MonotonicTime?

  private struct Departure: Sendable {
    var value: Double
    var accepted: (height: Double, time: MonotonicTime)
    var rate: Double
    /// How far the track has moved since then.
    var moved = 0.0
  }

  /// A track comes back within this many seconds, to its extrapolated height, give or take `detour`
  /// m/s.
  private static let longestDeparture = 60.0
  private static let detour = 0.2
  /// Faster samples are skipped: the median covers seconds, whatever the sensor's rate.
  private static let leastInterval = 0.7
  private static let fewest = 3
  /// Seconds after which a track begins from scratch.
  private static let longestGap = 60.0
  /// Noise after the median, in metres.
  private static let noise = 3.0
  /// The same as a multiple of the scatter. A sample changes the scatter by a share of at most
  /// `mostScatter` metres.
  private static let noiseOfScatter = 1.5
  private static let scatterShare = 1 / 30.0
  private static let mostScatter = 10.0
  private static let rateMemory = 10.0
  /// In m/s: a sprint up a 20 % ramp, and a descent of 15 % at 20 m/s.
  private static let fastestUp = 2.0
  private static let fastestDown = 3.0
  /// Seconds for which these can be kept up, and the rates after that: 2,900 m/h is more than any
  /// rider climbs.
  private static let burst = 5.0
  private static let steadyUp = 0.8
  private static let steadyDown = 2.5
  /// While samples do not fit, the true height may change by this much, in m/s.
  private static let unseen = 0.4

  init(_ traits: Traits) {
    self.traits = traits
  }

  func isFresh(at now: MonotonicTime) -> Bool {
    last.map { now.seconds(since: $0) <= Self.longestGap } ?? false
  }

  /// The latest heights were rejected, so the height stays as it is.
  var isWaiting: Bool { candidate != nil }
  /// The last sample ended an outlier; its step was not climbed at this place.
  private(set) var hasComeBack = false

  /// Returns how far the track moved; nil if it begins here.
  mutating func add(_ height: Double, at now: MonotonicTime) -> Double? {
    hasComeBack = false
    guard let last, now.seconds(since: last) <= Self.longestGap else { return begin(height, at: now) }
    let silence = now.seconds(since: last)
    guard silence >= Self.leastInterval else { return 0 }
    if silence > traits.interruption {
      count = 0
      candidate = nil
      settlesUntil = now + .milliseconds(Int(traits.settling * 1000))
    }
    push(height, at: now)
    defer { self.last = now }
    if let settlesUntil, now < settlesUntil { return 0 }
    settlesUntil = nil
    let median = median(of: traits.window, fewest: traits.fewest, at: now)
    guard let accepted, let value, count >= Self.fewest else { return start(at: median, now) }
    let expected = accepted.height + rate * last.seconds(since: accepted.time)
    guard fits(median, after: (expected, accepted.time), unseen: last, at: now) else {
      return wait(with: median, since: last, at: now)
    }
    candidate = nil
    let span = now.seconds(since: accepted.time)
    if span > 0 { rate += ((median - accepted.height) / span - rate) * min(1, span / Self.rateMemory) }
    self.accepted = (median, now)
    let step = (median - value) * (1 - exp(-span / traits.memory))
    self.value = value + step
    departure?.moved += step
    return step
  }

  /// Moves the track to the latest samples without the delay of the filters, because the bike stops
  /// or starts. Returns how far it moved.
  mutating func catchUp(at now: MonotonicTime) -> Double {
    guard let value, let accepted, candidate == nil, settlesUntil == nil, count >= Self.fewest else { return 0 }
    let latest = median(of: Self.latest, fewest: Self.fewest, at: now)
    guard abs(latest - accepted.height) <= Self.noise + Self.fastestDown * traits.window else { return 0 }
    self.value = latest
    departure?.moved += latest - value
    return latest - value
  }

  private static let latest = 4.0

  /// Restarts the track at the latest samples. If the bike was carried to another height than
  /// `before`, the samples so far are dropped, because some may be from the way there.
  mutating func restart(at now: MonotonicTime, after before: Double?) {
    // The first heights after a gap are not a reference.
    guard value != nil, count > 0, settlesUntil == nil else { return }
    let latest = median(of: Self.latest, fewest: Self.fewest, at: now)
    _ = start(at: latest, now)
    if let before, abs(latest - before) > Self.noise { count = 0 }
  }

  private mutating func begin(_ height: Double, at now: MonotonicTime) -> Double? {
    count = 0
    push(height, at: now)
    last = now
    settlesUntil = nil
    return start(at: height, now)
  }

  private mutating func start(at height: Double, _ now: MonotonicTime) -> Double? {
    (value, accepted, candidate, rate) = (height, (height, now), nil, 0)
    departure = nil
    return nil
  }

  private mutating func wait(with median: Double, since last: MonotonicTime, at now: MonotonicTime) -> Double? {
    if let step = comeBack(to: median, at: now) { return step }
    guard let candidate, fits(median, after: (candidate.height, last), unseen: last, at: now) else {
      candidate = (median, now)
      return 0
    }
    self.candidate?.height = median
    guard now.seconds(since: candidate.since) >= traits.confirmation else { return 0 }
    var left = departure
    if traits.comesBack, left == nil, let value, let accepted {
      left = Departure(value: value, accepted: accepted, rate: rate)
    }
    _ = start(at: median, now)
    departure = left
    return nil
  }

  /// The height at which the track restarted was a long outlier. The old height is back, and the
  /// change of the road in the meantime becomes part of the track.
  private mutating func comeBack(to median: Double, at now: MonotonicTime) -> Double? {
    guard let departure else { return nil }
    let seconds = now.seconds(since: departure.accepted.time)
    let expected = departure.accepted.height + departure.rate * seconds
    let noise = max(Self.noise, Self.noiseOfScatter * scatter)
    guard seconds <= Self.longestDeparture, abs(median - expected) <= noise + Self.detour * seconds else { return nil }
    _ = start(at: median, now)
    (rate, hasComeBack) = (departure.rate, true)
    return median - departure.value - departure.moved
  }

  /// Whether a bicycle can have gone from one height to the other.
  private func fits(
    _ height: Double, after before: (height: Double, time: MonotonicTime), unseen last: MonotonicTime,
    at now: MonotonicTime
  ) -> Bool {
    let silence = now.seconds(since: last)
    let (short, long) = (min(silence, Self.burst), max(0, silence - Self.burst))
    let isUp = height > before.height
    let possible =
      isUp ? short * Self.fastestUp + long * Self.steadyUp : short * Self.fastestDown + long * Self.steadyDown
    let noise = max(Self.noise, Self.noiseOfScatter * scatter)
    return abs(height - before.height) <= noise + possible + Self.unseen * last.seconds(since: before.time)
  }

  private mutating func push(_ height: Double, at now: MonotonicTime) {
    if count > 0 {
      let apart = min(abs(height - samples[count - 1].height), Self.mostScatter)
      scatter += (apart - scatter) * Self.scatterShare
    }
    if count == samples.count {
      for index in 1..<count { samples[index - 1] = samples[index] }
      count -= 1
    }
    samples[count] = (height, now)
    count += 1
  }

  private func median(of seconds: Double, fewest: Int, at now: MonotonicTime) -> Double {
    var sorted = InlineArray<9, Double>(repeating: 0)
    var size = 0
    for back in 1...max(1, count) where back <= count {
      let sample = samples[count - back]
      guard size < fewest || now.seconds(since: sample.time) <= seconds else { break }
      var place = size
      while place > 0, sorted[place - 1] > sample.height {
        sorted[place] = sorted[place - 1]
        place -= 1
      }
      sorted[place] = sample.height
      size += 1
    }
    guard size > 0 else { return value ?? 0 }
    return size % 2 == 1 ? sorted[size / 2] : (sorted[size / 2 - 1] + sorted[size / 2]) / 2
  }
}
