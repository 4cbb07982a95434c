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

/// The state of one wheel sensor.
struct WheelNumbers: Sendable {
  var said: Double?
  var usesMeasured = false
  var size: WheelSize
  var told: WheelSize.Measurement?
  /// From the last packet with a new revolution.
  private var turned: (count: Double, time: MonotonicTime)?
  /// When it last sent a count without a speed.
  var blindAt: MonotonicTime?
  /// The sensor left, and its place can be reused.
  var isGone = false
  /// The rate needs two revolutions at most this many seconds apart. A single one may be someone
  /// moving the bike.
  private static let longestTurn = 5.0

  init() { size = WheelSize(circumferenceM: nil) }

  init(_ sensor: RideMetrics.Sensor) {
    (said, usesMeasured) = (sensor.circumferenceM, sensor.usesMeasuredSize)
    size =
      sensor.wheel.map { WheelSize(saved: $0, circumferenceM: sensor.circumferenceM) }
      ?? WheelSize(circumferenceM: sensor.circumferenceM)
  }

  /// The circumference that the plugin uses.
  var used: Double? { usesMeasured ? size.circumferenceM ?? said : said }

  mutating func add(_ revolutions: Double, _ speed: Double?, at time: MonotonicTime) {
    var rate: Double?
    if let speed, let used { rate = speed / used }
    size.add(turns: revolutions, rate: rate, at: time)
  }

  /// Revolutions per second of a turning wheel; nil if this packet does not tell.
  mutating func rate(_ revolutions: Double, at time: MonotonicTime) -> Double? {
    let before = turned
    guard revolutions.isFinite, revolutions != before?.count else { return nil }
    turned = (revolutions, time)
    guard let before, revolutions > before.count else { return nil }
    let seconds = time.seconds(since: before.time)
    return seconds > 0 && seconds <= Self.longestTurn ? (revolutions - before.count) / seconds : nil
  }
}

extension RideMetrics {
  public mutating func take(_ fix: Fix, into out: inout Batch) {
    let source = road.receiver ?? enterReceiver()
    if road.firstFix == nil, fix.mode > .none { road.firstFix = fix.time }
    road.elevation.ride(isMoving, at: fix.time)
    road.elevation.add(fix)
    writePosition(fix, into: &out)
    for wheel in wheels.indices {
      guard let event = wheels[wheel].size.add(fix) else { continue }
      tell(event, of: wheel, &out)
    }
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
    if wheels.indices.contains(where: { wheels[$0].size.isTurning(at: time) && wheels[$0].size.wantsFixes }) {
      return true
    }
    if let source = speeds.live(at: time), source != road.receiver { return false }
    guard let watched = road.firstFix else { return true }
    return time.seconds(since: max(watched, lastMoved ?? watched)) < RoadNumbers.timeout
  }

  mutating func takeWheel(_ revolutions: Double, _ speed: Double?, _ source: Source, _ time: MonotonicTime) {
    wheels[source].add(revolutions, speed, at: time)
    guard speed == nil else { return }
    wheels[source].blindAt = time
    if let rate = wheels[source].rate(revolutions, at: time) { noteTurning(rate, at: time) }
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

  /// Publishes each wheel whose measured size changed.
  mutating func writeWheels(into out: inout Batch) {
    for source in wheels.indices {
      guard let measured = wheels[source].size.measurement, measured != wheels[source].told else { continue }
      wheels[source].told = measured
      out.sample(SampleKind("wheel"))
      out.set(Field("circumference_mm"), measured.circumferenceM * 1000)
      out.set(Field("confidence"), measured.confidence)
      if let agrees = measured.agrees { out.set(Field("agrees"), agrees) }
      name(source, as: Field("source"), in: &out)
    }
  }

  private func tell(_ event: WheelEvent, of source: Source, _ out: inout Batch) {
    switch event {
    case .resized(_, let size) where !wheels[source].usesMeasured && wheels[source].said != nil:
      // The user's setting stays in use, so nothing was resized.
      out.event("wheel_disagrees")
      out.set(Field("circumference_mm"), size * 1000)
    case .measured(let size):
      out.event("wheel_measured")
      out.set(Field("circumference_mm"), size * 1000)
    case .resized(_, let size):
      out.event("wheel_resized")
      out.set(Field("circumference_mm"), size * 1000)
    case .missesTurns(let share):
      out.event("wheel_misses_turns")
      out.set(Field("missed_pct"), share * 100)
    case .countsDouble: out.event("wheel_counts_double")
    case .countsHalf: out.event("wheel_counts_half")
    case .disagrees(let size):
      out.event("wheel_disagrees")
      out.set(Field("circumference_mm"), size * 1000)
    case .agreesAgain: out.event("wheel_agrees_again")
    }
    name(source, as: Field("sensor"), in: &out)
  }
}

// MARK: Measured sizes

extension RideMetrics {
  mutating func noteWheel(_ sensor: Sensor, of source: Source) {
    wheels[source].usesMeasured = sensor.usesMeasuredSize
    guard wheels[source].said != sensor.circumferenceM else { return }
    wheels[source].said = sensor.circumferenceM
    wheels[source].size.settingsChanged(circumferenceM: sensor.circumferenceM)
  }

  /// The circumference for the plugin of a wheel sensor from the next packet on; it may change with
  /// every fix.
  public func circumferenceM(of source: Source) -> Double? { wheels[source].used }

  /// The measured circumference and its confidence; nil before the first measurement.
  public func measuredWheel(of source: Source) -> (circumferenceM: Double, confidence: Double)? {
    wheels[source].size.measurement.map { ($0.circumferenceM, $0.confidence) }
  }

  /// The state to continue measuring from; nil before the first measurement.
  public func savedWheel(of source: Source) -> WheelSize.Saved? {
    let saved = wheels[source].size.saved
    return saved.stretches.isEmpty && !saved.isMeasured ? nil : saved
  }
}
