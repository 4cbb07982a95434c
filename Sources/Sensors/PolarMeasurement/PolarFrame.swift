// A frame of a Polar stream: stream type, the strap's time of the last value, frame type, payload.
// Samples keep the order of the values.

import SensorKit

enum PolarFrame {
  private static let isCompressed: UInt8 = 0x80

  /// `factor` is from the response that started the stream; it applies to compressed values.
  static func decode(_ value: Span<UInt8>, factor: Double, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    let type = try cursor.uint8(value)
    let low = try cursor.uint32(value)
    let high = try cursor.uint32(value)
    let frameType = try cursor.uint8(value)
    let timestamp = UInt64(high) << 32 | UInt64(low)
    guard let stream = PolarStream(rawValue: type) else { throw DecodeError(.unknownFrame, at: 0) }
    switch (stream, frameType) {
    case (.ecg, 0):
      batch.sample(.ecg)
      batch.set(Field("timestamp_ns"), timestamp)
      batch.beginNumbers(Field("microvolts"))
      try decodeRaw(value, &cursor, width: 3, axes: 1, into: &batch)
    case (.acceleration, 0...2):
      beginAcceleration(timestamp, into: &batch)
      try decodeRaw(value, &cursor, width: Int(frameType) + 1, axes: 3, into: &batch)
    case (.acceleration, 1 | isCompressed):
      beginAcceleration(timestamp, into: &batch)
      try decodeCompressed(value, &cursor, factor: factor, into: &batch)
    default: throw DecodeError(.unknownFrame, at: 9)
    }
  }

  private static func beginAcceleration(_ timestamp: UInt64, into batch: inout Batch) {
    batch.sample(.acceleration)
    batch.set(Field("timestamp_ns"), timestamp)
    batch.beginNumbers(Field("milli_g"), inGroupsOf: 3)
  }

  /// Signed numbers of `width` bytes, `axes` of them per value.
  private static func decodeRaw(
    _ value: Span<UInt8>, _ cursor: inout ByteCursor, width: Int, axes: Int, into batch: inout Batch
  ) throws(DecodeError) {
    let partial = cursor.remaining(value) % (width * axes)
    guard partial == 0 else { throw DecodeError(.badLength, at: value.count - partial) }
    while cursor.remaining(value) > 0 {
      switch width {
      case 1: batch.append(Double(try cursor.int8(value)))
      case 2: batch.append(Double(try cursor.int16(value)))
      default: batch.append(Double(Int32(bitPattern: try cursor.uint24(value) << 8) >> 8))
      }
    }
  }
}

// MARK: Compressed

extension PolarFrame {
  /// A complete first value, then blocks of differences to the previous value. A block begins with
  /// the width of its numbers in bits and the count of its values, and is padded to whole bytes.
  private static func decodeCompressed(
    _ value: Span<UInt8>, _ cursor: inout ByteCursor, factor: Double, into batch: inout Batch
  ) throws(DecodeError) {
    var axes: InlineArray<3, Int64> = [
      Int64(try cursor.int16(value)), Int64(try cursor.int16(value)), Int64(try cursor.int16(value)),
    ]
    for axis in axes.indices { batch.append(Double(axes[axis]) * factor) }
    while cursor.remaining(value) > 0 {
      let start = cursor.offset
      let width = Int(try cursor.uint8(value))
      let count = Int(try cursor.uint8(value))
      guard 1...32 ~= width else { throw DecodeError(.outOfRange, at: start) }
      let block = try cursor.skip((count * 3 * width + 7) / 8, in: value)
      for index in 0..<count * 3 {
        let axis = index % 3
        axes[axis] += signedBits(value, from: block * 8 + index * width, width)
        batch.append(Double(axes[axis]) * factor)
      }
    }
  }

  /// The signed number of `width` bits from a bit position, least significant bit first.
  private static func signedBits(_ value: Span<UInt8>, from start: Int, _ width: Int) -> Int64 {
    var number: Int64 = 0
    var taken = 0
    while taken < width {
      let bit = start + taken
      number |= (Int64(value[bit / 8]) >> Int64(bit % 8)) << Int64(taken)
      taken += 8 - bit % 8
    }
    let unused = Int64(64 - width)
    return (number << unused) >> unused
  }
}
