// An entry of a segment: 68 bytes with a checksum of their own, then the payload of a batch.
// Numbers are little-endian. A batch waits until an acknowledgement has its number or a higher one.
// What a loss covers is gone.

import Compression
import Fleet
import Time

struct SpoolEntry: Equatable {
  enum Kind: UInt32 {
    /// "CYB1"
    case batch = 0x3142_5943
    /// "CYA1"
    case acknowledgement = 0x3141_5943
    /// "CYL1"
    case loss = 0x314c_5943
    /// "CYE1": the program ended as it should. All numbers that it used are stored.
    case end = 0x3145_5943
  }

  static let headerLength = 68
  /// A batch has at most one line of the protocol more than 48 KiB.
  static let mostPayload = 256 << 10
  private static let unknownRecords = UInt32.max
  private static let unknownTime = Int64.min

  var kind: Kind
  /// Of the batch. Of a loss, the numbers of the first batch and of the last one.
  var first: UInt64
  var number: UInt64
  /// Nil for a loss whose records a damaged disk hides.
  var records: Int?
  var from: RecordMoment?
  var to: RecordMoment?
  var payloadLength = 0
  var payloadChecksum: UInt32 = 0

  var length: Int64 { Int64(Self.headerLength + payloadLength) }
}

extension SpoolEntry {
  init(_ batch: BatchSummary, _ payload: Span<UInt8>) {
    self.init(
      kind: .batch, first: batch.number, number: batch.number, records: batch.records, from: batch.from, to: batch.to,
      payloadLength: payload.count, payloadChecksum: crc32(payload))
  }

  static func acknowledgement(_ number: UInt64) -> SpoolEntry {
    SpoolEntry(kind: .acknowledgement, first: number, number: number)
  }

  static func end(_ number: UInt64) -> SpoolEntry { SpoolEntry(kind: .end, first: number, number: number) }

  func hasChecksum(of payload: Span<UInt8>) -> Bool { crc32(payload) == payloadChecksum }

  func append(to bytes: inout [UInt8]) {
    let start = bytes.count
    bytes.appendLittle(kind.rawValue)
    bytes.appendLittle(UInt32(payloadLength))
    bytes.appendLittle(payloadChecksum)
    bytes.appendLittle(records.map { UInt32(clamping: $0) } ?? Self.unknownRecords)
    bytes.appendLittle(number)
    bytes.appendLittle(first)
    append(from, to: &bytes)
    append(to, to: &bytes)
    bytes.appendLittle(crc32(bytes.span.extracting(start..<bytes.count)))
  }

  private func append(_ moment: RecordMoment?, to bytes: inout [UInt8]) {
    bytes.appendLittle(UInt64(bitPattern: moment?.t.nanoseconds ?? Self.unknownTime))
    bytes.appendLittle(UInt64(bitPattern: moment?.time?.milliseconds ?? Self.unknownTime))
  }

  /// Nil if no whole header is there.
  init?(_ bytes: Span<UInt8>, at place: Int) {
    guard bytes.count - place >= Self.headerLength, let kind = Kind(rawValue: bytes.little32(at: place)) else {
      return nil
    }
    let end = place + Self.headerLength - 4
    guard crc32(bytes.extracting(place..<end)) == bytes.little32(at: end) else { return nil }
    let (length, records) = (Int(bytes.little32(at: place + 4)), bytes.little32(at: place + 12))
    guard length <= Self.mostPayload, kind == .batch || length == 0 else { return nil }
    self.init(
      kind: kind, first: bytes.little64(at: place + 24), number: bytes.little64(at: place + 16),
      records: records == Self.unknownRecords ? nil : Int(records),
      from: Self.moment(bytes, at: place + 32), to: Self.moment(bytes, at: place + 48), payloadLength: length,
      payloadChecksum: bytes.little32(at: place + 8))
    guard first <= number else { return nil }
  }

  private static func moment(_ bytes: Span<UInt8>, at place: Int) -> RecordMoment? {
    let (t, time) = (
      Int64(bitPattern: bytes.little64(at: place)), Int64(bitPattern: bytes.little64(at: place + 8))
    )
    guard t != unknownTime else { return nil }
    return RecordMoment(
      t: MonotonicTime(nanoseconds: t), time: time == unknownTime ? nil : WallTime(milliseconds: time))
  }
}

extension WallTime {
  fileprivate var milliseconds: Int64 { seconds * 1000 + Int64(nanoseconds) / 1_000_000 }

  fileprivate init(milliseconds: Int64) {
    let seconds = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
    self.init(seconds: seconds, nanoseconds: Int32(milliseconds - seconds * 1000) * 1_000_000)
  }
}

extension [UInt8] {
  fileprivate mutating func appendLittle(_ number: UInt32) {
    for shift in stride(from: 0, to: 32, by: 8) { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
  }

  fileprivate mutating func appendLittle(_ number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
  }
}

extension Span<UInt8> {
  fileprivate func little32(at place: Int) -> UInt32 {
    var number: UInt32 = 0
    for index in 0..<4 { number |= UInt32(self[place + index]) << UInt32(8 * index) }
    return number
  }

  fileprivate func little64(at place: Int) -> UInt64 {
    UInt64(little32(at: place)) | UInt64(little32(at: place + 4)) << 32
  }
}
