// `SERVICE CHARACTERISTIC: BYTES`, where BYTES are hex digits, `u8(value * 2)` and others, and at
// the end `xor` or `sum`.

internal import SensorKit

struct WriteCompiler {
  private let scope: Scope
  /// Those that the file names for other purposes.
  private let services: [BluetoothUUID]

  private static let numbers: [String: (width: Int, isSigned: Bool)] = [
    "u8": (1, false), "u16": (2, false), "u32": (4, false), "i8": (1, true), "i16": (2, true), "i32": (4, true),
  ]

  init(_ scope: Scope, services: [BluetoothUUID]) {
    self.scope = scope
    self.services = services
  }

  func write(_ text: String, into parts: inout ProgramParts) throws(Mistake) -> WriteProgram {
    guard let colon = text.firstIndex(of: ":") else {
      throw Mistake("expected SERVICE CHARACTERISTIC: BYTES")
    }
    let place = try SourceSyntax.characteristic(text[..<colon])
    guard !SourceSyntax.forbiddenServices.contains(place.service) else {
      throw Mistake("a file does not write to \(place.service), which could make a device unusable")
    }
    guard services.contains(place.service) else {
      throw Mistake("a file writes only to services that [Sensor] or a [Packet] names, not to \(place.service)")
    }
    let pieces = try pieces(String(text[text.index(after: colon)...]), into: &parts)
    let length = pieces.reduce(0) { $0 + $1.width }
    guard 1...WriteProgram.mostBytes ~= length else {
      throw Mistake("a write has 1 to \(WriteProgram.mostBytes) bytes, not \(length)")
    }
    parts.pieces += pieces
    return WriteProgram(
      service: place.service, characteristic: place.characteristic,
      pieces: parts.pieces.count - pieces.count..<parts.pieces.count)
  }

  private func pieces(_ text: String, into parts: inout ProgramParts) throws(Mistake) -> [WritePiece] {
    var pieces: [WritePiece] = []
    for word in try BracketedWords.divide(text, brackets: "(", ")").words {
      if let last = pieces.last, last.isCheck { throw Mistake("\(word) comes after the check, which is the last byte") }
      if word == "xor" || word == "sum" {
        guard !pieces.isEmpty else { throw Mistake("\(word) needs bytes before it") }
        pieces.append(word == "xor" ? .exclusiveOr : .sum)
      } else if let bytes = NumberText.bytes(word) {
        pieces += bytes.map { .byte($0) }
      } else {
        pieces.append(try number(word, into: &parts))
      }
    }
    return pieces
  }

  private func number(_ word: String, into parts: inout ProgramParts) throws(Mistake) -> WritePiece {
    guard let open = word.firstIndex(of: "("), word.hasSuffix(")"), let form = Self.numbers[String(word[..<open])]
    else {
      throw Mistake("\"\(word)\" is not pairs of hex digits, u8(…), u16(…), u32(…), i16(…), xor or sum")
    }
    let result = try parts.number(String(word[word.index(after: open)...].dropLast()), in: scope)
    return .number(result.code, width: form.width, isSigned: form.isSigned)
  }
}

extension WritePiece {
  var width: Int {
    if case .number(_, let width, _) = self { width } else { 1 }
  }

  var isCheck: Bool {
    switch self {
    case .exclusiveOr, .sum: true
    case .byte, .number: false
    }
  }
}
