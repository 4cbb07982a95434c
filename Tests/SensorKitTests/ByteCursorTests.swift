// A cursor reads little-endian numbers. A truncated number fails at its first byte, trailing bytes
// at the first of them.

import SensorKit
import Testing

@Suite struct ByteCursorTests {
  let bytes: [UInt8] = [0x01, 0xfe, 0xff, 0x03, 0x00, 0x80, 0x78, 0x56, 0x34, 0x92]

  @Test("numbers are little-endian")
  func littleEndian() throws {
    var cursor = ByteCursor()
    #expect(try cursor.uint8(bytes.span) == 1)
    #expect(try cursor.int16(bytes.span) == -2)
    #expect(try cursor.uint24(bytes.span) == 0x80_0003)
    #expect(try cursor.uint32(bytes.span) == 0x9234_5678)
    #expect(cursor.remaining(bytes.span) == 0)
    try cursor.finish(bytes.span)
    var second = ByteCursor(at: 6)
    #expect(try second.int32(bytes.span) == -1_842_063_752)
    var third = ByteCursor(at: 1)
    #expect(try third.int8(bytes.span) == -2)
  }

  @Test("missing and trailing bytes are errors with an offset")
  func wrongLength() {
    var cursor = ByteCursor(at: 8)
    #expect(throws: DecodeError(.truncated, at: 8)) { try cursor.uint32(bytes.span) }
    #expect(cursor.offset == 8)
    #expect(throws: DecodeError(.truncated, at: 8)) { try cursor.uint24(bytes.span) }
    #expect(throws: DecodeError(.trailingBytes, at: 8)) { try cursor.finish(bytes.span) }
  }

  @Test(
    "the first invalid byte of UTF-8 is found",
    arguments: [
      ("ASCII", [0x41], nil), ("two bytes", [0xc3, 0xbc], nil), ("four bytes", [0xf0, 0x9f, 0x9a, 0xb2], nil),
      ("the last before the surrogates", [0xed, 0x9f, 0xbf], nil), ("nothing", [], nil),
      ("a continuation", [0x41, 0x80], 1), ("overlong", [0xc1, 0x81], 0), ("a surrogate", [0x41, 0xed, 0xa0, 0x80], 1),
      ("too high", [0xf4, 0x90, 0x80, 0x80], 0), ("cut", [0x41, 0xe2, 0x82], 1), ("Latin-1", [0x53, 0xfc, 0x6c], 1),
    ] as [(String, [UInt8], Int?)])
  func invalidUTF8(_ row: (name: String, bytes: [UInt8], offset: Int?)) {
    #expect(firstInvalidUTF8(row.bytes.span) == row.offset, "\(row.name)")
    #expect((String(validating: row.bytes, as: UTF8.self) == nil) == (row.offset != nil), "\(row.name)")
  }
}
