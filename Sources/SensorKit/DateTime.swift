// Date Time, 0x2A08: a date and time by the sensor's own clock, whose time zone is unknown. Year,
// month and day may be 0 for unknown; such a time is not published.

public struct DateTime: Sendable {
  private let year: UInt16
  /// Month, day, hour, minute, second.
  private let parts: InlineArray<5, UInt8>
  private let offset: Int

  /// Only reads the fields. Call `check` once the length of the packet is known to be right.
  public init(_ value: Span<UInt8>, _ cursor: inout ByteCursor) throws(DecodeError) {
    offset = cursor.offset
    year = try cursor.uint16(value)
    parts = [
      try cursor.uint8(value), try cursor.uint8(value), try cursor.uint8(value), try cursor.uint8(value),
      try cursor.uint8(value),
    ]
  }

  public var isKnown: Bool { year != 0 && parts[0] != 0 && parts[1] != 0 }

  public func check() throws(DecodeError) {
    guard year == 0 || 1582...9999 ~= year else { throw DecodeError(.outOfRange, at: offset) }
    let limits: InlineArray<5, UInt8> = [12, 31, 23, 59, 59]
    for index in parts.indices where parts[index] > limits[index] {
      throw DecodeError(.outOfRange, at: offset + 2 + index)
    }
  }

  /// `2023-01-01T12:00:00`, without a zone.
  public var text: InlineArray<19, UInt8> {
    var text = InlineArray<19, UInt8>(repeating: UInt8(ascii: "-"))
    text[0] = digit(year / 1000)
    text[1] = digit(year / 100)
    text[2] = digit(year / 10)
    text[3] = digit(year)
    for index in parts.indices {
      let place = 5 + 3 * index
      text[place] = digit(UInt16(parts[index] / 10))
      text[place + 1] = digit(UInt16(parts[index]))
    }
    text[10] = UInt8(ascii: "T")
    text[13] = UInt8(ascii: ":")
    text[16] = UInt8(ascii: ":")
    return text
  }

  private func digit(_ number: UInt16) -> UInt8 { UInt8(ascii: "0") + UInt8(number % 10) }
}
