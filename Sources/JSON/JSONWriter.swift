// Writes JSON to a buffer that is reused: once it has grown to its longest line, writing does not
// allocate. The output is always UTF-8, never contains null, and numbers are plain decimals (see
// DecimalWriter.swift). The caller pairs begin with end and names with values. Commas are added
// automatically.

public struct JSONWriter: Sendable {
  /// The text so far. Text that is appended directly must keep it valid.
  public var bytes: [UInt8] = []
  @usableFromInline package var needsComma = false

  public init() {}

  /// Empties the buffer and keeps its capacity.
  @inlinable
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  /// Removes everything from `place` on, which must directly follow a member's name, to write
  /// another value.
  @inlinable
  package mutating func goBack(toValueAt place: Int) {
    bytes.removeLast(bytes.count - place)
    needsComma = false
  }

  @inlinable
  public mutating func beginObject() { open("{") }
  @inlinable
  public mutating func endObject() { close("}") }
  @inlinable
  public mutating func beginArray() { open("[") }
  @inlinable
  public mutating func endArray() { close("]") }

  /// Writes the name of the next value.
  public mutating func member(_ name: String) {
    beginValue()
    quote(name)
    endName()
  }

  public mutating func string(_ text: String) {
    beginValue()
    quote(text)
  }

  /// Writes unchecked bytes as a string; bytes that are not UTF-8 become U+FFFD.
  public mutating func string(_ text: Span<UInt8>) {
    beginValue()
    quote(text)
  }

  @inlinable
  public mutating func bool(_ value: Bool) {
    beginValue()
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  @inlinable
  public mutating func number(_ value: Int) {
    beginValue()
    if value < 0 { append("-") }
    bytes.appendDecimal(UInt64(value.magnitude))
  }

  @inlinable
  public mutating func number(_ value: UInt64) {
    beginValue()
    bytes.appendDecimal(value)
  }

  /// The number must be finite. If there is none, omit the member.
  @inlinable
  public mutating func number(_ value: Double) {
    beginValue()
    bytes.appendDecimal(value)
  }

  /// Writes an already encoded value unchanged.
  public mutating func encoded(_ value: ArraySlice<UInt8>) {
    beginValue()
    bytes.append(contentsOf: value)
  }

  /// Completes the name of the next value, whose bytes were appended after `beginValue`.
  @inlinable
  package mutating func endName() {
    append(":")
    needsComma = false
  }

  /// Writes any value. Null members and items are omitted.
  public mutating func value(_ value: JSONValue) {
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

  /// Ends a line; the next value starts a new one.
  @inlinable
  public mutating func endLine() {
    append("\n")
    needsComma = false
  }
}

// MARK: Members with their values; nil and null omit both

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

  public mutating func member(_ name: String, _ value: JSONValue?) {
    guard let value, value != .null else { return }
    member(name)
    self.value(value)
  }
}

extension JSONWriter {
  @inlinable @inline(__always)
  package mutating func append(_ character: Unicode.Scalar) {
    bytes.append(UInt8(ascii: character))
  }

  @inlinable @inline(__always)
  package mutating func beginValue() {
    if needsComma { append(",") }
    needsComma = true
  }

  @inlinable
  package mutating func open(_ bracket: Unicode.Scalar) {
    beginValue()
    append(bracket)
    needsComma = false
  }

  @inlinable
  package mutating func close(_ bracket: Unicode.Scalar) {
    append(bracket)
    needsComma = true
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
