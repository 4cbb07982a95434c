// A strict RFC 8259 parser. For any input it runs in linear time, does not crash, and nests at most
// `maxDepth` levels. Strings must be UTF-8. A lone surrogate is rejected, because it has no UTF-8
// form and could not be written back. Numbers beyond the range of a double are rejected, unless the
// caller wants infinity for them. A byte order mark is rejected too.

package struct JSONReader {
  static let maxDepth = 64

  /// Where it reads.
  package private(set) var offset = 0
  private var depth = 0
  /// The letters of the name or string that was read last.
  package private(set) var scratch: [UInt8] = []
  /// No member or item of the current object or array was read yet.
  private var isAtFirst = false
  private let hugeNumbers: HugeNumbers

  /// What a number beyond the range of a double becomes.
  package enum HugeNumbers: Sendable { case refused, infinite }

  package init(hugeNumbers: HugeNumbers = .refused) {
    self.hugeNumbers = hugeNumbers
  }

  /// Parses a text that is one value. A value with infinite numbers cannot be written.
  package static func document(
    _ bytes: Span<UInt8>, hugeNumbers: HugeNumbers = .refused
  ) throws(JSONError) -> JSONValue {
    var reader = JSONReader(hugeNumbers: hugeNumbers)
    let value = try reader.value(bytes)
    try reader.end(bytes)
    return value
  }

  /// The members of a text that is one object, each with the range of its value; nil for any other
  /// value.
  package static func members(_ bytes: Span<UInt8>) throws(JSONError) -> [(
    member: JSONValue.Member, place: Range<Int>
  )]? {
    var reader = JSONReader()
    reader.skipSpace(bytes)
    guard reader.offset < bytes.count, bytes[reader.offset] == UInt8(ascii: "{") else {
      _ = try document(bytes)
      return nil
    }
    var members: [(member: JSONValue.Member, place: Range<Int>)] = []
    try reader.object(bytes) { member, place in members.append((member, place)) }
    try reader.end(bytes)
    return members
  }
}

extension JSONReader {
  private mutating func value(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
    skipSpace(bytes)
    switch try peek(bytes) {
    case UInt8(ascii: "{"):
      var members: [JSONValue.Member] = []
      try object(bytes) { member, _ in members.append(member) }
      return .object(members)
    case UInt8(ascii: "["): return .array(try array(bytes))
    case UInt8(ascii: "\""): return .string(try string(bytes))
    case UInt8(ascii: "t"): return try word("true", .bool(true), bytes)
    case UInt8(ascii: "f"): return try word("false", .bool(false), bytes)
    case UInt8(ascii: "n"): return try word("null", .null, bytes)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number(bytes))
    default: throw JSONError(.unexpectedByte, at: offset)
    }
  }

  private mutating func object(
    _ bytes: Span<UInt8>, member: (JSONValue.Member, Range<Int>) -> Void
  ) throws(JSONError) {
    try descend()
    skipSpace(bytes)
    if try take("}", bytes) { return ascend() }
    repeat {
      skipSpace(bytes)
      guard try peek(bytes) == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: offset) }
      let name = try string(bytes)
      skipSpace(bytes)
      guard try take(":", bytes) else { throw JSONError(.unexpectedByte, at: offset) }
      skipSpace(bytes)
      let start = offset
      let value = try value(bytes)
      member(JSONValue.Member(name, value), start..<offset)
      skipSpace(bytes)
    } while try take(",", bytes)
    guard try take("}", bytes) else { throw JSONError(.unexpectedByte, at: offset) }
    ascend()
  }

  private mutating func array(_ bytes: Span<UInt8>) throws(JSONError) -> [JSONValue] {
    try descend()
    var items: [JSONValue] = []
    skipSpace(bytes)
    if try !take("]", bytes) {
      repeat {
        items.append(try value(bytes))
        skipSpace(bytes)
      } while try take(",", bytes)
      guard try take("]", bytes) else { throw JSONError(.unexpectedByte, at: offset) }
    }
    ascend()
    return items
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue, _ bytes: Span<UInt8>) throws(JSONError)
    -> JSONValue
  {
    try skipWord(word, bytes)
    return value
  }

  private mutating func skipWord(_ word: StaticString, _ bytes: Span<UInt8>) throws(JSONError) {
    for letter in word.description.utf8 {
      guard try peek(bytes) == letter else { throw JSONError(.unexpectedByte, at: offset) }
      offset += 1
    }
  }
}

