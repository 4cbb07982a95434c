// Turns samples of radars, tires and batteries into events.

import SensorKit
import Time
import Vocabulary

/// The watches of one sensor; most have only a battery.
struct SensorWatch: Sendable {
  private var radar = RadarWatch()
  private var tire = TireWatch()
  private var battery = BatteryWatch()
  /// The wheel that it sits on, if its role says so.
  private var wheel: Word?

  mutating func set(_ sensor: RideSensor) {
    tire.apply(TireWatch.Bounds(sensor.tire))
    wheel = sensor.role?.wheel
  }

  /// When its radar counts as lost.
  var deadline: MonotonicTime? { radar.deadline }

  /// `id`: of the sensor, which each event names.
  mutating func takeRadar(
    _ entry: Batch.Entry, of batch: borrowing Batch, at time: MonotonicTime, _ id: [UInt8], into out: inout Batch
  ) {
    guard let road = batch.road(entry), let event = radar.add(road, at: time) else { return }
    Self.write(event, id, into: &out)
  }

  mutating func takeTire(
    _ entry: Batch.Entry, of batch: borrowing Batch, at time: MonotonicTime, _ id: [UInt8], into out: inout Batch
  ) {
    guard let gauge = batch.number(Field("pressure_gauge_pa"), of: entry) else { return }
    let celsius = batch.number(Field("temperature_c"), of: entry)
    if let event = tire.add(gauge: gauge, celsius: celsius, at: time) {
      Self.write(event, id, wheel: batch.word(Field("wheel"), of: entry) ?? wheel, into: &out)
    }
    take(charge: batch.number(.batteryPct, of: entry), id, into: &out)
  }

  mutating func take(charge: Double?, _ id: [UInt8], into out: inout Batch) {
    guard let charge, let event = battery.add(charge) else { return }
    switch event {
    case .low: out.event("battery_low")
    case .critical: out.event("battery_critical")
    }
    out.set(Field("sensor"), text: id.span)
    out.set(.batteryPct, charge)
  }

  mutating func advance(to time: MonotonicTime, _ id: [UInt8], into out: inout Batch) {
    if let event = radar.advance(to: time) { Self.write(event, id, into: &out) }
  }

  /// The link was lost. Returns whether its radar was watching the road.
  mutating func lose(_ id: [UInt8], into out: inout Batch) -> Bool {
    guard let event = radar.lose() else { return false }
    Self.write(event, id, into: &out)
    return true
  }

  private static func write(_ event: RadarWatch.Event, _ id: [UInt8], into out: inout Batch) {
    switch event {
    case .approach(let level, let distance, let speed, let cars):
      warn("radar_approach", id, level, distance, speed, into: &out)
      out.set(Field("cars"), cars)
    case .close(let level, let distance, let speed, let cars):
      warn("radar_close", id, level, distance, speed, into: &out)
      out.set(Field("cars"), cars)
    case .clear:
      out.event("radar_clear")
      out.set(Field("sensor"), text: id.span)
    case .lost:
      out.event("radar_lost")
      out.set(Field("sensor"), text: id.span)
    }
  }

  private static func warn(
    _ event: Word, _ id: [UInt8], _ level: Int, _ distance: Double?, _ speed: Double?, into out: inout Batch
  ) {
    out.event(event)
    out.set(Field("sensor"), text: id.span)
    out.set(Field("level"), level)
    out.set(Field("distance_m"), distance)
    out.set(Field("approach_speed_mps"), speed)
  }

  private static func write(_ event: TireWatch.Event, _ id: [UInt8], wheel: Word?, into out: inout Batch) {
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
    out.set(Field("sensor"), text: id.span)
    if let wheel { out.set(Field("wheel"), wheel) }
  }
}

extension Batch {
  /// Nil for a sample without a value for `clear`.
  fileprivate func road(_ entry: Entry) -> RadarWatch.Road? {
    guard let isClear = flag(Field("clear"), of: entry) else { return nil }
    var road = RadarWatch.Road(isClear: isClear)
    if let cars = cars(of: entry) {
      for index in cars {
        let car = car(index)
        road.note(car.target, speed: car.speed)
      }
    }
    return road
  }
}
