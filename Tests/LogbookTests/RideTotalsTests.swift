// The totals of a recording are the daemon's last samples.

import JSON
import LogbookWire
import Metrics
import Testing

@testable import Logbook

@Suite struct RideTotalsTests {
  private static let lines = [
    #"{"class":"sample","sensor":"ride","kind":"position","seq":1,"t":9.9,"latitude_deg":47,"longitude_deg":11}"#,
    #"{"class":"sample","sensor":"ride","kind":"ride","seq":1,"t":9.1,"ride_time_s":1,"distance_m":2,"lap":1}"#,
    #"{"class":"sample","sensor":"ride","kind":"ride","seq":2,"t":10.1,"age_ms":0,"ride_id":"1f","sport":"cycling","ride_time_s":79.007385,"moving_time_s":78.5,"distance_m":507.976605,"paused":false,"lap":2,"ascent_m":0,"descent_m":1.25,"work_j":17584.5,"energy_kcal":17.7748,"coasting_time_s":3,"cars_passed":1}"#,
    #"{"class":"sample","sensor":"ride","kind":"averages","seq":2,"t":10.1,"speed_avg_mps":6.4295,"speed_max_mps":7.3151,"cadence_avg_rpm":86.2485,"cadence_max_rpm":87.0255,"power_avg_w":222.5886,"power_max_w":282,"bpm_avg":133.8182,"bpm_max":155,"balance_avg_pct":49.7197,"normalized_power_w":225.1811}"#,
    #"{"class":"sample","sensor":"ride","kind":"training","seq":2,"t":10.1,"intensity_factor":0.9,"training_stress_score":1.5,"heart_rate_load":2.25,"best_5s_w":275.1,"best_1min_w":227.7417}"#,
    #"{"class":"sample","sensor":"ride","kind":"lap_averages","seq":2,"t":10.1,"lap_time_s":40.5,"moving_time_s":40,"distance_m":250,"power_avg_w":200,"bpm_max":150}"#,
    #"{"class":"sample","sensor":"ride","kind":"zones","seq":2,"t":10.1,"zone":1,"zone_times_s":[1,2.5,3]}"#,
    #"{"class":"sample","sensor":"ride","kind":"power_zones","seq":2,"t":10.1,"zone":1,"zone_times_s":[1,2,3,4,5,6,7]}"#,
    #"{"class":"sample","sensor":"strap","kind":"ride","seq":3,"t":10.2,"distance_m":1000000}"#,
  ]

  /// As they come, and as they were stored.
  private static func both() throws -> [(String, RideTotals)] {
    var live = RideTotals()
    var assembler = SecondAssembler()
    var sample = SampleLine()
    for line in lines.map({ Array($0.utf8) }) {
      let isSample = sample.parse(line.span)
      try #require(isSample)
      live.record(sample, of: line.span)
      _ = assembler.add(sample, of: line.span, at: sample.milliseconds, now: sample.milliseconds)
    }
    assembler.complete()
    let streams = assembler.streams
    var decoder = SecondDecoder(
      streams: streams.map { RecordedStream(sensor: $0.sensor, kind: $0.kind, fieldNames: $0.fieldNames) })
    var stored = RideTotals()
    while let row = assembler.nextRow() {
      let outcome = decoder.decode(row.bytes.span, of: row.second) { stored.record($0, of: streams[$0.stream]) }
      #expect(outcome == .read)
    }
    return [("live", live), ("stored", stored)]
  }

