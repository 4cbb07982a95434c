// The answers of the Cycling Power Control Point: what was asked, how it ended, and on success what the procedure gives.

import SensorKit

private let responseMark: UInt8 = 0x20

func decodeCyclingPowerAnswer(
  _ value: Span<UInt8>, into batch: inout Batch
) throws(DecodeError) -> ControlPointResponse {
  var cursor = ByteCursor()
  let response = try ControlPointResponse(value, mark: responseMark, &cursor)
  response.begin(in: &batch)
  let procedure = CyclingPowerProcedure.all.first { $0.opcode == response.opcode }
  switch (response.result, procedure?.answer) {
  case (.success, let answer?): try answer.decode(value, &cursor, into: &batch)
  // Why it failed is told here too, in the maker's own bytes.
  case (_, .offsetWithDetails?): return response
  default: break
  }
  try cursor.finish(value)
  if batch.overflowed { throw DecodeError(.outOfRange, at: value.count) }
  return response
}

extension CyclingPowerProcedure.Answer {
  fileprivate func decode(
    _ value: Span<UInt8>, _ cursor: inout ByteCursor, into batch: inout Batch
  ) throws(DecodeError) {
    switch self {
    case .none: break
    case .locations: try SensorLocation.decodeList(&cursor, value, into: &batch)
    case .steps(let field, let scale, let isRequired):
      guard isRequired || cursor.remaining(value) > 0 else { return }
      batch.set(field, Double(try cursor.uint16(value)) / scale)
    case .offset: batch.set(.offsetRaw, try cursor.int16(value))
    case .offsetWithDetails:
      batch.set(.offsetRaw, try cursor.int16(value))
      // The maker's own data follow.
      _ = try cursor.skip(cursor.remaining(value), in: value)
    case .samplingRate: batch.set(Field("sampling_rate_hz"), try cursor.uint8(value))
    case .date: try decodeDate(value, &cursor, into: &batch)
    }
  }

  /// Date Time, 0x2A08, as ISO 8601; a part that is not known is 0.
  private func decodeDate(
    _ value: Span<UInt8>, _ cursor: inout ByteCursor, into batch: inout Batch
  ) throws(DecodeError) {
    let start = cursor.offset
    let year = try cursor.uint16(value)
    guard year == 0 || 1582...9999 ~= year else { throw DecodeError(.outOfRange, at: start) }
    var text: InlineArray<19, UInt8> = .init(repeating: 0)
    var length = 0
    func put(_ byte: UInt8) {
      text[length] = byte
      length += 1
    }
    func put(twoDigits number: UInt8) {
      put(UInt8(ascii: "0") + number / 10)
      put(UInt8(ascii: "0") + number % 10)
    }
    put(twoDigits: UInt8(year / 100))
    put(twoDigits: UInt8(year % 100))
    let limits: InlineArray<5, UInt8> = [12, 31, 23, 59, 59]
    let separators: InlineArray<5, UInt8> = [
      UInt8(ascii: "-"), UInt8(ascii: "-"), UInt8(ascii: "T"), UInt8(ascii: ":"), UInt8(ascii: ":"),
    ]
    for index in limits.indices {
      let offset = cursor.offset
      let part = try cursor.uint8(value)
      guard part <= limits[index] else { throw DecodeError(.outOfRange, at: offset) }
      put(separators[index])
      put(twoDigits: part)
    }
    batch.set(Field("factory_calibration_date"), text: text.span)
  }
}

extension Field {
  fileprivate static let offsetRaw = Field("offset_raw")
}
