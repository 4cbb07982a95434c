// Numbers of the body and the road as parts of a ride. Each part has tests of its own; these check
// that the ride passes it what it needs.

import Foundation
import Testing
import Time
import Vocabulary

@testable import Metrics

struct RideBodyAndRoadTests {
  private var rider: Rider {
    var rider = Rider()
    (rider.maxBpm, rider.weightKg, rider.ageYears, rider.sex) = (190, 70, 40, .male)
    return rider
  }

  /// A fix `metres` north of the equator, where a degree is 110,574 m.
  private func fix(_ ride: borrowing TestRide, metres: Double, speed: Double, altitude: Double = 100) -> Fix {
    var fix = Fix(time: ride.now, mode: .full)
    fix.epoch = ride.now.seconds
    (fix.latitudeDeg, fix.longitudeDeg, fix.altitudeM) = (metres / 110_574, 0, altitude)
    (fix.speedMps, fix.courseDeg, fix.accuracyM, fix.speedAccuracyMps) = (speed, 0, 4, 0.1)
    (fix.satellites, fix.dilution) = (11, 0.8)
    return fix
  }

  @Test("zones and energy belong to the ride")
  func zonesAndEnergy() {
    var ride = TestRide(rider: rider)
    for second in 0..<600 {
      ride.say(speed: 10, over: 1, from: ride.wheel)
      ride.say(.heartRate, [(.bpm, second < 300 ? 120 : 160)], from: ride.strap)
      ride.pass(1)
    }
    #expect(ride.value("zones", "zone") == 4)
    let times = ride.lists["zones"] ?? []
    #expect(times.count == 5 && abs((times.first { $0 > 200 } ?? 0) - 300) <= 5, "\(times)")
    let energy = ride.value("ride", "energy_kcal") ?? 0
    #expect(energy > 90 && energy < 160, "\(energy)")
  }

  @Test("without rider data there are no zones and no energy from the heart rate")
  func unknownRider() {
    var ride = TestRide()
    for _ in 0..<120 {
      ride.say(speed: 10, over: 1, from: ride.wheel)
      ride.say(.heartRate, [(.bpm, 140)], from: ride.strap)
      ride.pass(1)
    }
    #expect(ride.read["zones"] == nil && ride.value("ride", "energy_kcal") == nil)
  }

  @Test("power gives energy")
  func energyFromPower() {
    var ride = TestRide()
    for _ in 0..<600 {
      ride.say(speed: 10, over: 1, from: ride.wheel)
      ride.say(.power, [(.powerW, 200)], from: ride.pedals)
      ride.pass(1)
    }
    #expect(abs((ride.value("ride", "energy_kcal") ?? 0) - 120) < 2, "200 W for 10 minutes are 120 kJ")
  }

  @Test("beats give variability")
  func variability() throws {
    var ride = TestRide()
    // The intervals follow a wave of 30 ms.
    func interval(_ beat: Int) -> Double { 1000 + 30 * (Double((beat * 7) % 20) / 10 - 1) }
    var truth = 0.0
    for beat in 0..<200 {
      ride.say(bpm: 60, rrMs: [interval(beat)])
      ride.pass(interval(beat) / 1000)
      let step = interval(beat) - interval(beat + 1)
      truth += step * step / 200
    }
    truth = truth.squareRoot()
    let rmssdSaid = ride.value("hrv", "rmssd_ms")
    let rmssd = try #require(rmssdSaid)
    #expect(abs(rmssd - truth) < 0.05 * truth, "\(rmssd), not \(truth)")
    #expect(ride.value("hrv", "confidence") ?? 0 > 0)
  }

  /// The respiratory rate is known later than variability, and not with noise.
  @Test("each confidence is published with its number")
  func confidences() {
    let breaths = Heart.breathing(perMinute: 15, mean: 800, depth: 40, own: 5, measured: 2, seconds: 120, seed: 3)
    let noise = Heart.intervals(Heart.white(300, seed: 4), mean: 800, deviation: 20)
    var ride = TestRide()
    var (alone, both, silenced) = (0, 0, 0)
    for interval in breaths + noise {
      ride.say(bpm: 75, rrMs: [interval])
      ride.pass(interval / 1000)
      guard let told = ride.read["hrv"] else { continue }
      let isVariable = told["rmssd_ms"] != nil || told["sdnn_ms"] != nil || told["dfa_alpha1"] != nil
      #expect(isVariable == (told["confidence"] != nil))
      #expect((told["breaths_per_min"] == nil) == (told["breaths_confidence"] == nil))
      if told["breaths_confidence"] != nil { both += 1 } else if both == 0 { alone += 1 } else { silenced += 1 }
    }
    #expect(alone > 5 && both > 60 && silenced > 60, "\(alone), \(both), \(silenced) beats")
  }

