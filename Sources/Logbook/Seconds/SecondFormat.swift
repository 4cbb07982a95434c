// A second as one row: a byte with the version and a flag, two bytes of the checksum of the second
// before, the samples, the samples that came late, and a CRC-32 of all and of the number of the
// second. SQLite has no checksum of its own outside the write-ahead log.
//
// Values are stored as differences to the last ones of their stream, so a second can be read only
// after the one before it. A key second contains no differences to earlier ones.

enum SecondFormat {
  static let version: UInt8 = 1
  static let keyFlag: UInt8 = 0x80
  static let headLength = 3
  static let checksumLength = 4
  /// In seconds. Key seconds take 4 % more space than a whole ride of differences, and a damaged
  /// row makes at most this many others unreadable.
  package static let keyInterval: Int64 = 10
  /// Comes where a sample would begin, before the late ones.
  static let lateMark: UInt64 = 0

  /// What begins each sample.
  struct Start {
    let stream: Int
    let sequenceFollows: Bool
    let hasSameFields: Bool

    init(stream: Int, sequenceFollows: Bool, hasSameFields: Bool) {
      self.stream = stream
      self.sequenceFollows = sequenceFollows
      self.hasSameFields = hasSameFields
    }

    init?(_ code: UInt64) {
      guard code >= 4, code >> 2 <= UInt64(Self.mostStreams) else { return nil }
      stream = Int(code >> 2) - 1
      hasSameFields = code & 2 != 0
      sequenceFollows = code & 1 != 0
    }

    var code: UInt64 { UInt64(stream + 1) << 2 | (hasSameFields ? 2 : 0) | (sequenceFollows ? 1 : 0) }

    static let mostStreams = 4096
  }

  /// Within its second.
  static func milliseconds(of time: Int64) -> Int { Int(time - second(of: time) * 1000) }

  static func second(of time: Int64) -> Int64 { time >= 0 ? time / 1000 : (time - 999) / 1000 }

  /// Names the second before.
  static func link(to main: Span<UInt8>) -> UInt16 { UInt16(truncatingIfNeeded: CRC32.of(main)) }

  /// The same for a whole row without late samples.
  static func link(afterRow row: [UInt8]) -> UInt16 { link(to: row.span.extracting(..<(row.count - checksumLength))) }
}

extension [UInt8] {
  mutating func appendLittleEndian(_ value: UInt32, count: Int) {
    for index in 0..<count { append(UInt8(truncatingIfNeeded: value >> UInt32(8 * index))) }
  }
}

extension Span<UInt8> {
  func littleEndian(at place: Int, count: Int) -> UInt32 {
    (0..<count).reduce(0) { $0 | UInt32(self[place + $1]) << UInt32(8 * $1) }
  }
}
