// Numbers with their units, for people. A field's unit is the end of its name, so a sensor that measures something new is
// shown well without a change here.

/// A number as it is shown, and its unit apart, which may be empty.
struct Measure: Equatable {
  let digits: String
  let unit: String

  var text: String { unit.isEmpty ? digits : "\(digits) \(unit)" }
}

enum Quantity {
  /// `speed_mps`, 8.333 -> `30.0 km/h`
  static func text(_ field: String, _ number: Double, _ style: Style = .plain) -> String {
    measure(field, number, style).text
  }

  static func measure(_ field: String, _ number: Double, _ style: Style) -> Measure {
    guard let ending = unitEnding(of: field) else {
      return Measure(digits: decimal(number, places: number == number.rounded() ? 0 : 2), unit: "")
    }
    let shown = shown(field, ending.unit, number, style.units)
    return Measure(digits: shown.digits, unit: style.isUnicode ? shown.unit : inASCII[shown.unit] ?? shown.unit)
  }

  /// `sensor_contact` -> `sensor contact`; the unit is left out, for the value carries it.
  static func label(_ field: String) -> String {
    if let word = words[field] { return word }
    var name = field[...]
    if let ending = unitEnding(of: field)?.ending, ending != "revs", ending.count < field.count {
      name = field.dropLast(ending.count + 1)
    }
    return String(name.map { $0 == "_" ? " " : $0 })
  }

  static func decimal(_ number: Double, places: Int) -> String {
    guard number.magnitude < 1e15 else { return "\(number)" }
    let scale = (0..<places).reduce(1) { product, _ in product * 10 }
    let scaled = Int((number.magnitude * Double(scale)).rounded())
    let sign = number < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % scale)
    return "\(sign)\(scaled / scale)." + String(repeating: "0", count: places - fraction.count) + fraction
  }

  /// A number as short as it can be said with at most `places` digits behind the point.
  static func short(_ number: Double, places: Int = 3) -> String {
    var text = decimal(number, places: places)
    guard text.contains(".") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }
}

/// The ends of names, and what people write; of two that fit the longer counts.
private func unit(_ ending: Substring) -> String? {
  switch ending {
  case "bpm", "bpm_avg", "bpm_max": "bpm"
  case "mps": "km/h"
  case "rpm": "rpm"
  case "w": "W"
  case "pct": "%"
  case "c": "°C"
  case "pa": "bar"
  case "m": "m"
  case "mm": "mm"
  case "s": "s"
  case "ms": "ms"
  case "j": "J"
  case "kcal": "kcal"
  case "n": "N"
  case "nm": "Nm"
  case "deg": "°"
  case "v": "V"
  case "spm": "spm"
  case "dbm": "dBm"
  case "kg": "kg"
  case "revs": "turns"
  case "kpa": "kPa"
  case "per_min": "/min"
  case "g_per_dl": "g/dl"
  case "kg_per_m": "kg/m"
  case "w_per_kg": "W/kg"
  case "w_per_bpm": "W/bpm"
  case "m_per_h": "m/h"
  case "s_per_500m": "/500 m"
  case "s_per_km": "min/km"
  case "milli_g": "g"
  case "microvolts": "µV"
  case "hz": "Hz"
  case "g": "g"
  default: nil
  }
}

/// Members and kinds whose names are not words.
private let words = [
  "rssi_dbm": "signal", "rmssd_ms": "RMSSD", "sdnn_ms": "SDNN", "dfa_alpha1": "DFA alpha 1",
  "hrv": "heart rate variability",
  "breaths_per_min": "breathing", "ride_time_s": "time", "moving_time_s": "moving",
  "zone_times_s": "times", "bpm_avg": "heart rate avg", "bpm_max": "heart rate max",
  "w_prime_balance_j": "W' left", "w_prime_balance_pct": "W' left", "vam_m_per_h": "climbing",
]

private let inASCII = ["°C": "C", "°F": "F", "°": "deg", "µV": "uV"]

private func unitEnding(of field: String) -> (ending: String, unit: String)? {
  var ending = field[...]
  while true {
    if let unit = unit(ending) { return (String(ending), unit) }
    guard let line = ending.firstIndex(of: "_") else { return nil }
    ending = ending[ending.index(after: line)...]
  }
}

