// Applies speed and distance of the chosen source to the ride.

import SensorKit
import Time
import Vocabulary

/// What a bicycle and its rider can do. Packets with values outside these ranges are ignored.
enum Plausible {
  /// In m/s; the upper bound is about the record for riding down a mountain.
  static let speed = 0.0...65.0
  /// The greatest mean speed over more than a few seconds, in m/s.
  static let cruise = 25.0
  static let cadence = 0.0...300.0
  /// Of a 28 inch wheel, in metres.
  static let usualCircumference = 2.1
  /// A fixed gear that is held back yields negative power.
  static let power = -4000.0...4000.0
}

/// Pace, as runners and climbers read speed.
enum Pace {
  /// Below this there is no meaningful pace.
  private static let slowest = 0.5

  static func secondsPerKilometre(at speed: Double) -> Double? { speed >= slowest ? 1000 / speed : nil }
}

extension RideMetrics {
  /// A receiver may report up to this speed for a bike at rest.
  private static let standing = 0.5
  /// After a longer silence of all sources the distance is known, but not how it was ridden.
  private static let silence = 5.0

  /// `isWheel`: the source counts revolutions. If it has not turned since its last packet, its
  /// speed is only an upper bound.
  mutating func takeSpeed(
    _ speed: Double?, _ delta: Double?, isWheel: Bool = false, _ source: Source, _ time: MonotonicTime,
    _ out: inout Batch
  ) {
    guard speed.map(Plausible.speed.contains) ?? delta.map({ $0 >= 0 }) ?? false else { return }
    if let speed, isStuck(source, saying: speed, at: time, &out) { return }
    let isBelieved = speeds.record(source, at: time)
    let silence = odometer.coveredUntil.map { time.seconds - $0 } ?? 0
    var growth = odometer.add(
      delta, speed: speed, from: source, isBelieved: isBelieved, movingTime: clock.movingTime, at: time)
    guard isBelieved else { return }
    sport.use(source)
    if let speed, speed < settings.autoPauseSpeedMps { edges.stand() }
    if silence > Self.silence {
      unsureWay = 0
      // For a source that does not count, its distance only covers the last seconds.
      if growth.late == 0, growth.recent > 0, isWheel || growth.recent >= Self.standing * silence {
        growth.late = growth.recent
        growth.silence = Odometer.Silence(way: growth.recent, seconds: silence, movingTime: clock.movingTime)
      }
      growth.recent = 0
    }
    if growth.late > 0 { countLate(growth, speed, at: time) }
    if let speed {
      let hasMoved = !isWheel || delta != 0
      if hasMoved, speed >= settings.autoPauseSpeedMps { noteMovement(at: time) }
      clock.add(speed: speed, hasMoved: hasMoved, at: time)
    }
    countWay(growth.recent, speed, isWheel: isWheel, at: time)
    if let speed {
      totals.speed.add(speed, at: time, counts: isMoving)
      if speeds.tells(speed, of: source, at: time) {
        say(.speed, .speedMps, speed, source, &out)
        if isMoving { out.set(Field("pace_s_per_km"), Pace.secondsPerKilometre(at: speed)) }
      }
    }
  }

  /// Handles a wheel of unknown size, in revolutions per second. It proves movement but gives no
  /// distance, and only matters while there is no speed. A default circumference decides whether
  /// the bike is pushed or ridden.
  mutating func noteTurning(_ rate: Double, at time: MonotonicTime) {
    let speed = rate * Plausible.usualCircumference
    guard speed >= settings.autoPauseSpeedMps, Plausible.speed.contains(speed), !speeds.isLive(at: time) else { return }
    noteMovement(at: time)
    clock.addPedalling(at: time)
  }

  /// Distance before the start is certain is counted once it is. Otherwise a traffic light every
  /// few minutes would cost 1 %. The first revolution after a stop has no rate, so a wheel only
  /// stands if it reports 0.
  private mutating func countWay(_ grown: Double, _ speed: Double?, isWheel: Bool, at time: MonotonicTime) {
    switch clock.phase {
    case .moving:
      roll(grown + unsureWay, at: time)
      unsureWay = 0
    case .waiting:
      let isStanding = speed.map { $0 <= (isWheel ? 0 : Self.standing) } ?? false
      unsureWay = isStanding ? 0 : unsureWay + grown
    case .paused: unsureWay = 0
    }
  }

  private func canCountLate(at time: MonotonicTime) -> Bool { clock.phase != .paused && isRiding(at: time) }

  /// Adds a distance that no source counted at the time. Returns false if it is not part of the
  /// ride.
  mutating func join(_ way: Double, _ silence: Odometer.Silence, _ speed: Double?, at time: MonotonicTime) -> Bool {
    guard canCountLate(at: time) else { return false }
    odometer.join(way)
    countLate(Odometer.Growth(late: way, silence: silence), speed, at: time)
    return true
  }

  private mutating func roll(_ way: Double, at time: MonotonicTime) {
    totals.distance.add(way)
    road.elevation.ride(isMoving, at: time)
    road.elevation.add(distanceM: totals.distance.ride, at: time)
  }

  /// A wheel that was out of reach turned all the same. The moving time is estimated with the mean
  /// speed of the ride, because it is unknown how long the bike stood.
  private mutating func countLate(_ growth: Odometer.Growth, _ speed: Double?, at time: MonotonicTime) {
    // After a longer gap it was another ride.
    guard canCountLate(at: time) else { return }
    let usual = totals.meanSpeed(.ride) ?? speed ?? 0
    lastMoved = time
    countTime(to: time)
    if usual > 0 {
      let took = min(growth.silence.way / usual, growth.silence.seconds)
      let counted = max(0, clock.movingTime - growth.silence.movingTime)
      totals.movingTime.add(clock.credit(moving: took - counted))
    }
    road.elevation.credit(wayM: growth.late)
    roll(growth.late, at: time)
  }
}

extension RideMetrics {
  func name(_ source: Source, as field: Field, in out: inout Batch) {
    let id = sensors[source]
    out.set(field, text: id.span)
  }
}
