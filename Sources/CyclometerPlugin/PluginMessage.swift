// A line of the daemon. Members that are missing or have the wrong type are errors.

import JSON

struct PluginMessage {
  let name: String
  private let value: JSONValue

  init(_ value: JSONValue) throws(PluginDisconnection) {
    guard let name = value["class"]?.text else {
      throw PluginDisconnection("the daemon sent a line that is not an object with a class")
    }
    self.name = name
    self.value = value
  }

  func text(_ member: String) throws(PluginDisconnection) -> String {
    guard let text = value[member]?.text else { throw lacks("text", member) }
    return text
  }

  func whole(_ member: String) throws(PluginDisconnection) -> Int {
    guard let number = value[member]?.integer else { throw lacks("whole number", member) }
    return number
  }

  func number(_ member: String) throws(PluginDisconnection) -> Double {
    guard let number = value[member]?.number else { throw lacks("number", member) }
    return number
  }

  func numberIfPresent(_ member: String) throws(PluginDisconnection) -> Double? {
    guard value[member] != nil else { return nil }
    return try number(member)
  }

  func bytes(_ member: String) throws(PluginDisconnection) -> [UInt8] {
    guard let bytes = JSON.bytes(ofHex: try text(member)) else { throw lacks("text of hex digits", member) }
    return bytes
  }

  var settings: JSONValue { value["settings"] ?? [:] }

  var quirks: [String] {
    get throws(PluginDisconnection) {
      guard let quirks = value["quirks"] else { return [] }
      guard let texts = quirks.texts else { throw lacks("list of texts", "quirks") }
      return texts
    }
  }

  private func lacks(_ type: String, _ member: String) -> PluginDisconnection {
    PluginDisconnection("the daemon sent \(name) without a \(type) \(member)")
  }
}
