// The sensors of the ride: the id of each, the watches of its radar, tire and battery, and its wheel.

import SensorKit
import Time
import Vocabulary

struct RideSensors: Sendable {
  typealias Source = RideMetrics.Source

  /// By source, as the other lists.
  private(set) var ids: [[UInt8]] = []
  private var watches: [SensorWatch] = []
  /// Of sensors that count revolutions.
  private var wheels: [WheelNumbers] = []

  func contains(_ source: Source) -> Bool { ids.indices.contains(source) }

  func name(_ source: Source, as field: Field, in out: inout Batch) {
    let id = ids[source]
    out.set(field, text: id.span)
  }

  /// Registers a sensor, or updates it if the id is known. The index of a sensor that left is reused.
  mutating func register(_ sensor: RideSensor) -> (source: Source, isNew: Bool) {
    let id = Array(sensor.id.utf8)
    let source = ids.firstIndex(of: id) ?? wheels.firstIndex(where: \.isGone) ?? ids.count
    var isNew = false
    if source == ids.count {
      ids.append(id)
      watches.append(SensorWatch())
      wheels.append(WheelNumbers(sensor))
      isNew = true
    } else if wheels[source].isGone {
      ids[source] = id
      wheels[source] = WheelNumbers(sensor)
      isNew = true
    }
    watches[source].set(sensor)
    wheels[source].apply(sensor)
    return (source, isNew)
  }

  mutating func forget(_ source: Source) {
    watches[source] = SensorWatch()
    wheels[source] = .gone
    // Publish the other wheels again: clients may have dropped their values together with this one.
    for other in wheels.indices { wheels[other].repeatSize() }
  }

  /// The link was lost. Returns whether its radar was watching the road.
  mutating func lose(_ source: Source, into out: inout Batch) -> Bool {
    watches[source].lose(ids[source], into: &out)
  }

  // MARK: Watches

  mutating func watch(
    _ kind: SampleKind, _ entry: Batch.Entry, of batch: borrowing Batch, from source: Source, at time: MonotonicTime,
    into out: inout Batch
  ) {
    switch kind {
    case .radar: watches[source].takeRadar(entry, of: batch, at: time, ids[source], into: &out)
    case .tirePressure: watches[source].takeTire(entry, of: batch, at: time, ids[source], into: &out)
    case .battery: watches[source].take(charge: batch.number(.batteryPct, of: entry), ids[source], into: &out)
    default: break
    }
  }

  /// When the next radar counts as lost.
  var nextDeadline: MonotonicTime? {
    var next: MonotonicTime?
    for source in watches.indices {
      if let deadline = watches[source].deadline { next = min(next ?? deadline, deadline) }
    }
    return next
  }

  mutating func advanceWatches(to time: MonotonicTime, into out: inout Batch) {
    for source in watches.indices { watches[source].advance(to: time, ids[source], into: &out) }
  }

  // MARK: Wheels

  /// Handles a count. Returns revolutions per second if the wheel's size is unknown.
  mutating func take(
    revolutions: Double, _ speed: Double?, from source: Source, at time: MonotonicTime
  ) -> Double? {
    wheels[source].take(revolutions, speed, at: time)
  }

  mutating func take(_ fix: Fix, into out: inout Batch) {
    for source in wheels.indices { wheels[source].take(fix, ids[source], into: &out) }
  }

  mutating func writeWheels(into out: inout Batch) {
    for source in wheels.indices { wheels[source].write(ids[source], into: &out) }
  }

  /// Whether a wheel of unknown size sent a count within the last seconds.
  func hasBlindWheel(at time: MonotonicTime, within seconds: Double) -> Bool {
    wheels.contains { $0.blindAt.map { time.seconds(since: $0) <= seconds } ?? false }
  }

  /// Whether a wheel is being measured.
  func wantsFixes(at time: MonotonicTime) -> Bool {
    wheels.indices.contains { wheels[$0].wantsFixes(at: time) }
  }

  func circumferenceM(of source: Source) -> Double? { wheels[source].used }
  func measurement(of source: Source) -> WheelSize.Measurement? { wheels[source].measurement }
  func savedWheel(of source: Source) -> WheelSize.Saved? { wheels[source].saved }
}
