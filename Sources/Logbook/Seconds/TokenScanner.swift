// Finds the tokens of a line of JSON without decoding them. Values that are objects or arrays are
// one token. Blanks between tokens are skipped.

struct TokenScanner {
  private var place = 0

  /// How deep a value may be.
  private static let deepest = 16

  func isAtEnd(of line: Span<UInt8>) -> Bool { rest(from: place, line) == line.count }

  mutating func skip(_ character: Unicode.Scalar, in line: Span<UInt8>) -> Bool {
    let next = rest(from: place, line)
    guard next < line.count, line[next] == UInt8(ascii: character) else { return false }
    place = next + 1
    return true
  }

  /// A string with its quotes.
  mutating func string(in line: Span<UInt8>) -> Range<Int>? {
    let start = rest(from: place, line)
    guard start < line.count, let end = endOfString(from: start, line) else { return nil }
    place = end
    return start..<end
  }

  mutating func value(in line: Span<UInt8>) -> Range<Int>? {
    let start = rest(from: place, line)
    guard start < line.count else { return nil }
    let end: Int? =
      switch line[start] {
      case UInt8(ascii: "\""): endOfString(from: start, line)
      case UInt8(ascii: "{"), UInt8(ascii: "["): endOfGroup(from: start, line)
      default: endOfWord(from: start, line)
      }
    guard let end else { return nil }
    place = end
    return start..<end
  }

  private func rest(from start: Int, _ line: Span<UInt8>) -> Int {
    var next = start
    while next < line.count, line[next] == 0x20 || line[next] == 0x09 { next += 1 }
    return next
  }

  private func endOfString(from start: Int, _ line: Span<UInt8>) -> Int? {
    guard line[start] == UInt8(ascii: "\"") else { return nil }
    var next = start + 1
    while next < line.count {
      switch line[next] {
      case UInt8(ascii: "\""): return next + 1
      case UInt8(ascii: "\\"): next += 2
      case ..<0x20: return nil
      default: next += 1
      }
    }
    return nil
  }

  private func endOfGroup(from start: Int, _ line: Span<UInt8>) -> Int? {
    var depth = 0
    var next = start
    while next < line.count {
      switch line[next] {
      case UInt8(ascii: "\""):
        guard let end = endOfString(from: next, line) else { return nil }
        next = end
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        guard depth <= Self.deepest else { return nil }
        next += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        next += 1
        if depth == 0 { return next }
      case ..<0x20: return nil
      default: next += 1
      }
    }
    return nil
  }

  /// A number, `true`, `false` or `null`.
  private func endOfWord(from start: Int, _ line: Span<UInt8>) -> Int? {
    var next = start
    while next < line.count {
      switch line[next] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
        next += 1
      default: return next > start ? next : nil
      }
    }
    return next
  }
}
