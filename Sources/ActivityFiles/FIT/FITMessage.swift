// A message to be written: its known fields with their bytes. A field without a value is not added,
// and neither is one whose value does not fit its type.

import Earth

struct FITMessage {
  struct Field {
    let key: FITFieldKey
    let type: FITBaseType
    let place: Range<Int>
  }

  private(set) var number: UInt16 = 0
  private(set) var fields: [Field] = []
  /// Of all fields, in the order in which they were added; little-endian.
  private(set) var bytes: [UInt8] = []

  /// Starts another message and keeps the memory of the last one.
  mutating func begin(_ number: UInt16) {
    self.number = number
    fields.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func add(_ key: FITFieldKey, _ type: FITBaseType, _ value: Int64?) {
    guard let value, let bits = type.bits(of: value) else { return }
    append(bits, type)
    close(key, type, count: 1)
  }

  mutating func add(_ quantity: FITQuantity, _ value: Double?) {
    add(FITFieldKey(quantity.number), quantity.type, value.flatMap(quantity.stored))
  }

  mutating func add(_ key: FITFieldKey, float value: Double?) {
    guard let value else { return }
    append(UInt64(Float(value).bitPattern), .float32)
    close(key, .float32, count: 1)
  }

  mutating func addPosition(_ latitude: UInt8, _ longitude: UInt8, _ position: Coordinate?) {
    guard let position else { return }
    add(FITFieldKey(latitude), .sint32, Semicircles.stored(position.latitude))
    add(FITFieldKey(longitude), .sint32, Semicircles.stored(position.longitude))
  }

  /// Values that do not fit become "unknown", so that the others keep their places.
  mutating func add(_ key: FITFieldKey, _ type: FITBaseType, array values: [Int64]) {
    guard !values.isEmpty, values.count * type.size <= 255 else { return }
    for value in values { append(type.bits(of: value) ?? type.invalid, type) }
    close(key, type, count: values.count)
  }

  /// At most 254 bytes of UTF-8, cut between two characters, and a zero.
  mutating func add(_ key: FITFieldKey, text: String?) {
    guard let text, !text.isEmpty else { return }
    var count = 0
    for scalar in text.unicodeScalars where scalar.value != 0 {
      let units = Unicode.UTF8.width(scalar)
      guard count + units <= 254 else { break }
      bytes.append(contentsOf: String(scalar).utf8)
      count += units
    }
    bytes.append(0)
    close(key, .string, count: count + 1)
  }

  private mutating func append(_ bits: UInt64, _ type: FITBaseType) {
    bytes.appendLittleEndian(bits, count: type.size)
  }

  private mutating func close(_ key: FITFieldKey, _ type: FITBaseType, count: Int) {
    fields.append(Field(key: key, type: type, place: bytes.count - count * type.size..<bytes.count))
  }
}

/// The number of a field, and for one of a developer the index of that developer.
struct FITFieldKey: Hashable {
  let number: UInt8
  let developer: UInt8?

  init(_ number: UInt8, developer: UInt8? = nil) {
    self.number = number
    self.developer = developer
  }
}

extension FITFieldKey: ExpressibleByIntegerLiteral {
  init(integerLiteral value: UInt8) {
    self.init(value)
  }
}

extension [UInt8] {
  mutating func appendLittleEndian(_ bits: UInt64, count: Int) {
    for index in 0..<count { append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * index))) }
  }
}
