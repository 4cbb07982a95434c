// The layout of messages as a file defines it, and a message that was received with it.

import Earth
import JSON
import Text

struct FITDefinition {
  struct Field {
    let key: FITFieldKey
    /// nil if there is no such type or if the size is not a multiple of its size.
    let type: FITBaseType?
    let place: Range<Int>
  }

  let message: UInt16
  let isBigEndian: Bool
  private(set) var fields: [Field] = []
  /// Of a message, without its header byte.
  private(set) var size = 0
  /// The index in `fields` by number, for all that are not a developer's.
  private var indices = [UInt8](repeating: absent, count: 256)
  private static let absent: UInt8 = 255

  init(message: UInt16, isBigEndian: Bool) {
    self.message = message
    self.isBigEndian = isBigEndian
  }

  mutating func add(_ key: FITFieldKey, _ type: FITBaseType?, size fieldSize: Int) {
    let type = type.flatMap { fieldSize > 0 && fieldSize % $0.size == 0 ? $0 : nil }
    if key.developer == nil, indices[Int(key.number)] == Self.absent {
      indices[Int(key.number)] = UInt8(truncatingIfNeeded: fields.count)
    }
    fields.append(Field(key: key, type: type, place: size..<size + fieldSize))
    size += fieldSize
  }

  subscript(number: UInt8) -> Field? {
    let index = indices[Int(number)]
    return index == Self.absent ? nil : fields[Int(index)]
  }

  /// How many bytes the definition has that begins here, with its header byte; nil if that cannot be
  /// known yet.
  static func length(_ bytes: Span<UInt8>) -> Int? {
    guard bytes.count >= 6 else { return nil }
    let withFields = 6 + 3 * Int(bytes[5])
    guard bytes[0] & 0x20 != 0 else { return withFields }
    guard bytes.count > withFields else { return nil }
    return withFields + 1 + 3 * Int(bytes[withFields])
  }

  /// Parses a whole definition. `typeOf` finds the type of a developer's field.
  init(_ bytes: Span<UInt8>, typeOf: (FITFieldKey) -> FITBaseType?) {
    let isBigEndian = bytes[2] == 1
    self.init(
      message: isBigEndian ? UInt16(bytes[3]) << 8 | UInt16(bytes[4]) : UInt16(bytes[4]) << 8 | UInt16(bytes[3]),
      isBigEndian: isBigEndian)
    let developers = 6 + 3 * Int(bytes[5])
    for start in stride(from: 6, to: developers, by: 3) {
      add(FITFieldKey(bytes[start]), FITBaseType(code: bytes[start + 2]), size: Int(bytes[start + 1]))
    }
    for start in stride(from: developers + 1, to: bytes.count, by: 3) {
      let key = FITFieldKey(bytes[start], developer: bytes[start + 2])
      add(key, typeOf(key), size: Int(bytes[start + 1]))
    }
  }
}

/// A message that was received. Its memory is reused for the next one.
struct FITReceived {
  private(set) var definition = FITDefinition(message: 0xffff, isBigEndian: false)
  private var bytes: [UInt8] = []
  /// From field 253, or from a compressed header.
  private(set) var time: FITTime?

  mutating func replace(by definition: FITDefinition, _ content: Span<UInt8>) {
    self.definition = definition
    bytes.replace(with: content)
    time = date(fitTimestamp)
  }

  mutating func setTime(_ time: FITTime?) {
    self.time = time
  }

  var isZero: Bool { bytes.allSatisfy { $0 == 0 } }

  /// The value of a field as it is stored; nil if it is absent or unknown.
  func stored(_ number: UInt8) -> Double? {
    definition[number].flatMap { stored($0, at: 0) }
  }

  func integer(_ number: UInt8) -> Int? {
    stored(number).flatMap { Int(exactly: $0) }
  }

  func value(_ quantity: FITQuantity) -> Double? {
    stored(quantity.number).map(quantity.value)
  }

  func position(_ latitude: UInt8, _ longitude: UInt8) -> Coordinate? {
    Coordinate(semicircles: stored(latitude), stored(longitude))
  }

  /// Whatever the type of the field is, a date has 32 bits.
  func date(_ number: UInt8) -> FITTime? {
    integer(number).flatMap(UInt32.init(exactly:)).map { FITTime(seconds: Int64($0)) }
  }

  /// All values of an array up to the last one that is known.
  func array(_ number: UInt8) -> [Double?] {
    definition[number].map(array) ?? []
  }

  func array(_ field: FITDefinition.Field) -> [Double?] {
    guard let type = field.type else { return [] }
    // Of bytes, only all together can be unknown.
    if type == .byte { return bytes[field.place].allSatisfy { $0 == 0xff } ? [] : bytes[field.place].map(Double.init) }
    let values = (0..<field.place.count / type.size).map { stored(field, at: $0) }
    return Array(values.prefix((values.lastIndex { $0 != nil } ?? -1) + 1))
  }

  func text(_ number: UInt8) -> String? {
    guard let field = definition[number], field.type == .string else { return nil }
    let text = String(decoding: bytes[field.place].prefix { $0 != 0 }, as: UTF8.self).printable
    return text.isEmpty ? nil : text
  }

  func stored(_ field: FITDefinition.Field, at index: Int) -> Double? {
    guard let type = field.type, (index + 1) * type.size <= field.place.count else { return nil }
    let start = field.place.lowerBound + index * type.size
    var bits: UInt64 = 0
    for offset in 0..<type.size {
      bits = bits << 8 | UInt64(bytes[start + (definition.isBigEndian ? offset : type.size - 1 - offset)])
    }
    return type.number(bits)
  }
}
