// A piece of road on which a wheel can be measured: straight, at a steady speed, with good
// reception. It grows fix by fix. At its end it yields its length as seen by the receiver, if that
// can be trusted.

import Time

/// Computes the circumference of a wheel on one stretch of road.
public struct WheelStretch: Sendable {
  /// Metres by the receiver and revolutions by the sensor.
  struct Result: Equatable, Sendable {
    let metres: Double
    let turns: Double
    /// The part of the revolutions that the sensor missed and that were added.
    let missed: Double
    /// The gain in speed from beginning to end, per metre. Each second by which fixes are later
    /// than assumed changes the circumference by this share.
    let quickening: Double
    /// Expected error as a share of the circumference: one standard deviation.
    let error: Double

    var circumferenceM: Double { metres / turns }
  }

  /// The wheel's position at the time of a fix.
  public struct Turns: Equatable, Sendable {
    public let total: Double
    public let missed: Double
    /// Revolutions per second by the sensor's own clock, if known.
    public let rate: Double?
  }

  /// After this length the next stretch begins, which limits the damage of a bad one.
  static let longest = 250.0
  /// A shorter stretch is too coarse, because sensors count whole revolutions.
  static let shortest = 100.0
  private static let slowest = 2.5
  /// Of the heading; this keeps the difference between an arc and its chord below 0.2 %.
  private static let widestTurnDeg = 12.0
  /// Of the speed, as a share of its mean, because the wheel's packets and the fixes have different
  /// delays.
  private static let widestSpeedSpread = 0.3
  private static let quickestChange = 1.2
  private static let longestStep = 2.5

  /// If the sensor does not report when its wheel turned, its revolutions are only known to one.
  /// Each end of the stretch is then the mean over this many seconds.
  private static let endWithoutRate = 5.0

  private let endSeconds: Double
  private var first: Point?
  private var last: Point?
  /// The end being averaged, and when it began.
  private var end: Point?
  private var endBegan: Double
  private var latest: Point
  private var firstCourse: Double
  private var speeds: ClosedRange<Double>
  private var turns: ClosedRange<Double> = 0...0
  private var accuracies: Double
  private var fixes = 1.0
  private var worstSpeedError: Double
  private var ratios = Spread()
  private var compared: Point

  /// A fix, or the mean of several consecutive ones.
  private struct Point {
    var time: Double
    var place: Place
    var altitude: Double?
    var speed: Double
    /// Distance since the stretch began, computed from the speed.
    var metres = 0.0
    var wheel: Turns
    var fixes = 1.0

    mutating func add(_ next: Point) {
      fixes += 1
      let part = 1 / fixes
      time += (next.time - time) * part
      place.latitudeDeg += (next.place.latitudeDeg - place.latitudeDeg) * part
      place.longitudeDeg += turn(from: place.longitudeDeg, to: next.place.longitudeDeg) * part
      altitude = altitude.flatMap { mean in next.altitude.map { mean + ($0 - mean) * part } }
      speed += (next.speed - speed) * part
      metres += (next.metres - metres) * part
      wheel = Turns(
        total: wheel.total + (next.wheel.total - wheel.total) * part,
        missed: wheel.missed + (next.wheel.missed - wheel.missed) * part, rate: next.wheel.rate)
    }
  }

  /// Begins at this fix; nil if no stretch can begin here.
  init?(_ fix: Fix, _ wheel: Turns) {
    guard let point = Self.point(fix, wheel), let course = fix.courseDeg else { return nil }
    endSeconds = wheel.rate == nil ? Self.endWithoutRate : 0
    (latest, compared, endBegan, firstCourse) = (point, point, point.time, course)
    speeds = point.speed...point.speed
    accuracies = Self.accuracy(fix)
    worstSpeedError = Self.speedError(fix)
    prolong(to: point)
  }

  /// The next stretch, which begins at the end of this one.
  func next(_ fix: Fix) -> WheelStretch? {
    guard let last, let course = fix.courseDeg else { return nil }
    var next = self
    next.first = last
    next.firstCourse = course
    (next.speeds, next.turns, next.ratios) = (latest.speed...latest.speed, 0...0, Spread())
    (next.accuracies, next.fixes, next.worstSpeedError) = (Self.accuracy(fix), 1, Self.speedError(fix))
    return next
  }

  /// Extends the stretch to this fix. If it returns false, the stretch ended at the previous fix.
  mutating func extend(to fix: Fix, _ wheel: Turns) -> Bool {
    guard var next = Self.point(fix, wheel) else { return false }
    let span = next.time - latest.time
    // The same moment again, with more details.
    if abs(span) < 0.05 { return true }
    guard span > 0, span <= Self.longestStep else { return false }
    guard abs(next.speed - latest.speed) <= Self.quickestChange * max(span, 1) else { return false }
    let heading = turn(from: firstCourse, to: fix.courseDeg ?? firstCourse)
    let turns = min(turns.lowerBound, heading)...max(turns.upperBound, heading)
    guard turns.upperBound - turns.lowerBound <= Self.widestTurnDeg else { return false }
    let speeds = min(speeds.lowerBound, next.speed)...max(speeds.upperBound, next.speed)
    let middle = (speeds.lowerBound + speeds.upperBound) / 2
    guard speeds.upperBound - speeds.lowerBound <= Self.widestSpeedSpread * middle else { return false }

    (self.turns, self.speeds) = (turns, speeds)
    next.metres = latest.metres + span * (latest.speed + next.speed) / 2
    accuracies += Self.accuracy(fix)
    fixes += 1
    compare(next)
    worstSpeedError = max(worstSpeedError, Self.speedError(fix))
    latest = next
    prolong(to: next)
    return true
  }