  @Test("without other sensors, the receiver gives speed, distance, grade and ascent")
  func receiverAlone() throws {
    var ride = TestRide()
    for second in 0..<600 {
      ride.say(fix(ride, metres: 10 * Double(second), speed: 10, altitude: 100 + 0.5 * Double(second)))
      ride.pass(1)
    }
    #expect(ride.words["speed"]?["source"] == "gps" && ride.words["position"]?["quality"] == "good")
    #expect(abs((ride.value("ride", "distance_m") ?? 0) - 6000) <= 20)
    let gradeSaid = ride.value("grade", "grade_pct")
    let grade = try #require(gradeSaid)
    #expect(abs(grade - 5) < 0.5)
    #expect(abs((ride.value("ride", "ascent_m") ?? 0) - 300) < 25)
  }

  /// An air sensor on the handlebar sends a pressure, or a height that it computed. There is no
  /// receiver.
  @Test("an air sensor gives grade and ascent, from its pressure or its height", arguments: [false, true])
  func airSensor(saysHeight: Bool) throws {
    var ride = TestRide()
    let air = ride.metrics.register(RideSensor(id: "air"))
    for second in 0..<600 {
      let height = 100 + 0.5 * Double(second)
      let pressure = 101_325 * pow(1 - height / 44_330, 5.255)
      ride.say(
        SampleKind("environment"),
        [saysHeight ? (Field("elevation_m"), height) : (Field("pressure_pa"), pressure)], from: air)
      ride.say(speed: 10, over: 1, from: ride.wheel)
      ride.pass(1)
    }
    let gradeSaid = ride.value("grade", "grade_pct")
    let grade = try #require(gradeSaid)
    #expect(abs(grade - 5) < 0.5, "\(grade)")
    #expect(abs((ride.value("ride", "ascent_m") ?? 0) - 300) < 25, "\(ride.value("ride", "ascent_m") ?? 0)")
  }

  /// A size that the user set is kept, but reported if it is wrong.
  @Test("the measured wheel is published", arguments: [false, true])
  func measuredWheel(isUsed: Bool) throws {
    var ride = TestRide(circumferenceM: 2.1, usesMeasuredSize: isUsed)
    var metres = 0.0
    // The true size is 2 % smaller.
    for _ in 0..<1200 {
      metres += 8
      ride.say(
        .speed,
        [
          (.wheelRevs, (metres / 2.058).rounded(.down)),
          (.speedMps, 8 / 2.058 * (ride.metrics.circumferenceM(of: ride.wheel) ?? 0)), (.distanceDeltaM, 8),
        ], from: ride.wheel)
      ride.say(fix(ride, metres: metres, speed: 8))
      ride.pass(1)
    }
    let sizeSaid = ride.value("wheel", "circumference_mm")
    let size = try #require(sizeSaid)
    #expect(abs(size - 2058) < 8, "\(size)")
    #expect(ride.words["wheel"]?["source"] == "wheel")
    #expect(ride.events == [isUsed ? "wheel_resized" : "wheel_disagrees"], "\(ride.events)")
    let used = ride.metrics.circumferenceM(of: ride.wheel)
    #expect(isUsed ? used == size / 1000 : used == 2.1)
  }

  /// Sends revolutions, and also speed and distance once the wheel's size is known, as the plugin
  /// does.
  private func turn(_ ride: inout TestRide, _ turns: inout Double, rate: Double) {
    turns += rate
    var fields: [(Field, Double)] = [(.wheelRevs, turns.rounded(.down))]
    if let size = ride.metrics.circumferenceM(of: ride.wheel) {
      fields += [(.speedMps, rate * size), (.distanceDeltaM, rate * size)]
    }
    ride.say(.speed, fields, from: ride.wheel)
  }

  @Test("a turning wheel of unknown size starts a ride")
  func unknownWheelTurns() {
    var ride = TestRide(usesMeasuredSize: true)
    var turns = 4_000.0
    func ridden(_ name: String) -> Double { ride.value("ride", name) ?? -1 }
    // The bike stands. A single revolution, from moving it aside, does not count.
    for second in 0..<60 {
      turn(&ride, &turns, rate: second == 30 ? 1 : 0)
      ride.pass(1)
    }
    #expect(ride.read["ride"] == nil)
    for _ in 0..<300 {
      turn(&ride, &turns, rate: 3.3)
      ride.pass(1)
    }
    #expect(abs(ridden("moving_time_s") - 299) <= 2 && ridden("paused") == 0)
    #expect(ridden("distance_m") == 0 && ride.read["speed"] == nil, "the distance is unknown")
    for _ in 0..<60 {
      turn(&ride, &turns, rate: 0)
      ride.pass(1)
    }
    #expect(ridden("paused") == 1 && abs(ridden("moving_time_s") - 303) <= 3, "\(ridden("moving_time_s"))")
    // Distance counts from the moment at which the size is known.
    var sensor = RideSensor(id: "wheel", circumferenceM: 2)
    sensor.usesMeasuredSize = true
    _ = ride.metrics.register(sensor)
    for _ in 0..<100 {
      turn(&ride, &turns, rate: 3)
      ride.pass(1)
    }
    #expect(abs(ridden("distance_m") - 600) <= 6, "\(ridden("distance_m"))")
    #expect(abs(ridden("moving_time_s") - 403) <= 4)
  }

