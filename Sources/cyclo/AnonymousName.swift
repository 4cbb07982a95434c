// The name of a sensor in an anonymous capture: the maker's part of its name, because plugins and
// quirks recognize some sensors by it. The rest could identify the owner.

import JSON
import SensorKit
import Text
import Wire

struct AnonymousName {
  let sensor: SensorRecord
  /// The bytes of its address and of the replacement, each as two digits; empty without an address.
  let address: [String]
  let standIn: [String]
  let plugins: PluginRegistry
  /// The plugins of files.
  var declared: [PluginRecord] = []

  func text(otherwise neutral: String) -> String {
    if sensor.name.isEmpty { return "" }
    if isItsOwn, let start = makersStart { return start + blotted(String(sensor.name.dropFirst(start.count))) }
    // The user's name. The beginning of the id still tells the sensor's own name.
    return knownStarts.first { isStart($0, of: sensor.id) }?.text ?? neutral
  }

  /// The id was made from the sensor's own name; any other name is the user's.
  private var isItsOwn: Bool {
    let stem = stem(of: sensor.name)
    return !stem.isEmpty && sensor.id.hasPrefix(stem.prefix(40) + "-")
  }
}

// MARK: The maker's part

extension AnonymousName {
  private typealias Start = (text: String, isWhole: Bool)

  /// The prefixes that plugins and quirks look at.
  private var knownStarts: [Start] {
    let infos = plugins.plugins(called: sensor.plugins).map(\.info)
    let adverts = infos.flatMap(\.adverts).map { (text: $0.name, isWhole: $0.isWholeName) }
    let others = infos.flatMap(\.announcements).map(\.namePrefix) + plugins.quirks.flatMap(\.marks).compactMap(\.name)
    let ofFiles = declared.filter { sensor.plugins.contains($0.id) }
    let starts = others + ofFiles.flatMap(\.announced).map(\.name)
    let names = ofFiles.flatMap(\.adverts).compactMap(\.name).map { name in
      name.hasSuffix("*") ? (text: String(name.dropLast()), isWhole: false) : (text: name, isWhole: true)
    }
    return (adverts + names + starts.map { (text: $0, isWhole: false) }).filter { !$0.text.isEmpty }
  }

  private func isStart(_ start: Start, of id: String) -> Bool {
    id.hasPrefix(stem(of: start.text) + (start.isWhole ? "-" : ""))
  }

  /// The part of the name that is known to be the maker's.
  private var makersStart: String? {
    let maker = sensor.facts[.manufacturer]?.text?.split(separator: " ").first.map(String.init)
    let model = sensor.facts[.model]?.text
    let starts = knownStarts + [maker, model].compactMap { $0 }.map { (text: $0, isWhole: false) }
    let name = sensor.name.lowercased()
    let fitting = starts.filter { $0.isWhole ? sensor.name == $0.text : name.hasPrefix($0.text.lowercased()) }
    return fitting.map(\.text.count).max().flatMap { $0 > 1 ? String(sensor.name.prefix($0)) : nil }
  }

  /// As the daemon makes the beginning of an id.
  private func stem(of name: String) -> String {
    name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-")
  }
}

// MARK: The rest

extension AnonymousName {
  private func blotted(_ text: String) -> String {
    var result = ""
    var word = ""
    for letter in text {
      if letter.isLetter || letter.isNumber {
        word.append(letter)
      } else {
        result += blotted(word: word) + String(letter)
        word = ""
      }
    }
    return result + blotted(word: word)
  }

  /// The end of the address becomes that of the replacement: some sensors also send it.
  private func blotted(word: String) -> String {
    for count in [6, 3, 2] where address.count >= count {
      let end = address.suffix(count).joined()
      guard word.uppercased().hasSuffix(end) else { continue }
      return shortened(String(word.dropLast(end.count))) + standIn.suffix(count).joined()
    }
    return shortened(word)
  }

  /// The word itself if it can be a model (`H10`, `L`), which is short; otherwise zeros.
  private func shortened(_ word: String) -> String {
    let digits = word.filter { $0.isASCII && $0.isNumber }.count
    let isModel = word.count < 2 || digits > 0 && digits < 4 && word.count - digits < 4
    return isModel && !isOfAddress(word) ? word : String(repeating: "0", count: word.count)
  }

  private func isOfAddress(_ word: String) -> Bool {
    let letters = Array(word.uppercased())
    if letters.count == 2 { return address.suffix(3).contains(String(letters)) }
    let orders = [address.joined(), address.reversed().joined()]
    return letters.indices.dropLast(3).contains { start in
      let piece = String(letters[start..<start + 4])
      return orders.contains { $0.has(piece) }
    }
  }
}
