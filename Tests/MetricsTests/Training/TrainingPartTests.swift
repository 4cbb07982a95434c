// Each training number alone, compared with its formula.

import Foundation
import Testing
import Time
import Vocabulary

@testable import Metrics

struct TrainingPartTests {
  @Test("power zones are Coggan's seven, each with its upper bound")
  func powerZones() throws {
    var rider = Rider()
    rider.thresholdPowerW = 200
    let zones = try #require(PowerZoneTimes(rider))
    let rows: [(Double, Int)] = [
      (0, 1), (110, 1), (111, 2), (150, 2), (151, 3), (180, 3), (181, 4), (210, 4), (211, 5), (240, 5), (241, 6),
      (300, 6),
      (301, 7), (2000, 7),
    ]
    for (watts, zone) in rows { #expect(zones.zone(of: watts) == zone, "\(watts) W") }
    #expect(PowerZoneTimes(Rider()) == nil)
  }

  @Test("times in power zones begin again with another threshold, and only then")
  func changedThreshold() {
    var numbers = TrainingNumbers(TrainingReference.rider)
    numbers.add(ridden: 250, window: nil, bpm: nil)
    var rider = TrainingReference.rider
    rider.weightKg = 60
    numbers.change(rider)
    #expect(numbers.zones?.seconds(in: 4) == 1)
    rider.thresholdPowerW = 300
    numbers.change(rider)
    #expect(numbers.zones?.seconds(in: 3) == 0)
  }

  @Test("W' is spent above threshold, recovers exponentially below it, and stays while power is unknown")
  func wPrimeBalance() {
    var balance = WPrimeBalance(TrainingReference.rider)
    #expect(balance.balanceJ == nil, "nothing is known yet")
    balance.pass(340, seconds: 60, isResting: false)
    #expect(balance.balanceJ == 12_000)
    balance.pass(nil, seconds: 100, isResting: false)
    #expect(balance.balanceJ == 12_000)
    balance.pass(140, seconds: 90, isResting: false)
    #expect(abs((balance.balanceJ ?? 0) - (18_000 - 6_000 * exp(-100.0 / 18_000 * 90))) < 1e-6)
    balance.pass(nil, seconds: 3600, isResting: true)
    #expect((balance.balancePct ?? 0) > 99.9)
    balance.pass(740, seconds: 60, isResting: false)
    #expect((balance.balanceJ ?? 0) < -11_000, "more than W' allows")
  }

  @Test("heart-rate load is Banister's TRIMP, with constants for women and men")
  func heartRateLoad() {
    var rider = TrainingReference.rider
    for (sex, perMinute) in [(Rider.Sex.male, 0.5 * 0.64 * exp(0.96)), (.female, 0.5 * 0.86 * exp(0.835))] {
      rider.sex = sex
      var load = HeartRateLoad(rider)
      for second in 0...600 { load.add(bpm: 120, at: MonotonicTime(seconds: Double(second)), counts: true) }
      #expect(abs((load.load ?? 0) - 10 * perMinute) < 1e-9)
      load.add(bpm: 120, at: MonotonicTime(seconds: 5000), counts: true)
      #expect(abs((load.load ?? 0) - (10 + 5.0 / 60) * perMinute) < 1e-9, "a silence weighs five seconds")
    }
    rider.sex = nil
    var load = HeartRateLoad(rider)
    for second in 0...60 { load.add(bpm: 120, at: MonotonicTime(seconds: Double(second)), counts: true) }
    #expect(load.load == nil)
  }

  @Test("decoupling needs twenty minutes, keeps its memory for a day and finds a heart that drifts")
  func decouplingOfALongRide() {
    var halves = Decoupling()
    for second in 0..<86_400 {
      if second == 1199 { #expect(halves.percent == nil) }
      if second == 1260 { #expect(halves.percent != nil) }
      halves.add(window: 200, bpm: second < 43_200 ? 120 : 150)
    }
    // 200 / 150 is a fifth less than 200 / 120.
    #expect(abs((halves.percent ?? 0) - 20) < 0.7, "\(halves.percent ?? .nan)")
    #expect(halves.saved.complete.count < 64)
  }

  @Test("coasting counts while the bike rolls with still pedals, and not while it stands")
  func coastingIsCounted() {
    var ride = TestRide()
    for second in 0..<600 {
      // Each two minutes have 60 s of pedalling, 30 s of coasting and 30 s at a light.
      let phase = second % 120
      ride.say(speed: phase < 90 ? 8 : 0, over: 1, from: ride.wheel)
      ride.say(.cadence, [(.cadenceRpm, phase < 60 ? 85 : 0)], from: ride.pedals)
      ride.pass(1)
    }
    #expect(abs((ride.value("ride", "coasting_time_s") ?? 0) - 150) <= 5)
    ride.metrics.beginLap(at: ride.now)
    ride.pass(1)
    #expect(ride.value("lap_averages", "coasting_time_s") == 0)
  }

  @Test("a lap has its own time, distance, ascent and VAM")
  func lapNumbers() {
    var ride = TestRide()
    let air = ride.metrics.register(RideSensor(id: "air"))
    for second in 0..<1800 {
      if second == 900 { ride.metrics.beginLap(at: ride.now) }
      // 1,080 m per hour in the first lap, 540 in the second.
      let height = 100 + (second < 900 ? 0.3 * Double(second) : 270 + 0.15 * Double(second - 900))
      ride.say(SampleKind("environment"), [(Field("elevation_m"), height)], from: air)
      ride.say(speed: 5, over: 1, from: ride.wheel)
      ride.pass(1)
      if second == 899 {
        #expect(abs((ride.value("lap_averages", "vam_m_per_h") ?? 0) - 1080) < 30)
        #expect(abs((ride.value("training", "vam_m_per_h") ?? 0) - 1080) < 20)
      }
    }
    #expect(abs((ride.value("lap_averages", "ascent_m") ?? 0) - 135) < 5)
    #expect(abs((ride.value("lap_averages", "vam_m_per_h") ?? 0) - 540) < 20)
    #expect(abs((ride.value("training", "vam_m_per_h") ?? 0) - 540) < 20)
    #expect(abs((ride.value("lap_averages", "lap_time_s") ?? 0) - 900) < 2)
    #expect(abs((ride.value("lap_averages", "distance_m") ?? 0) - 4500) < 10)
    #expect(abs((ride.value("lap_averages", "moving_time_s") ?? 0) - 900) < 2)
  }

  /// The last distance and the speed of a car, and whether it counts as passed.
  @Test(
    "cars that come near have passed, others turned off",
    arguments: [(8.0, 5.0, 1), (20, 15, 1), (30, 10, 0), (60, 20, 0), (12, 2, 0)])
  func carsPass(last: Double, speed: Double, passed: Int) {
    var cars = PassedCars()
    var now = MonotonicTime(seconds: 100)
    var distance = last + 5 * speed
    while distance >= last - 1e-9 {
      cars.see(7, distance: distance, speed: nil, at: now, counts: true)
      cars.settle(at: now, counts: true)
      distance -= speed / 2
      now = now + .milliseconds(500)
    }
    #expect(cars.count == 0)
    for _ in 0..<6 {
      cars.settle(at: now, counts: true)
      now = now + .milliseconds(500)
    }
    #expect(cars.count == passed)
  }

  @Test("each car of a queue is counted once, even if the radar reuses its number or it flickers")
  func queue() {
    var cars = PassedCars()
    let began = 100.0
    for step in 0..<800 {
      let now = MonotonicTime(seconds: began + Double(step) / 4)
      for car in 0..<10 {
        // Ten cars, 15 s apart, approach from 140 m at 10 m/s. They share three numbers.
        let distance = 140 - 10 * (Double(step) / 4 - 15 * Double(car))
        guard distance >= 3, distance <= 140, step % 7 != 3 else { continue }
        cars.see(car % 3, distance: distance, speed: 10, at: now, counts: true)
      }
      cars.settle(at: now, counts: true)
    }
    #expect(cars.count == 10)
  }

  @Test("a car that stops behind the bike at a light has not passed, and a radar that went blind counts none")
  func carsThatDoNotPass() {
    var cars = PassedCars()
    let now = MonotonicTime(seconds: 100)
    cars.see(1, distance: 5, speed: 3, at: now, counts: true)
    cars.settle(at: now + .seconds(2), counts: false)
    #expect(cars.count == 0)
    cars.see(1, distance: 5, speed: 3, at: now + .seconds(10), counts: true)
    cars.lose()
    cars.settle(at: now + .seconds(12), counts: true)
    #expect(cars.count == 0)
  }
}
