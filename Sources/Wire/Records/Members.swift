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
  mutating func visit(_ members: inout Members)
}

/// Reads an object's members, or writes them. One type does both, and nothing of it is inlined, so
/// that each record costs the programs the code of one `visit`.
public struct Members {
  private enum Direction {
    /// The members that were not visited yet.
    case reading([JSONValue.Member])
    case writing(JSONWriter)
  }

  private var direction: Direction
  private var isComplete = true

  /// Without this member, an object is something else.
  @inline(never)
  public mutating func needed<Value: WireValue>(_ name: String, _ value: inout Value) {
    if isWriting { return write(name, value) }
    if let found: Value = take(name) { value = found } else { isComplete = false }
  }

  /// Always written. Unchanged if it is missing.
  @inline(never)
  public mutating func member<Value: WireValue>(_ name: String, _ value: inout Value) {
    if isWriting { return write(name, value) }
    if let found: Value = take(name) { value = found }
  }

  /// Omitted if it is unknown.
  @inline(never)
  public mutating func member<Value: WireValue>(_ name: String, _ value: inout Value?) {
    guard isWriting else { return value = take(name) }
    if let value { write(name, value) }
  }

  /// Omitted if it is as usual.
  public mutating func member<Value: WireValue>(_ name: String, _ value: inout Value, unless usual: Value) {
    if !isWriting || value != usual { member(name, &value) }
  }

  /// The members that were not visited before.
  @inline(never)
  public mutating func others(_ members: inout [JSONValue.Member]) {
    switch direction {
    case .reading(let left): members = left.filter { $0.name != "class" }
    case .writing(var writer):
      direction = .reading([])
      for member in members { writer.member(member.name, member.value) }
      direction = .writing(writer)
    }
  }

  private var isWriting: Bool {
    if case .writing = direction { true } else { false }
  }

  /// If a name occurs more than once, the last one counts.
  @inline(never)
  private mutating func take<Value: WireValue>(_ name: String) -> Value? {
    guard case .reading(var left) = direction, let place = left.lastIndex(where: { $0.name == name }) else {
      return nil
    }
    // Otherwise two would hold the members, and removing one would copy them.
    direction = .reading([])
    let value = left.remove(at: place).value
    direction = .reading(left)
    return Value(wire: value)
  }

  @inline(never)
  private mutating func write(_ name: String, _ value: some WireValue) {
    guard case .writing(var writer) = direction else { return }
    // Otherwise two would hold the buffer, and writing would copy it.
    direction = .reading([])
    writer.member(name)
    value.write(into: &writer)
    direction = .writing(writer)
  }
}

extension Members {
  fileprivate init(reading members: [JSONValue.Member]) { direction = .reading(members) }

  fileprivate init(writing writer: JSONWriter) { direction = .writing(writer) }

  fileprivate var isWhole: Bool { isComplete }

  fileprivate var writer: JSONWriter? {
    if case .writing(let writer) = direction { writer } else { nil }
  }
}

extension WireObject {
  /// Nil if a needed member is missing.
  public init?(_ json: JSONValue) {
    guard let members = json.members else { return nil }
    self.init()
    var reading = Members(reading: members)
    visit(&reading)
    guard reading.isWhole else { return nil }
  }

  public init?(wire json: JSONValue) { self.init(json) }

  public func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writeMembers(into: &writer)
    writer.endObject()
  }

  public func writeMembers(into writer: inout JSONWriter) {
    var copy = self
    var writing = Members(writing: writer)
    // Otherwise two would hold the buffer, and writing would copy it.
    writer = JSONWriter()
    copy.visit(&writing)
    writer = writing.writer ?? writer
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
  package init() {
    text = ""
  }

  public func write(into writer: inout JSONWriter) { writer.string(text) }
}
