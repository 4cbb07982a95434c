/// Reads typed members of `params`: nil if a member is missing, `bad_request` if it has another
/// type.

import JSON
import Text

struct Parameters {
  private let values: JSONValue

  init(_ values: JSONValue) {
    self.values = values
  }

  func refuse(_ name: String, _ expected: String) -> Refusal {
    Refusal(.badRequest, "\(name) is \(expected)")
  }

  func needed<Value>(_ value: Value?, _ name: String, _ expected: String) throws(Refusal) -> Value {
    guard let value else { throw Refusal(.badRequest, "\(name) is missing: \(expected)") }
    return value
  }

  func text(_ name: String) throws(Refusal) -> String? {
    try read(name, "a string") { $0.text }
  }

  func texts(_ name: String) throws(Refusal) -> [String]? {
    try read(name, "an array of strings") { $0.texts }
  }

  /// Names, without duplicates, in the order given. Longer lists would be pointless: there are
  /// fewer kinds, and fewer sensors can be paired.
  static let mostNames = 128

  func names(_ name: String) throws(Refusal) -> [String]? {
    guard let texts = try texts(name) else { return nil }
    guard texts.count <= Self.mostNames else { throw refuse(name, "an array of at most \(Self.mostNames) strings") }
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }

  func bool(_ name: String) throws(Refusal) -> Bool? {
    try read(name, "true or false") { $0.bool }
  }

  func positive(_ name: String) throws(Refusal) -> Double? {
    try read(name, "a number above 0") { $0.number.flatMap { $0 > 0 ? $0 : nil } }
  }

  func positive(_ name: String, atMost longest: Double) throws(Refusal) -> Double? {
    try read(name, "a number above 0, at most \(text(of: longest))") { json in
      json.number.flatMap { $0 > 0 && $0 <= longest ? $0 : nil }
    }
  }

  func number(_ name: String, in range: ClosedRange<Double>) throws(Refusal) -> Double? {
    try read(name, "a number from \(text(of: range.lowerBound)) to \(text(of: range.upperBound))") { json in
      json.number.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// Omits the fraction of a whole number.
  private func text(of bound: Double) -> String { Int(exactly: bound).map(String.init) ?? String(bound) }

  func numbers(_ name: String) throws(Refusal) -> [String: Double] {
    let expected = "an object of numbers"
    guard let members = try read(name, expected, { $0.members }) else { return [:] }
    var numbers: [String: Double] = [:]
    for member in members where member.value != .null {
      guard let number = member.value.number else { throw refuse("\(name).\(member.name.prefix(64))", "a number") }
      numbers[member.name] = number
    }
    return numbers
  }

  /// Nil if it is missing or null. The key of a setting decides its type.
  func value(_ name: String) -> JSONValue? {
    values[name].flatMap { $0 == .null ? nil : $0 }
  }

  /// The value as given: null or an empty string clears a setting.
  func given(_ name: String) -> JSONValue? { values[name] }

  func sensor() throws(Refusal) -> String {
    try needed(text("sensor"), "sensor", "a string")
  }

  /// One of the words of an enumeration.
  func word<Choice: CaseIterable & RawRepresentable<String>>(_ name: String) throws(Refusal) -> Choice? {
    try read(name, Self.choice(of: Choice.self)) { $0.text.flatMap(Choice.init) }
  }

  static func choice<Choice: CaseIterable & RawRepresentable<String>>(of type: Choice.Type) -> String {
    "one of " + type.allCases.map(\.rawValue).joined(separator: ", ")
  }

  /// A name for a sensor.
  func name() throws(Refusal) -> String {
    let name = try needed(text("name"), "name", "a string")
    guard name.isName else { throw refuse("name", String.nameRule) }
    return name
  }

  private func read<Value>(
    _ name: String, _ expected: String, _ convert: (JSONValue) -> Value?
  ) throws(Refusal) -> Value? {
    guard let json = values[name], json != .null else { return nil }
    guard let value = convert(json) else { throw refuse(name, expected) }
    return value
  }
}
