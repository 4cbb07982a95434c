// Rides whose true numbers are known, compared with the published ones.

import Testing
import Time
import Vocabulary

@testable import Metrics

struct RideTests {
  @Test("an hour at 10 m/s is 36 km")
  func hourOnTheFlat() {
    var ride = TestRide()
    for _ in 0..<3600 {
      ride.say(speed: 10, over: 1, from: ride.wheel)
      ride.say(.power, [(.powerW, 200)], from: ride.pedals)
      ride.say(.cadence, [(.cadenceRpm, 90)], from: ride.pedals)
      ride.say(.heartRate, [(.bpm, 140)], from: ride.strap)
      ride.pass(1)
    }
    #expect(abs((ride.value("ride", "distance_m") ?? 0) - 36_000) <= 10)
    #expect(abs((ride.value("ride", "moving_time_s") ?? 0) - 3600) <= 2)
    #expect(abs((ride.value("averages", "speed_avg_mps") ?? 0) - 10) < 0.01)
    #expect(ride.value("averages", "power_avg_w") == 200 && ride.value("averages", "normalized_power_w") == 200)
    #expect(ride.value("averages", "cadence_avg_rpm") == 90 && ride.value("averages", "bpm_max") == 140)
    #expect(abs((ride.value("ride", "work_j") ?? 0) - 720_000) <= 600)
    #expect(ride.words["speed"]?["source"] == "wheel" && ride.words["averages"]?["power_trend"] == "flat")
  }

  @Test("of equal sensors, the one with the stronger signal replaces a lost one")
  func strongerSensor() {
    var ride = TestRide()
    let first = ride.metrics.register(RideSensor(id: "first", priority: 1))
    let weak = ride.metrics.register(RideSensor(id: "weak"))
    let strong = ride.metrics.register(RideSensor(id: "strong"))
    ride.metrics.update(signal: -92, of: weak)
    ride.metrics.update(signal: -50, of: strong)
    for second in 0..<60 {
      ride.say(speed: 10, over: 1, from: ride.wheel)
      if second == 30 { ride.lose(first) }
      for source in second < 30 ? [first, weak, strong] : [weak, strong] {
        ride.say(.heartRate, [(.bpm, 140)], from: source)
      }
      ride.pass(1)
      #expect(ride.words["heart_rate"]?["source"] == (second < 30 ? "first" : "strong"), "second \(second)")
    }
  }

