// Rides without a wheel: on rollers, on a trainer, with a foot pod, with a strap alone.

import Testing
import Vocabulary

@testable import Metrics

struct RideWithoutWheelTests {
  enum Mover: CaseIterable { case power, cadence, pod }

  private func say(_ mover: Mover, _ isMoving: Bool, _ ride: inout TestRide) {
    switch mover {
    case .power: ride.say(.power, [(.powerW, isMoving ? 200 : 0)], from: ride.pedals)
    case .cadence: ride.say(.cadence, [(.cadenceRpm, isMoving ? 90 : 0)], from: ride.pedals)
    case .pod: ride.say(speed: isMoving ? 3 : 0, over: 1, from: ride.wheel)
    }
  }

  @Test("power, cadence or a foot pod begin and pause a ride as a wheel does", arguments: Mover.allCases)
  func otherMovement(_ mover: Mover) {
    var ride = TestRide()
    for _ in 0..<30 { say(mover, false, &ride); ride.pass(1) }
    #expect(ride.read["ride"] == nil, "nothing moved yet")
    for second in 0..<600 {
      let isMoving = second % 150 < 120
      say(mover, isMoving, &ride)
      ride.say(.heartRate, [(.bpm, 140)], from: ride.strap)
      ride.pass(1)
      if second % 150 == 100 { #expect(ride.value("ride", "paused") == 0) }
      if second % 150 == 127 { #expect(ride.value("ride", "paused") == 1) }
    }
    #expect(abs((ride.value("ride", "moving_time_s") ?? 0) - 480) <= 4 * 4)
    #expect(abs((ride.value("ride", "ride_time_s") ?? 0) - 600) <= 2)
    #expect(ride.value("averages", "bpm_avg") == 140)
    if mover == .power { #expect(ride.value("averages", "power_avg_w") == 200) }
  }

  @Test("steps of a foot pod begin no ride, and keep none from its pause")
  func steps() {
    var ride = TestRide()
    func stepOn(_ seconds: Int, speed: Double, _ ride: inout TestRide) {
      for _ in 0..<seconds {
        ride.say(speed: speed, over: 1, from: ride.wheel)
        ride.say(.cadence, [(.cadencePerMin, 80)], from: ride.wheel)
        ride.pass(1)
      }
    }
    stepOn(60, speed: 0, &ride)
    #expect(ride.read["ride"] == nil)
    stepOn(60, speed: 3, &ride)
    #expect(ride.value("ride", "paused") == 0)
    stepOn(10, speed: 0, &ride)
    #expect(ride.value("ride", "paused") == 1)
  }

  @Test("a wheel that was lost for more than five minutes leaves a minute of coasting")
  func lostWheel() {
    var ride = TestRide()
    for second in 0..<600 {
      if second < 100 { ride.say(speed: 8, over: 1, from: ride.wheel) }
      ride.say(.power, [(.powerW, second < 500 ? 200 : 0)], from: ride.pedals)
      ride.pass(1)
      if second == 540 { #expect(ride.value("ride", "paused") == 0) }
    }
    #expect(ride.value("ride", "paused") == 1)
  }

  @Test("a strap alone begins no ride by itself")
  func strapByItself() {
    var ride = TestRide()
    for _ in 0..<60 { ride.say(.heartRate, [(.bpm, 120)], from: ride.strap); ride.pass(1) }
    #expect(ride.read["ride"] == nil)
  }

  @Test("with a strap alone the rider begins, pauses and resumes, also across a restart and a silence")
  func strapByHand() {
    var ride = TestRide(rider: TrainingReference.rider)
    ride.metrics.beginRide(at: ride.now)
    func rest(_ seconds: Int, _ ride: inout TestRide, isSilent: Bool = false) {
      for _ in 0..<seconds {
        if !isSilent { ride.say(.heartRate, [(.bpm, 120)], from: ride.strap) }
        ride.pass(1)
      }
    }
    rest(600, &ride)
    #expect(ride.value("ride", "paused") == 0 && abs((ride.value("ride", "moving_time_s") ?? 0) - 600) <= 1)
    #expect(ride.value("averages", "bpm_avg") == 120 && ride.value("heart_rate", "bpm") == 120)
    rest(30, &ride, isSilent: true)
    #expect(ride.value("ride", "paused") == 0)
    ride.metrics.pause(at: ride.now)
    rest(300, &ride)
    #expect(ride.value("ride", "paused") == 1 && abs((ride.value("ride", "moving_time_s") ?? 0) - 630) <= 1)
    let (saved, now) = (ride.metrics.saved, ride.now)
    ride = TestRide(rider: TrainingReference.rider, saved: saved, lastMoved: now, now: now)
    rest(60, &ride)
    #expect(ride.value("ride", "paused") == 1)
    ride.metrics.resume(at: ride.now)
    rest(120, &ride)
    #expect(ride.value("ride", "paused") == 0 && abs((ride.value("ride", "moving_time_s") ?? 0) - 750) <= 2)
    #expect((ride.value("training", "heart_rate_load") ?? 0) > 5)
    // Longer than the gap after which a ride without movement ends.
    rest(4 * 3600, &ride)
    #expect(ride.value("ride", "moving_time_s") ?? 0 > 15_000)
  }

  @Test("a live wheel sensor decides from then on, even in a ride that was started by hand")
  func wheelDecides() {
    var ride = TestRide()
    ride.metrics.beginRide(at: ride.now)
    for second in 0..<120 {
      if second >= 60 { ride.say(speed: 0, over: 1, from: ride.wheel) }
      ride.say(.heartRate, [(.bpm, 120)], from: ride.strap)
      ride.pass(1)
    }
    #expect(ride.value("ride", "paused") == 1 && abs((ride.value("ride", "moving_time_s") ?? 0) - 60) <= 4)
  }

  @Test("a ride that waits for its first sensor counts no moving time")
  func waiting() {
    var ride = TestRide()
    ride.metrics.beginRide(at: ride.now)
    ride.pass(300)
    #expect(ride.value("ride", "moving_time_s") == 0)
  }
}
