// The samples of the coach, from lines of the daemon.

import GuideWire
import SensorKit
import Testing
import Time
import Wire

@testable import GuideCore

@Suite struct CadenceCoachTests {
  private func line(_ sensor: String, _ kind: String, _ second: Double, _ value: String, age: Int = 0) -> [UInt8] {
    Array(
      #"{"class":"sample","sensor":"\#(sensor)","kind":"\#(kind)","seq":1,"t":\#(second),"age_ms":\#(age),\#(value)}"#
        .utf8
    )
  }

  private func feed(_ coach: inout CadenceCoach, _ line: [UInt8]) {
    if let sample = LiveSample(line.span) { _ = coach.add(sample) }
  }

  /// The members of the sample by name; empty without one.
  private func advice(_ coach: CadenceCoach, at second: Double) -> [String: Double] {
    var out = Batch()
    coach.write(at: MonotonicTime(seconds: second), into: &out)
    var values: [String: Double] = [:]
    for entry in out.entryIndices {
      for index in out.entry(entry).fields {
        let field = out.field(index)
        if case .number(let number) = field.value { values[field.field.name.description] = number }
      }
    }
    return values
  }

  private func isUsed(_ line: [UInt8]) -> Bool { LiveSample(line.span) != nil }

  private func coach(_ sport: CoachSport, target: Double? = nil) -> CadenceCoach {
    var settings = CoachSettings()
    settings.sport = WireWord(sport)
    settings.targetRpm = target
    return CadenceCoach(settings)
  }

  @Test("a runner's target follows the speed, and the foot pod is compared with it")
  func running() {
    var coach = coach(.running)
    #expect(advice(coach, at: 10).isEmpty)
    feed(&coach, line("ride", "speed", 10, #""speed_mps":3.5,"source":"pod""#))
    feed(&coach, line("pod", "cadence", 10.2, #""cadence_per_min":166,"is_running":true"#))
    #expect(
      advice(coach, at: 10.5) == [
        "target_per_min": 174, "actual_per_min": 166, "deviation_per_min": -8, "speed_mps": 3.5,
      ])
    feed(&coach, line("ride", "speed", 14, #""speed_mps":3"#))
    #expect(advice(coach, at: 14) == ["target_per_min": 170, "speed_mps": 3], "the cadence is too old")
    #expect(advice(coach, at: 17.5).isEmpty, "the speed is too old")
  }

  @Test("a cyclist's target is the one they set, and only the ride's cadence counts")
  func cycling() {
    var coach = coach(.cycling, target: 90)
    feed(&coach, line("crank-1", "cadence", 5, #""cadence_rpm":60"#))
    #expect(advice(coach, at: 5).isEmpty)
    feed(&coach, line("ride", "cadence", 5, #""cadence_rpm":84.4,"source":"crank-1""#))
    #expect(advice(coach, at: 6) == ["target_per_min": 90, "actual_per_min": 84.4, "deviation_per_min": -5.6])
  }

  @Test("old samples, other kinds and broken lines are ignored")
  func ignored() {
    #expect(!isUsed(line("ride", "speed", 5, #""speed_mps":3"#, age: 4000)))
    #expect(!isUsed(line("ride", "power", 5, #""power_w":3"#)))
    #expect(!isUsed(line("ride", "position", 5, #""latitude_deg":3"#)))
    #expect(!isUsed(line("ride", "position", 5, #""latitude_deg":0,"longitude_deg":0"#)))
    #expect(!isUsed(Array("{".utf8)) && !isUsed(Array()))
    guard case .ride(let id) = LiveSample(line("ride", "ride", 5, #""ride_id":"ab12""#, age: 90_000).span) else {
      Issue.record("no ride")
      return
    }
    #expect(line("ride", "ride", 5, #""ride_id":"ab12""#, age: 90_000)[id] == Array("ab12".utf8)[...])
  }
}
