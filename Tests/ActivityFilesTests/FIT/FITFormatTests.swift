// The numbers on which everything in a FIT file rests.

import Earth
import Testing
import Time

@testable import ActivityFiles

@Suite struct FITFormatTests {
  @Test(
    "checksums are those of CRC-16/ARC",
    arguments: [
      ([], 0x0000), ([0], 0x0000), (Array("123456789".utf8), 0xbb3d), (Array(".FIT".utf8), 0x92de),
      (Array(0...255), 0xbad3), (Array(repeating: 0xff, count: 14), 0x80fe),
      ([0x0e, 0x20, 0xe2, 0x52, 0x83, 0x01, 0, 0, 0x2e, 0x46, 0x49, 0x54], 0xcf84),
    ] as [([UInt8], UInt16)])
  func checksum(bytes: [UInt8], expected: UInt16) {
    #expect(checksum(of: bytes).value == expected)
  }

  @Test("the checksum of two parts follows from those of each", arguments: [0, 1, 2, 7, 14, 255, 256, 4001])
  func combinedChecksum(count: Int) {
    let head: [UInt8] = Array(1...14)
    let tail = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
    #expect(checksum(of: head).followed(by: checksum(of: tail), count: count) == checksum(of: head + tail))
  }

  private func checksum(of bytes: [UInt8]) -> FITChecksum {
    var checksum = FITChecksum()
    checksum.update(bytes.span)
    return checksum
  }

  static let types: [(FITBaseType, code: UInt8, size: Int, invalid: UInt64)] = [
    (.enum, 0x00, 1, 0xff), (.sint8, 0x01, 1, 0x7f), (.uint8, 0x02, 1, 0xff), (.sint16, 0x83, 2, 0x7fff),
    (.uint16, 0x84, 2, 0xffff), (.sint32, 0x85, 4, 0x7fff_ffff), (.uint32, 0x86, 4, 0xffff_ffff),
    (.string, 0x07, 1, 0), (.float32, 0x88, 4, 0xffff_ffff), (.float64, 0x89, 8, .max), (.uint8z, 0x0a, 1, 0),
    (.uint16z, 0x8b, 2, 0), (.uint32z, 0x8c, 4, 0), (.byte, 0x0d, 1, 0xff), (.sint64, 0x8e, 8, .max >> 1),
    (.uint64, 0x8f, 8, .max), (.uint64z, 0x90, 8, 0),
  ]

  @Test("each base type has its code, its size and its unknown value", arguments: types)
  func baseType(type: FITBaseType, code: UInt8, size: Int, invalid: UInt64) {
    #expect(type.code == code && type.size == size && type.invalid == invalid)
    #expect(FITBaseType(code: code) == type && FITBaseType(code: code & 0x1f) == type)
    #expect(type.number(invalid) == nil)
  }

  @Test("an integer that its type cannot hold is unknown, not wrapped")
  func range() {
    #expect(FITBaseType.uint8.bits(of: 254) == 254 && FITBaseType.uint8.bits(of: 255) == nil)
    #expect(FITBaseType.uint8.bits(of: -1) == nil && FITBaseType.uint8z.bits(of: 0) == nil)
    #expect(FITBaseType.sint8.bits(of: -128) == 0x80 && FITBaseType.sint8.bits(of: 127) == nil)
    #expect(FITBaseType.sint16.number(0xffff) == -1 && FITBaseType.uint16.number(0xfffe) == 65534)
    #expect(FITBaseType.uint64.number(1 << 63) == 9_223_372_036_854_775_808)
    #expect(FITQuantity(73, .uint32, scale: 1000).stored(.infinity) == nil)
  }

  @Test("degrees become semicircles")
  func semicircles() {
    #expect(Semicircles.stored(47.3769) == 565_228_434)
    #expect(Semicircles.stored(-33.86) == -403_965_535)
    #expect(Semicircles.stored(90) == 0x4000_0000)
    #expect(Semicircles.stored(180) == -0x8000_0000)
  }

  @Test("a place beyond a pole is not a position, and neither is 0/0")
  func positions() {
    #expect(Coordinate(latitude: 135, longitude: 8) == nil)
    #expect(Coordinate(latitude: 0, longitude: 0) == nil)
    #expect(Coordinate(latitude: .nan, longitude: 8) == nil)
    #expect(Coordinate(latitude: 90, longitude: -180) != nil)
  }

  @Test("a text is cut between two characters")
  func longText() {
    var message = FITMessage()
    message.begin(0)
    message.add(8, text: String(repeating: "ö", count: 200))
    #expect(message.bytes.count == 255 && message.bytes.last == 0)
    #expect(String(decoding: message.bytes.dropLast(), as: UTF8.self) == String(repeating: "ö", count: 127))
  }
}
