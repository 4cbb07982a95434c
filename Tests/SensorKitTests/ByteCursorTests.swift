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
}
