// A wheel sensor that says 0 while the bike is ridden: its magnet slipped, or its sensor was pushed aside. The receiver shows it. A bike that
// is carried (a cable car, a train) looks the same, so how the wheel stopped, the pedals and the slope decide with it.

import SensorKit

struct StuckWheel: Sendable {
  enum Change: Equatable, Sendable {
    /// It stopped counting so many metres and seconds ago.
    case stuck(way: Double, seconds: Double, movingTime: Double)
    case turnsAgain
  }

  /// The sensor that is not believed until its wheel turns.
  private(set) var source: SourceChooser.Source?
  /// The believed sensor, while it says 0.
  private var standing: SourceChooser.Source?
  private var saidAt = MonotonicTime(nanoseconds: 0)
  private var evidence: Evidence?
  /// The receiver saw the bike stand after the wheel's last turn.
  private var hasStood = true
  /// The bike climbs or drops as no road does: it is carried, until it stands.
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

  /// Metres a second: the wheel stands below the first, and the receiver sees it ridden above the second.
  private static let still = 0.5
  private static let ridden = 2.5
  /// Seconds of evidence: if the receiver saw no stop with the wheel's, or pedals turn; and otherwise.
  private static let plainTime = 15.0
  private static let doubtfulTime = 60.0
  private static let fewestFixes = 4
  private static let longestStep = 8.0
  /// A sensor that is silent says nothing, not 0.
  private static let patience = 4.0
  /// Of what the speeds add up to, the places have to show this share: hairpins are shorter from end to end.
  private static let leastShare = 0.3
  /// A slope that no road keeps, and metres a second that no rider climbs.
  private static let steepest = 0.12
  private static let fastestClimb = 0.6
  /// On the average, metres a second. What is faster without pedals is a train.
  private static let fastest = 15.0
  /// A wheel that turns once was pushed. One that turns for so long counts again.
  private static let turning = 3.0

  /// What a wheel sensor says. `isBelieved`: it would be, if it turned.
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

  /// A fix that is not bad.
  mutating func add(_ fix: Fix, isPedalling: Bool, movingTime: Double) -> Change? {
    guard let standing, let speed = fix.speedMps, fix.time.seconds(since: saidAt) <= Self.patience,
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
    return .stuck(way: known.way, seconds: seconds, movingTime: known.movingTime)
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