  /// When a wheel is back in range, the times of its revolutions are unknown. A counter may also
  /// restart.
  @Test("revolutions during a gap are not current movement")
  func revolutionsDuringGap() {
    var ride = TestRide(usesMeasuredSize: true)
    for turns in [100.0, 700, 100, 40] {
      ride.say(.speed, [(.wheelRevs, turns)], from: ride.wheel)
      ride.pass(turns == 100 ? 600 : 1)
    }
    #expect(ride.read["ride"] == nil)
  }

  /// At a light the pedals send no power, just as downhill. Only the wheel shows that the bike
  /// stands.
  @Test("a standing wheel of unknown size ends coasting")
  func unknownWheelStands() {
    var ride = TestRide(usesMeasuredSize: true)
    var turns = 0.0
    for second in 0..<120 {
      let isRolling = second < 60
      turn(&ride, &turns, rate: isRolling ? 4 : 0)
      ride.say(.power, [(.powerW, isRolling && second < 50 ? 200 : 0)], from: ride.pedals)
      ride.pass(1)
    }
    #expect((55...66).contains(ride.value("ride", "moving_time_s") ?? 0), "\(ride.value("ride", "moving_time_s") ?? 0)")
  }

  /// The sensor moves to another wheel, whose size the user sets and then clears.
  @Test("the measurement of another wheel is not reused")
  func anotherWheel() {
    var metrics = RideMetrics()
    var sensor = RideSensor(id: "wheel")
    sensor.usesMeasuredSize = true
    let stretch = WheelSize.Saved.Stretch(circumferenceM: 2.1, weight: 1, missedShare: 0)
    let kept = WheelSize.Saved(
      saidM: nil, circumferenceM: 2.1, isMeasured: true, stretches: Array(repeating: stretch, count: 24))
    sensor.wheel = kept
    let wheel = metrics.register(sensor)
    #expect(metrics.circumferenceM(of: wheel) == 2.1 && metrics.savedWheel(of: wheel) != nil)
    sensor.circumferenceM = 2.28
    _ = metrics.register(sensor)
    #expect(metrics.savedWheel(of: wheel) == nil, "nothing of it is saved")
    sensor.circumferenceM = nil
    _ = metrics.register(sensor)
    #expect(metrics.circumferenceM(of: wheel) == nil)
    _ = metrics.register(sensor)
    #expect(metrics.circumferenceM(of: wheel) == nil)
    // A sensor that enters after this one has left starts with the saved measurement.
    metrics.leave(wheel)
    _ = metrics.register(sensor)
    #expect(metrics.circumferenceM(of: wheel) == 2.1)
  }

  @Test("a receiver is preferred to a wheel of unknown size")
  func receiverBeforeWheel() {
    var ride = TestRide(usesMeasuredSize: true)
    var turns = 0.0
    for _ in 0..<60 {
      turn(&ride, &turns, rate: 3)
      ride.say(fix(ride, metres: 0, speed: 0))
      ride.pass(1)
    }
    #expect(ride.value("ride", "paused") ?? 1 == 1 && ride.value("ride", "distance_m") ?? 0 == 0)
  }

  @Test("an inaccurate receiver starts no ride")
  func inaccurateReceiver() {
    var ride = TestRide()
    for second in 0..<300 {
      var bad = fix(ride, metres: Double(second) * 3, speed: 3)
      (bad.accuracyM, bad.satellites, bad.dilution) = (200, 3, 20)
      #expect(bad.quality == .bad)
      ride.say(bad)
      ride.pass(1)
    }
    #expect(ride.read["position"] != nil && ride.read["ride"] == nil && ride.read["speed"] == nil)
  }

  @Test("energy, zone times and ascent are saved")
  func savedNumbers() {
    var ride = TestRide(rider: rider)
    for second in 0..<300 {
      ride.say(fix(ride, metres: 10 * Double(second), speed: 10, altitude: 100 + Double(second)))
      ride.say(.heartRate, [(.bpm, 150)], from: ride.strap)
      ride.pass(1)
    }
    let saved = ride.metrics.saved
    let after = RideMetrics(rider: rider, saved: saved).saved
    #expect(after.kilocalories == saved.kilocalories && after.zoneSeconds == saved.zoneSeconds)
    #expect(after.ascentM == saved.ascentM && saved.ascentM > 200)
  }
}
