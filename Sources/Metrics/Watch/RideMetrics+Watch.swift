// Turns samples of radars, tires and batteries into events.

import SensorKit
public import Time
import Vocabulary

/// The watches of one sensor; most have only a battery.
struct SensorWatch: Sendable {
  var radar = RadarWatch()
  var tire = TireWatch()
  var battery = BatteryWatch()
  /// The wheel that it sits on, if its role says so.
  var wheel: Word?
}

extension RideMetrics {
  mutating func watch(
    _ kind: SampleKind, _ entry: Batch.Entry, of batch: borrowing Batch, _ source: Source, _ time: MonotonicTime,
    _ out: inout Batch
  ) {
    switch kind {
    case .radar:
      countCars(entry, of: batch, at: time)
      guard let road = batch.road(entry), let event = watches[source].radar.add(road, at: time) else { return }
      tell(event, of: source, &out)
    case .tirePressure:
      guard let gauge = batch.number(Field("pressure_gauge_pa"), of: entry) else { return }
      let celsius = batch.number(Field("temperature_c"), of: entry)
      if let event = watches[source].tire.add(gauge: gauge, celsius: celsius, at: time) {
        tell(event, of: source, wheel: batch.word(Field("wheel"), of: entry) ?? watches[source].wheel, &out)
      }
      noteBattery(batch.number(.batteryPct, of: entry), source, &out)
    case SampleKind("rowing"): sport.note(.rowing, of: source)
    case .battery: noteBattery(batch.number(.batteryPct, of: entry), source, &out)
    default: break
    }
  }

  /// When the next radar counts as lost.
  public var nextDeadline: MonotonicTime? {
    var next: MonotonicTime?
    for source in watches.indices {
      if let deadline = watches[source].radar.deadline { next = min(next ?? deadline, deadline) }
    }
    return next
  }

  mutating func advanceWatches(to time: MonotonicTime, _ out: inout Batch) {
    for source in watches.indices {
      if let event = watches[source].radar.advance(to: time) { tell(event, of: source, &out) }
    }
  }

  private mutating func noteBattery(_ charge: Double?, _ source: Source, _ out: inout Batch) {
    guard let charge, let event = watches[source].battery.add(charge) else { return }
    switch event {
    case .low: out.event("battery_low")
    case .critical: out.event("battery_critical")
    }
    name(source, as: Field("sensor"), in: &out)
    out.set(.batteryPct, charge)
  }

  func tell(_ event: RadarWatch.Event, of source: Source, _ out: inout Batch) {
    switch event {
    case .approach(let level, let distance, let speed, let cars):
      warn("radar_approach", of: source, level, distance, speed, &out)
      out.set(Field("cars"), cars)
    case .close(let level, let distance, let speed, let cars):
      warn("radar_close", of: source, level, distance, speed, &out)
      out.set(Field("cars"), cars)
    case .clear:
      out.event("radar_clear")
      name(source, as: Field("sensor"), in: &out)
    case .lost:
      out.event("radar_lost")
      name(source, as: Field("sensor"), in: &out)
    }
  }

  private func warn(
    _ event: Word, of source: Source, _ level: Int, _ distance: Double?, _ speed: Double?, _ out: inout Batch
  ) {
    out.event(event)
    name(source, as: Field("sensor"), in: &out)
    out.set(Field("level"), level)
    out.set(Field("distance_m"), distance)
    out.set(Field("approach_speed_mps"), speed)
  }

  private func tell(_ event: TireWatch.Event, of source: Source, wheel: Word?, _ out: inout Batch) {
    switch event {
    case .low(let pressure):
      out.event("tire_low")
      out.set(Field("pressure_gauge_pa"), pressure)
    case .high(let pressure):
      out.event("tire_high")
      out.set(Field("pressure_gauge_pa"), pressure)
    case .hot(let celsius):
      out.event("tire_hot")
      out.set(Field("temperature_c"), celsius)
    case .leak(let rate):
      out.event("tire_leak")
      out.set(Field("pascal_per_hour"), rate.rounded())
    }
    name(source, as: Field("sensor"), in: &out)
    if let wheel { out.set(Field("wheel"), wheel) }
  }
}

extension Batch {
  /// Nil for a sample without a value for `clear`.
  fileprivate func road(_ entry: Entry) -> RadarWatch.Road? {
    var road: RadarWatch.Road?
    for index in entry.fields {
      let field = field(index)
      switch (field.field, field.value) {
      case (Field("clear"), .flag(let isClear)): road = RadarWatch.Road(isClear: isClear)
      case (Field("targets"), .objects(let range)): for target in range { note(target, on: &road) }
      default: break
      }
    }
    return road
  }

  private func note(_ index: Int, on road: inout RadarWatch.Road?) {
    var target = RadarMemory.Target()
    var speed: Double?
    for index in object(index) {
      let field = objectField(index)
      guard case .number(let number) = field.value else { continue }
      switch field.field {
      case Field("id"): target.id = Int(exactly: number)
      case Field("level"): target.level = Int(exactly: number) ?? 0
      case Field("distance_m"): target.distance = number
      case Field("approach_speed_mps"): speed = number
      default: break
      }
    }
    road?.note(target, speed: speed)
  }
}
