// What a rider is warned of behind. A road is clear only while a living radar says so, again and again; a radar that says nothing is
// lost, and said to be, whatever it said last.

import SensorKit

struct RadarWatch: Sendable {
  enum Event: Equatable, Sendable {
    /// The level has risen: 1 something comes, 2 it comes fast. Not again of a car that had it a moment ago.
    case approach(level: Int, distance: Double?, speed: Double?)
    case close(level: Int, distance: Double, speed: Double?)
    case clear
    case lost
  }

  /// What a packet says of the road: the nearest, the fastest, the highest level, and whose they are.
  struct Road: Sendable {
    var isClear: Bool
    private(set) var level = 0
    private(set) var nearest: Double?
    private(set) var speed: Double?
    fileprivate var targets = InlineArray<8, RadarMemory.Target>(repeating: RadarMemory.Target())
    fileprivate var count = 0

    init(isClear: Bool) { self.isClear = isClear }

    /// What is nearest counts, and what is fastest; they may be two cars.
    mutating func note(_ target: RadarMemory.Target, speed targetSpeed: Double?) {
      level = max(level, target.level)
      if let distance = target.distance { nearest = min(nearest ?? distance, distance) }
      if let fastest = targetSpeed { speed = max(speed ?? fastest, fastest) }
      if count < targets.count { targets[count] = target }
      count += 1
    }
  }

  private enum State: Equatable { case unheard, lost, clear, approached(level: Int) }

  private var state = State.unheard
  private var last: MonotonicTime?
  private var clearSince: MonotonicTime?
  private var isClose = false
  private var memory = RadarMemory()

  /// Said within two seconds, whatever the session's own patience is.
  static let patience = 1.8
  /// A target that flickers at the edge of what the radar sees is not one clear road after the other.
  private static let clearing = 1.0
  private static let closeDistance = 40.0
  private static let apartDistance = 55.0

  /// When silence becomes a loss.
  var deadline: MonotonicTime? {
    guard state != .unheard, state != .lost, let last else { return nil }
    return last + .milliseconds(Int(Self.patience * 1000))
  }

  mutating func add(_ road: Road, at time: MonotonicTime) -> Event? {
    guard last.map({ time >= $0 }) ?? true else { return nil }
    let wasSilent = last.map { time.seconds(since: $0) > Self.patience } ?? true
    last = time
    if road.isClear { return seeClear(at: time, wasSilent: wasSilent) }
    clearSince = nil
    let known: Int
    if case .approached(let level) = state { known = level } else { known = 0 }
    let level = max(1, road.level)
    state = .approached(level: level)
    let isNews = hasNews(road, above: known, at: time)
    if let nearest = road.nearest, nearest <= Self.closeDistance, !isClose {
      isClose = true
      return .close(level: level, distance: nearest, speed: road.speed)
    }
    if let nearest = road.nearest, nearest >= Self.apartDistance { isClose = false }
    return isNews ? .approach(level: level, distance: road.nearest, speed: road.speed) : nil
  }

  /// Something has risen above the level that was known, and did not have that level a moment ago already.
  private mutating func hasNews(_ road: Road, above known: Int, at time: MonotonicTime) -> Bool {
    // Of what there is no room for nothing is known: better told twice than not.
    var isNews = known == 0 || road.count > road.targets.count && road.level > known
    for index in 0..<min(road.count, road.targets.count) {
      let target = road.targets[index]
      let hadLevel = memory.note(target, at: time)
      if target.level > known, !hadLevel { isNews = true }
    }
    return isNews
  }

  /// Its session says so, or nothing came until the deadline.
  mutating func lose() -> Event? {
    guard state != .unheard, state != .lost else { return nil }
    (state, clearSince, isClose) = (.lost, nil, false)
    memory.removeAll()
    return .lost
  }

  mutating func advance(to time: MonotonicTime) -> Event? {
    guard let deadline, time >= deadline else { return nil }
    return lose()
  }

  private mutating func seeClear(at time: MonotonicTime, wasSilent: Bool) -> Event? {
    guard state != .clear else { return nil }
    if wasSilent { clearSince = nil }
    let since = clearSince ?? time
    clearSince = since
    // Two words of it at least, a second apart: one may be the last of a radar that dies.
    guard time.seconds(since: since) >= Self.clearing else { return nil }
    (state, isClose) = (.clear, false)
    memory.removeAll()
    return .clear
  }
}
