// Warnings about cars and batteries, and events with their numbers.

import SensorKit
import TestSupport
import Testing
import Time
import Vocabulary

@testable import Metrics

private func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(seconds: 3000 + seconds) }

struct RadarWatchTests {
  private let clear = RadarWatch.Road(isClear: true)
  private func car(_ distance: Double, level: Int = 1, id: Int? = 1) -> RadarWatch.Road { cars((distance, level, id)) }
  private func cars(_ cars: (distance: Double, level: Int, id: Int?)...) -> RadarWatch.Road {
    var road = RadarWatch.Road(isClear: false)
    for car in cars {
      road.note(RadarMemory.Target(id: car.id, level: car.level, distance: car.distance), speed: 12)
    }
    return road
  }

  @Test("a car approaches, comes close and is gone")
  func passingCar() {
    var watch = RadarWatch()
    var events: [RadarWatch.Event] = []
    var now = 0.0
    func see(_ road: RadarWatch.Road) -> RadarWatch.Event? {
      now += 0.125
      return watch.add(road, at: time(now))
    }
    for _ in 0..<20 { if let event = see(clear) { events.append(event) } }
    for distance in stride(from: 140.0, to: 2, by: -2) { if let event = see(car(distance)) { events.append(event) } }
    for _ in 0..<20 { if let event = see(clear) { events.append(event) } }
    #expect(
      events == [
        .clear, .approach(level: 1, distance: 140, speed: 12, cars: 1),
        .close(level: 1, distance: 40, speed: 12, cars: 1), .clear,
      ])
  }

  @Test("a rising level is reported, a falling one is not")
  func levels() {
    var watch = RadarWatch()
    let levels = [1, 1, 2, 2, 1, 1]
    let events = levels.enumerated().compactMap { watch.add(car(100, level: $1), at: time(Double($0) / 8)) }
    #expect(
      events == [
        .approach(level: 1, distance: 100, speed: 12, cars: 1), .approach(level: 2, distance: 100, speed: 12, cars: 1),
      ])
  }

  /// At 12 m/s, with eight packets per second.
  @Test("a flickering level is reported once")
  func flickeringLevel() {
    var watch = RadarWatch()
    var levels: [Int] = []
    for step in 0..<80 {
      let level = step < 8 ? 1 : 1 + step % 2
      if case .approach(let level, _, _, _)? = watch.add(
        car(180 - 1.5 * Double(step), level: level), at: time(Double(step) / 8))
      {
        levels.append(level)
      }
    }
    #expect(levels == [1, 2])
  }

  @Test("a car that is fast again is reported again only after 2 s", arguments: [(1.5, 0), (2.5, 1)])
  func fastAgain(pause: Double, more: Int) {
    var watch = RadarWatch()
    let levels = [2] + Array(repeating: 1, count: Int(pause * 8)) + [2, 2]
    let events = levels.enumerated().compactMap { watch.add(car(100, level: $1), at: time(Double($0) / 8)) }
    #expect(events.count == 1 + more)
  }

  /// While one car flickers, a fast one appears with a new number, a reused number or none.
  @Test(
    "a new fast car is reported at once, whatever the others did",
    arguments: [(2, 140.0), (1, 140), (1, 55), (nil, 90)] as [(Int?, Double)])
  func newFastCar(id: Int?, distance: Double) {
    var watch = RadarWatch()
    for step in 0..<40 { _ = watch.add(car(100, level: 1 + step % 2), at: time(Double(step) / 8)) }
    _ = watch.add(car(100), at: time(5))
    let road = id == 1 ? car(distance, level: 2) : cars((100, 1, 1), (distance, 2, id))
    let event = watch.add(road, at: time(5.125))
    #expect(
      event == .approach(level: 2, distance: min(distance, id == 1 ? distance : 100), speed: 12, cars: id == 1 ? 1 : 2))
  }

  /// Random sets of up to 12 cars. A car that becomes fast is reported if the level rises.
  @Test("no fast car is missed among many", arguments: 1...20)
  func manyCars(seed: UInt64) {
    var (watch, random) = (RadarWatch(), SeededRandom(seed))
    var wasFast: [Int: Int] = [:]
    var (known, told) = (0, 0)
    for step in 0..<4000 {
      var road = RadarWatch.Road(isClear: false)
      var highest = 1
      var isNew = false
      for id in 0..<12 where random.next() % 3 == 0 {
        let level = random.next() % 6 == 0 ? 2 : 1
        road.note(RadarMemory.Target(id: id, level: level, distance: 90), speed: 15)
        highest = max(highest, level)
        guard level == 2 else { continue }
        if step - (wasFast[id] ?? -100) > 16 { isNew = true }
        wasFast[id] = step
      }
      let event = watch.add(road, at: time(Double(step) / 8))
      if highest > known, isNew {
        #expect(event == .approach(level: highest, distance: 90, speed: 15, cars: road.count), "step \(step)")
        told += 1
      }
      known = highest
    }
    #expect(told > 20)
  }

  @Test("each new car is announced even while another one is there", arguments: [true, false])
  func convoy(hasNumbers: Bool) {
    var watch = RadarWatch()
    var counts: [Int] = []
    // A car appears every 5 s at 140 m, at 12 m/s, so two or three are in sight at a time.
    for step in 0..<400 {
      let now = Double(step) / 8
      var road = RadarWatch.Road(isClear: false)
      for number in 0..<8 {
        let distance = 140 - 12 * (now - 5 * Double(number))
        guard (0...140).contains(distance) else { continue }
        road.note(
          RadarMemory.Target(id: hasNumbers ? number % 4 : nil, level: 1, distance: distance), speed: 12)
      }
      if road.count == 0 { road = clear }
      if case .approach(_, _, _, let cars)? = watch.add(road, at: time(now)) { counts.append(cars) }
    }
    // Without numbers, a car that replaces another one cannot be distinguished from it.
    #expect(counts == (hasNumbers ? [1, 2, 3, 3, 3, 3, 3, 3] : [1, 2, 3]))
  }

  @Test("a flickering target is not a clear road")
  func flickeringTarget() {
    var watch = RadarWatch()
    var events: [RadarWatch.Event] = []
    for step in 0..<80 {
      if let event = watch.add(step % 4 == 3 ? clear : car(120), at: time(Double(step) / 8)) { events.append(event) }
    }
    #expect(events.count == 1)
  }

  @Test("a silent radar is lost within 2 s, whatever it sent last", arguments: [true, false])
  func silentRadar(wasClear: Bool) throws {
    var watch = RadarWatch()
    for step in 0..<20 { _ = watch.add(wasClear ? clear : car(100), at: time(Double(step) / 8)) }
    let deadline = try #require(watch.deadline)
    #expect(deadline.seconds(since: time(19.0 / 8)) <= 2)
    let before = watch.advance(to: time(19.0 / 8 + 1.5))
    let after = watch.advance(to: deadline)
    let again = watch.advance(to: deadline + .seconds(10))
    #expect(before == nil && after == .lost && again == nil)
    #expect(watch.deadline == nil, "it needs no wake-up")
  }

  @Test("after a loss the road is clear only after a second of packets")
  func roadAfterLoss() {
    var watch = RadarWatch()
    for step in 0..<20 { _ = watch.add(clear, at: time(Double(step) / 8)) }
    let lost = watch.lose()
    #expect(lost == .lost)
    var clearAt: Double?
    for step in 0..<20 {
      let now = 10 + Double(step) / 8
      if watch.add(clear, at: time(now)) == .clear { clearAt = now }
    }
    #expect(clearAt == 11)
    // Single packets with silence between them are not a live radar.
    _ = watch.lose()
    var events: [RadarWatch.Event] = []
    for step in 0..<10 { if let event = watch.add(clear, at: time(100 + Double(step) * 5)) { events.append(event) } }
    #expect(events.isEmpty)
  }

  @Test("a radar that never sent anything is not lost")
  func radarWithoutPackets() {
    var watch = RadarWatch()
    let (lost, later) = (watch.lose(), watch.advance(to: time(100)))
    #expect(lost == nil && later == nil)
  }
}

