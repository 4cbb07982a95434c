// Checks of what a sensor's values depend on: its wheel, and deviations from the standard.

import JSON
import SensorKit
import Troubleshooting
import Wire

extension Facts {
  func wheelDiagnosis(_ sensor: SensorRecord) -> Diagnosis? {
    let measured = sensor.facts[.measuredCircumferenceMM]?.number
    guard let known = sensor.settings[.circumference]?.number else {
      if let measured { return WheelSymptom.measured.diagnosis([.wheel: Self.length(measured)]) }
      guard unmeasuredWheels.contains(sensor.id) else { return nil }
      return WheelSymptom.unknown.diagnosis([.sensor: sensor.id])
    }
    guard let measured else { return WheelSymptom.configured.diagnosis([.wheel: Self.length(known)]) }
    // As `agrees` of the sample `wheel`.
    let agrees = abs(measured / known - 1) <= 0.005
    let symptom: WheelSymptom = agrees ? .configuredAndMeasured : .configuredDifferently
    return symptom.diagnosis([.wheel: Self.length(known), .measured: Self.length(measured)])
  }

  private static func length(_ millimetres: Double) -> String { Quantity.text("circumference_mm", millimetres) }

  func quirkDiagnosis(_ sensor: SensorRecord) -> Diagnosis? {
    var identity = DeviceIdentity(name: sensor.name)
    identity.manufacturer = sensor.facts[.manufacturer]?.text ?? ""
    identity.model = sensor.facts[.model]?.text ?? ""
    guard let quirk = quirks.first(where: { $0.concerns(identity) }) else { return nil }
    return QuirkSymptom.known.diagnosis([.device: quirk.device, .habit: quirk.habit])
  }
}
