// Finished laps as records, for the file of the ride and the reply to `laps`.

import Metrics
package import Wire

extension FinishedLap {
  /// Nil if a number is impossible, such as in a damaged file.
  init?(_ record: LapRecord) {
    let amounts = [
      record.lapTimeS, record.movingTimeS, record.distanceM, record.ascentM, record.speedAvgMps, record.cadenceAvgRpm,
      record.powerAvgW, record.normalizedPowerW, record.bpmAvg, record.bpmMax,
    ]
    guard record.lap > 0, amounts.allSatisfy({ $0.map { $0 >= 0 } ?? true }) else { return nil }
    self.init(number: record.lap)
    (movingTimeS, distanceM) = (record.movingTimeS, record.distanceM)
    (lapTimeS, ascentM) = (record.lapTimeS, record.ascentM)
    (speedAvgMps, cadenceAvgRpm) = (record.speedAvgMps, record.cadenceAvgRpm)
    (powerAvgW, normalizedPowerW) = (record.powerAvgW, record.normalizedPowerW)
    (bpmAvg, bpmMax) = (record.bpmAvg, record.bpmMax)
  }

  /// As precise as samples are.
  var record: LapRecord {
    func rounded(_ number: Double?) -> Double? { number.map { ($0 * 10_000).rounded() / 10_000 } }
    var record = LapRecord()
    record.lap = number
    record.lapTimeS = rounded(lapTimeS)
    record.movingTimeS = rounded(movingTimeS) ?? 0
    record.distanceM = rounded(distanceM) ?? 0
    record.ascentM = rounded(ascentM)
    record.speedAvgMps = rounded(speedAvgMps)
    record.powerAvgW = rounded(powerAvgW)
    record.normalizedPowerW = rounded(normalizedPowerW)
    record.bpmAvg = rounded(bpmAvg)
    record.bpmMax = rounded(bpmMax)
    record.cadenceAvgRpm = rounded(cadenceAvgRpm)
    return record
  }
}

extension RideKeeper {
  /// Empty once the ride is over.
  package var lapsReply: LapsReply {
    var reply = LapsReply()
    reply.laps = finishedLaps.map(\.record)
    return reply
  }
}
