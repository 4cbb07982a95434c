// Checks of what a sensor's values depend on: its wheel, and deviations from the standard.

import SensorKit
import Sensors
import Wire

extension Facts {
  func wheelFinding(_ sensor: Sensor) -> Finding? {
    if let known = sensor.content["settings"]?["circumference_mm"]?.number {
      return .ok(
        "wheel", "circumference \(Quantity.text("circumference_mm", known))" + comparison(of: sensor, to: known))
    }
    if let measured = sensor.content["facts"]?["measured_circumference_mm"]?.number {
      return .ok("wheel", "circumference \(Quantity.text("circumference_mm", measured)), measured by GPS")
    }
    guard unmeasuredWheels.contains(sensor.id) else { return nil }
    return Finding(
      check: "wheel", verdict: .warning, found: "it counts wheel turns, but the circumference is unknown",
      why: "Without it there is no speed and no distance, unless a GPS receiver is there to measure it.",
      fix: "Measure the wheel, or use the value for its tire size (2105 for 700x25C).",
      command: "cyclo set \(sensor.id) circumference_mm 2105")
  }

  /// Compares the configured size with the one measured by GPS.
  private func comparison(of sensor: Sensor, to known: Double) -> String {
    guard let measured = sensor.content["facts"]?["measured_circumference_mm"]?.number else { return "" }
    // As `agrees` of the sample `wheel`.
    let agrees = abs(measured / known - 1) <= 0.005
    return ", measured \(Quantity.text("circumference_mm", measured)) by GPS, \(agrees ? "agrees" : "disagrees")"
  }

  func quirkFinding(_ sensor: Sensor) -> Finding? {
    var identity = DeviceIdentity(name: sensor.name)
    identity.manufacturer = sensor.content["facts"]?["manufacturer"]?.text ?? ""
    identity.model = sensor.content["facts"]?["model"]?.text ?? ""
    guard let quirk = knownQuirks.first(where: { $0.concerns(identity) }) else { return nil }
    return .ok("quirk", "\(quirk.device) deviates from the standard, and is decoded accordingly: \(quirk.habit)")
  }
}
