// Long rides on which everything goes wrong, with the truth to compare the published numbers with.

import Foundation
import SensorKit
import Time
import Vocabulary

@testable import Metrics

struct RideStudy: ~Copyable {
  /// The faults of a ride.
  struct Scene {
    var hours = 3.0
    /// Silences of the wheel sensor, the pedals and the strap.
    var silences: (between: ClosedRange<Double>, lasting: ClosedRange<Double>)? = (30...900, 1...600)
    var hasReceiver = true
    var hasSpareWheel = false
    var restarts = 0.0
    var nonsense = 0.0
    /// Probability per second that the computer sleeps while the bike stands.
    var sleeps = 0.0
    /// Probability per second that the rider pauses or resumes by hand.
    var pauses = 0.0
    var lapDistanceM: Double?
    /// Probability per second that the rider begins a lap.
    var laps = 0.0
    /// Seconds after which the totals are saved and another process continues from them.
    var restartsEvery: Double?
  }

  /// The true numbers of the ride, without pauses by hand.
  struct Truth {
    var metres = 0.0
    /// The part of these with a live source of speed.
    var watchedMetres = 0.0
    /// Seconds without a live source of speed.
    var unwatched = 0.0
    var moving = 0.0
    var joules = 0.0
    /// The part of these with the pedals in range and the bike moving.
    var watchedJoules = 0.0
    var heartSeconds = 0.0
    var stops = 0
    var fastest = 0.0
    var began = 0.0
    var pausedFor = 0.0
    var greatestPower = 0.0
  }

  let scene: Scene
  private(set) var bike: StudyBike
  private(set) var metrics: RideMetrics
  private(set) var reader = StudyReader()
  private(set) var truth = Truth()
  private(set) var lapDistances = 0.0
  private(set) var lapsBegun = 0
  private var settings = RideSettings()
  private var rider = Rider()
  private var sensors: [StudySensor] = []
  private var nonsense = 0
  private var receiver: (next: Double, silentUntil: Double) = (0, 0)
  private var packet = Batch()
  private var out = Batch()
  private var nextTick: Double
  private var isPaused = false
  private var wasMoving = false
  private var lastRestart = 0.0

  init(_ scene: Scene, seed: UInt64) {
    self.scene = scene
    bike = StudyBike(seed: seed)
    settings.rideGapS = 1e9
    settings.lapDistanceM = scene.lapDistanceM
    (rider.maxBpm, rider.weightKg, rider.ageYears, rider.sex) = (190, 70, 40, .male)
    metrics = RideMetrics(settings, rider: rider)
    nextTick = bike.time + 1
    truth.began = bike.time
    lastRestart = bike.time
    enter()
  }

  private mutating func enter() {
    let wheel = metrics.register(RideSensor(id: "wheel", circumferenceM: StudyBike.circumference))
    let pedals = metrics.register(RideSensor(id: "pedals"))
    let strap = metrics.register(RideSensor(id: "strap"))
    let spare = metrics.register(RideSensor(id: "spare", priority: -5))
    nonsense = metrics.register(RideSensor(id: "nonsense", priority: 50))
    sensors = [
      StudySensor(.wheel, source: wheel, period: 0.5, at: bike.time),
      StudySensor(.pedals, source: pedals, period: 0.5, at: bike.time),
      StudySensor(.strap, source: strap, at: bike.time),
    ]
    if scene.hasSpareWheel { sensors.append(StudySensor(.wheel, source: spare, at: bike.time)) }
    for index in sensors.indices {
      sensors[index].silences = scene.silences
      sensors[index].restarts = scene.restarts
    }
  }

  mutating func ride() {
    let end = bike.time + scene.hours * 3600
    while bike.time < end { step() }
    // A last tick publishes what is pending, with the current lap.
    nextTick = bike.time
    tick()
  }

  private mutating func step() {
    let before = bike.metres
    bike.ride()
    note(bike.metres - before)
    for index in sensors.indices { speak(index) }
    if scene.hasReceiver { receive() }
    if bike.chance(scene.nonsense * StudyBike.step) { sayNonsense() }
    if bike.time >= nextTick { tick() }
    guard bike.time.truncatingRemainder(dividingBy: 1) == 0 else { return }
    if bike.chance(scene.pauses) { togglePause() }
    if bike.chance(scene.laps) { beginLap() }
    if bike.speed == 0, bike.chance(scene.sleeps) { sleep() }
    if let pause = scene.restartsEvery, bike.time - lastRestart >= pause { restart() }
  }

  private var now: MonotonicTime { MonotonicTime(seconds: bike.time) }

  private func isInRange(_ form: StudySensor.Form) -> Bool {
    sensors.contains { $0.form == form && !$0.isSilent && bike.time - $0.lastWord <= 2 }
  }

