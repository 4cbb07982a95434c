// A ride whose rider has switched automatic pauses off.

import Testing
import Time

@testable import Metrics

@Suite struct AutoPauseTests {
  private static var manual: RideSettings {
    var settings = RideSettings()
    settings.autoPause = false
    return settings
  }

  @Test("without auto pause the time at a standstill counts as moving time")
  func standing() {
    var settings = RideClock.Settings()
    settings.isAutomatic = false
    var clock = RideClock(settings)
    let start = MonotonicTime(seconds: 100)
    clock.add(speed: 5, hasMoved: true, at: start)
    clock.advance(to: start, .speed)
    for second in 1...60 {
      clock.add(speed: 0, hasMoved: false, at: start + .seconds(second))
      clock.advance(to: start + .seconds(second), .speed)
    }
    #expect(clock.phase == .moving && clock.movingTime == 60)
  }

  @Test("without auto pause a ride waits for its first movement, and the rider can pause it")
  func byHand() {
    var ride = TestRide(Self.manual)
    ride.pass(5)
    let isWaiting = !ride.metrics.isMoving
    #expect(isWaiting)
    for _ in 0..<5 {
      ride.say(speed: 5, over: 1, from: ride.wheel)
      ride.pass(1)
    }
    let (isMoving, hasPaused) = (ride.metrics.isMoving, ride.metrics.pause(at: ride.now))
    #expect(isMoving && hasPaused)
    ride.say(speed: 5, over: 1, from: ride.wheel)
    ride.pass(1)
    let isPaused = !ride.metrics.isMoving
    #expect(isPaused)
  }
}