struct BatteryWatchTests {
  @Test("low and critical batteries are each reported once")
  func lowAndCritical() {
    var watch = BatteryWatch()
    var events: [BatteryWatch.Event] = []
    for charge in stride(from: 100, through: 0, by: -1) {
      for _ in 0..<5 { if let event = watch.add(Double(charge)) { events.append(event) } }
    }
    #expect(events == [.low, .critical])
    let charged = watch.add(90)
    let again = watch.add(15)
    #expect(charged == nil && again == .low)
  }

  @Test("a battery that recovers with warmth is not reported again")
  func warmBattery() {
    var watch = BatteryWatch()
    let events = [22.0, 20, 23, 20, 26, 19].compactMap { watch.add($0) }
    #expect(events == [.low])
  }
}

/// Each event as its name and its fields.
func describedEvents(of out: borrowing Batch) -> [String] {
  out.entries.compactMap { entry in
    guard case .event(let name) = entry.kind else { return nil }
    let fields = entry.fields.map { index in
      let field = out.field(index)
      switch field.value {
      case .number(let number): return "\(field.field.name)=\(number)"
      case .text(let range): return "\(field.field.name)=\(String(decoding: out.text(range), as: UTF8.self))"
      case .word(let word): return "\(field.field.name)=\(word)"
      default: return "\(field.field.name)?"
      }
    }
    return ([name.description] + fields).joined(separator: " ")
  }
}

