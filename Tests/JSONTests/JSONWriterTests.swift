// The writer's output: exact decimals, escapes, commas, and never null or invalid UTF-8.

import Foundation
import JSON
import TestSupport
import Testing

@Suite struct JSONWriterTests {
  static func text(_ number: Double) -> String {
    var writer = JSONWriter()
    writer.number(number)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  static let decimals: [(Double, String)] = [
    (0, "0"), (-0.0, "0"), (1, "1"), (-1, "-1"), (142, "142"), (421.875, "421.875"), (423.828125, "423.828125"),
    (0.1, "0.1"), (0.5, "0.5"), (1e-6, "0.000001"), (4e-7, "0"), (-4e-7, "0"), (6e-7, "0.000001"),
    (0.9999996, "1"), (-0.9999996, "-1"), (0.9999994, "0.999999"), (1.000001, "1.000001"), (12.3400001, "12.34"),
    // Ties of binary fractions round to even. 0.0000005 itself is not a double.
    (0x1p-7, "0.007812"), (0x3p-7, "0.023438"), (1.0078125, "1.007812"), (1e15, "1000000000000000"),
    (0x1p53, "9007199254740992"), (0x1p63, "9223372036854775808"), (1e22, "10000000000000000000000"),
    (-1e23, "-99999999999999991611392"), (.leastNonzeroMagnitude, "0"), (81234.567891, "81234.567891"),
  ]

  @Test("numbers are written as plain decimals", arguments: decimals)
  func plainDecimals(_ row: (Double, String)) {
    #expect(Self.text(row.0) == row.1)
  }

  /// The result of C's printf, which rounds the exact value of the double, without trailing zeros
  /// and negative zero.
  static func reference(_ number: Double) -> String {
    var text = String(format: "%.6f", number)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text == "-0" ? "0" : text
  }

  @Test("numbers agree with printf", arguments: [11, 12, 13] as [UInt64])
  func agreesWithPrintf(seed: UInt64) {
    var random = SeededRandom(seed)
    for _ in 0..<20_000 {
      let bits = Double(bitPattern: random.next())
      let near = Double(Int64(truncatingIfNeeded: random.next()) >> Int64(random.below(60))) / 1e6
      let dyadic = Double(Int32(truncatingIfNeeded: random.next())) * 0x1p-12
      for number in [bits, near, near.nextUp, near.nextDown, dyadic] where number.isFinite {
        #expect(Self.text(number) == Self.reference(number), "seed \(seed): \(number.bitPattern)")
      }
    }
    let largest = Double.greatestFiniteMagnitude
    #expect(Self.text(largest) == Self.reference(largest))
  }

  @Test("integers keep every digit")
  func integers() {
    var writer = JSONWriter()
    writer.beginArray()
    writer.number(Int.min)
    writer.number(Int.max)
    writer.number(0)
    writer.endArray()
    #expect(
      String(decoding: writer.bytes, as: UTF8.self) == "[-9223372036854775808,9223372036854775807,0]")
  }

  @Test("seconds are computed from nanoseconds without a double")
  func exactSeconds() {
    let rows: [(Int64, String)] = [
      (0, "0"), (1, "0"), (500, "0.000001"), (250_000_000, "0.25"), (81_234_567_891_000, "81234.567891"),
      (999_999_999, "1"), (-250_000_000, "-0.25"), (Int64.max, "9223372036.854776"),
    ]
    for (nanoseconds, text) in rows {
      var bytes: [UInt8] = []
      bytes.appendSeconds(nanoseconds: nanoseconds)
      #expect(String(decoding: bytes, as: UTF8.self) == text)
    }
  }

  @Test("null is never written")
  func noNull() {
    let value: JSONValue = ["a": .null, "b": [.null, 1, .null, 2], "c": ["d": .null]]
    #expect(value.encoded == #"{"b":[1,2],"c":{}}"#)
  }

  @Test("only quotes, backslashes and control characters are escaped")
  func escapes() {
    #expect(
      JSONValue.string("a\"\\/\n\t\r\u{8}\u{c}\u{1f}é🚲\u{7f}").encoded == #""a\"\\/\n\t\r\b\f\u001fé🚲"# + "\u{7f}\"")
  }

  @Test("invalid UTF-8 is replaced")
  func invalidUTF8() {
    var writer = JSONWriter()
    let bytes: [UInt8] = [0x61, 0xff, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 0x22]
    writer.string(bytes.span)
    #expect(String(validating: writer.bytes, as: UTF8.self) == "\"a\u{fffd}é\u{fffd}\u{fffd}\u{fffd}\\\"\"")
  }

  @Test("members without a value are omitted")
  func missingValues() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("a", nil as String?)
    writer.member("b", Double.nan)
    writer.member("c", 3)
    writer.member("d", nil as [String]?)
    writer.member("e", ["x", "y"])
    writer.endObject()
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"c":3,"e":["x","y"]}"#)
  }
}
