// A sensor and kind within an activity: its names, which the table `stream` keeps, and the last
// values, from which the next ones differ. The encoder and the decoder of seconds keep the same
// state, so it is defined once.

package struct RecordedStream {
  /// As JSON text, because that is how lines have them.
  package let sensor: [UInt8]
  package let kind: [UInt8]
  private(set) var fields: [RecordedField]
  /// Of the last sample.
  var sequence: Int64?
  /// The fields of the last sample, a bit for each.
  var present: UInt64?

  /// The bits of `present`.
  static let mostFields = 64

  package init(sensor: [UInt8], kind: [UInt8], fieldNames: [[UInt8]] = []) {
    self.sensor = sensor
    self.kind = kind
    fields = fieldNames.prefix(Self.mostFields).map(RecordedField.init)
  }

  package var fieldNames: [[UInt8]] { fields.map(\.name) }
  package var fieldCount: Int { fields.count }

  /// Forgets the last values.
  mutating func restart() {
    (sequence, present) = (nil, nil)
    for index in fields.indices { fields[index].restart() }
  }

  /// Returns nil if there are too many fields.
  mutating func index(of name: Range<Int>, in line: Span<UInt8>) -> Int? {
    // Most samples have the same fields in the same order, so the search ends soon.
    for index in fields.indices where line.has(fields[index].name, at: name) { return index }
    guard fields.count < Self.mostFields else { return nil }
    fields.append(RecordedField(name.map { line[$0] }))
    return fields.count - 1
  }

  mutating func adoptNames(of other: RecordedStream) {
    for field in other.fields[fields.count...] { fields.append(RecordedField(field.name)) }
  }

  mutating func encode(_ value: Range<Int>, of line: Span<UInt8>, field: Int, into bytes: inout [UInt8]) {
    fields[field].encode(value, of: line, into: &bytes)
  }

  mutating func decode(_ reader: inout PackedReader, of row: Span<UInt8>, field: Int) -> RecordedValue? {
    fields[field].decode(&reader, of: row)
  }
}

package enum RecordedValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(mantissa: Int64, decimals: Int)
  /// A string, an array, an object, or a number that is not a plain decimal.
  case json([UInt8])

  package var doubleValue: Double? {
    if case .number(let mantissa, let decimals) = self {
      Decimal(mantissa: mantissa, decimals: decimals).doubleValue
    } else {
      nil
    }
  }

  package func write(into bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let mantissa, let decimals): Decimal(mantissa: mantissa, decimals: decimals).write(into: &bytes)
    case .json(let text): bytes.append(contentsOf: text)
    }
  }
}

/// A field of a stream with its last number and its last text. A value is one packed number: an even
/// one is twice the difference to the last number, an odd one names another form.
struct RecordedField {
  private enum Form: UInt64 {
    case null, no, yes
    case sameText
    /// Decimals and mantissa.
    case number
    /// Length and bytes.
    case text
    /// Count, decimals, the first mantissa and the differences.
    case numbers
  }

  let name: [UInt8]
  private var number: Decimal?
  private var text: [UInt8] = []
  private var hasText = false
  private var numbers: [Int64] = []

  private static let mostNumbers = 1024

  init(_ name: [UInt8]) {
    self.name = name
  }

  mutating func restart() {
    number = nil
    hasText = false
  }

  mutating func encode(_ value: Range<Int>, of line: Span<UInt8>, into bytes: inout [UInt8]) {
    if let decimal = Decimal(line, value) { return encode(decimal, into: &bytes) }
    if line.has("null", at: value) { return bytes.appendForm(Form.null.rawValue) }
    if line.has("false", at: value) { return bytes.appendForm(Form.no.rawValue) }
    if line.has("true", at: value) { return bytes.appendForm(Form.yes.rawValue) }
    if hasText, line.has(text, at: value) { return bytes.appendForm(Form.sameText.rawValue) }
    if encodeNumbers(value, of: line, into: &bytes) { return }
    bytes.appendForm(Form.text.rawValue)
    bytes.appendPacked(UInt64(value.count))
    text.removeAll(keepingCapacity: true)
    for place in value { text.append(line[place]) }
    hasText = true
    bytes.append(contentsOf: text)
  }

