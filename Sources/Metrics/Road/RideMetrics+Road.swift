// Position, height, grade and wheel sizes, from the receiver, a barometer and the wheel sensors.

public import SensorKit
public import Time
import Vocabulary

struct RoadNumbers: Sendable {
  var elevation = Elevation()
  /// The receiver as a source of speed.
  var receiver: RideMetrics.Source?
  var firstFix: MonotonicTime?
  var gap = PositionGap()
  var stuck = StuckWheel()
  /// When the pedals last turned.
  var pedalled: MonotonicTime?

  /// A new ride keeps the position.
  mutating func beginRide() {
    elevation.beginRide()
    gap.interrupt()
  }

  /// A manual pause begins or ends.
  mutating func interrupt(at time: MonotonicTime) {
    elevation.interrupt(at: time)
    gap.interrupt()
  }

  static let receiverName = "gps"
  /// Every wheel sensor has a higher priority.
  static let receiverPriority = -1000
  /// After standing for this many seconds, the receiver may report seldom; it still notices a start
  /// soon enough.
  static let timeout = 180.0
}

extension RideMetrics {
  public mutating func take(_ fix: Fix, into out: inout Batch) {
    let source = road.receiver ?? enterReceiver()
    if road.firstFix == nil, fix.mode > .none { road.firstFix = fix.time }
    road.elevation.ride(isMoving, at: fix.time)
    road.elevation.add(fix)
    writePosition(fix, into: &out)
    for wheel in wheels.indices { wheels[wheel].take(fix, sensors[wheel], into: &out) }
    // With bad reception, a bike in a garage seems to move.
    guard fix.mode > .none, fix.quality > .bad, let speed = fix.speedMps else { return }
    takeSpeed(speed, road.gap.isReturn(at: fix.time) ? 0 : nil, source, fix.time, &out)
    joinGap(to: fix, &out)
    watchStuckWheel(fix, &out)
  }

  private mutating func enterReceiver() -> Source {
    let source = enter(Sensor(id: RoadNumbers.receiverName, priority: RoadNumbers.receiverPriority))
    road.receiver = source
    return source
  }

  /// Whether the receiver should report often. It should while a wheel is being measured. It should
  /// also while there is no other speed, unless the bike has stood for minutes.
  public func wantsManyFixes(at time: MonotonicTime) -> Bool {
    if wheels.indices.contains(where: { wheels[$0].wantsFixes(at: time) }) { return true }
    if let source = speeds.live(at: time), source != road.receiver { return false }
    guard let watched = road.firstFix else { return true }
    return time.seconds(since: max(watched, lastMoved ?? watched)) < RoadNumbers.timeout
  }

  mutating func takeWheel(_ revolutions: Double, _ speed: Double?, _ source: Source, _ time: MonotonicTime) {
    if let rate = wheels[source].take(revolutions, speed, at: time) { noteTurning(rate, at: time) }
  }

  mutating func takeEnvironment(_ pressure: Double?, _ height: Double?, at time: MonotonicTime) {
    road.elevation.ride(isMoving, at: time)
    if let height { return road.elevation.add(barometricM: height, at: time) }
    if let pressure { road.elevation.add(pressurePa: pressure, at: time) }
  }

  private func writePosition(_ fix: Fix, into out: inout Batch) {
    guard fix.mode > .none, let latitude = fix.latitudeDeg, let longitude = fix.longitudeDeg else { return }
    out.sample(SampleKind("position"))
    out.set(Field("latitude_deg"), latitude)
    out.set(Field("longitude_deg"), longitude)
    out.set(Field("altitude_m"), fix.altitudeM)
    out.set(Field("speed_mps"), fix.speedMps)
    out.set(Field("course_deg"), fix.courseDeg)
    out.set(Field("accuracy_m"), fix.accuracyM)
    if let satellites = fix.satellites { out.set(Field("satellites"), satellites) }
    switch fix.quality {
    case .bad: out.set(Field("quality"), "bad" as Word)
    case .okay: out.set(Field("quality"), "okay" as Word)
    case .good: out.set(Field("quality"), "good" as Word)
    }
  }

  func writeGrade(at time: MonotonicTime, into out: inout Batch) {
    let (elevation, grade) = (road.elevation.elevationM(at: time), road.elevation.gradePct(at: time))
    guard elevation != nil || grade != nil else { return }
    out.sample(SampleKind("grade"))
    out.set(Field("grade_pct"), grade)
    out.set(Field("elevation_m"), elevation)
  }
}

// MARK: Measured sizes

extension RideMetrics {
  /// The circumference for the plugin of a wheel sensor from the next packet on; it may change with
  /// every fix.
  public func circumferenceM(of source: Source) -> Double? { wheels[source].used }

  /// The measured circumference and its confidence; nil before the first measurement.
  public func measuredWheel(of source: Source) -> (circumferenceM: Double, confidence: Double)? {
    wheels[source].measurement.map { ($0.circumferenceM, $0.confidence) }
  }

  /// The state to continue measuring from; nil before the first measurement.
  public func savedWheel(of source: Source) -> WheelSize.Saved? { wheels[source].saved }
}
