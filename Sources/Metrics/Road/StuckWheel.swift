// Detects a wheel sensor that reports 0 while the bike is moving, because its magnet or the sensor
// slipped. The receiver shows the movement. A carried bike (cable car, train) looks the same, so
// the way the wheel stopped, the pedals and the slope are considered too.

import Time

struct StuckWheel: Sendable {
  enum Change: Equatable, Sendable {
    /// What it has not counted since it stopped.
    case stuck(Odometer.Silence)
    case turnsAgain
  }

  /// The sensor that is ignored until its wheel turns.
  private(set) var source: SourceChooser.Source?
  /// The chosen sensor while it reports 0.
  private var standing: SourceChooser.Source?
  private var saidAt = MonotonicTime(nanoseconds: 0)
  private var evidence: Evidence?
  /// The receiver saw the bike stand after the wheel's last revolution.
  private var hasStood = true
  /// The bike rises or drops as no road does, so it is being carried until it stands.
  private var isCarried = false
  private var turningSince: MonotonicTime?

  private struct Evidence: Sendable {
    var begin: MonotonicTime
    var last: MonotonicTime
    var place: Place
    var altitude: Double?
    var movingTime: Double
    var way = 0.0
    var fixes = 1
    var pedalling = 0
  }

  /// In m/s: the wheel stands below the first, and the receiver sees movement above the second.
  private static let still = 0.5
  private static let ridden = 2.5
  /// Seconds of evidence. The short time applies if the receiver saw no stop, or if pedals turn.
  private static let plainTime = 15.0
  private static let doubtfulTime = 60.0
  private static let fewestFixes = 4
  private static let longestStep = 8.0
  /// Seconds after which a silent sensor no longer counts as reporting 0.
  private static let timeout = 4.0
  /// The straight distance must be this share of the distance from speeds; hairpins make it
  /// shorter.
  private static let leastShare = 0.3
  /// A slope that no road keeps up, and a rate in m/s that no rider climbs.
  private static let steepest = 0.12
  private static let fastestClimb = 0.6
  /// In m/s on average. Anything faster without pedalling is a train.
  private static let fastest = 15.0
  /// A wheel that turns once was pushed. After turning for this many seconds it counts again.
  private static let turning = 3.0

  /// Handles a speed of a wheel sensor. `isBelieved`: it is the chosen one as far as it turns.
  mutating func add(
    _ speed: Double, from source: SourceChooser.Source, isBelieved: Bool, at time: MonotonicTime
  ) -> Change? {
    if self.source == source { return addStuck(speed, at: time) }
    guard isBelieved else { return nil }
    if speed > Self.still {
      (standing, evidence, hasStood, isCarried) = (nil, nil, false, false)
    } else {
      (standing, saidAt) = (source, time)
    }
    return nil
  }

  private mutating func addStuck(_ speed: Double, at time: MonotonicTime) -> Change? {
    guard speed > Self.still else {
      turningSince = nil
      return nil
    }
    let since = turningSince ?? time
    turningSince = since
    guard time.seconds(since: since) >= Self.turning else { return nil }
    (source, turningSince, standing, evidence, hasStood) = (nil, nil, nil, nil, false)
    return .turnsAgain
  }

  /// Handles a fix that is not bad.
  mutating func add(_ fix: Fix, isPedalling: Bool, movingTime: Double) -> Change? {
    guard let standing, let speed = fix.speedMps, fix.time.seconds(since: saidAt) <= Self.timeout,
      Plausible.speed.contains(speed), let latitude = fix.latitudeDeg,
      let longitude = fix.longitudeDeg
    else {
      evidence = nil
      return nil
    }
    guard speed >= Self.ridden else {
      evidence = nil
      if speed < Self.still * 2 { (hasStood, isCarried) = (true, false) }
      return nil
    }
    let place = Place(latitudeDeg: latitude, longitudeDeg: longitude)
    guard var known = evidence, case let step = fix.time.seconds(since: known.last), step <= Self.longestStep else {
      evidence = Evidence(
        begin: fix.time, last: fix.time, place: place, altitude: fix.altitudeM, movingTime: movingTime)
      return nil
    }
    guard step > 0 else { return nil }
    known.last = fix.time
    known.way += speed * step
    known.fixes += 1
    if isPedalling { known.pedalling += 1 }
    evidence = known
    let seconds = fix.time.seconds(since: known.begin)
    guard known.fixes >= Self.fewestFixes, seconds >= Self.plainTime else { return nil }
    let scale = LocalScale(latitudeDeg: latitude)
    guard scale.metres(from: known.place, to: place) >= Self.leastShare * known.way else { return nil }
    guard isSure(known, seconds: seconds, altitude: fix.altitudeM) else { return nil }
    (source, evidence, self.standing) = (standing, nil, nil)
    return .stuck(Odometer.Silence(way: known.way, seconds: seconds, movingTime: known.movingTime))
  }

  private mutating func isSure(_ known: Evidence, seconds: Double, altitude: Double?) -> Bool {
    if known.pedalling * 2 > known.fixes { return true }
    if let altitude, let before = known.altitude {
      let rise = altitude - before
      if abs(rise) > Self.steepest * known.way || rise > Self.fastestClimb * seconds { isCarried = true }
    }
    guard !isCarried, known.way <= Self.fastest * seconds || !hasStood else { return false }
    return !hasStood || seconds >= Self.doubtfulTime
  }

  mutating func forget(_ source: SourceChooser.Source) {
    if self.source == source || standing == source { self = StuckWheel() }
  }
}
