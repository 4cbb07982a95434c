// The words of the vocabulary: names of kinds and fields, and values that are words. Most are
// literals in the source, so a word is just an address in the program. Copying it counts no
// references and allocates nothing. Words from files are made by a `WordPool`.

/// Its bytes never move and are never freed, which makes the pointers in this file safe.
@safe
public struct Word: @unchecked Sendable, ExpressibleByStringLiteral {
  @usableFromInline let start: UnsafePointer<UInt8>
  /// Sixteen bits are enough, and leave space for a field's other data in a batch.
  @usableFromInline let count: UInt16

  @inlinable @inline(__always)
  public init(stringLiteral literal: StaticString) {
    unsafe start = literal.utf8Start
    count = UInt16(literal.utf8CodeUnitCount)
  }

  /// Copies the letters to memory that is never freed. Only a pool does that, because it is bounded.
  init(lasting text: String) {
    let letters = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
    _ = unsafe letters.initialize(from: text.utf8)
    // A word has at least one letter, so the buffer has an address.
    unsafe start = UnsafePointer(letters.baseAddress.unsafelyUnwrapped)
    count = UInt16(letters.count)
  }

  /// The address of its letters, for use as a key. Equal words can have different addresses, and
  /// words at one address can have different lengths.
  public var address: UInt { unsafe UInt(bitPattern: start) }

  /// The empty word means none, in tables with gaps.
  public var isEmpty: Bool { count == 0 }

  private var letters: UnsafeBufferPointer<UInt8> { unsafe UnsafeBufferPointer(start: start, count: Int(count)) }
}

extension Word {
  /// Whether it is spelled with these letters.
  public func isSpelled(_ text: [UInt8]) -> Bool {
    guard text.count == Int(count) else { return false }
    return unsafe letters.elementsEqual(text)
  }

  public func append(to bytes: inout [UInt8]) {
    unsafe bytes.append(contentsOf: letters)
  }
}

extension Word: Hashable {
  /// Usually decided by length, address or first letter, because the linker merges equal literals
  /// where it can. An empty literal is followed by a zero.
  @inlinable @inline(__always)
  public static func == (left: Word, right: Word) -> Bool {
    guard left.count == right.count else { return false }
    if unsafe left.start == right.start { return true }
    return unsafe left.start.pointee == right.start.pointee && left.hasLetters(of: right)
  }

  @usableFromInline
  func hasLetters(of other: Word) -> Bool { unsafe letters.elementsEqual(other.letters) }

  public func hash(into hasher: inout Hasher) {
    unsafe hasher.combine(bytes: UnsafeRawBufferPointer(letters))
  }
}

extension Word: CustomStringConvertible {
  public var description: String { unsafe String(decoding: letters, as: UTF8.self) }
}
