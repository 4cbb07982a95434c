// Numbers with their units, for people. A field's unit is the end of its name, so a sensor that measures something new is
// shown well without a change here.

enum Quantity {
  /// `speed_mps`, 8.333 -> `30.0 km/h`
  static func text(_ field: String, _ number: Double) -> String {
    let (value, places, unit) = shown(field, number)
    return decimal(value, places: places) + (unit.isEmpty ? "" : " " + unit)
  }

  /// `sensor_contact` -> `sensor contact`; the unit is left out, for the value carries it.
  static func label(_ field: String) -> String {
    if field == "rssi_dbm" { return "signal" }
    var words = field.split(separator: "_")
    if words.count > 1, let last = words.last, isUnit(last) { words.removeLast() }
    return words.joined(separator: " ")
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

private let units: [Substring: String] = [
  "bpm": "bpm", "mps": "km/h", "rpm": "rpm", "w": "W", "pct": "%", "c": "°C", "pa": "bar", "m": "m", "mm": "mm",
  "s": "s", "ms": "ms", "j": "J", "kcal": "kcal", "n": "N", "nm": "Nm", "deg": "°", "v": "V", "spm": "spm",
  "dbm": "dBm", "revs": "turns", "kpa": "kPa", "min": "/min",
]

private func isUnit(_ word: Substring) -> Bool {
  units[word] != nil && word != "revs"
}

private func shown(_ field: String, _ number: Double) -> (value: Double, places: Int, unit: String) {
  let last = field.split(separator: "_").last ?? ""
  // A unit only where it ends a longer name, or is the whole of it like bpm.
  guard let unit = units[last] else { return (number, number == number.rounded() ? 0 : 2, "") }
  switch last {
  case "mps": return (number * 3.6, 1, unit)
  case "pa": return (number / 100_000, 2, unit)
  case "m" where number.magnitude >= 1000: return (number / 1000, 2, "km")
  case "m", "c", "s": return (number, 1, unit)
  case "j" where number.magnitude >= 1000: return (number / 1000, 0, "kJ")
  case "v", "nm": return (number, 2, unit)
  default: return (number, number == number.rounded() ? 0 : 1, unit)
  }
}

/// How long something has been so: `0.4 s`, `12 s`, `3 min`, `2 h 5 min`, `4 days`.
func spanText(_ seconds: Double) -> String {
  guard seconds < 1e9 else { return "years" }
  let whole = Int(seconds.rounded())
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
