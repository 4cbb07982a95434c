// The reader accepts exactly the JSON of RFC 8259, reports the offset of an error, and survives
// arbitrary bytes.

import JSON
import TestSupport
import Testing

struct JSONCase: CustomTestStringConvertible, Sendable {
  let name: String
  let bytes: [UInt8]
  let outcome: Result<JSONValue, JSONError>
  var testDescription: String { name }

  static func reads(_ name: String, _ text: String, _ value: JSONValue) -> JSONCase {
    JSONCase(name: name, bytes: Array(text.utf8), outcome: .success(value))
  }

  static func refuses(_ name: String, _ text: String, _ reason: JSONError.Reason, at offset: Int) -> JSONCase {
    JSONCase(name: name, bytes: Array(text.utf8), outcome: .failure(JSONError(reason, at: offset)))
  }

  static func refuses(_ name: String, bytes: [UInt8], _ reason: JSONError.Reason, at offset: Int) -> JSONCase {
    JSONCase(name: name, bytes: bytes, outcome: .failure(JSONError(reason, at: offset)))
  }
}

@Suite struct JSONReaderTests {
  static let values: [JSONCase] = [
    .reads("a word", "true", true),
    .reads("space on both sides", " \t\r\n null \n", .null),
    .reads("an empty object", "{ }", .object([])),
    .reads("an empty array", "[ ]", .array([])),
    .reads("nested", #"{"a":[1,{"b":false}],"c":"d"}"#, ["a": [1, ["b": false]], "c": "d"]),
    .reads("members keep their order and duplicates", #"{"b":1,"a":2,"b":3}"#, ["b": 1, "a": 2, "b": 3]),
    .reads("every short escape", #""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{c}\n\r\t")),
    .reads("an escaped letter", #""\u00e9\u00E9""#, .string("éé")),
    .reads("an escaped NUL", #""a\u0000b""#, .string("a\u{0}b")),
    .reads("a surrogate pair", #""\ud83d\udeb2""#, .string("🚲")),
    .reads("raw UTF-8", "\"Sülm 🚲\"", .string("Sülm 🚲")),
    .reads("DEL in a string", "\"\u{7f}\"", .string("\u{7f}")),
  ]

  static let numbers: [JSONCase] = [
    .reads("zero", "0", 0),
    .reads("negative zero", "-0", .number(-0.0)),
    .reads("a fraction", "421.875", 421.875),
    .reads("an exponent", "1e2", 100),
    .reads("an exponent with signs", "-12.5E-1", -1.25),
    .reads("a capital exponent with plus", "1E+3", 1000),
    .reads("2^53 and one", "9007199254740993", .number(9007199254740992)),
    .reads("more digits than a double has", "0.1000000000000000055511151231257827", .number(0.1)),
    .reads("halfway between two doubles", "9007199254740993.0000000000000001", .number(9007199254740994)),
    .reads("the largest double", "1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
    .reads("the smallest double", "5e-324", .number(.leastNonzeroMagnitude)),
    .reads("below the smallest", "1e-400", 0),
    .reads("a power of ten that no double has exactly", "1e23", .number(1e23)),
    .refuses("beyond the largest", " 1e309", .numberTooLarge, at: 1),
    .refuses("a leading zero", "01", .badNumber, at: 0),
    .refuses("a negative leading zero", "[-012]", .badNumber, at: 1),
    .refuses("no digit before the point", ".5", .unexpectedByte, at: 0),
    .refuses("no digit after the point", "[5.]", .badNumber, at: 3),
    .refuses("only a sign", "-", .endOfText, at: 1),
    .refuses("a plus", "+1", .unexpectedByte, at: 0),
    .refuses("an empty exponent", "[1e]", .badNumber, at: 3),
    .refuses("an exponent that ends with its sign", "1e+", .endOfText, at: 3),
    .refuses("hexadecimal", "0x10", .trailingBytes, at: 1),
    .refuses("not a number", "NaN", .unexpectedByte, at: 0),
    .refuses("infinity", "-Infinity", .badNumber, at: 1),
  ]

  static let refusals: [JSONCase] = [
    .refuses("nothing", "", .endOfText, at: 0),
    .refuses("only space", "  ", .endOfText, at: 2),
    .refuses("two values", "1 2", .trailingBytes, at: 2),
    .refuses("a second object", "{}{}", .trailingBytes, at: 2),
    .refuses("a comma at the end of an array", "[1,]", .unexpectedByte, at: 3),
    .refuses("a comma at the end of an object", #"{"a":1,}"#, .unexpectedByte, at: 7),
    .refuses("no colon", #"{"a" 1}"#, .unexpectedByte, at: 5),
    .refuses("a name that is not a string", "{1:2}", .unexpectedByte, at: 1),
    .refuses("the wrong bracket", "[1}", .unexpectedByte, at: 2),
    .refuses("single quotes", "'a'", .unexpectedByte, at: 0),
    .refuses("a comment", "/*a*/1", .unexpectedByte, at: 0),
    .refuses("a word cut short", "tru", .endOfText, at: 3),
    .refuses("a word in capitals", "True", .unexpectedByte, at: 0),
    .refuses("a word that goes on", "nullx", .trailingBytes, at: 4),
    .refuses("an open string", #"{"a":"b"#, .endOfText, at: 7),
    .refuses("an open object", #"{"a":1"#, .endOfText, at: 6),
    .refuses("a line feed in a string", "\"a\nb\"", .controlCharacter, at: 2),
    .refuses("a NUL in a string", "\"a\u{0}\"", .controlCharacter, at: 2),
    .refuses("an unknown escape", #""\x41""#, .badEscape, at: 1),
    .refuses("a short unicode escape", #""\u12""#, .badEscape, at: 1),
    .refuses("a high surrogate alone", #""\ud83d""#, .loneSurrogate, at: 1),
    .refuses("a low surrogate alone", #""\udeb2""#, .loneSurrogate, at: 1),
    .refuses("two high surrogates", #""\ud83d\ud83d""#, .loneSurrogate, at: 1),
    .refuses("a byte order mark", "\u{feff}1", .unexpectedByte, at: 0),
  ]

  static let encodings: [JSONCase] = [
    .refuses("a continuation alone", bytes: [0x22, 0x80, 0x22], .badEncoding, at: 1),
    .refuses("an overlong slash", bytes: [0x22, 0xc0, 0xaf, 0x22], .badEncoding, at: 1),
    .refuses("an overlong of three", bytes: [0x22, 0xe0, 0x80, 0xaf, 0x22], .badEncoding, at: 1),
    .refuses("a surrogate in UTF-8", bytes: [0x22, 0xed, 0xa0, 0x80, 0x22], .badEncoding, at: 1),
    .refuses("above U+10FFFF", bytes: [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], .badEncoding, at: 1),
    .refuses("five bytes", bytes: [0x22, 0xf8, 0x88, 0x80, 0x80, 0x80, 0x22], .badEncoding, at: 1),
    .refuses("cut by the quote", bytes: [0x22, 0x61, 0xe2, 0x82, 0x22], .badEncoding, at: 2),
    .refuses("cut by the end", bytes: [0x22, 0xf0, 0x9f], .badEncoding, at: 1),
    .refuses("Latin-1 in a name", bytes: [0x7b, 0x22, 0xfc, 0x22, 0x3a, 0x31, 0x7d], .badEncoding, at: 2),
  ]

  @Test(
    "valid JSON is read, and anything else is refused with an offset",
    arguments: values + numbers + refusals + encodings)
  func readOrRefused(_ row: JSONCase) {
    let outcome = Result { () throws(JSONError) in try JSONValue.parse(row.bytes) }
    #expect(outcome == row.outcome)
  }

  @Test("checking a text without a tree agrees with reading it", arguments: values + numbers + refusals + encodings)
  func checked(_ row: JSONCase) {
    var reader = JSONReader()
    var problem: JSONError?
    do throws(JSONError) { try reader.check(row.bytes.span) } catch { problem = error }
    switch row.outcome {
    case .success: #expect(problem == nil)
    case .failure(let error): #expect(problem == error)
    }
  }

  @Test(
    "for a number that is too large, a caller can have infinity",
    arguments: [
      ("1e309", Double.infinity), ("-1e309", -.infinity), ("1e99999999999999999999", .infinity),
      (String(repeating: "9", count: 400), .infinity), ("1.7976931348623157e308", .greatestFiniteMagnitude),
    ])
  func infinite(_ row: (text: String, number: Double)) throws {
    #expect(try JSONReader.document(Array(row.text.utf8).span, hugeNumbers: .infinite) == .number(row.number))
    var reader = JSONReader(hugeNumbers: .infinite)
    #expect(throws: Never.self) { try reader.check(Array("[\(row.text)]".utf8).span) }
    for wrong in ["NaN", "Infinity", "-Infinity", "1e"] {
      #expect(throws: JSONError.self) {
        try JSONReader.document(Array(wrong.utf8).span, hugeNumbers: .infinite)
      }
    }
  }

  @Test("a caller can walk through a text without a tree")
  func walk() throws {
    let bytes = Array(#" {"a":[1,-2.5e1,true],"b\n":"x\u0041","c":{},"d":null} "#.utf8)
    var reader = JSONReader()
    var steps: [String] = []
    try reader.enter(bytes.span)
    while try reader.nextMember(bytes.span) {
      steps.append(String(decoding: reader.scratch, as: UTF8.self))
      switch try reader.kind(bytes.span) {
      case .array:
        try reader.enter(bytes.span)
        while try reader.nextItem(bytes.span) {
          if try reader.kind(bytes.span) == .number {
            steps.append("\(try reader.readNumber(bytes.span))")
          } else {
            steps.append("\(try reader.readFlag(bytes.span))")
          }
        }
      case .string:
        try reader.readString(bytes.span)
        steps.append(String(decoding: reader.scratch, as: UTF8.self))
      default: try reader.skipValue(bytes.span)
      }
    }
    #expect(steps == ["a", "1.0", "-25.0", "true", "b\n", "xA", "c", "d"])
    #expect(throws: JSONError(.unexpectedByte, at: 9)) {
      var reader = JSONReader()
      try reader.check(Array(#"{"a": 1, }"#.utf8).span)
    }
  }

  @Test("of two members with the same name, the later one counts")
  func duplicateMembers() throws {
    #expect(try JSONValue.parse(#"{"a":1,"a":2}"#)["a"] == 2)
  }

  @Test("nesting deeper than 64 levels is refused")
  func nestingLimit() throws {
    let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(throws: Never.self) { try JSONValue.parse(deepest) }
    let tooDeep = String(repeating: "[", count: 200_000)
    #expect(throws: JSONError(.tooDeep, at: 64)) { try JSONValue.parse(tooDeep) }
    let objects = String(repeating: #"{"a":"#, count: 200_000)
    #expect(throws: JSONError(.tooDeep, at: 64 * 5)) { try JSONValue.parse(objects) }
  }

  @Test("written JSON reads back as the same value")
  func roundTrip() throws {
    let value: JSONValue = ["a": [1, -2.5, true, "x\"\\\n\u{1}🚲"], "b": .object([]), "c": .array([])]
    #expect(try JSONValue.parse(value.encoded) == value)
  }

  @Test(
    "corrupted text never crashes the reader, and error offsets lie within it", arguments: [1, 2, 3, 4] as [UInt64])
  func corruptedText(seed: UInt64) {
    var random = SeededRandom(seed)
    let whole = Array(
      #"{"id":1,"method":"subscribe","params":{"kinds":["heart_rate","\ud83d\udeb2é"],"max_hz":4.5e0,"x":null}}"#.utf8)
    for _ in 0..<5_000 {
      var bytes = whole
      for _ in 0...random.below(4) {
        let place = random.below(bytes.count)
        switch random.below(3) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        }
      }
      do throws(JSONError) {
        let value = try JSONValue.parse(bytes)
        #expect((try? JSONValue.parse(value.encoded)) != nil, "seed \(seed): \(bytes)")
      } catch {
        #expect(0...bytes.count ~= error.offset, "seed \(seed): \(bytes)")
      }
    }
  }

  /// Takes the best of several runs, and allows a factor of 8 for a busy machine. With 16 times the
  /// text, a quadratic reader would need 256 times as long.
  @Test("reading takes time linear in the length of the text")
  func linearTime() throws {
    let inner = String(repeating: #"{"a":[1,"x\n"]},"#, count: 2_000)
    let small = Array("[\(inner)0]".utf8)
    let large = Array("[\(String(repeating: inner, count: 16))0]".utf8)
    func best(_ bytes: [UInt8]) throws -> Duration {
      let times = try (0..<5).map { _ in try ContinuousClock().measure { _ = try JSONValue.parse(bytes) } }
      return times.min() ?? .zero
    }
    #expect(try best(large) < best(small) * 128)
  }
}
