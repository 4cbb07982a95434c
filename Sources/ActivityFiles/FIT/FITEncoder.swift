// Writes messages as bytes, each with the definition that it needs. A definition is reused for all
// messages that lack some of its fields: these are written as unknown. If a message has a field
// more, its type of message is defined again with the fields of both.

struct FITEncoder {
  /// Places of definitions: the index is the local type.
  private var layouts: [FITLayout] = []
  private(set) var dataSize = 0
  private(set) var checksum = FITChecksum()

  mutating func write(_ message: FITMessage, into output: inout [UInt8]) {
    let start = output.count
    let localType = define(message, into: &output)
    output.append(UInt8(localType))
    layouts[localType].write(message, into: &output)
    dataSize += output.count - start
    checksum.update(output.span.extracting(start..<output.count))
  }

  /// The local type of a definition with all fields of the message.
  private mutating func define(_ message: FITMessage, into output: inout [UInt8]) -> Int {
    var localType = layouts.firstIndex { $0.message == message.number }
    if let known = localType, layouts[known].holds(message) { return known }
    if let known = localType {
      layouts[known].extend(by: message)
    } else {
      precondition(layouts.count < 16, "more types of messages than a file can define at a time")
      localType = layouts.count
      layouts.append(FITLayout(message))
    }
    let defined = localType ?? 0
    layouts[defined].writeDefinition(localType: UInt8(defined), into: &output)
    return defined
  }
}

/// The fields of a definition, in the order in which they are written.
private struct FITLayout {
  private struct Field {
    let key: FITFieldKey
    let type: FITBaseType
    var size: Int

    /// The largest values first, so that all of them are aligned; texts and developers' fields last.
    var rank: (Int, Int, Int, UInt8) {
      (
        key.developer.map { Int($0) + 1 } ?? (key.number == fitTimestamp ? -1 : 0),
        type == .string ? 1 : -type.size, key.number == fitMessageIndex ? 0 : 1, key.number
      )
    }
  }

  let message: UInt16
  private var fields: [Field] = []

  init(_ message: FITMessage) {
    self.message = message.number
    extend(by: message)
  }

  func holds(_ message: FITMessage) -> Bool {
    message.fields.allSatisfy { field in
      fields.contains { $0.key == field.key && $0.size >= field.place.count }
    }
  }

  mutating func extend(by message: FITMessage) {
    for field in message.fields {
      if let known = fields.firstIndex(where: { $0.key == field.key }) {
        fields[known].size = max(fields[known].size, field.place.count)
      } else {
        fields.append(Field(key: field.key, type: field.type, size: field.place.count))
      }
    }
    fields.sort { $0.rank < $1.rank }
  }

  func writeDefinition(localType: UInt8, into output: inout [UInt8]) {
    let developers = fields.filter { $0.key.developer != nil }
    output.append((developers.isEmpty ? 0x40 : 0x60) | localType)
    output += [0, 0]
    output.appendLittleEndian(UInt64(message), count: 2)
    output.append(UInt8(fields.count - developers.count))
    for field in fields where field.key.developer == nil {
      output += [field.key.number, UInt8(field.size), field.type.code]
    }
    guard !developers.isEmpty else { return }
    output.append(UInt8(developers.count))
    for field in developers { output += [field.key.number, UInt8(field.size), field.key.developer ?? 0] }
  }

  func write(_ message: FITMessage, into output: inout [UInt8]) {
    for field in fields {
      let known = message.fields.first { $0.key == field.key }
      if let known { output += message.bytes[known.place] }
      let unknown = (field.size - (known?.place.count ?? 0)) / field.type.size
      for _ in 0..<unknown { output.appendLittleEndian(field.type.invalid, count: field.type.size) }
    }
  }
}
