// Numbers with their units. The unit is the end of a field's name, so new fields are shown
// correctly without a change here. Digits are written as bytes, because `decode` writes millions of
// them.

import JSON

/// A number as shown, and its unit, which may be empty.
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
    let shape = Scale(of: field).shape(number, style)
    return Measure(digits: String(decoding: shape.digits, as: UTF8.self), unit: shape.unit)
  }

  /// `sensor_contact` -> `sensor contact`, without the unit, which is part of the value.
  static func label(_ field: String) -> String {
    if let words = words(field) { return words }
    if !field.utf8.contains(UInt8(ascii: "_")) { return field }
    var name = field[...]
    if let ending = unitEnding(of: field)?.ending, ending != "revs", ending.count < field.count {
      name = field.dropLast(ending.count + 1)
    }
    return String(name.map { $0 == "_" ? " " : $0 })
  }

  static func decimal(_ number: Double, places: Int) -> String {
    var text: [UInt8] = []
    text.appendDecimal(number, places: places)
    return String(decoding: text, as: UTF8.self)
  }

  /// A number with at most `places` decimals and no trailing zeros.
  static func short(_ number: Double, places: Int = 3) -> String {
    var text = decimal(number, places: places)
    guard text.contains(".") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }
}

/// Units by the end of the field's name; the longest match counts.
private func namedUnit(_ ending: Substring) -> String? {
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
  case "mg_per_dl": "mg/dl"
  case "mg_per_dl_min": "mg/dl min"
  case "mmol_per_l": "mmol/l"
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

/// Members and kinds whose names do not read well.
private func words(_ field: String) -> String? {
  switch field {
  case "rssi_dbm": "signal"
  case "rmssd_ms": "RMSSD"
  case "sdnn_ms": "SDNN"
  case "dfa_alpha1": "DFA alpha 1"
  case "hrv": "heart rate variability"
  case "breaths_per_min": "breathing"
  case "ride_time_s": "time"
  case "moving_time_s": "moving"
  case "zone_times_s": "times"
  case "bpm_avg": "heart rate avg"
  case "bpm_max": "heart rate max"
  case "w_prime_balance_j": "W' left"
  case "w_prime_balance_pct": "W' left"
  case "vam_m_per_h": "climbing"
  default: nil
  }
}

private func inASCII(_ unit: String) -> String {
  switch unit {
  case "°": "deg"
  case "°C", "°F": String(unit.dropFirst())
  default:
    String(unit.map { letter in letter == "µ" ? "u" : letter == "²" ? "2" : letter == "³" ? "3" : letter })
  }
}

private func unitEnding(of field: String) -> (ending: String, unit: String)? {
  var ending = field[...]
  while true {
    if let unit = namedUnit(ending) ?? composedUnit(ending) { return (String(ending), unit) }
    guard let line = ending.firstIndex(of: "_") else { return nil }
    ending = ending[ending.index(after: line)...]
  }
}

/// How the numbers of a field are shown: the unit, and what it depends on.
enum Scale {
  case unitless
  case speed, airPressure, pressure, temperature
  case circumference, height, length
  case seconds, timePer500m, timePerKilometre
  case thousandths, energy, weight, climbRate
  case tenths(unit: String)
  case hundredths(unit: String)
  case plain(unit: String)

  init(of field: String) {
    guard let (ending, unit) = unitEnding(of: field) else {
      self = .unitless
      return
    }
    // A composed unit, such as `bar`, is shown as it is.
    guard namedUnit(ending[...]) != nil else {
      self = .plain(unit: unit)
      return
    }
    self =
      switch unit {
      case "km/h": .speed
      // Air pressure has other units than tire pressure.
      case "bar": field == "pressure_pa" ? .airPressure : .pressure
      case "°C": .temperature
      // Wheel sizes are in millimetres everywhere.
      case "m" where field.hasSuffix("circumference_m"): .circumference
      case "m": heights.contains { field.hasPrefix($0) } ? .height : .length
      case "s": .seconds
      case "/500 m": .timePer500m
      case "min/km": .timePerKilometre
      case "g" where field.hasSuffix("milli_g"): .thousandths
      case "J": .energy
      case "kg": .weight
      case "m/h": .climbRate
      case "mg/dl", "mg/dl min", "mmol/l": .tenths(unit: unit)
      case "V", "Nm", "W/kg", "W/bpm": .hundredths(unit: unit)
      default: .plain(unit: unit)
      }
  }

  func shape(_ number: Double, _ style: Style) -> Shape {
    var shape = shape(number, isMetric: style.units == .metric)
    if !style.isUnicode { shape.unit = inASCII(shape.unit) }
    return shape
  }

  private func shape(_ number: Double, isMetric: Bool) -> Shape {
    switch self {
    case .unitless: return Shape(number, number == number.rounded() ? 0 : 2, "")
    case .speed: return isMetric ? Shape(number * 3.6, 1, "km/h") : Shape(number / 0.44704, 1, "mph")
    case .airPressure: return isMetric ? Shape(number / 100, 0, "hPa") : Shape(number / 3386.389, 2, "inHg")
    case .pressure: return isMetric ? Shape(number / 100_000, 2, "bar") : Shape(number / 6894.757, 1, "psi")
    case .temperature: return isMetric ? Shape(number, 1, "°C") : Shape(number * 1.8 + 32, 1, "°F")
    case .circumference: return Shape(number * 1000, 0, "mm")
    case .height: return length(number, isHeight: true, isMetric: isMetric)
    case .length: return length(number, isHeight: false, isMetric: isMetric)
    case .seconds where number.magnitude >= 60: return Shape(clock: number, number < 3600 ? "min" : "h")
    case .seconds: return Shape(number, 1, "s")
    case .timePer500m: return Shape(clock: number, "/500 m")
    case .timePerKilometre:
      return isMetric ? Shape(clock: number, "min/km") : Shape(clock: number * 1.609344, "min/mi")
    case .thousandths: return Shape(number / 1000, 2, "g")
    case .energy where number.magnitude >= 1000: return Shape(number / 1000, 0, "kJ")
    case .energy: return Shape(number, number == number.rounded() ? 0 : 1, "J")
    case .weight: return isMetric ? Shape(number, 1, "kg") : Shape(number / 0.45359237, 1, "lb")
    case .climbRate: return isMetric ? Shape(number, 0, "m/h") : Shape(number / 0.3048, 0, "ft/h")
    case .tenths(let unit): return Shape(number, 1, unit)
    case .hundredths(let unit): return Shape(number, 2, unit)
    case .plain(let unit): return Shape(number, number == number.rounded() ? 0 : 1, unit)
    }
  }

  private func length(_ metres: Double, isHeight: Bool, isMetric: Bool) -> Shape {
    if isMetric {
      return metres.magnitude < 1000 || isHeight ? Shape(metres, 1, "m") : Shape(metres / 1000, 2, "km")
    }
    let feet = metres / 0.3048
    // From a tenth of a mile on it is a distance to ride; shorter ones get finer units.
    if feet.magnitude >= 528, !isHeight { return Shape(metres / 1609.344, 2, "mi") }
    return Shape(feet, feet.magnitude < 10 ? 1 : 0, "ft")
  }
}

private let heights = ["elevation", "ascent", "descent", "altitude"]

/// A number in the unit in which it is shown, and its number format.
struct Shape {
  private let number: Double
  /// Nil for minutes and seconds.
  private let places: Int?
  fileprivate(set) var unit: String

  init(_ number: Double, _ places: Int, _ unit: String) {
    (self.number, self.places, self.unit) = (number, places, unit)
  }

  init(clock seconds: Double, _ unit: String) {
    (number, places, self.unit) = (seconds, nil, unit)
  }

  fileprivate var digits: [UInt8] {
    var text: [UInt8] = []
    appendDigits(to: &text)
    return text
  }

  func appendDigits(to text: inout [UInt8]) {
    if let places { text.appendDecimal(number, places: places) } else { text.appendClock(number) }
  }

  func append(to text: inout [UInt8]) {
    appendDigits(to: &text)
    if unit.isEmpty { return }
    text.append(UInt8(ascii: " "))
    text.append(contentsOf: unit.utf8)
  }
}

extension [UInt8] {
  mutating func appendDecimal(_ number: Double, places: Int) {
    guard number.magnitude < 1e15 else { return append(contentsOf: "\(number)".utf8) }
    let scale = (0..<places).reduce(1) { product, _ in product * 10 }
    let scaled = UInt64((number.magnitude * Double(scale)).rounded())
    if number < 0, scaled > 0 { append(UInt8(ascii: "-")) }
    guard places > 0 else { return appendDecimal(scaled) }
    let (whole, fraction) = scaled.quotientAndRemainder(dividingBy: UInt64(scale))
    appendDecimal(whole)
    append(UInt8(ascii: "."))
    appendPadded(fraction, width: places)
  }

  /// `4:05`, `1:02:03`
  fileprivate mutating func appendClock(_ seconds: Double) {
    guard seconds.magnitude < 1e9 else { return appendDecimal(seconds, places: 0) }
    let whole = UInt64(seconds.magnitude.rounded())
    if seconds < 0 { append(UInt8(ascii: "-")) }
    if whole < 3600 {
      appendDecimal(whole / 60)
    } else {
      appendDecimal(whole / 3600)
      append(UInt8(ascii: ":"))
      appendPadded(whole / 60 % 60, width: 2)
    }
    append(UInt8(ascii: ":"))
    appendPadded(whole % 60, width: 2)
  }
}

/// A duration: `0.4 s`, `12 s`, `3 min`, `2 h 5 min`, `4 days`.
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