  private mutating func encode(_ decimal: Decimal, into bytes: inout [UInt8]) {
    if let last = number, let mantissa = decimal.mantissa(with: last.decimals) {
      bytes.appendPacked(UInt64(alternating: mantissa - last.mantissa) << 1)
      number = Decimal(mantissa: mantissa, decimals: last.decimals)
    } else {
      bytes.appendForm(Form.number.rawValue)
      bytes.append(UInt8(decimal.decimals))
      bytes.appendPacked(UInt64(alternating: decimal.mantissa))
      number = decimal
    }
  }

  /// Returns false for anything but an array of plain numbers.
  private mutating func encodeNumbers(_ value: Range<Int>, of line: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
    let text = line.extracting(value)
    numbers.removeAll(keepingCapacity: true)
    var decimals = 0
    // Twice: first for the number of decimals that all of them have room in.
    for isSecond in [false, true] {
      var scanner = TokenScanner()
      guard scanner.skip("[", in: text) else { return false }
      repeat {
        guard numbers.count < Self.mostNumbers, let token = scanner.value(in: text),
          let decimal = Decimal(text, token)
        else { return false }
        if !isSecond {
          decimals = max(decimals, decimal.decimals)
        } else if let mantissa = decimal.mantissa(with: decimals) {
          numbers.append(mantissa)
        } else {
          return false
        }
      } while scanner.skip(",", in: text)
      guard scanner.skip("]", in: text), scanner.isAtEnd(of: text) else { return false }
    }
    bytes.appendForm(Form.numbers.rawValue)
    bytes.appendPacked(UInt64(numbers.count))
    bytes.append(UInt8(decimals))
    var last: Int64 = 0
    for number in numbers {
      bytes.appendPacked(UInt64(alternating: number - last))
      last = number
    }
    return true
  }

  mutating func decode(_ reader: inout PackedReader, of row: Span<UInt8>) -> RecordedValue? {
    guard let code = reader.number(of: row) else { return nil }
    guard code & 1 == 1 else {
      guard let last = number else { return nil }
      let (mantissa, overflow) = last.mantissa.addingReportingOverflow((code >> 1).alternating)
      guard !overflow else { return nil }
      number = Decimal(mantissa: mantissa, decimals: last.decimals)
      return .number(mantissa: mantissa, decimals: last.decimals)
    }
    switch Form(rawValue: code >> 1) {
    case .null: return .null
    case .no: return .bool(false)
    case .yes: return .bool(true)
    case .sameText: return hasText ? .json(text) : nil
    case .number:
      guard let decimals = reader.byte(of: row), decimals <= Decimal.mostDecimals, let mantissa = reader.number(of: row)
      else {
        return nil
      }
      number = Decimal(mantissa: mantissa.alternating, decimals: Int(decimals))
      return .number(mantissa: mantissa.alternating, decimals: Int(decimals))
    case .text:
      guard let length = reader.number(of: row), let place = reader.skip(length, of: row) else { return nil }
      text = place.map { row[$0] }
      hasText = true
      return .json(text)
    case .numbers: return decodeNumbers(&reader, of: row)
    case nil: return nil
    }
  }

  private func decodeNumbers(_ reader: inout PackedReader, of row: Span<UInt8>) -> RecordedValue? {
    guard let count = reader.number(of: row), count <= Self.mostNumbers, let decimals = reader.byte(of: row),
      decimals <= Decimal.mostDecimals
    else { return nil }
    var text = [UInt8(ascii: "[")]
    var last: Int64 = 0
    for index in 0..<count {
      guard let difference = reader.number(of: row) else { return nil }
      let (number, overflow) = last.addingReportingOverflow(difference.alternating)
      guard !overflow else { return nil }
      last = number
      if index > 0 { text.append(UInt8(ascii: ",")) }
      Decimal(mantissa: number, decimals: Int(decimals)).write(into: &text)
    }
    text.append(UInt8(ascii: "]"))
    return .json(text)
  }
}

extension [UInt8] {
  fileprivate mutating func appendForm(_ form: UInt64) { appendPacked(form << 1 | 1) }
}
