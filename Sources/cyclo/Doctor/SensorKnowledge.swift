// What has to be known of a sensor so that its numbers are right: the wheel it turns on, and which rules its maker bends.

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
      return .ok("wheel", "circumference \(Quantity.text("circumference_mm", measured)), measured by satellites")
    }
    guard unmeasuredWheels.contains(sensor.id) else { return nil }
    return Finding(
      check: "wheel", verdict: .advice, saw: "it counts the turns of a wheel whose circumference is not known",
      why: "Without it there is no speed and no distance, unless a satellite receiver is there to measure it.",
      mend: "Measure the wheel, or take the value that is printed for its tyre (2105 for 700x25C).",
      command: "cyclo set \(sensor.id) circumference_mm 2105")
  }

  /// What satellites say about the size that was set.
  private func comparison(of sensor: Sensor, to known: Double) -> String {
    guard let measured = sensor.content["facts"]?["measured_circumference_mm"]?.number else { return "" }
    // As `agrees` of the sample `wheel`.
    let agrees = abs(measured / known - 1) <= 0.005
    return ", measured \(Quantity.text("circumference_mm", measured)) by satellites, \(agrees ? "agrees" : "disagrees")"
  }

  func quirkFinding(_ sensor: Sensor) -> Finding? {
    var identity = DeviceIdentity(name: sensor.name)
    identity.manufacturer = sensor.content["facts"]?["manufacturer"]?.text ?? ""
    identity.model = sensor.content["facts"]?["model"]?.text ?? ""
    guard let quirk = knownQuirks.first(where: { $0.concerns(identity) }) else { return nil }
    return .ok("quirk", "\(quirk.device) bends the rules of its kind, and is read as it means it: \(quirk.habit)")
  }
}
