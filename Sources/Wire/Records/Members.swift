// An object of the protocol names its members once, in the order of the line: `visit` serves both
// reading and writing.

public import JSON
public import Time

/// What can be the value of a member.
public protocol WireValue: Equatable, Sendable {
  /// Nil if the value has another type.
  init?(wire json: JSONValue)
  func write(into writer: inout JSONWriter)
}

/// An object with known members. Unknown ones are ignored, so that an older program understands a
/// newer one.
public protocol WireObject: WireValue {
  /// Nothing is known.
  init()
  mutating func visit(_ members: inout some Members)
}

/// Reads an object's members, or writes them.
public protocol Members {
  /// Without this member, an object is something else.
  mutating func needed(_ name: String, _ value: inout some WireValue)
  /// Always written. Unchanged if it is missing.
  mutating func member(_ name: String, _ value: inout some WireValue)
  /// Omitted if it is unknown.
  mutating func member<Value: WireValue>(_ name: String, _ value: inout Value?)
  /// Omitted if it is as usual.
  mutating func member<Value: WireValue>(_ name: String, _ value: inout Value, unless usual: Value)
  /// The members that were not visited before.
  mutating func others(_ members: inout [JSONValue.Member])
}

extension WireObject {
  /// Nil if a needed member is missing.
  public init?(_ json: JSONValue) {
    guard let members = json.members else { return nil }
    self.init()
    var reader = MemberReader(left: members)
    visit(&reader)
    guard reader.isComplete else { return nil }
  }

  public init?(wire json: JSONValue) { self.init(json) }

  public func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writeMembers(into: &writer)
    writer.endObject()
  }

  public func writeMembers(into writer: inout JSONWriter) {
    var copy = self
    var members = MemberWriter(writer: JSONWriter())
    // Swapped, because two holders of the buffer would copy it.
    swap(&members.writer, &writer)
    copy.visit(&members)
    swap(&members.writer, &writer)
  }
}

private struct MemberReader: Members {
  var left: [JSONValue.Member]
  var isComplete = true

  /// If a name occurs more than once, the last one counts.
  private mutating func take<Value: WireValue>(_ name: String) -> Value? {
    guard let place = left.lastIndex(where: { $0.name == name }) else { return nil }
    return Value(wire: left.remove(at: place).value)
  }

  mutating func needed<Value: WireValue>(_ name: String, _ value: inout Value) {
    if let found: Value = take(name) { value = found } else { isComplete = false }
  }

  mutating func member<Value: WireValue>(_ name: String, _ value: inout Value) {
    if let found: Value = take(name) { value = found }
  }

  mutating func member<Value: WireValue>(_ name: String, _ value: inout Value?) { value = take(name) }

  mutating func member<Value: WireValue>(_ name: String, _ value: inout Value, unless usual: Value) {
    member(name, &value)
  }

  mutating func others(_ members: inout [JSONValue.Member]) { members = left.filter { $0.name != "class" } }
}

private struct MemberWriter: Members {
  var writer: JSONWriter

  mutating func needed(_ name: String, _ value: inout some WireValue) { member(name, &value) }

  mutating func member(_ name: String, _ value: inout some WireValue) {
    writer.member(name)
    value.write(into: &writer)
  }

  mutating func member<Value: WireValue>(_ name: String, _ value: inout Value?) {
    if var known = value { member(name, &known) }
  }

  mutating func member<Value: WireValue>(_ name: String, _ value: inout Value, unless usual: Value) {
    if value != usual { member(name, &value) }
  }

  mutating func others(_ members: inout [JSONValue.Member]) {
    for member in members { writer.member(member.name, member.value) }
  }
}

// MARK: Values

extension String: WireValue {
  public init?(wire json: JSONValue) {
    guard let text = json.text else { return nil }
    self = text
  }

  public func write(into writer: inout JSONWriter) { writer.string(self) }
}

extension Bool: WireValue {
  public init?(wire json: JSONValue) {
    guard let flag = json.bool else { return nil }
    self = flag
  }

  public func write(into writer: inout JSONWriter) { writer.bool(self) }
}

extension Int: WireValue {
  public init?(wire json: JSONValue) {
    guard let number = json.integer else { return nil }
    self = number
  }

  public func write(into writer: inout JSONWriter) { writer.number(self) }
}

/// Finite: JSON has no other numbers.
extension Double: WireValue {
  public init?(wire json: JSONValue) {
    guard let number = json.number else { return nil }
    self = number
  }

  public func write(into writer: inout JSONWriter) { writer.number(self) }
}

extension WallTime: WireValue {
  public init?(wire json: JSONValue) {
    guard let time = json.text.flatMap(WallTime.init) else { return nil }
    self = time
  }

  public func write(into writer: inout JSONWriter) { writer.wallTime(self) }
}

/// Seconds, with six decimals.
extension MonotonicTime: WireValue {
  public init?(wire json: JSONValue) {
    guard let seconds = json.number, abs(seconds) < 9e9 else { return nil }
    self.init(nanoseconds: Int64((seconds * 1e6).rounded()) * 1000)
  }

  public func write(into writer: inout JSONWriter) { writer.time(self) }
}

extension JSONValue: WireValue {
  public init?(wire json: JSONValue) { self = json }
  public func write(into writer: inout JSONWriter) { writer.value(self) }
}

/// Items of another type are ignored.
extension Array: WireValue where Element: WireValue {
  public init?(wire json: JSONValue) {
    guard let items = json.items else { return nil }
    self = items.compactMap { Element(wire: $0) }
  }

  public func write(into writer: inout JSONWriter) {
    writer.beginArray()
    for item in self { item.write(into: &writer) }
    writer.endArray()
  }
}

/// A word from one of the protocol's lists. A word that this release does not know is kept.
public struct WireWord<Known: RawRepresentable<String> & Sendable>: WireValue {
  public let text: String

  public var known: Known? { Known(rawValue: text) }

  public init(_ known: Known) {
    text = known.rawValue
  }

  public init?(wire json: JSONValue) {
    guard let text = json.text else { return nil }
    self.text = text
  }

  /// Of an object about which nothing is known.
  init() {
    text = ""
  }

  public func write(into writer: inout JSONWriter) { writer.string(text) }
}
