// Units that are made of symbols and prefixes by the rules of the SI: `ml_per_min`, `ug_per_m3`,
// `kwh`. A sensor's file may use any of them.

/// The unit that all of `ending` states; nil if it states none.
func composedUnit(_ ending: Substring) -> String? {
  let words = ending.split(separator: "_" as Character, omittingEmptySubsequences: false).map(String.init)
  switch (words.count, words.first, words.dropFirst().first) {
  case (1, let word?, _): return simpleUnit(word)
  case (2, "per", let lower?): return simpleUnit(lower, isLower: true).map { "/" + $0 }
  case (3, let upper?, "per"):
    guard let upper = simpleUnit(upper), let lower = simpleUnit(words[2], isLower: true) else { return nil }
    return "\(upper)/\(lower)"
  default: return nil
  }
}

/// `isLower`: after `per`, where hours are usual and single letters have no other meaning.
private func simpleUnit(_ word: String, isLower: Bool = false) -> String? {
  if let symbol = plainSymbols[word] ?? (isLower ? lowerSymbols[word] : nil) { return symbol }
  if isLower, let last = word.last, last == "2" || last == "3" {
    return simpleUnit(String(word.dropLast())).map { $0 + (last == "2" ? "²" : "³") }
  }
  guard let letter = word.first, let prefixes = prefixesOfSymbols[String(word.dropFirst())],
    prefixes.contains(letter), let symbol = symbols[String(word.dropFirst())]
  else { return nil }
  switch letter {
  case "u": return "µ" + symbol
  case "m" where symbol == "Hz": return "M" + symbol
  default: return "\(letter)\(symbol)"
  }
}

private let symbols = [
  "m": "m", "g": "g", "l": "l", "s": "s", "w": "W", "v": "V", "a": "A", "j": "J", "n": "N", "pa": "Pa", "hz": "Hz",
  "bar": "bar", "wh": "Wh", "ah": "Ah", "cal": "cal", "mol": "mol", "bq": "Bq",
]

/// Those that read as words or as other units are not units by themselves, or not with every prefix.
private let prefixesOfSymbols = [
  "m": "kcmu", "g": "kmun", "l": "mcdu", "s": "mun", "w": "km", "v": "kmu", "a": "mu", "j": "kmu", "n": "km",
  "pa": "khm", "hz": "km", "bar": "m", "wh": "km", "ah": "m", "cal": "k", "mol": "mun", "bq": "k",
]

private let plainSymbols = [
  "m": "m", "g": "g", "l": "l", "s": "s", "w": "W", "v": "V", "j": "J", "n": "N", "pa": "Pa", "hz": "Hz",
  "bar": "bar", "wh": "Wh", "ah": "Ah", "cal": "cal", "mol": "mol", "bq": "Bq", "lx": "lx", "lm": "lm", "db": "dB",
  "ppm": "ppm", "ppb": "ppb", "mps2": "m/s²", "m2": "m²", "m3": "m³",
]

private let lowerSymbols = ["min": "min", "h": "h", "a": "A"]
