// Writes JSON at the end of a buffer that is kept and used again: once it has grown to its largest line, writing allocates
// nothing. What it writes is always UTF-8, never null, and its numbers are plain decimals (see DecimalWriter.swift).
// The caller keeps begin and end, names and values in pairs; commas come by themselves.

public import SensorKit

public struct JSONWriter: Sendable {
  public internal(set) var bytes: [UInt8] = []
  private var needsComma = false

  public init() {}

  /// Empties the buffer and keeps its room.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  /// To write another value in place of what came from there on: right behind a member's name.
  mutating func goBack(toValueAt place: Int) {
    bytes.removeLast(bytes.count - place)
    needsComma = false
  }

  public mutating func beginObject() { open("{") }
  public mutating func endObject() { close("}") }
  public mutating func beginArray() { open("[") }
  public mutating func endArray() { close("]") }

  /// A word of the vocabulary has no character that JSON escapes.
  public mutating func word(_ word: Word) {
    beginValue()
    quote(word)
  }

  public mutating func member(_ name: Word) {
    beginValue()
    quote(name)
    append(":")
    needsComma = false
  }

  /// The name of the value that is written next.
  public mutating func member(_ name: String) {
    beginValue()
    quote(name)
    append(":")
    needsComma = false
  }

  public mutating func string(_ text: String) {
    beginValue()
    quote(text)
  }

  /// A string of bytes that nobody has checked; what is not UTF-8 becomes U+FFFD.
  public mutating func string(_ text: Span<UInt8>) {
    beginValue()
    quote(text)
  }

  public mutating func bool(_ value: Bool) {
    beginValue()
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  public mutating func number(_ value: Int) {
    beginValue()
    if value < 0 { append("-") }
    bytes.appendDecimal(UInt64(value.magnitude))
  }

  public mutating func number(_ value: UInt64) {
    beginValue()
    bytes.appendDecimal(value)
  }

  /// The number must be finite: whoever has none leaves the member out.
  public mutating func number(_ value: Double) {
    beginValue()
    bytes.appendDecimal(value)
  }

  /// A value that was encoded before, as it is.
  public mutating func encoded(_ value: ArraySlice<UInt8>) {
    beginValue()
    bytes.append(contentsOf: value)
  }

  /// A value of any kind. Members and items that are null are left out.
  public mutating func value(_ value: JSON) {
    switch value {
    case .null: break
    case .bool(let flag): bool(flag)
    case .number(let value): number(value)
    case .string(let text): string(text)
    case .array(let items):
      beginArray()
      for item in items { self.value(item) }
      endArray()
    case .object(let members):
      beginObject()
      for entry in members { member(entry.name, entry.value) }
      endObject()
    }
  }

  /// Ends a line of the protocol; the next value begins anew.
  public mutating func endLine() {
    append("\n")
    needsComma = false
  }
}

// MARK: Members with their values; nil and null leave both out

extension JSONWriter {
  public mutating func member(_ name: String, _ text: String?) {
    guard let text else { return }
    member(name)
    string(text)
  }

  public mutating func member(_ name: String, _ value: Int?) {
    guard let value else { return }
    member(name)
    number(value)
  }

  public mutating func member(_ name: String, _ value: Double?) {
    guard let value, value.isFinite else { return }
    member(name)
    number(value)
  }

  public mutating func member(_ name: String, _ value: Bool?) {
    guard let value else { return }
    member(name)
    bool(value)
  }

  public mutating func member(_ name: String, _ texts: [String]?) {
    guard let texts else { return }
    member(name)
    beginArray()
    for text in texts { string(text) }
    endArray()
  }

  public mutating func member(_ name: String, _ value: JSON?) {
    guard let value, value != .null else { return }
    member(name)
    self.value(value)
  }
}

extension JSONWriter {
  @inline(__always)
  private mutating func append(_ character: Unicode.Scalar) {
    bytes.append(UInt8(ascii: character))
  }

  @inline(__always)
  mutating func beginValue() {
    if needsComma { append(",") }
    needsComma = true
  }

  private mutating func open(_ bracket: Unicode.Scalar) {
    beginValue()
    append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: Unicode.Scalar) {
    append(bracket)
    needsComma = true
  }

  private mutating func quote(_ word: Word) {
    append("\"")
    word.append(to: &bytes)
    append("\"")
  }

  private mutating func quote(_ text: String) {
    append("\"")
    let letters = text.utf8.span
    if letters.indices.contains(where: { needsEscape(letters[$0]) }) {
      for index in letters.indices { bytes.appendEscaped(letters[index]) }
    } else {
      bytes.append(contentsOf: text.utf8)
    }
    append("\"")
  }

  private mutating func quote(_ text: Span<UInt8>) {
    append("\"")
    bytes.appendRepaired(text) { buffer, byte in buffer.appendEscaped(byte) }
    append("\"")
  }
}