/// From a batch of samples to events.
struct EventTests {
  @Test("the targets of a radar become a warning")
  func radarTargets() {
    var metrics = RideMetrics()
    let radar = metrics.register(RideSensor(id: "varia"))
    var packet = Batch()
    var out = Batch()
    packet.radar(isClear: false)
    packet.append(RadarTarget(id: 1, distanceM: 90, approachSpeedMps: 8, level: 1))
    packet.append(RadarTarget(id: 2, distanceM: 35, approachSpeedMps: 15, level: 2))
    metrics.add(packet.entry(0), of: packet, from: radar, at: time(0), into: &out)
    metrics.lost(radar, at: time(1.5), into: &out)
    let said = describedEvents(of: out)
    #expect(
      said == [
        "radar_close sensor=varia level=2.0 distance_m=35.0 approach_speed_mps=15.0 cars=2.0",
        "radar_lost sensor=varia",
      ])
  }

  @Test("a silent radar is lost even if its session does not say so")
  func silentRadar() throws {
    var metrics = RideMetrics()
    let radar = metrics.register(RideSensor(id: "varia"))
    var packet = Batch()
    var out = Batch()
    packet.radar(isClear: true)
    for step in 0...10 {
      metrics.add(packet.entry(0), of: packet, from: radar, at: time(Double(step) / 8), into: &out)
    }
    let next = metrics.nextDeadline
    let deadline = try #require(next)
    metrics.tick(at: deadline, into: &out)
    let said = describedEvents(of: out)
    #expect(said == ["radar_clear sensor=varia", "radar_lost sensor=varia"])
    let later = metrics.nextDeadline
    #expect(later == nil)
  }

  /// The packet has pressure and battery.
  @Test("the battery of a tire sensor is watched while the tire is fine")
  func tireSensorBattery() {
    var metrics = RideMetrics()
    let cap = metrics.register(cap(target: 400_000))
    var packet = Batch()
    var out = Batch()
    packet.sample(.tirePressure)
    packet.set(Field("pressure_gauge_pa"), 400_000)
    packet.set(.batteryPct, 15)
    metrics.add(packet.entry(0), of: packet, from: cap, at: time(0), into: &out)
    let said = describedEvents(of: out)
    #expect(said == ["battery_low sensor=cap battery_pct=15.0"])
  }

  /// Tire sensors number the wheels of a car, so the role that the user set names the wheel. A
  /// wheel in the sample itself takes precedence.
  @Test(
    "a tire's event names the wheel if it is known",
    arguments: [
      (nil, nil, ""), (.front, nil, " wheel=front"), (.rear, nil, " wheel=rear"), (.left, nil, ""),
      (.front, "rear", " wheel=rear"), (nil, "front", " wheel=front"),
    ] as [(SensorRole?, String?, String)])
  func wheelOfTire(role: SensorRole?, said: String?, words: String) {
    var metrics = RideMetrics()
    var sensor = cap(target: 400_000)
    sensor.role = role
    let cap = metrics.register(sensor)
    var packet = Batch()
    var out = Batch()
    packet.sample(.tirePressure)
    packet.set(Field("pressure_gauge_pa"), 340_000)
    packet.set(Field("wheel_index"), 1)
    if let said { packet.set(Field("wheel"), said == "rear" ? "rear" as Word : "front") }
    metrics.add(packet.entry(0), of: packet, from: cap, at: time(0), into: &out)
    let events = describedEvents(of: out)
    #expect(events == ["tire_low pressure_gauge_pa=340000.0 sensor=cap" + words])
  }

  @Test("events of tires and batteries name their sensor")
  func namesOfSensors() {
    var metrics = RideMetrics()
    let cap = metrics.register(cap(target: 400_000))
    var packet = Batch()
    var out = Batch()
    packet.sample(.tirePressure)
    packet.set(Field("pressure_gauge_pa"), 340_000)
    packet.set(Field("wheel"), "rear" as Word)
    packet.sample(.battery)
    packet.set(.batteryPct, 15)
    for index in packet.entryIndices {
      metrics.add(packet.entry(index), of: packet, from: cap, at: time(0), into: &out)
    }
    let said = describedEvents(of: out)
    #expect(
      said == ["tire_low pressure_gauge_pa=340000.0 sensor=cap wheel=rear", "battery_low sensor=cap battery_pct=15.0"])
  }
}