private func shown(_ field: String, _ unit: String, _ number: Double, _ system: UnitSystem) -> Measure {
  func measure(_ number: Double, _ places: Int, _ unit: String) -> Measure {
    Measure(digits: Quantity.decimal(number, places: places), unit: unit)
  }
  let isMetric = system == .metric
  switch unit {
  case "km/h": return isMetric ? measure(number * 3.6, 1, unit) : measure(number / 0.44704, 1, "mph")
  // The air's is told in other units than a tyre's.
  case "bar" where field == "pressure_pa":
    return isMetric ? measure(number / 100, 0, "hPa") : measure(number / 3386.389, 2, "inHg")
  case "bar": return isMetric ? measure(number / 100_000, 2, unit) : measure(number / 6894.757, 1, "psi")
  case "°C": return isMetric ? measure(number, 1, unit) : measure(number * 1.8 + 32, 1, "°F")
  // Wheels are sold and set in millimetres everywhere.
  case "m" where field.hasSuffix("circumference_m"): return measure(number * 1000, 0, "mm")
  case "m": return length(number, isHeight: heights.contains { field.hasPrefix($0) }, isMetric: isMetric)
  case "s" where number.magnitude >= 60: return Measure(digits: clock(number), unit: number < 3600 ? "min" : "h")
  case "/500 m": return Measure(digits: clock(number), unit: unit)
  case "min/km":
    return isMetric
      ? Measure(digits: clock(number), unit: unit) : Measure(digits: clock(number * 1.609344), unit: "min/mi")
  case "s": return measure(number, 1, unit)
  case "g" where field.hasSuffix("milli_g"): return measure(number / 1000, 2, unit)
  case "J" where number.magnitude >= 1000: return measure(number / 1000, 0, "kJ")
  case "kg": return isMetric ? measure(number, 1, unit) : measure(number / 0.45359237, 1, "lb")
  case "m/h" where !isMetric: return measure(number / 0.3048, 0, "ft/h")
  case "m/h": return measure(number, 0, unit)
  case "V", "Nm", "W/kg", "W/bpm": return measure(number, 2, unit)
  default: return measure(number, number == number.rounded() ? 0 : 1, unit)
  }
}

private let heights = ["elevation", "ascent", "descent", "altitude"]

private func length(_ metres: Double, isHeight: Bool, isMetric: Bool) -> Measure {
  func measure(_ number: Double, _ places: Int, _ unit: String) -> Measure {
    Measure(digits: Quantity.decimal(number, places: places), unit: unit)
  }
  if isMetric {
    return metres.magnitude < 1000 || isHeight ? measure(metres, 1, "m") : measure(metres / 1000, 2, "km")
  }
  let feet = metres / 0.3048
  // A tenth of a mile and more is a way; a step is told more finely than a car's distance.
  if feet.magnitude >= 528, !isHeight { return measure(metres / 1609.344, 2, "mi") }
  return measure(feet, feet.magnitude < 10 ? 1 : 0, "ft")
}

/// `4:05`, `1:02:03`
private func clock(_ seconds: Double) -> String {
  guard seconds.magnitude < 1e9 else { return Quantity.decimal(seconds, places: 0) }
  let whole = Int(seconds.magnitude.rounded())
  func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
  let sign = seconds < 0 ? "-" : ""
  if whole < 3600 { return "\(sign)\(whole / 60):\(two(whole % 60))" }
  return "\(sign)\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))"
}

/// How long something has been so: `0.4 s`, `12 s`, `3 min`, `2 h 5 min`, `4 days`.
func spanText(_ seconds: Double) -> String {
  guard seconds < 1e9 else { return "years" }
  let whole = Int(max(0, seconds).rounded())
  switch whole {
  case ..<10: return Quantity.decimal(max(0, seconds), places: 1) + " s"
  case ..<120: return "\(whole) s"
  case ..<7200: return "\(whole / 60) min"
  case ..<172_800:
    let minutes = whole / 60 % 60
    return "\(whole / 3600) h" + (minutes == 0 ? "" : " \(minutes) min")
  default: return "\(whole / 86_400) days"
  }
}