// MARK: Strings

extension JSONReader {
  private mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
    try letters(bytes)
    return String(decoding: scratch, as: UTF8.self)
  }

  private mutating func letters(_ bytes: Span<UInt8>) throws(JSONError) {
    offset += 1
    scratch.removeAll(keepingCapacity: true)
    while true {
      switch try peek(bytes) {
      case UInt8(ascii: "\""):
        offset += 1
        return
      case UInt8(ascii: "\\"): try escape(bytes)
      case 0..<0x20: throw JSONError(.controlCharacter, at: offset)
      default:
        let length = utf8SequenceLength(bytes, at: offset)
        guard length > 0 else { throw JSONError(.badEncoding, at: offset) }
        for _ in 0..<length {
          scratch.append(bytes[offset])
          offset += 1
        }
      }
    }
  }

  private mutating func escape(_ bytes: Span<UInt8>) throws(JSONError) {
    let start = offset
    offset += 1
    let letter = try peek(bytes)
    offset += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(letter)
    case UInt8(ascii: "b"): scratch.append(0x08)
    case UInt8(ascii: "f"): scratch.append(0x0c)
    case UInt8(ascii: "n"): scratch.append(0x0a)
    case UInt8(ascii: "r"): scratch.append(0x0d)
    case UInt8(ascii: "t"): scratch.append(0x09)
    case UInt8(ascii: "u"): try unicodeEscape(bytes, from: start)
    default: throw JSONError(.badEscape, at: start)
    }
  }

  private mutating func unicodeEscape(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) {
    var code = try fourDigits(bytes, from: start)
    if 0xd800..<0xdc00 ~= code {
      guard offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u")
      else { throw JSONError(.loneSurrogate, at: start) }
      offset += 2
      let low = try fourDigits(bytes, from: start)
      guard 0xdc00..<0xe000 ~= low else { throw JSONError(.loneSurrogate, at: start) }
      code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw JSONError(.loneSurrogate, at: start) }
    scratch.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  private mutating func fourDigits(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = hexDigit(try peek(bytes)) else { throw JSONError(.badEscape, at: start) }
      code = code << 4 | UInt32(digit)
      offset += 1
    }
    return code
  }
}

// MARK: Numbers

extension JSONReader {
  private mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> Double {
    let start = offset
    var decimal = DecimalReader()
    if bytes[offset] == UInt8(ascii: "-") {
      decimal.negate()
      offset += 1
    }
    guard try digits(bytes, from: start, of: &decimal, isFraction: false) else {
      throw JSONError(.badNumber, at: start)
    }
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      offset += 1
      _ = try digits(bytes, from: start, of: &decimal, isFraction: true)
    }
    if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
      try exponent(bytes, from: start, of: &decimal)
    }
    let number = decimal.exactValue ?? slowValue(bytes, start..<offset)
    guard number.isFinite || hugeNumbers == .infinite else { throw JSONError(.numberTooLarge, at: start) }
    return number
  }

  /// Reads one or more digits. Returns false for a leading zero with further digits.
  private mutating func digits(
    _ bytes: Span<UInt8>, from start: Int, of decimal: inout DecimalReader, isFraction: Bool
  ) throws(JSONError) -> Bool {
    let first = offset
    while offset < bytes.count, let digit = decimalDigit(bytes[offset]) {
      decimal.append(digit, isFraction: isFraction)
      offset += 1
    }
    if offset == first { throw JSONError(first == bytes.count ? .endOfText : .badNumber, at: offset) }
    return isFraction || offset - first == 1 || bytes[first] != UInt8(ascii: "0")
  }

  private mutating func exponent(
    _ bytes: Span<UInt8>, from start: Int, of decimal: inout DecimalReader
  ) throws(JSONError) {
    offset += 1
    let sign = try peek(bytes)
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { offset += 1 }
    var exponent = DecimalReader()
    _ = try digits(bytes, from: start, of: &exponent, isFraction: true)
    decimal.addExponent(exponent, isNegative: sign == UInt8(ascii: "-"))
  }

  private mutating func slowValue(_ bytes: Span<UInt8>, _ place: Range<Int>) -> Double {
    scratch.removeAll(keepingCapacity: true)
    for index in place { scratch.append(bytes[index]) }
    return Double(String(decoding: scratch, as: UTF8.self)) ?? .infinity
  }
}