  /// Records how far speed and wheel disagree, every few seconds.
  private mutating func compare(_ next: Point) {
    guard next.time - compared.time >= Self.comparedSeconds else { return }
    let turns = next.wheel.total - compared.wheel.total
    if next.wheel.rate != nil, turns > 0 { ratios.add((next.metres - compared.metres) / turns) }
    compared = next
  }

  private mutating func prolong(to next: Point) {
    if end == nil { endBegan = next.time }
    var mean = end ?? next
    if end != nil { mean.add(next) }
    let isMade = next.time - endBegan >= endSeconds
    end = isMade ? nil : mean
    guard isMade else { return }
    last = mean
    first = first ?? mean
  }

  var isLongest: Bool { (last?.metres ?? 0) - (first?.metres ?? 0) >= Self.longest }

  /// Nil if it is too short, or if speed and position contradict each other because of reflected
  /// signals. The two distances are weighted by the inverse squares of their expected errors.
  var result: Result? {
    guard let first, let last else { return nil }
    let turns = last.wheel.total - first.wheel.total
    let dopplerMetres = last.metres - first.metres
    guard dopplerMetres >= Self.shortest, turns > 10 else { return nil }
    let seconds = last.time - first.time
    let speedError = max(worstSpeedError, (ratios.relativeDeviation ?? 0) * dopplerMetres / seconds)
    let dopplerVariance = speedError * speedError * Self.speedMemory * seconds
    // Both ends share the part of the position error that persists between them.
    let placeError = accuracies / fixes / Self.radiusOfDeviation * Self.movingPart
    let placeVariance = 0.25 + placeError * placeError * 2 * seconds / (seconds + Self.placeMemory)
    let scale = LocalScale(latitudeDeg: first.place.latitudeDeg, altitudeM: first.altitude ?? 0)
    let straight = scale.metres(from: first.place, to: last.place)
    let bound = 2.5 * (dopplerVariance + placeVariance).squareRoot()
    guard abs(straight - dopplerMetres) <= min(bound, 0.04 * dopplerMetres) else { return nil }
    let lateness = (last.speed - first.speed) * Self.latenessError
    let turnError =
      endSeconds > 0 ? Self.wholeTurnError * dopplerMetres / turns / (1 + endSeconds).squareRoot() : Self.turnError
    let level =
      (dopplerMetres * placeVariance + straight * dopplerVariance) / (dopplerVariance + placeVariance)
    let variance = dopplerVariance * placeVariance / (dopplerVariance + placeVariance) + lateness * lateness
    return Result(
      metres: Self.alongSlope(level, rise: rise(first, last)), turns: turns,
      missed: last.wheel.missed - first.wheel.missed, quickening: (last.speed - first.speed) / dopplerMetres,
      error: (variance + turnError * turnError).squareRoot() / dopplerMetres)
  }

  /// Of both ends together, in metres: the time of a revolution is known to a tenth of one.
  private static let turnError = 0.3
  /// In revolutions, if the position is only known to one revolution. The error is uniform: 2 × the
  /// square root of 1/12.
  private static let wholeTurnError = 0.41
  /// Seconds that the delay of fixes may vary, besides the common part that the stretches reveal.
  private static let latenessError = 0.25
}

/// A running standard deviation.
private struct Spread: Sendable {
  private var (count, sum, squares) = (0.0, 0.0, 0.0)

  mutating func add(_ value: Double) {
    count += 1
    sum += value
    squares += value * value
  }

  /// The standard deviation as a share of the mean.
  var relativeDeviation: Double? {
    guard count >= 3, sum > 0 else { return nil }
    let mean = sum / count
    return (max(0, squares - sum * mean) / (count - 1)).squareRoot() / mean
  }
}

extension WheelStretch {
  /// Correlation times, in seconds, of the errors of speed and position.
  private static let speedMemory = 3.0
  private static let placeMemory = 150.0
  /// The radius that holds 95 of 100 positions, in standard deviations of one axis.
  private static let radiusOfDeviation = 2.45
  /// The part of the stated error that changes; the rest is constant for longer than any stretch.
  private static let movingPart = 0.5
  /// Longer than the packet interval of one second, so that a late packet does not look like an
  /// error of the speed.
  private static let comparedSeconds = 4.9

  /// The wheel follows the slope while the receiver measures the map: 0.5 % less at a grade of 10
  /// %.
  private static func alongSlope(_ level: Double, rise: Double?) -> Double {
    guard let rise else { return level }
    // Steeper than any road: the altitude is still settling.
    guard abs(rise) < 0.25 * level else { return level }
    return (level * level + rise * rise).squareRoot()
  }

  private func rise(_ first: Point, _ last: Point) -> Double? {
    guard let start = first.altitude, let end = last.altitude else { return nil }
    return end - start
  }

  private static func point(_ fix: Fix, _ wheel: Turns) -> Point? {
    guard fix.quality == .good, let latitude = fix.latitudeDeg, let longitude = fix.longitudeDeg,
      let speed = fix.speedMps, let course = fix.courseDeg, speed >= slowest, speed < 40, course.isFinite
    else { return nil }
    return Point(
      time: fix.epoch ?? fix.time.seconds, place: Place(latitudeDeg: latitude, longitudeDeg: longitude),
      altitude: fix.altitudeM, speed: speed, wheel: wheel)
  }

  private static func accuracy(_ fix: Fix) -> Double { fix.accuracyM ?? 15 }

  /// One standard deviation of the speed, in m/s. The stated accuracy is only used where it is
  /// small. Many receivers derive it from the position error, which a Doppler speed does not have.
  private static func speedError(_ fix: Fix) -> Double {
    fix.speedAccuracyMps.map { min(max($0 / 2, 0.05), 0.1) } ?? 0.07
  }
}
