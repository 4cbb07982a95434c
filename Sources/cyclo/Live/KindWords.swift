// Texts of the live view per kind, next to the value: a heading, the owner, and what needs attention.

import JSON
import Text
import Vocabulary

/// `Heart rate`; `Power, left`; `Front tire`
func kindTitle(_ sample: Sample, _ sensor: Sensor?) -> String {
  let label = printable(Quantity.label(sample.kind))
  let title = sample.kind == "ecg" ? "ECG" : capitalised(label)
  let place = sample["wheel"]?.text ?? sensor?.content["role"]?.text ?? ""
  if sample.kind == "tire_pressure", !place.isEmpty { return capitalised(printable(place)) + " tire" }
  return place.isEmpty ? title : "\(title), \(printable(place))"
}

private func capitalised(_ text: String) -> String {
  text.prefix(1).uppercased() + text.dropFirst()
}

func sensorTitle(_ sample: Sample, _ sensor: Sensor?) -> String {
  if sample.sensor == "ride", sensor == nil { return "" }
  let name = sensor?.name ?? ""
  return printable(name.isEmpty ? sample.sensor : name)
}

/// A problem that the view shows next to the value.
func warning(of sample: Sample, _ sensor: Sensor?, _ style: Style) -> (text: String, colour: Style.Colour)? {
  switch sample.kind {
  case "heart_rate" where sample["sensor_contact"]?.text == "not_detected":
    return ("the strap does not touch the skin: moisten it", .warning)
  case "speed" where sample["speed_mps"] == nil && sample["wheel_revs"] != nil:
    return ("no speed: the wheel size is unknown", .warning)
  case "tire_pressure": return pressureWords(sample, sensor, style)
  default: return nil
  }
}

/// Compares a pressure with the settings: bad outside the limits, reported if 5% off the target.
private func pressureWords(
  _ sample: Sample, _ sensor: Sensor?, _ style: Style
) -> (text: String, colour: Style.Colour)? {
  if sample["alarm"]?.bool == true { return ("the tire sensor reports an alarm", .bad) }
  guard let pressure = sample["pressure_gauge_pa"]?.number, let settings = sensor?.content["settings"] else {
    return nil
  }
  func shown(_ pascal: Double) -> String { Quantity.text("target_pressure_pa", pascal, style) }
  if let lowest = settings[Setting.lowestPressure.key]?.number, pressure < lowest {
    return ("too low: at least \(shown(lowest))", .bad)
  }
  if let highest = settings["highest_pressure_pa"]?.number, pressure > highest {
    return ("too high: at most \(shown(highest))", .bad)
  }
  guard let target = settings["target_pressure_pa"]?.number, target > 0 else { return nil }
  let difference = pressure - target
  let wanted = shown(target)
  if difference.magnitude <= target / 20 { return ("on target: \(wanted)", .good) }
  let words = "\(shown(difference.magnitude)) too \(difference < 0 ? "low" : "high"): should be \(wanted)"
  return (words, difference < -target / 5 ? .bad : .warning)
}
