// What is compressed is read again by the library's own one-shot function.

import AllocationCounting
import CAllocationCounter
import CZlib
import TestSupport
import Testing

@testable import Compression

/// The message that was compressed; nil if the bytes are damaged.
private func inflated(_ bytes: [UInt8], atMost limit: Int) -> [UInt8]? {
  var message = [UInt8](repeating: 0, count: limit)
  var count = UInt(limit)
  guard unsafe uncompress(&message, &count, bytes, UInt(bytes.count)) == Z_OK else { return nil }
  return Array(message.prefix(Int(count)))
}

@Suite struct DeflaterTests {
  @Test("messages of any size and content come back")
  func roundTrips() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed)
    let deflater = try Deflater()
    var output: [UInt8] = []
    for round in 0..<300 {
      let letters = 1 + random.below(256)
      let message = (0..<random.below(round < 290 ? 3_000 : 200_000)).map { _ in UInt8(random.below(letters)) }
      try deflater.compress(message.span, into: &output)
      #expect(output.first == 0x78)
      #expect(inflated(output, atMost: 200_000) == message, "seed \(seed), round \(round)")
    }
  }

  @Test("a message does not depend on the ones before")
  func independence() throws {
    let deflater = try Deflater()
    let records = Array(String(repeating: #"{"class":"sample","sensor":"strap","bpm":142}"#, count: 200).utf8)
    var (first, second, other): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
    try deflater.compress(records.span, into: &first)
    try deflater.compress([1, 2, 3].span, into: &other)
    try deflater.compress(records.span, into: &second)
    #expect(first == second)
    #expect(first.count < records.count / 20)
  }

  @Test("a damaged byte is noticed by the reader")
  func damage() throws {
    var output: [UInt8] = []
    let message = Array("cyclometer, cyclometer, cyclometer".utf8)
    try Deflater().compress(message.span, into: &output)
    output[output.count - 1] ^= 1
    #expect(inflated(output, atMost: 100) == nil)
  }
}

@Suite struct ChecksumTests {
  @Test("the checksum is that of the published check value")
  func vectors() {
    let nothing = crc32([UInt8]().span)
    let digits = crc32(Array("123456789".utf8).span)
    let ones = crc32([UInt8](repeating: 0xff, count: 32).span)
    #expect(nothing == 0)
    #expect(digits == 0xcbf4_3926)
    #expect(ones == 0xff6c_ab0b)
  }

  @Test("every flipped bit changes the checksum")
  func bits() {
    let bytes = Array("cyclometer".utf8)
    let sum = crc32(bytes.span)
    for bit in 0..<8 * bytes.count {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let damagedSum = crc32(damaged.span)
      #expect(damagedSum != sum, "bit \(bit)")
    }
  }
}

@Suite(.enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
struct CompressionAllocationTests {
  @Test("a message costs no allocation after the first")
  func steady() throws {
    let deflater = try Deflater()
    let message = (0..<48 << 10).map { UInt8(truncatingIfNeeded: $0 % 251) }
    var output: [UInt8] = []
    try deflater.compress(message.span, into: &output)
    let before = allocation_count()
    var sum: UInt32 = 0
    for count in 0..<200 {
      try deflater.compress(message.span.extracting(0..<message.count - count), into: &output)
      sum &+= crc32(output.span)
    }
    #expect(allocation_count() == before)
    #expect(sum != 0)
  }
}
