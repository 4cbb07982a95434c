// A piece of road on which a wheel can be measured: straight, at a steady speed, well received. It grows fix by fix, and
// when it ends it says how long the receiver found it, if it can be believed.

internal import SensorKit

struct WheelStretch: Sendable {
  /// What a wheel was measured by: metres by the receiver for turns by the sensor.
  struct Result: Equatable, Sendable {
    let metres: Double
    let turns: Double
    /// Of these turns, those the sensor did not see and that were put in for it.
    let missed: Double
    /// To be expected, as a part of the circumference: one standard deviation.
    let error: Double

    var circumferenceM: Double { metres / turns }
  }

  /// How far a wheel had turned when a fix came.
  struct Turns: Equatable, Sendable {
    let total: Double
    let missed: Double
    /// Turns a second by the sensor's own clock, where it has told that.
    let rate: Double?
  }

  /// A longer stretch is ended, and the next one begins where it ended: a bad one spoils no more than this.
  static let longest = 250.0
  /// A shorter one says little, for a sensor tells whole turns.
  static let shortest = 150.0
  private static let slowest = 3.0
  /// Of the heading, within a stretch: at most 0.2 % between an arc and its chord.
  private static let widestTurnDeg = 12.0
  /// Of the speed, as a part of its mean: the wheel's packets and the fixes come late by different times.
  private static let widestSpeedSpread = 0.2
  private static let quickestChange = 1.2
  private static let longestStep = 2.5

  private var first: Point
  private var last: Point
  private let scale: LocalScale
  private var dopplerMetres = 0.0
  private var speeds: ClosedRange<Double>
  private var turns: ClosedRange<Double> = 0...0
  private var accuracies: Double
  private var fixes = 1.0
  private var worstSpeedError: Double
  private var ratios = Spread()

  private struct Point {
    let time: Double
    let place: Place
    let altitude: Double?
    let speed: Double
    let course: Double
    let wheel: Turns
  }

  /// Begins where the fix is; nil where no stretch may.
  init?(_ fix: Fix, _ wheel: Turns) {
    guard let point = Self.point(fix, wheel) else { return nil }
    (first, last) = (point, point)
    scale = LocalScale(latitudeDeg: point.place.latitudeDeg, altitudeM: point.altitude ?? 0)
    speeds = point.speed...point.speed
    accuracies = Self.accuracy(fix)
    worstSpeedError = Self.speedError(fix)
  }

  /// Whether it goes on to here; if not, it ended at the fix before.
  mutating func extend(to fix: Fix, _ wheel: Turns) -> Bool {
    guard let next = Self.point(fix, wheel) else { return false }
    let span = next.time - last.time
    // The same moment told again, with more about it.
    if abs(span) < 0.05 { return true }
    guard span > 0, span <= Self.longestStep else { return false }
    guard abs(next.speed - last.speed) <= Self.quickestChange * max(span, 1) else { return false }
    let heading = turn(from: first.course, to: next.course)
    let turns = min(turns.lowerBound, heading)...max(turns.upperBound, heading)
    guard turns.upperBound - turns.lowerBound <= Self.widestTurnDeg else { return false }
    let speeds = min(speeds.lowerBound, next.speed)...max(speeds.upperBound, next.speed)
    let middle = (speeds.lowerBound + speeds.upperBound) / 2
    guard speeds.upperBound - speeds.lowerBound <= Self.widestSpeedSpread * middle else { return false }

    (self.turns, self.speeds) = (turns, speeds)
    dopplerMetres += span * (last.speed + next.speed) / 2
    accuracies += Self.accuracy(fix)
    fixes += 1
    if let rate = wheel.rate, rate > 0 { ratios.add(next.speed / rate) }
    worstSpeedError = max(worstSpeedError, Self.speedError(fix))
    last = next
    return true
  }

  var isLongest: Bool { dopplerMetres >= Self.longest }

