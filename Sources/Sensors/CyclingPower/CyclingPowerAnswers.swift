// Responses of the Cycling Power Control Point: the request, its result and, on success, the
// returned value.

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
  // A failure also carries details here, in the maker's own format.
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
      // Data in the maker's own format follow.
      _ = try cursor.skip(cursor.remaining(value), in: value)
    case .samplingRate: batch.set(Field("sampling_rate_hz"), try cursor.uint8(value))
    case .date: try decodeDate(value, &cursor, into: &batch)
    }
  }

  private func decodeDate(
    _ value: Span<UInt8>, _ cursor: inout ByteCursor, into batch: inout Batch
  ) throws(DecodeError) {
    let date = try DateTime(value, &cursor)
    try cursor.finish(value)
    try date.check()
    if date.isKnown { batch.set(Field("factory_calibration_date"), text: date.text.span) }
  }
}

extension Field {
  fileprivate static let offsetRaw = Field("offset_raw")
}
