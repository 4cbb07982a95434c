// Elements of XML, written in order. Texts and values are escaped, so that names of activities cannot
// change the document.

import Text

struct Markup {
  private(set) var text = ""
  private var open: [String] = []

  mutating func begin(_ name: String, _ attributes: KeyValuePairs<String, String> = [:]) {
    write(name, attributes, ending: ">\n")
    open.append(name)
  }

  mutating func end() {
    if let name = open.popLast() { text += "</\(name)>\n" }
  }

  mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String> = [:]) {
    write(name, attributes, ending: "/>\n")
  }

  mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], content: String) {
    write(name, attributes, ending: ">\(Self.escaped(content))</\(name)>\n")
  }

  private mutating func write(_ name: String, _ attributes: KeyValuePairs<String, String>, ending: String) {
    text += "<\(name)"
    for (key, value) in attributes { text += " \(key)=\"\(Self.escaped(value))\"" }
    text += ending
  }

  static func escaped(_ text: String) -> String {
    printable(text, isUnicode: true).map { character in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      default: String(character)
      }
    }.joined()
  }
}