// MARK: Without a tree: the caller walks through a text, which is the same in every call

extension JSONReader {
  package enum Kind: Sendable { case object, array, string, number, flag, null }

  /// Goes to the beginning of a value.
  package mutating func restart(at place: Int = 0) {
    offset = place
    depth = 0
    isAtFirst = false
  }

  /// Checks that a text is one value, and passes over it.
  package mutating func check(_ bytes: Span<UInt8>) throws(JSONError) {
    restart()
    try skipValue(bytes)
    try end(bytes)
  }

  /// The kind of the value that follows.
  package mutating func kind(_ bytes: Span<UInt8>) throws(JSONError) -> Kind {
    skipSpace(bytes)
    switch try peek(bytes) {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .flag
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw JSONError(.unexpectedByte, at: offset)
    }
  }

  /// Enters the object or array that follows; `nextMember` or `nextItem` leaves it.
  package mutating func enter(_ bytes: Span<UInt8>) throws(JSONError) {
    skipSpace(bytes)
    try descend()
    isAtFirst = true
  }

  /// Goes to the value of the next member and puts its name into `scratch`; false at the end of the object.
  package mutating func nextMember(_ bytes: Span<UInt8>) throws(JSONError) -> Bool {
    guard try next(before: "}", bytes) else { return false }
    guard try peek(bytes) == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: offset) }
    try letters(bytes)
    skipSpace(bytes)
    guard try take(":", bytes) else { throw JSONError(.unexpectedByte, at: offset) }
    skipSpace(bytes)
    return true
  }

  /// Goes to the next item; false at the end of the array.
  package mutating func nextItem(_ bytes: Span<UInt8>) throws(JSONError) -> Bool { try next(before: "]", bytes) }

  private mutating func next(before bracket: Unicode.Scalar, _ bytes: Span<UInt8>) throws(JSONError) -> Bool {
    skipSpace(bytes)
    let isFirst = isAtFirst
    isAtFirst = false
    if try take(bracket, bytes) {
      ascend()
      return false
    }
    if !isFirst {
      guard try take(",", bytes) else { throw JSONError(.unexpectedByte, at: offset) }
      skipSpace(bytes)
    }
    return true
  }

  /// Puts the string that follows into `scratch`.
  package mutating func readString(_ bytes: Span<UInt8>) throws(JSONError) { try letters(bytes) }

  package mutating func readNumber(_ bytes: Span<UInt8>) throws(JSONError) -> Double { try number(bytes) }

  package mutating func readFlag(_ bytes: Span<UInt8>) throws(JSONError) -> Bool {
    let isTrue = try peek(bytes) == UInt8(ascii: "t")
    try skipWord(isTrue ? "true" : "false", bytes)
    return isTrue
  }

  package mutating func skipValue(_ bytes: Span<UInt8>) throws(JSONError) {
    switch try kind(bytes) {
    case .object:
      try enter(bytes)
      while try nextMember(bytes) { try skipValue(bytes) }
    case .array:
      try enter(bytes)
      while try nextItem(bytes) { try skipValue(bytes) }
    case .string: try letters(bytes)
    case .number: _ = try number(bytes)
    case .flag: _ = try readFlag(bytes)
    case .null: try skipWord("null", bytes)
    }
  }
}

// MARK: Steps

extension JSONReader {
  private func peek(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
    guard offset < bytes.count else { throw JSONError(.endOfText, at: offset) }
    return bytes[offset]
  }

  private mutating func take(_ byte: Unicode.Scalar, _ bytes: Span<UInt8>) throws(JSONError) -> Bool {
    guard try peek(bytes) == UInt8(ascii: byte) else { return false }
    offset += 1
    return true
  }

  private mutating func skipSpace(_ bytes: Span<UInt8>) {
    while offset < bytes.count, isSpace(bytes[offset]) { offset += 1 }
  }

  private mutating func end(_ bytes: Span<UInt8>) throws(JSONError) {
    skipSpace(bytes)
    guard offset == bytes.count else { throw JSONError(.trailingBytes, at: offset) }
  }

  private mutating func descend() throws(JSONError) {
    guard depth < Self.maxDepth else { throw JSONError(.tooDeep, at: offset) }
    depth += 1
    offset += 1
  }

  private mutating func ascend() {
    depth -= 1
  }
}
