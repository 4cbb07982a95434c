// Messages on the control point of a Polar strap: its list of measurements, and responses to
// requests. Each response is published whole, with the offered settings under their own names.

import SensorKit

struct PolarFeatures {
  static let header: UInt8 = 0x0f
  private static let names: InlineArray<8, Word> = ["ecg", "ppg", "acc", "ppi", "", "gyro", "magnetometer", ""]

  private let bits: UInt8

  /// The following bytes are not used.
  init(_ value: Span<UInt8>) throws(DecodeError) {
    var cursor = ByteCursor(at: 1)
    bits = try cursor.uint8(value)
  }

  func has(_ stream: PolarStream) -> Bool { bits >> stream.rawValue & 1 == 1 }

  func say(into batch: inout Batch) {
    batch.factWords(Field("features"))
    for bit in Self.names.indices where bits >> UInt8(bit) & 1 == 1 && !Self.names[bit].isEmpty {
      batch.append(Self.names[bit])
    }
  }
}

struct PolarAnswer {
  static let header: UInt8 = 0xf0

  enum Request: UInt8 {
    case settings = 1
    case start = 2
    case stop = 3
  }

  private static let types: InlineArray<7, Word> = ["ecg", "ppg", "acc", "ppi", "", "gyro", "magnetometer"]
  private static let errors: InlineArray<14, Word> = [
    "success", "invalid_op_code", "invalid_measurement_type", "not_supported", "invalid_length", "invalid_parameter",
    "already_in_state", "invalid_resolution", "invalid_sample_rate", "invalid_range", "invalid_mtu",
    "invalid_number_of_channels", "invalid_state", "device_in_charger",
  ]
  private static let alreadyInState: UInt8 = 6

  let request: Request?
  let stream: PolarStream?
  private let error: UInt8
  /// The settings to request, chosen from those offered.
  private(set) var chosen = PolarSettings()
  private(set) var factor = 1.0

  var isSuccess: Bool { error == 0 }
  /// The stream is running, because it was just started or had been running before.
  var isRunning: Bool { request == .start && (isSuccess || error == Self.alreadyInState) }

  init(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor(at: 1)
    let opCode = try cursor.uint8(value)
    let type = try cursor.uint8(value)
    error = try cursor.uint8(value)
    guard Int(error) < Self.errors.count else { throw DecodeError(.reservedValue, at: 3) }
    request = Request(rawValue: opCode)
    stream = PolarStream(rawValue: type)

    batch.answer()
    batch.set(Field("op_code"), opCode)
    if Int(type) < Self.types.count, !Self.types[Int(type)].isEmpty {
      batch.set(Field("type"), Self.types[Int(type)])
    } else {
      batch.set(Field("type"), type)
    }
    batch.set(Field("error"), Self.errors[Int(error)])
    guard cursor.remaining(value) > 0 else { return }
    batch.set(Field("more"), try cursor.uint8(value) != 0)
    var known: UInt8 = 0
    while cursor.remaining(value) > 0 { try decodeSetting(value, &cursor, &known, into: &batch) }
  }

  /// A type, a count and as many numbers. An unknown type has an unknown length. A repeated type
  /// would produce a duplicate member.
  private mutating func decodeSetting(
    _ value: Span<UInt8>, _ cursor: inout ByteCursor, _ known: inout UInt8, into batch: inout Batch
  ) throws(DecodeError) {
    let start = cursor.offset
    let type = try cursor.uint8(value)
    let count = try cursor.uint8(value)
    let names: InlineArray<6, Word> = [
      "sample_rate_hz", "resolution_bits", "range", "range_milli", "channels", "factor",
    ]
    guard Int(type) < names.count, known >> type & 1 == 0 else { throw DecodeError(.reservedValue, at: start) }
    known |= 1 << type
    batch.beginNumbers(Field(names[Int(type)]))
    for _ in 0..<count {
      switch type {
      case 0...2:
        let number = try cursor.uint16(value)
        batch.append(Double(number))
        chosen.consider(number, type: type, of: stream)
      case 3: batch.append(Double(try cursor.uint32(value)))
      case 4: batch.append(Double(try cursor.uint8(value)))
      default:
        let number = Double(Float(bitPattern: try cursor.uint32(value)))
        guard number.isFinite else { throw DecodeError(.outOfRange, at: cursor.offset - 4) }
        batch.append(number)
        factor = number
      }
    }
  }
}

/// Sample rate, resolution and range for starting a stream.
struct PolarSettings {
  private var values = InlineArray<3, UInt16?>(repeating: nil)

  /// Prefers the wanted value (100 Hz and 4 g for acceleration, enough for steps and bumps), else
  /// the largest one.
  mutating func consider(_ number: UInt16, type: UInt8, of stream: PolarStream?) {
    let wanted: UInt16? =
      switch (stream, type) {
      case (.acceleration, 0): 100
      case (.acceleration, 2): 4
      default: nil
      }
    let index = Int(type)
    if let known = values[index], known == wanted || (number != wanted && number < known) { return }
    values[index] = number
  }

  /// The parameters of a start request, in the order of their types.
  func append(to request: inout InlineArray<14, UInt8>, _ length: inout Int) {
    for index in values.indices {
      guard let value = values[index] else { continue }
      request[length] = UInt8(index)
      request[length + 1] = 1
      request[length + 2] = UInt8(truncatingIfNeeded: value)
      request[length + 3] = UInt8(value >> 8)
      length += 4
    }
  }
}
