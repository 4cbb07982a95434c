// Target cadences.

import Testing

@testable import Guidance

@Suite struct CoachTests {
  @Test("the cadence equals an independent computation", arguments: cadenceReference)
  func reference(speed: Double, height: Double, cadence: Double) throws {
    let running = RunningCadence(heightM: height > 0 ? height : nil)
    let target = try #require(running.target(speedMps: speed))
    #expect(abs(target - cadence) < 1e-3)
  }

  @Test("the preference is added last, and is at most 10")
  func preference() throws {
    let plain = try #require(RunningCadence(heightM: 1.8).target(speedMps: 6))
    #expect(RunningCadence(heightM: 1.8, preference: 4).target(speedMps: 6) == plain + 4)
    #expect(RunningCadence(heightM: 1.8, preference: 40).target(speedMps: 6) == plain + 10)
    #expect(RunningCadence(heightM: 1.8, preference: -40).target(speedMps: 6) == plain - 10)
  }

  @Test("a runner who stands has no target")
  func standing() {
    #expect(RunningCadence().target(speedMps: 0) == nil)
    #expect(RunningCadence().target(speedMps: .nan) == nil)
    #expect(Coach(.running(RunningCadence())).advice(speedMps: nil, cadence: 170) == nil)
  }

  @Test("advice has the deviation from the target")
  func advice() {
    let running = Coach(.running(RunningCadence())).advice(speedMps: 3, cadence: 164)
    #expect(running == Coach.Advice(target: 170, actual: 164))
    #expect(running?.deviation == -6)
    // Of a foot pod that counts strides.
    #expect(Coach(.running(RunningCadence())).advice(speedMps: 3, cadence: 82)?.actual == 164)
    #expect(Coach(.cycling(targetRpm: 90)).advice(speedMps: nil, cadence: 46)?.actual == 46)
    let cycling = Coach(.cycling(targetRpm: 90)).advice(speedMps: nil, cadence: nil)
    #expect(cycling == Coach.Advice(target: 90, actual: nil))
    #expect(cycling?.deviation == nil)
  }
}
