// What a rider is warned of behind. A road is clear only while a living radar says so, again and again; a radar that says nothing is
// lost, and said to be, whatever it said last.

import SensorKit

struct RadarWatch: Sendable {
  enum Event: Equatable, Sendable {
    /// Another car comes, or the level has risen: 1 something comes, 2 it comes fast. Not again of a car that had it a moment ago. `cars`
    /// is how many are there.
    case approach(level: Int, distance: Double?, speed: Double?, cars: Int)
    case close(level: Int, distance: Double, speed: Double?, cars: Int)
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
    fileprivate(set) var count = 0

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
  /// Cars at once lately, and when that was.
  private var most = 0
  private var mostSeen: MonotonicTime?

  /// Said within two seconds, whatever the session's own patience is.
  static let patience = 1.8
  /// A target that flickers at the edge of what the radar sees is not one clear road after the other.
  private static let clearing = 1.0
  private static let countMemory = 4.0
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
      return .close(level: level, distance: nearest, speed: road.speed, cars: road.count)
    }
    if let nearest = road.nearest, nearest >= Self.apartDistance { isClose = false }
    return isNews ? .approach(level: level, distance: road.nearest, speed: road.speed, cars: road.count) : nil
  }

  /// A car that was not there a moment ago, or one above the level that was known that did not have that level then.
  private mutating func hasNews(_ road: Road, above known: Int, at time: MonotonicTime) -> Bool {
    // Of what there is no room for nothing is known: better told twice than not.
    var isNews = known == 0 || road.count > road.targets.count && road.level > known
    for index in 0..<min(road.count, road.targets.count) {
      let target = road.targets[index]
      switch memory.note(target, at: time) {
      case .newCar: isNews = true
      case .higherLevel, .unknown: if target.level > known { isNews = true }
      case .none: break
      }
    }
    return countRises(to: road.count, at: time) || isNews
  }

  /// More cars than at any moment of the last seconds: of targets without numbers, only their count is known.
  private mutating func countRises(to count: Int, at time: MonotonicTime) -> Bool {
    let isOld = mostSeen.map { time.seconds(since: $0) > Self.countMemory } ?? true
    defer { if isOld || count >= most { (most, mostSeen) = (count, time) } }
    return isOld ? false : count > most
  }

  /// Its session says so, or nothing came until the deadline.
  mutating func lose() -> Event? {
    guard state != .unheard, state != .lost else { return nil }
    (state, clearSince, isClose) = (.lost, nil, false)
    (most, mostSeen) = (0, nil)
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
    (most, mostSeen) = (0, nil)
    memory.removeAll()
    return .clear
  }
}
