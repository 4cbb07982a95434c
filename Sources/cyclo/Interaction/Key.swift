// Decodes the bytes of a raw terminal into keys. Does no input: the caller's time-out decides that an
// escape is a key of its own.

enum Key: Equatable {
  /// Printable ASCII. Longer text is typed line by line and does not pass here.
  case letter(Character)
  case up, down, first, last
  case enter, backspace, escape
  /// Ctrl-D: the end of the input.
  case end
}

struct KeyDecoder {
  private var pending: [UInt8] = []

  /// The last bytes may be the start of a longer key.
  var isInDoubt: Bool { !pending.isEmpty }

  mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
    pending.append(contentsOf: bytes)
    var keys: [Key] = []
    while let (key, count) = next() {
      pending.removeFirst(count)
      if let key { keys.append(key) }
    }
    return keys
  }

  /// Nothing followed, so the escape was a key of its own.
  mutating func settle() -> [Key] {
    defer { pending = [] }
    return pending.isEmpty ? [] : [.escape]
  }

  /// The first key (nil if it has no meaning here) and its length; nil if it may be incomplete.
  private func next() -> (key: Key?, count: Int)? {
    guard let first = pending.first else { return nil }
    switch first {
    case 0x1b: return sequence
    case 0x04: return (.end, 1)
    case 0x08, 0x7f: return (.backspace, 1)
    case 0x0a, 0x0d: return (.enter, 1)
    case 0x0e: return (.down, 1)
    case 0x10: return (.up, 1)
    case 0x20...0x7e: return (.letter(Character(Unicode.Scalar(first))), 1)
    default: return (nil, 1)
    }
  }

  /// ECMA-48: ESC [, parameters, a final byte from @ to ~. In application mode, ESC O and a letter.
  private var sequence: (key: Key?, count: Int)? {
    guard pending.count > 1 else { return nil }
    guard pending[1] == UInt8(ascii: "[") || pending[1] == UInt8(ascii: "O") else { return (.escape, 1) }
    guard let end = pending.dropFirst(2).firstIndex(where: { !(0x20...0x3f).contains($0) }) else { return nil }
    let parameters = String(decoding: pending[2..<end], as: UTF8.self)
    let key: Key? =
      switch (pending[end], parameters) {
      case (UInt8(ascii: "A"), _): .up
      case (UInt8(ascii: "B"), _): .down
      case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), "1"), (UInt8(ascii: "~"), "5"), (UInt8(ascii: "~"), "7"): .first
      case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), "4"), (UInt8(ascii: "~"), "6"), (UInt8(ascii: "~"), "8"): .last
      default: nil
      }
    return (key, end + 1)
  }
}
