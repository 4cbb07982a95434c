// What an anonymous capture calls a sensor: as its maker does where that is known, without what tells it from others of its
// kind, for plugins and quirks know some by their names. Whatever else it is called may say whose it is.

import SensorKit
import Sensors
import Wire

struct AnonymousName {
  let sensor: Sensor
  /// The bytes of its address, and of the one that stands for it, each as two digits; none where it has no address.
  let address: [String]
  let standIn: [String]

  func text(otherwise neutral: String) -> String {
    if sensor.name.isEmpty { return "" }
    if isItsOwn, let start = makersStart { return start + blotted(String(sensor.name.dropFirst(start.count))) }
    // Its user's. The id still says how its own begins.
    return knownStarts.first { isStart($0, of: sensor.id) }?.text ?? neutral
  }

  /// Its id was made of the name it had itself; another is its user's.
  private var isItsOwn: Bool {
    let stem = stem(of: sensor.name)
    return !stem.isEmpty && sensor.id.hasPrefix(stem.prefix(40) + "-")
  }
}

// MARK: What is the maker's

extension AnonymousName {
  private typealias Start = (text: String, isWhole: Bool)

  /// How the names begin that plugins and quirks look at.
  private var knownStarts: [Start] {
    let plugins = sensor.plugins
    let infos = registry.filter { plugin in plugins.contains(plugin.info.id) }.map { plugin in plugin.info }
    let adverts = infos.flatMap(\.adverts).map { (text: $0.name, isWhole: $0.isWholeName) }
    let others = infos.flatMap(\.announcements).map(\.namePrefix) + knownQuirks.flatMap(\.marks).compactMap(\.name)
    return (adverts + others.map { (text: $0, isWhole: false) }).filter { !$0.text.isEmpty }
  }

  private func isStart(_ start: Start, of id: String) -> Bool {
    id.hasPrefix(stem(of: start.text) + (start.isWhole ? "-" : ""))
  }

  /// As much of its name as is known to be its maker's, as it is written there.
  private var makersStart: String? {
    let maker = sensor.content["facts"]?["manufacturer"]?.text?.split(separator: " ").first.map(String.init)
    let model = sensor.content["facts"]?["model"]?.text
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

// MARK: What is not

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

  /// The end of the address becomes that of the stand-in: some say it in what they send too.
  private func blotted(word: String) -> String {
    for count in [6, 3, 2] where address.count >= count {
      let end = address.suffix(count).joined()
      guard word.uppercased().hasSuffix(end) else { continue }
      return shortened(String(word.dropLast(end.count))) + standIn.suffix(count).joined()
    }
    return shortened(word)
  }

  /// The word itself where it can be a model's (`H10`, `L`), which is short; zeros else.
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
