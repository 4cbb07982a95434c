// Texts of the live view per kind, next to the value: a heading, the owner, and what needs attention.

import CyclometerSamples
import JSON
import Text
import Vocabulary
import Wire

/// `Heart rate`; `Power, left`; `Front tire`
func kindTitle(_ sample: Sample, _ sensor: SensorRecord?) -> String {
  let label = printable(Quantity.label(sample.kind))
  let title = sample.kind == "ecg" ? "ECG" : capitalised(label)
  let place = TirePressureSample(sample.record)?.wheel?.rawValue ?? sensor?.role?.text ?? ""
  if sample.kind == "tire_pressure", !place.isEmpty { return capitalised(printable(place)) + " tire" }
  return place.isEmpty ? title : "\(title), \(printable(place))"
}

private func capitalised(_ text: String) -> String {
  text.prefix(1).uppercased() + text.dropFirst()
}

func sensorTitle(_ sample: Sample, _ sensor: SensorRecord?) -> String {
  if sample.isDerived, sensor == nil { return "" }
  let name = sensor?.name ?? ""
  return printable(name.isEmpty ? sample.sensor : name)
}

/// A problem that the view shows next to the value.
func warning(of sample: Sample, _ sensor: SensorRecord?, _ style: Style) -> (text: String, colour: Style.Colour)? {
  if HeartRateSample(sample.record)?.sensorContact == .notDetected {
    return ("the strap does not touch the skin: moisten it", .warning)
  }
  if SpeedSample(sample.record)?.lacksWheel == true { return ("no speed: the wheel size is unknown", .warning) }
  if let route = RouteSample(sample.record) { return deviationWords(route, style) }
  return TirePressureSample(sample.record).flatMap { pressureWords($0, sensor, style) }
}

/// Compares a pressure with the settings: bad outside the limits, reported if 5% off the target.
private func pressureWords(
  _ tire: TirePressureSample, _ sensor: SensorRecord?, _ style: Style
) -> (text: String, colour: Style.Colour)? {
  if tire.alarm == true { return ("the tire sensor reports an alarm", .bad) }
  guard let pressure = tire.pressureGaugePa, let settings = sensor?.settings else { return nil }
  func shown(_ pascal: Double) -> String { Quantity.text(Setting.targetPressure.key, pascal, style) }
  if let lowest = settings[.lowestPressure]?.number, pressure < lowest {
    return ("too low: at least \(shown(lowest))", .bad)
  }
  if let highest = settings[.highestPressure]?.number, pressure > highest {
    return ("too high: at most \(shown(highest))", .bad)
  }
  guard let target = settings[.targetPressure]?.number, target > 0 else { return nil }
  let difference = pressure - target
  let wanted = shown(target)
  if difference.magnitude <= target / 20 { return ("on target: \(wanted)", .good) }
  let words = "\(shown(difference.magnitude)) too \(difference < 0 ? "low" : "high"): should be \(wanted)"
  return (words, difference < -target / 5 ? .bad : .warning)
}

/// What a rider away from the route has to know.
private func deviationWords(_ route: RouteSample, _ style: Style) -> (text: String, colour: Style.Colour)? {
  let away = route.crossTrackM.map { Quantity.text("cross_track_m", $0, style) } ?? "a distance"
  switch route.state {
  case .offRoute: return ("off the route: it is \(away) away", .bad)
  case .reversed: return ("against the direction of the route", .warning)
  case .approaching: return ("the route is \(away) away", .warning)
  case .finished: return ("at the end of the route", .good)
  case .onRoute, nil: return nil
  }
}

/// What comes next on the route: `right in 120 m: Mill Street`.
func cueWords(_ route: RouteSample, _ style: Style) -> String? {
  guard let cue = route.cue, let distance = route.cueDistanceM else { return nil }
  let place = route.cueText.map { ": \(printable($0))" } ?? ""
  return "\(printable(Quantity.label(cue))) in \(Quantity.text("cue_distance_m", distance, style))\(place)"
}

extension SpeedSample {
  /// It counts turns of a wheel whose size is unknown.
  var lacksWheel: Bool { speedMps == nil && wheelRevs != nil }
}
