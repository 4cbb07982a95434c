// The totals of the logbook and those of files: the same numbers under two names.

import ActivityFiles
import Logbook
import LogbookWire

private let effortFields: [(SummaryField, any WritableKeyPath<EffortTotals, Double?> & Sendable)] = [
  (.movingTime, \.movingTimeS), (.distance, \.distanceM), (.ascent, \.ascentM), (.descent, \.descentM),
  (.work, \.workJ), (.energy, \.energyKcal), (.averageSpeed, \.speedAvgMps), (.maxSpeed, \.speedMaxMps),
  (.averageCadence, \.cadenceAvgRpm), (.maxCadence, \.cadenceMaxRpm), (.averagePower, \.powerAvgW),
  (.maxPower, \.powerMaxW), (.normalizedPower, \.normalizedPowerW), (.averageHeartRate, \.bpmAvg),
  (.maxHeartRate, \.bpmMax), (.leftBalance, \.balanceAvgPct),
]

extension EffortTotals {
  init(_ values: FieldValues<SummaryField>) {
    self.init()
    for (field, path) in effortFields { self[keyPath: path] = values[field] }
  }

  func write(into values: inout FieldValues<SummaryField>) {
    for (field, path) in effortFields { if let value = self[keyPath: path] { values[field] = value } }
  }
}

extension StoredTotals {
  init(_ values: FieldValues<SummaryField>) {
    self.init()
    effort = EffortTotals(values)
    rideTimeS = values[.timerTime]
    carsPassed = values[.vehicleCount].flatMap { Int(exactly: $0.rounded()) }
    intensityFactor = values[.intensityFactor]
    trainingStressScore = values[.trainingStress]
  }

  func write(into values: inout FieldValues<SummaryField>) {
    effort.write(into: &values)
    if let rideTimeS { values[.timerTime] = rideTimeS }
    if let carsPassed { values[.vehicleCount] = Double(carsPassed) }
    if let intensityFactor { values[.intensityFactor] = intensityFactor }
    // Not the load: from heart rate, it would come back as a score of power.
    if let trainingStressScore { values[.trainingStress] = trainingStressScore }
  }
}
