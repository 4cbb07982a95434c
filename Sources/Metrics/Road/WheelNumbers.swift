// The wheel of one sensor: its measured size, and how fast it turns.

import SensorKit
import Time
import Vocabulary

/// The state of one wheel sensor.
struct WheelNumbers: Sendable {
  private var said: Double?
  private var usesMeasured = false
  private var size: WheelSize
  private var told: WheelSize.Measurement?
  /// From the last packet with a new revolution.
  private var turned: (count: Double, time: MonotonicTime)?
  /// When it last sent a count without a speed.
  private(set) var blindAt: MonotonicTime?
  /// The sensor left, and its place can be reused.
  private(set) var isGone = false
  /// The rate needs two revolutions at most this many seconds apart. A single one may be someone
  /// moving the bike.
  private static let longestTurn = 5.0

  init(_ sensor: RideSensor) {
    (said, usesMeasured) = (sensor.circumferenceM, sensor.usesMeasuredSize)
    size =
      sensor.wheel.map { WheelSize(saved: $0, circumferenceM: sensor.circumferenceM) }
      ?? WheelSize(circumferenceM: sensor.circumferenceM)
  }

  /// The circumference that the plugin uses.
  var used: Double? { usesMeasured ? size.circumferenceM ?? said : said }

  /// The state of a sensor that left.
  static var gone: WheelNumbers {
    var wheel = WheelNumbers(RideSensor(id: ""))
    wheel.isGone = true
    return wheel
  }

  /// The user may have changed the settings.
  mutating func apply(_ sensor: RideSensor) {
    usesMeasured = sensor.usesMeasuredSize
    guard said != sensor.circumferenceM else { return }
    said = sensor.circumferenceM
    size.settingsChanged(circumferenceM: sensor.circumferenceM)
  }

  var measurement: WheelSize.Measurement? { size.measurement }
  /// Nil before the first measurement.
  var saved: WheelSize.Saved? {
    let saved = size.saved
    return saved.stretches.isEmpty && !saved.isMeasured ? nil : saved
  }

  func wantsFixes(at time: MonotonicTime) -> Bool { size.isTurning(at: time) && size.wantsFixes }

  /// Handles the count of a packet. Returns revolutions per second if only they are known.
  mutating func take(_ revolutions: Double, _ speed: Double?, at time: MonotonicTime) -> Double? {
    add(revolutions, speed, at: time)
    guard speed == nil else { return nil }
    blindAt = time
    return rate(revolutions, at: time)
  }

  private mutating func add(_ revolutions: Double, _ speed: Double?, at time: MonotonicTime) {
    var rate: Double?
    if let speed, let used { rate = speed / used }
    size.add(turns: revolutions, rate: rate, at: time)
  }

  /// Revolutions per second of a turning wheel; nil if this packet does not tell.
  private mutating func rate(_ revolutions: Double, at time: MonotonicTime) -> Double? {
    let before = turned
    guard revolutions.isFinite, revolutions != before?.count else { return nil }
    turned = (revolutions, time)
    guard let before, revolutions > before.count else { return nil }
    let seconds = time.seconds(since: before.time)
    return seconds > 0 && seconds <= Self.longestTurn ? (revolutions - before.count) / seconds : nil
  }

  /// `id`: of the sensor, which each event names.
  mutating func take(_ fix: Fix, _ id: [UInt8], into out: inout Batch) {
    if let event = size.add(fix) { write(event, id, into: &out) }
  }

  /// Publishes the measured size if it changed.
  mutating func write(_ id: [UInt8], into out: inout Batch) {
    guard let measured = size.measurement, measured != told else { return }
    told = measured
    out.sample(SampleKind("wheel"))
    out.set(Field("circumference_mm"), measured.circumferenceM * 1000)
    out.set(Field("confidence"), measured.confidence)
    if let agrees = measured.agrees { out.set(Field("agrees"), agrees) }
    out.set(Field("source"), text: id.span)
  }

  /// Publish the size again: clients may have dropped it.
  mutating func repeatSize() { told = nil }

  private func write(_ event: WheelEvent, _ id: [UInt8], into out: inout Batch) {
    switch event {
    case .resized(_, let size) where !usesMeasured && said != nil:
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
    out.set(Field("sensor"), text: id.span)
  }
}