  @Test("pace is the time for a kilometre, known only while the bike moves")
  func pace() {
    var ride = TestRide()
    for second in 0..<600 {
      ride.say(speed: second < 300 ? 8 : 4, over: 1, from: ride.wheel)
      ride.pass(1)
      if second > 10 { #expect(ride.value("speed", "pace_s_per_km") == (second < 300 ? 125 : 250)) }
    }
    // The mean speed is 6 m/s.
    #expect(abs((ride.value("averages", "pace_avg_s_per_km") ?? 0) - 1000.0 / 6) < 1)
    for _ in 0..<10 { ride.say(speed: 0, over: 1, from: ride.wheel); ride.pass(1) }
    #expect(ride.value("speed", "speed_mps") == 0 && ride.value("speed", "pace_s_per_km") == nil)
    #expect(ride.value("averages", "pace_avg_s_per_km") != nil, "averages remain")
    ride.metrics.beginLap(at: ride.now)
    ride.pass(1)
    #expect(ride.read["lap_averages"] != nil && ride.value("lap_averages", "pace_avg_s_per_km") == nil)
  }

  /// Even if auto pause is set to a lower speed.
  @Test("below walking speed there is no pace")
  func walkingSpeed() {
    var settings = RideSettings()
    settings.autoPauseSpeedMps = 0.1
    var ride = TestRide(settings)
    for speed in [0.49, 0.5] {
      for _ in 0..<20 { ride.say(speed: speed, over: 1, from: ride.wheel); ride.pass(1) }
      #expect(ride.value("ride", "paused") == 0)
      #expect(ride.value("speed", "pace_s_per_km") == (speed < 0.5 ? nil : 2000))
    }
  }

  @Test("the time at a traffic light is not moving time")
  func trafficLight() {
    var ride = TestRide()
    for second in 0..<600 {
      // The bike stands for 30 s in every two minutes.
      let speed = second % 120 < 90 ? 8.0 : 0
      ride.say(speed: speed, over: 1, from: ride.wheel)
      ride.pass(1)
    }
    #expect(ride.value("ride", "paused") == 1)
    let moving = ride.value("ride", "moving_time_s") ?? 0
    #expect(abs(moving - 450) <= 5 * 4, "\(moving): a stop is noticed late")
    #expect(abs((ride.value("ride", "ride_time_s") ?? 0) - 600) <= 1)
    #expect(abs((ride.value("ride", "distance_m") ?? 0) - 3600) <= 40)
  }

  @Test("a speed that swings around the threshold pauses the ride at most once")
  func speedAroundThreshold() {
    var ride = TestRide()
    for _ in 0..<10 { ride.say(speed: 5, over: 1, from: ride.wheel); ride.pass(1) }
    var pauses = 0
    var wasPaused = 0.0
    for second in 0..<600 {
      ride.say(speed: second % 2 == 0 ? 1.0 : 1.25, over: 1, from: ride.wheel)
      ride.pass(1)
      let paused = ride.value("ride", "paused") ?? 0
      if paused != wasPaused { (pauses, wasPaused) = (pauses + 1, paused) }
    }
    #expect(pauses <= 1)
  }

  @Test("values of lost sensors are omitted")
  func lostSensors() {
    var ride = TestRide()
    for _ in 0..<60 {
      ride.say(.power, [(.powerW, 300)], from: ride.pedals)
      ride.pass(1)
    }
    #expect(ride.value("averages", "power_10s_w") == 300)
    ride.pass(30)
    #expect(ride.value("averages", "power_3s_w") == nil && ride.value("averages", "power_10s_w") == nil)
    #expect(ride.value("averages", "power_avg_w") == 300, "averages remain")
    #expect(ride.value("averages", "bpm_avg") == nil, "there was no value")
    #expect(ride.value("ride", "paused") == 1)
  }

  @Test("zeros of a power meter count")
  func zerosCount() {
    var ride = TestRide()
    for second in 0..<1200 {
      ride.say(speed: 10, over: 1, from: ride.wheel)
      ride.say(.power, [(.powerW, second % 20 < 10 ? 300 : 0)], from: ride.pedals)
      ride.pass(1)
    }
    #expect(abs((ride.value("averages", "power_avg_w") ?? 0) - 150) <= 1)
    #expect(abs((ride.value("averages", "power_60s_w") ?? 0) - 150) <= 1)
    // With 10 s on and 10 s off, the 30 s means swing between 100 and 200 W.
    let normalized = ride.value("averages", "normalized_power_w") ?? 0
    #expect(normalized > 152 && normalized < 170, "\(normalized)")
  }

  @Test("GPS replaces a silent wheel sensor, and the distance continues")
  func gpsReplacesWheel() {
    var ride = TestRide()
    for second in 0..<600 {
      if !(200..<400).contains(second) { ride.say(speed: 10, over: 1, from: ride.wheel) }
      ride.pass(0.5)
      ride.say(speed: 10, over: 1, from: ride.gps)
      ride.pass(0.5)
      if second == 300 { #expect(ride.words["speed"]?["source"] == "gps") }
    }
    #expect(ride.words["speed"]?["source"] == "wheel")
    #expect(abs((ride.value("ride", "distance_m") ?? 0) - 6000) <= 15, "\(ride.value("ride", "distance_m") ?? -1)")
  }

  @Test("a ride continues where it was saved")
  func savedRide() {
    var ride = TestRide()
    for _ in 0..<300 { ride.say(speed: 10, over: 1, from: ride.wheel); ride.pass(1) }
    ride.metrics.beginLap(at: ride.now)
    for _ in 0..<100 { ride.say(speed: 10, over: 1, from: ride.wheel); ride.pass(1) }
    let saved = ride.metrics.saved
    var after = TestRide(saved: saved)
    let unchanged = after.metrics.saved
    #expect(unchanged == saved)
    for _ in 0..<100 { after.say(speed: 10, over: 1, from: after.wheel); after.pass(1) }
    #expect(abs((after.value("ride", "distance_m") ?? 0) - 5000) <= 20)
    #expect(after.value("ride", "lap") == 2)
    #expect(abs((after.value("lap_averages", "speed_avg_mps") ?? 0) - 10) < 0.2)
  }

  @Test("laps end by distance if that is configured")
  func lapsEndByDistance() {
    var settings = RideSettings()
    settings.lapDistanceM = 1000
    var ride = TestRide(settings)
    for _ in 0..<555 { ride.say(speed: 10, over: 1, from: ride.wheel); ride.pass(1) }
    #expect(ride.value("ride", "lap") == 6)
  }

  @Test("nothing counts during a pause by hand")
  func pauseByHand() {
    var ride = TestRide()
    for _ in 0..<100 { ride.say(speed: 10, over: 1, from: ride.wheel); ride.pass(1) }
    ride.metrics.pause(at: ride.now)
    for _ in 0..<100 { ride.say(speed: 10, over: 1, from: ride.wheel); ride.pass(1) }
    #expect(abs((ride.value("ride", "distance_m") ?? 0) - 1000) <= 10)
    #expect(abs((ride.value("ride", "ride_time_s") ?? 0) - 100) <= 1)
    ride.metrics.resume(at: ride.now)
    for _ in 0..<100 { ride.say(speed: 10, over: 1, from: ride.wheel); ride.pass(1) }
    #expect(abs((ride.value("ride", "distance_m") ?? 0) - 2000) <= 30)
  }

  @Test("a wheel sensor that was out of range has no speed, but its distance counts")
  func wheelOutOfRange() {
    var ride = TestRide()
    for _ in 0..<300 { ride.say(speed: 10, over: 1, from: ride.wheel); ride.pass(1) }
    ride.loseWheel()
    ride.pass(120)
    ride.say(.speed, [(.distanceDeltaM, 1200)], from: ride.wheel)
    for _ in 0..<300 { ride.say(speed: 10, over: 1, from: ride.wheel); ride.pass(1) }
    #expect(abs((ride.value("ride", "distance_m") ?? 0) - 7200) <= 20)
    // The gap counts as the time that its distance takes at the mean speed.
    #expect(abs((ride.value("ride", "moving_time_s") ?? 0) - 720) <= 10)
    #expect(abs((ride.value("averages", "speed_avg_mps") ?? 0) - 10) < 0.1)
  }

  @Test("a trainer without a distance has one that is integrated from its speed")
  func trainer() {
    var ride = TestRide()
    for _ in 0..<600 { ride.say(.speed, [(.speedMps, 9)], from: ride.wheel); ride.pass(1) }
    #expect(abs((ride.value("ride", "distance_m") ?? 0) - 5400) <= 20)
  }

  @Test("a pause by hand does not count as ride time")
  func longPause() {
    var ride = TestRide()
    for _ in 0..<100 { ride.say(speed: 10, over: 1, from: ride.wheel); ride.pass(1) }
    ride.metrics.pause(at: ride.now)
    // An hour without a tick.
    ride.now = ride.now + .seconds(3600)
    ride.metrics.resume(at: ride.now)
    #expect(abs(ride.metrics.ride.clock.rideTime - 100) <= 1)
  }

  @Test("negative power is not work")
  func negativePower() {
    var ride = TestRide()
    for second in 0..<600 {
      ride.say(speed: 10, over: 1, from: ride.wheel)
      ride.say(.power, [(.powerW, second % 2 == 0 ? 200 : -200)], from: ride.pedals)
      ride.pass(1)
    }
    #expect(abs((ride.value("averages", "power_avg_w") ?? 0) - 100) < 1)
    #expect(ride.value("power", "power_w") == -200, "published as measured")
    #expect(abs((ride.value("ride", "work_j") ?? 0) - 60_000) < 600)
  }

  @Test("implausible values are discarded")
  func implausibleValues() {
    var ride = TestRide()
    for _ in 0..<100 {
      ride.say(speed: 10, over: 1, from: ride.wheel)
      ride.say(speed: 1e9, over: 1, from: ride.gps)
      ride.say(.power, [(.powerW, 1e9)], from: ride.pedals)
      ride.say(.cadence, [(.cadenceRpm, -1)], from: ride.pedals)
      ride.say(.heartRate, [(.bpm, 1000)], from: ride.strap)
      ride.pass(1)
    }
    #expect(
      ride.value("averages", "speed_max_mps") == 10 && ride.read["power"] == nil && ride.read["heart_rate"] == nil)
    #expect(ride.value("averages", "power_max_w") == nil && ride.value("averages", "cadence_max_rpm") == nil)
  }

  @Test("a ride with only a power meter pauses when the power is 0")
  func powerMeterAlone() {
    var ride = TestRide()
    for second in 0..<600 {
      ride.say(.power, [(.powerW, second < 300 ? 200 : 0)], from: ride.pedals)
      ride.pass(1)
      if second == 310 { #expect(ride.value("ride", "paused") == 1) }
    }
    #expect(ride.value("ride", "paused") == 1)
    #expect(abs((ride.value("ride", "moving_time_s") ?? 0) - 300) <= 4)
  }

  @Test("in a pause the zone is published, but its time does not count")
  func zoneInPause() {
    var rider = Rider()
    rider.maxBpm = 190
    var ride = TestRide(rider: rider)
    for second in 0..<400 {
      ride.say(speed: second < 200 ? 10 : 0, over: 1, from: ride.wheel)
      ride.say(.heartRate, [(.bpm, second < 300 ? 160 : 110)], from: ride.strap)
      ride.pass(1)
    }
    #expect(ride.value("zones", "zone") == 1)
    #expect(abs((ride.lists["zones"] ?? []).reduce(0, +) - 200) <= 5)
  }

  @Test("laps by distance do not grow")
  func lapsByDistance() {
    var settings = RideSettings()
    settings.lapDistanceM = 1000
    var ride = TestRide(settings)
    for _ in 0..<3030 { ride.say(speed: 9.9, over: 1, from: ride.wheel); ride.pass(1) }
    #expect(ride.value("ride", "lap") == 30, "of 29.997 km")
  }

  /// Even if the daemon restarts in every lap.
  @Test("laps by distance do not grow with restarts")
  func lapsAcrossRestarts() {
    var settings = RideSettings()
    settings.lapDistanceM = 100
    var ride = TestRide(settings)
    for _ in 0..<30 {
      for _ in 0..<3 { ride.say(speed: 55, over: 1, from: ride.wheel); ride.pass(1) }
      let saved = ride.metrics.saved
      #expect(saved.lapTotals.distance + saved.lapLead < 100)
      #expect(abs((saved.totals.distance - saved.lapTotals.distance - saved.lapLead).remainder(dividingBy: 100)) < 1e-6)
      ride = TestRide(settings, saved: saved)
      let again = ride.metrics.saved
      #expect(again == saved)
    }
  }
}
