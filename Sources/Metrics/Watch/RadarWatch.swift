// Warnings about cars behind the rider. The road is clear only while a live radar keeps reporting
// that. A silent radar is lost, whatever its last report was.

import Time

struct RadarWatch: Sendable {
  enum Event: Equatable, Sendable {
    /// Another car approaches, or the level rose: 1 approaching, 2 approaching fast. Not repeated
    /// for a car that had this level a moment ago. `cars`: how many there are.
    case approach(level: Int, distance: Double?, speed: Double?, cars: Int)
    case close(level: Int, distance: Double, speed: Double?, cars: Int)
    case clear
    case lost
  }

  /// The road as reported by one packet: nearest distance, highest speed, highest level, and the
  /// targets.
  struct Road: Sendable {
    var isClear: Bool
    private(set) var level = 0
    private(set) var nearest: Double?
    private(set) var speed: Double?
    fileprivate var targets = InlineArray<8, RadarMemory.Target>(repeating: RadarMemory.Target())
    fileprivate(set) var count = 0

    init(isClear: Bool) { self.isClear = isClear }

    /// The nearest and the fastest may be two different cars.
    mutating func note(_ target: RadarMemory.Target, speed targetSpeed: Double?) {
      level = max(level, target.level)
      if let distance = target.distance { nearest = min(nearest ?? distance, distance) }
      if let fastest = targetSpeed { speed = max(speed ?? fastest, fastest) }
      if count < targets.count { targets[count] = target }
      count += 1
    }
  }

  private enum State: Equatable { case unknown, lost, clear, approached(level: Int) }

  private var state = State.unknown
  private var last: MonotonicTime?
  private var clearSince: MonotonicTime?
  private var isClose = false
  private var memory = RadarMemory()
  /// The highest number of cars in the last seconds, and when.
  private var most = 0
  private var mostSeen: MonotonicTime?

  /// A loss is reported within two seconds, whatever the session's own timeout is.
  static let timeout = 1.8
  /// Seconds, so that a target that flickers at the edge of the range does not clear the road again
  /// and again.
  private static let clearing = 1.0
  private static let countMemory = 4.0
  private static let closeDistance = 40.0
  private static let apartDistance = 55.0

  /// When the radar counts as lost if it stays silent.
  var deadline: MonotonicTime? {
    guard state != .unknown, state != .lost, let last else { return nil }
    return last + .milliseconds(Int(Self.timeout * 1000))
  }

  mutating func add(_ road: Road, at time: MonotonicTime) -> Event? {
    guard last.map({ time >= $0 }) ?? true else { return nil }
    let wasSilent = last.map { time.seconds(since: $0) > Self.timeout } ?? true
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

  /// Whether there is a new car, or one that has just risen above the known level.
  private mutating func hasNews(_ road: Road, above known: Int, at time: MonotonicTime) -> Bool {
    // Nothing is known about targets beyond the buffer. A repeated warning is better than a missing
    // one.
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

  /// Whether there are more cars than at any moment of the last seconds. Targets without ids can
  /// only be counted.
  private mutating func countRises(to count: Int, at time: MonotonicTime) -> Bool {
    let isOld = mostSeen.map { time.seconds(since: $0) > Self.countMemory } ?? true
    defer { if isOld || count >= most { (most, mostSeen) = (count, time) } }
    return isOld ? false : count > most
  }

  /// The session reported a loss, or the deadline passed.
  mutating func lose() -> Event? {
    guard state != .unknown, state != .lost else { return nil }
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
    // At least two reports that are a second apart, because one may be the last of a failing radar.
    guard time.seconds(since: since) >= Self.clearing else { return nil }
    (state, isClose) = (.clear, false)
    (most, mostSeen) = (0, nil)
    memory.removeAll()
    return .clear
  }
}