  /// Nil where it is too short, or where speed and place contradict each other: then the receiver hears satellites by way of
  /// walls. Of the two distances the better one counts the more: the inverse squares of the errors to be expected.
  var result: Result? {
    let turns = last.wheel.total - first.wheel.total
    guard dopplerMetres >= Self.shortest, turns > 10 else { return nil }
    let seconds = last.time - first.time
    let speedError = max(worstSpeedError, (ratios.relativeDeviation ?? 0) * dopplerMetres / seconds)
    let dopplerVariance = speedError * speedError * Self.speedMemory * seconds
    // Both ends are wrong by the same, as far as the error has not forgotten itself between them.
    let placeError = accuracies / fixes / Self.radiusOfDeviation
    let placeVariance = 0.25 + placeError * placeError * 2 * seconds / (seconds + Self.placeMemory)
    let straight = scale.metres(from: first.place, to: last.place)
    let bound = 2.5 * (dopplerVariance + placeVariance).squareRoot()
    guard abs(straight - dopplerMetres) <= min(bound, 0.04 * dopplerMetres) else { return nil }
    let level =
      (dopplerMetres * placeVariance + straight * dopplerVariance) / (dopplerVariance + placeVariance)
    let variance = dopplerVariance * placeVariance / (dopplerVariance + placeVariance)
    return Result(
      metres: alongSlope(level), turns: turns, missed: last.wheel.missed - first.wheel.missed,
      error: (variance + Self.turnError * Self.turnError).squareRoot() / dopplerMetres)
  }

  /// Of the two ends together, in metres: when a turn was is known to a tenth of one.
  private static let turnError = 0.3
}

/// How far numbers lie apart, without keeping them.
private struct Spread: Sendable {
  private var (count, sum, squares) = (0.0, 0.0, 0.0)

  mutating func add(_ value: Double) {
    count += 1
    sum += value
    squares += value * value
  }

  /// The standard deviation as a part of the mean.
  var relativeDeviation: Double? {
    guard count >= 5, sum > 0 else { return nil }
    let mean = sum / count
    return max(0, squares / count - mean * mean).squareRoot() / mean
  }
}

extension WheelStretch {
  /// Errors of the speed forget each other after so many seconds, those of the place after so many.
  private static let speedMemory = 3.0
  private static let placeMemory = 150.0
  /// The radius that holds 95 of 100 places, in standard deviations of one direction.
  private static let radiusOfDeviation = 2.45

  /// The wheel rolls along the slope, the receiver measures the map: 0.5 % less at a grade of 10 %.
  private func alongSlope(_ level: Double) -> Double {
    guard let start = first.altitude, let end = last.altitude else { return level }
    let rise = end - start
    // Steeper than any road: an altitude that is being settled, not a slope.
    guard abs(rise) < 0.25 * level else { return level }
    return (level * level + rise * rise).squareRoot()
  }

  private static func point(_ fix: Fix, _ wheel: Turns) -> Point? {
    guard fix.quality == .good, let latitude = fix.latitudeDeg, let longitude = fix.longitudeDeg,
      let speed = fix.speedMps, let course = fix.courseDeg, speed >= slowest, speed < 40, course.isFinite
    else { return nil }
    return Point(
      time: fix.epoch ?? fix.time.seconds, place: Place(latitudeDeg: latitude, longitudeDeg: longitude),
      altitude: fix.altitudeM, speed: speed, course: course, wheel: wheel)
  }

  private static func accuracy(_ fix: Fix) -> Double { fix.accuracyM ?? 15 }

  /// One standard deviation of a speed, metres a second. What receivers and gpsd state is of use where it is small: many
  /// state what follows from the error of the place, which speed from the Doppler shift does not have.
  private static func speedError(_ fix: Fix) -> Double {
    fix.speedAccuracyMps.map { min(max($0 / 2, 0.05), 0.1) } ?? 0.07
  }
}
