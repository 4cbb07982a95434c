// Reads numbers of SQLite's file format, which is big-endian. Everything can be damaged, so every
// read checks its place.

extension Span<UInt8> {
  /// Nil after the end.
  func bigEndian(at place: Int, count: Int) -> UInt64? {
    guard place >= 0, place <= self.count - count else { return nil }
    return (0..<count).reduce(0) { $0 << 8 | UInt64(self[place + $1]) }
  }

  /// A number of one to nine bytes, most significant first. Moves the place to what follows.
  func variable(at place: inout Int) -> UInt64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard place >= 0, place < count else { return nil }
      let byte = self[place]
      place += 1
      if index == 8 { return value << 8 | UInt64(byte) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }
}

/// A value of a row.
enum DamagedValue: Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  /// The values of a record; nil if its parts do not fit together.
  static func record(_ payload: [UInt8]) -> [DamagedValue]? {
    var place = 0
    guard let head = payload.span.variable(at: &place), head >= 2, head <= UInt64(min(payload.count, mostHead)) else {
      return nil
    }
    let end = Int(head)
    var body = end
    var values: [DamagedValue] = []
    while place < end {
      guard let type = payload.span.variable(at: &place), let value = value(type, payload, &body) else { return nil }
      values.append(value)
    }
    return place == end && body == payload.count ? values : nil
  }

  /// Whether the head of a record that begins there promises so many bytes.
  static func isRecord(_ bytes: Span<UInt8>, at start: Int, length: Int) -> Bool {
    var place = start
    guard let head = bytes.variable(at: &place), head >= 2, head <= UInt64(min(length, mostHead)) else { return false }
    let end = start + Int(head)
    var sum = Int(head)
    while place < end {
      guard sum <= length, let type = bytes.variable(at: &place), type < 1 << 24, type != 10, type != 11 else {
        return false
      }
      sum += type < 12 ? [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][Int(type)] : Int(type - 12) / 2
    }
    return place == end && sum == length
  }

  /// No table has so many columns.
  private static let mostHead = 400

  private static func value(_ type: UInt64, _ payload: [UInt8], _ place: inout Int) -> DamagedValue? {
    switch type {
    case 0: return .null
    case 8: return .integer(0)
    case 9: return .integer(1)
    case 1...6:
      let count = [1, 2, 3, 4, 6, 8][Int(type) - 1]
      guard let bits = payload.span.bigEndian(at: place, count: count) else { return nil }
      place += count
      let unused = UInt64(64 - 8 * count)
      return .integer(Int64(bitPattern: bits << unused) >> Int64(unused))
    case 7:
      guard let bits = payload.span.bigEndian(at: place, count: 8) else { return nil }
      place += 8
      return .real(Double(bitPattern: bits))
    case 10, 11: return nil
    default:
      guard type < 1 << 24 else { return nil }
      let count = Int(type - 12) / 2
      guard place <= payload.count - count else { return nil }
      let bytes = Array(payload[place..<place + count])
      place += count
      return type & 1 == 0 ? .blob(bytes) : .text(bytes)
    }
  }
}
