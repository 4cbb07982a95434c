// A sample that is recorded allocates nothing once its stream is known; commits do, in SQLite. This
// holds for optimized code: `swift test -c release --filter RecordingAllocationTests`.

import AllocationCounting
import CAllocationCounter
import Recording
import TestSupport
import Testing

@Suite struct RecordingAllocationTests {
  @Test(
    "a recorded sample allocates nothing",
    .enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
  func samples() throws {
    let folder = try TemporaryFolder()
    let ride = try ScriptedRide(in: folder.path)
    // Two minutes are enough for all buffers.
    var allocations = 0
    var samples = 0
    for second in 0..<300 as Range<Int64> {
      let lines = ride.lines(second)
      for line in lines {
        ride.pass(90)
        let before = allocation_count()
        ride.recorder.handle(sampleLine: line.span, now: ride.time)
        if second >= 120 {
          allocations += allocation_count() - before
          samples += 1
        }
      }
      // The second is committed just before the first sample of the next one.
      ride.pass(1000 - Int64(lines.count) * 90)
    }
    ride.pass(1000)
    #expect(try ride.seconds().count == 300)
    #expect(samples == 180 * 10)
    #expect(allocations == 0)
  }
}

extension ScriptedRide {
  /// The lines of a second, which are 90 ms apart.
  fileprivate func lines(_ second: Int64) -> [[UInt8]] {
    let wave = second % 47
    let bodies = [
      (
        "ride", "ride",
        #""ride_id":"r1","sport":"cycling","paused":false,"ride_time_s":\#(second).25,"distance_m":\#(second * 8).125,"lap":1,"lap_time_s":\#(second).25"#
      ),
      ("ride", "averages", #""power_avg_w":\#(200 + wave).5,"bpm_avg":140.25"#),
      ("strap", "heart_rate", #""bpm":\#(120 + wave),"rr_ms":[\#(500 + wave).5,\#(510 + wave).25]"#),
      ("ride", "speed", #""speed_mps":8.\#(wave + 1),"source":"wheel""#),
      ("pedals", "power", #""power_w":\#(200 + wave),"balance_pct":49.5"#),
      ("pedals", "cadence", #""cadence_rpm":\#(80 + wave)"#),
      ("ride", "position", #""latitude_deg":47.\#(100_000 + second),"longitude_deg":8.5"#),
      ("ride", "lap_averages", #""distance_m":\#(second * 8).5,"lap_time_s":\#(second).25"#),
      ("radar", "radar", #""clear":false,"targets":[{"id":1,"distance_m":\#(wave),"level":1}]"#),
      ("front", "tire_pressure", #""pressure_pa":\#(500_000 + wave)"#),
    ]
    return bodies.enumerated().map { index, body in
      let at = now + Int64(index + 1) * 90
      let seconds = "\(at / 1000).\(String(1000 + at % 1000).dropFirst())"
      return Array(
        #"{"class":"sample","sensor":"\#(body.0)","kind":"\#(body.1)","seq":\#(second + 1),"t":\#(seconds),"age_ms":0,\#(body.2)}"#
          .utf8)
    }
  }
}
