// Finished laps as JSON, for the file of the ride and the reply to `laps`.

package import JSON
import Metrics

extension FinishedLap {
  /// Nil if a required number is missing.
  init?(_ json: JSONValue) {
    guard let number = json["lap"]?.integer, number > 0, let movingTime = json.amount("moving_time_s"),
      let distance = json.amount("distance_m")
    else { return nil }
    self.init(number: number)
    (movingTimeS, distanceM) = (movingTime, distance)
    (lapTimeS, ascentM) = (json.amount("lap_time_s"), json.amount("ascent_m"))
    (speedAvgMps, cadenceAvgRpm) = (json.amount("speed_avg_mps"), json.amount("cadence_avg_rpm"))
    (powerAvgW, normalizedPowerW) = (json.amount("power_avg_w"), json.amount("normalized_power_w"))
    (bpmAvg, bpmMax) = (json.amount("bpm_avg"), json.amount("bpm_max"))
  }

  func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("lap", number)
    writer.member("lap_time_s", lapTimeS?.inTenthsOfThousandths)
    writer.member("moving_time_s", movingTimeS.inTenthsOfThousandths)
    writer.member("distance_m", distanceM.inTenthsOfThousandths)
    writer.member("ascent_m", ascentM?.inTenthsOfThousandths)
    writer.member("speed_avg_mps", speedAvgMps?.inTenthsOfThousandths)
    writer.member("power_avg_w", powerAvgW?.inTenthsOfThousandths)
    writer.member("normalized_power_w", normalizedPowerW?.inTenthsOfThousandths)
    writer.member("bpm_avg", bpmAvg?.inTenthsOfThousandths)
    writer.member("bpm_max", bpmMax?.inTenthsOfThousandths)
    writer.member("cadence_avg_rpm", cadenceAvgRpm?.inTenthsOfThousandths)
    writer.endObject()
  }
}

extension Double {
  /// As precise as samples are.
  fileprivate var inTenthsOfThousandths: Double { (self * 10_000).rounded() / 10_000 }
}

extension [FinishedLap] {
  func write(into writer: inout JSONWriter) {
    writer.beginArray()
    for lap in self { lap.write(into: &writer) }
    writer.endArray()
  }
}

extension RideKeeper {
  /// The result of `laps`: empty once the ride is over.
  package func writeLaps(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("laps")
    finishedLaps.write(into: &writer)
    writer.endObject()
  }
}
