// The totals of a recording are those of the daemon: the last samples of the ride, to the digit.
// Nothing is derived twice. Recording keeps the last samples as they come, and after a crash they
// are read from the stored seconds.

import JSON
package import LogbookWire
import Wire

package struct RideTotals {
  /// A kind of sensor `ride` that has totals.
  private enum Kind: Int, CaseIterable {
    case ride, averages, lapAverages, training, zones, powerZones

    init?(_ text: Range<Int>, of line: Span<UInt8>) {
      switch text.count {
      case 6 where line.has("\"ride\"", at: text): self = .ride
      case 7 where line.has("\"zones\"", at: text): self = .zones
      case 10 where line.has("\"averages\"", at: text): self = .averages
      case 10 where line.has("\"training\"", at: text): self = .training
      case 13 where line.has("\"power_zones\"", at: text): self = .powerZones
      case 14 where line.has("\"lap_averages\"", at: text): self = .lapAverages
      default: return nil
      }
    }
  }

  /// The last sample of each kind as a JSON object. The buffers are reused, so that a sample costs
  /// no allocation; most samples are never parsed.
  private var last = [[UInt8]](repeating: [], count: Kind.allCases.count)
  /// Whether the ride had a position.
  package private(set) var hasTrack = false

  package init() {}

  /// An earlier part of the recording had a position.
  package mutating func recordTrack() { hasTrack = true }

  /// Call this for every sample of the activity. Only those of sensor `ride` count.
  package mutating func record(_ sample: borrowing SampleLine, of line: Span<UInt8>) {
    guard line.has("\"ride\"", at: sample.sensor) else { return }
    if line.has("\"position\"", at: sample.kind) {
      hasTrack = hasTrack || sample.fields.contains { line.has("latitude_deg", at: $0.name) }
    } else if let kind = Kind(sample.kind, of: line) {
      last[kind.rawValue].replace(with: line)
    }
  }

  /// The same for a stored sample.
  package mutating func record(_ sample: borrowing SecondDecoder.Sample, of stream: RecordedStream) {
    guard stream.sensor.span.has("\"ride\"", at: stream.sensor.indices) else { return }
    if stream.kind.span.has("\"position\"", at: stream.kind.indices) {
      hasTrack = hasTrack || stream.value(of: "latitude_deg", in: sample) != nil
    } else if let kind = Kind(stream.kind.indices, of: stream.kind.span) {
      stream.write(sample, into: &last[kind.rawValue])
    }
  }
}

// MARK: The numbers

extension RideTotals {
  package var totals: StoredTotals {
    var totals = StoredTotals()
    let (ride, averages, training) = (numbers(.ride), numbers(.averages), numbers(.training))
    totals.effort = Self.effort(ride, averages)
    totals.rideTimeS = ride.number("ride_time_s")
    totals.carsPassed = ride.whole("cars_passed")
    totals.intensityFactor = training.number("intensity_factor")
    totals.trainingStressScore = training.number("training_stress_score")
    totals.heartRateLoad = training.number("heart_rate_load")
    totals.laps = ride.whole("lap")
    totals.hasTrack = hasTrack
    return totals
  }

  /// Of the current lap. When a sample of `ride/ride` has the next number, they are still those of
  /// the lap that ended: its own samples come later.
  package var lap: LapTotals {
    let averages = numbers(.lapAverages)
    return LapTotals(lapTimeS: averages.number("lap_time_s"), Self.effort(averages, averages))
  }

  /// The number of the current lap, from 1; nil before the first sample of the ride.
  package var lapNumber: Int? { numbers(.ride).whole("lap") }

  /// The distribution of the ride over the zones.
  package func zones(of rider: StoredRider) -> ActivityZoneTimes {
    var zones = ActivityZoneTimes()
    zones.heartRateS = numbers(.zones).list("zone_times_s")
    zones.floorsBpm = rider.zoneFloorsBpm
    // The rider may have changed the zones since.
    if zones.floorsBpm.count + 1 != zones.heartRateS.count { zones.floorsBpm = [] }
    zones.powerS = numbers(.powerZones).list("zone_times_s")
    return zones
  }

  /// The daemon's own best efforts, by seconds.
  package var bestPowers: [BestPower] {
    let training = numbers(.training)
    return [(5, "best_5s_w"), (60, "best_1min_w"), (300, "best_5min_w"), (1200, "best_20min_w")].compactMap {
      (seconds, name) in
      training.number(name).map { BestPower(durationS: seconds, powerW: $0) }
    }
  }

  private func numbers(_ kind: Kind) -> JSONValue {
    let text = last[kind.rawValue]
    return (try? JSONValue.parse(text.span)) ?? .object([])
  }

  private static func effort(_ sums: JSONValue, _ averages: JSONValue) -> EffortTotals {
    var effort = EffortTotals()
    effort.movingTimeS = sums.number("moving_time_s")
    effort.distanceM = sums.number("distance_m")
    effort.ascentM = sums.number("ascent_m")
    effort.descentM = sums.number("descent_m")
    effort.workJ = sums.number("work_j")
    effort.energyKcal = sums.number("energy_kcal")
    effort.coastingTimeS = sums.number("coasting_time_s")
    effort.speedAvgMps = averages.number("speed_avg_mps")
    effort.speedMaxMps = averages.number("speed_max_mps")
    effort.cadenceAvgRpm = averages.number("cadence_avg_rpm")
    effort.cadenceMaxRpm = averages.number("cadence_max_rpm")
    effort.powerAvgW = averages.number("power_avg_w")
    effort.powerMaxW = averages.number("power_max_w")
    effort.normalizedPowerW = averages.number("normalized_power_w")
    effort.bpmAvg = averages.number("bpm_avg")
    effort.bpmMax = averages.number("bpm_max")
    effort.balanceAvgPct = averages.number("balance_avg_pct")
    return effort
  }
}

extension JSONValue {
  fileprivate func number(_ name: String) -> Double? { self[name]?.number }
  fileprivate func whole(_ name: String) -> Int? { self[name]?.integer }
  fileprivate func list(_ name: String) -> [Double] { self[name]?.items?.compactMap(\.number) ?? [] }
}

extension RecordedStream {
  /// The value of the field with that name in a sample of this stream.
  func value(of name: StaticString, in sample: borrowing SecondDecoder.Sample) -> RecordedValue? {
    for index in sample.values.indices where fields[index].name.has(name) { return sample.values[index] }
    return nil
  }

  /// The stored members of a sample as a JSON object.
  func write(_ sample: borrowing SecondDecoder.Sample, into bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(UInt8(ascii: "{"))
    for index in sample.values.indices {
      guard let value = sample.values[index] else { continue }
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(UInt8(ascii: "\""))
      bytes.append(contentsOf: fields[index].name)
      bytes.append(UInt8(ascii: "\""))
      bytes.append(UInt8(ascii: ":"))
      value.write(into: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}

extension [UInt8] {
  /// Whether it is this ASCII text.
  func has(_ text: StaticString) -> Bool { span.has(text, at: indices) }
}
