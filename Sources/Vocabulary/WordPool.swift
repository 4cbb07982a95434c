// Words that are not literals of the program, but come from a file. They live as long as the
// program, like literals, so a pool is bounded.

/// Makes words of text, each once.
public struct WordPool: ~Copyable {
  private var words: [String: Word] = [:]
  private var room: Int

  /// `bytes` is the limit for all words together.
  public init(bytes: Int) {
    room = bytes
  }

  /// Nil if the pool is full, or if the text is not a name of the protocol: `[a-z0-9_]+`.
  public mutating func word(_ text: String) -> Word? {
    if let known = words[text] { return known }
    let letters = text.utf8
    guard 1...Self.longest ~= letters.count, letters.count <= room, letters.allSatisfy(Self.isLetter) else {
      return nil
    }
    room -= letters.count
    let word = Word(lasting: text)
    words[text] = word
    return word
  }

  private static let longest = 64

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
    default: false
    }
  }
}