  private mutating func note(_ way: Double) {
    guard !isPaused else { return truth.pausedFor += StudyBike.step }
    truth.metres += way
    let isWatched = isInRange(.wheel) || scene.hasReceiver && bike.time > receiver.silentUntil
    if isWatched { truth.watchedMetres += way } else { truth.unwatched += StudyBike.step }
    truth.fastest = max(truth.fastest, bike.speed)
    truth.greatestPower = max(truth.greatestPower, bike.watts)
    truth.joules += bike.watts * StudyBike.step
    let isMoving = bike.speed >= 4 / 3.6
    if wasMoving, !isMoving { truth.stops += 1 }
    wasMoving = isMoving
    guard isMoving else { return }
    truth.moving += StudyBike.step
    if isInRange(.pedals) { truth.watchedJoules += bike.watts * StudyBike.step }
    if isInRange(.strap) { truth.heartSeconds += StudyBike.step }
  }
}

// MARK: Reception

extension RideStudy {
  private mutating func speak(_ index: Int) {
    var sensor = sensors[index]
    let time = now
    sensor.speak(of: &bike, into: &packet) { batch, source in
      for entry in batch.entryIndices {
        out.removeAll()
        metrics.add(batch.entry(entry), of: batch, from: source, at: time, into: &out)
        reader.read(out, at: time.seconds)
      }
    }
    if sensor.isLost(at: bike.time) {
      out.removeAll()
      metrics.lost(sensor.source, at: time, into: &out)
      reader.read(out, at: time.seconds)
    }
    sensors[index] = sensor
  }

  private mutating func receive() {
    guard bike.time >= receiver.next else { return }
    receiver.next = bike.time + 1
    if bike.chance(0.0005) { receiver.silentUntil = bike.time + bike.within(5...300) }
    guard bike.time > receiver.silentUntil else { return }
    var fix = Self.fix(bike)
    fix.speedMps = max(0, bike.speed + bike.within(-0.15...0.15))
    if bike.chance(scene.nonsense) { Self.spoil(&fix, with: nonsensical()) }
    out.removeAll()
    metrics.add(fix, into: &out)
    reader.read(out, at: bike.time)
  }

  /// Of a receiver that makes no mistakes, on a road to the north.
  static func fix(_ bike: StudyBike) -> Fix {
    var fix = Fix(time: MonotonicTime(seconds: bike.time), mode: .full)
    fix.epoch = bike.time
    (fix.latitudeDeg, fix.longitudeDeg) = (bike.metres / 110_574, 0)
    fix.altitudeM = 300 + 40 * sin(bike.metres / 2000)
    (fix.speedMps, fix.courseDeg, fix.accuracyM) = (bike.speed, 0, 5)
    (fix.satellites, fix.dilution) = (11, 0.8)
    return fix
  }

  private static func spoil(_ fix: inout Fix, with number: Double) {
    (fix.speedMps, fix.altitudeM, fix.courseDeg, fix.climbMps) = (number, number, number, number)
  }

  private mutating func nonsensical() -> Double {
    let numbers = [1e9, -1e9, -0.001, 1e300, .nan, .infinity, -.infinity, 66_000]
    return numbers[Int(bike.within(0...0.999) * Double(numbers.count))]
  }

  /// From the sensor with the highest priority.
  private mutating func sayNonsense() {
    packet.removeAll()
    let number = nonsensical()
    let kinds: [(SampleKind, Field)] = [
      (.speed, .speedMps), (.speed, .distanceDeltaM), (.cadence, .cadenceRpm), (.power, .powerW), (.heartRate, .bpm),
      (SampleKind("environment"), Field("pressure_pa")), (.battery, .batteryPct), (.speed, .wheelRevs),
      (.tirePressure, Field("pressure_gauge_pa")), (SampleKind("environment"), Field("elevation_m")),
    ]
    let (kind, field) = kinds[Int(bike.within(0...0.999) * Double(kinds.count))]
    packet.sample(kind)
    packet.set(field, number)
    out.removeAll()
    metrics.add(packet.entry(0), of: packet, from: nonsense, at: now, into: &out)
    reader.read(out, at: bike.time)
  }

  private mutating func tick() {
    nextTick = max(nextTick + 1, bike.time)
    let before = reader.said
    out.removeAll()
    metrics.tick(at: now, into: &out)
    reader.read(out, at: bike.time)
    for (kind, said) in reader.said where before[kind]?.time != said.time {
      reader.fault("\(kind) of a tick", bike.time)
    }
  }
}

// MARK: Pauses, laps and faults

extension RideStudy {
  private mutating func togglePause() {
    isPaused.toggle()
    if isPaused { metrics.pause(at: now) } else { metrics.resume(at: now) }
    if isPaused, wasMoving { (truth.stops, wasMoving) = (truth.stops + 1, false) }
    tick()
  }

  private mutating func beginLap() {
    lapDistances += metrics.ride.totals.distance.lap
    lapsBegun += 1
    metrics.beginLap(at: now)
  }

  private mutating func sleep() {
    let seconds = bike.within(600...18_000)
    bike.rest(seconds)
    if isPaused { truth.pausedFor += seconds }
    nextTick = bike.time
  }

  private mutating func restart() {
    lastRestart = bike.time
    metrics = RideMetrics(settings, rider: rider, saved: metrics.saved, lastMoved: metrics.lastMoved)
    enter()
  }
}
