// A parsed JSON value. Objects keep the order and all of their members; of members with the same
// name, the last one counts. Numbers are doubles. If more digits matter, as in the id of a request,
// the reader returns the bytes themselves.

public enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  public struct Member: Equatable, Sendable {
    public let name: String
    public let value: JSONValue

    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }
}

extension JSONValue {
  /// The member with that name; nil if there is none or this is not an object.
  public subscript(_ name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  public var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  public var number: Double? {
    if case .number(let number) = self { number } else { nil }
  }

  /// The number, if it is a whole number.
  public var integer: Int? {
    number.flatMap { Int(exactly: $0) }
  }

  public var bool: Bool? {
    if case .bool(let bool) = self { bool } else { nil }
  }

  public var items: [JSONValue]? {
    if case .array(let items) = self { items } else { nil }
  }

  public var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The strings of an array that contains only strings.
  public var texts: [String]? {
    guard let items else { return nil }
    let texts = items.compactMap(\.text)
    return texts.count == items.count ? texts : nil
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .number(Double(value)) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}

extension JSONValue {
  public static func parse(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
    try JSONReader.document(bytes)
  }

  public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try parse(bytes.span)
  }

  public static func parse(_ text: String) throws(JSONError) -> JSONValue {
    try parse(Array(text.utf8).span)
  }

  /// The text of the value as `JSONWriter` writes it.
  public var encoded: String {
    var writer = JSONWriter()
    writer.value(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// Why bytes are not JSON, and the offset at which that was found.
public struct JSONError: Error, Equatable, Sendable {
  public enum Reason: String, CaseIterable, Sendable {
    case endOfText = "the text ends too early"
    case unexpectedByte = "no value or separator can stand here"
    case trailingBytes = "something follows the value"
    case badNumber = "not a number as JSON writes them"
    case numberTooLarge = "a number that is too large"
    case controlCharacter = "a control character inside a string"
    case badEscape = "an unknown escape"
    case loneSurrogate = "half of a surrogate pair"
    case badEncoding = "not UTF-8"
    case tooDeep = "nested too deeply"
  }

  public let reason: Reason
  public let offset: Int

  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

extension JSONError: CustomStringConvertible {
  public var description: String { "\(reason.rawValue), at byte \(offset)" }
}