  @Test("totals, lap, zones and best powers are those of the last samples")
  func last() throws {
    for (name, ride) in try Self.both() {
      var expected = StoredTotals()
      (expected.rideTimeS, expected.carsPassed, expected.laps, expected.hasTrack) = (79.007385, 1, 2, true)
      (expected.intensityFactor, expected.trainingStressScore, expected.heartRateLoad) = (0.9, 1.5, 2.25)
      (expected.effort.movingTimeS, expected.effort.distanceM) = (78.5, 507.976605)
      (expected.effort.ascentM, expected.effort.descentM) = (0, 1.25)
      (expected.effort.workJ, expected.effort.energyKcal, expected.effort.coastingTimeS) = (17584.5, 17.7748, 3)
      (expected.effort.speedAvgMps, expected.effort.speedMaxMps) = (6.4295, 7.3151)
      (expected.effort.cadenceAvgRpm, expected.effort.cadenceMaxRpm) = (86.2485, 87.0255)
      (expected.effort.powerAvgW, expected.effort.powerMaxW, expected.effort.normalizedPowerW) = (
        222.5886, 282, 225.1811
      )
      (expected.effort.bpmAvg, expected.effort.bpmMax, expected.effort.balanceAvgPct) = (133.8182, 155, 49.7197)
      #expect(ride.totals == expected, "\(name)")
      #expect(StoredTotals(text: expected.text) == expected)
      var lap = LapTotals(lapTimeS: 40.5, EffortTotals())
      (lap.effort.movingTimeS, lap.effort.distanceM, lap.effort.powerAvgW, lap.effort.bpmMax) = (40, 250, 200, 150)
      #expect(ride.lap == lap && ride.lapNumber == 2 && LapTotals(text: lap.text) == lap, "\(name)")
      let zones = ride.zones(of: StoredRider(text: #"{"zone_floors_bpm":[100,150],"max_bpm":190}"#))
      #expect(zones.heartRateS == [1, 2.5, 3] && zones.floorsBpm == [100, 150], "\(name)")
      #expect(zones.powerS == [1, 2, 3, 4, 5, 6, 7], "\(name)")
      // The rider has other zones by now.
      #expect(ride.zones(of: StoredRider(text: #"{"max_bpm":190}"#)).floorsBpm == [], "\(name)")
      #expect(ride.bestPowers.map(\.durationS) == [5, 60] && ride.bestPowers[1].powerW == 227.7417, "\(name)")
    }
  }

  @Test("before the first sample, nothing is known")
  func empty() {
    #expect(RideTotals().totals == StoredTotals() && RideTotals().lap == LapTotals())
    #expect(RideTotals().lapNumber == nil && RideTotals().zones(of: StoredRider(text: nil)) == ActivityZoneTimes())
  }

  @Test(
    "the rider's settings are read in each form",
    arguments: [
      #"{"max_bpm":190,"weight_kg":70}"#, #"{"rider":{"max_bpm":190,"weight_kg":70},"bike":{}}"#,
      #"{"start":{"rider":{"max_bpm":1}},"end":{"rider":{"max_bpm":190,"weight_kg":70}}}"#,
      #"{"start":{"rider":{"max_bpm":190,"weight_kg":70}}}"#,
      #"{"start":{"max_bpm":80},"end":{"max_bpm":190,"weight_kg":70,"sex":7}}"#,
    ])
  func rider(text: String) {
    let rider = StoredRider(text: text).rider
    #expect(rider.maxBpm == 190 && rider.weightKg == 70 && rider.sex == nil)
    #expect(StoredRider(text: "[").zoneFloorsBpm == [])
  }

  @Test(
    "members of the detail that belong to others stay byte for byte",
    arguments: [
      (#"{"file":{"a":[null,1.123456789]},"gaps":[{"from_s":1,"to_s":2}],"x" : 7}"#, true),
      (#"{"file":{"a":[null,1.123456789]},"x" : 7}"#, true), ("{}", false), ("", false), ("{\"gaps\"", false),
    ])
  func detail(text: String, hasOthers: Bool) throws {
    var detail = StoredDetail(text: text)
    detail.derived.powerCurve = [BestPower(durationS: 5, powerW: 300)]
    detail.derived.gaps = []
    let others = hasOthers ? #""file":{"a":[null,1.123456789]},"x" : 7,"# : ""
    let expected = "{\(others)\"power_curve\":[{\"duration_s\":5,\"power_w\":300}]}"
    #expect(detail.text == expected)
    #expect(StoredDetail(text: expected) == detail)
    detail.derived.powerCurve = []
    #expect(detail.text == (hasOthers ? "{" + others.dropLast() + "}" : nil))
  }
}
