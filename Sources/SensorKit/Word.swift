// The words of the vocabulary: names of kinds and fields, and what a field says where that is a word. All of them stand in
// the source as literals, so a word is an address in the program: handing it on counts no references and allocates nothing.

/// A literal's bytes never move and never go away: that makes the pointers of this file safe.
@safe
public struct Word: @unchecked Sendable, ExpressibleByStringLiteral {
  @usableFromInline let start: UnsafePointer<UInt8>
  /// Sixteen bits suffice, and leave room beside them for what a batch says of a field.
  @usableFromInline let count: UInt16

  @inlinable @inline(__always)
  public init(stringLiteral literal: StaticString) {
    unsafe start = literal.utf8Start
    count = UInt16(literal.utf8CodeUnitCount)
  }

  /// Where its letters are, as a key of tables. Equal words may have several, and words with one address several lengths.
  public var address: UInt { unsafe UInt(bitPattern: start) }

  /// The empty word stands for none, in tables with gaps.
  public var isEmpty: Bool { count == 0 }

  private var letters: UnsafeBufferPointer<UInt8> { unsafe UnsafeBufferPointer(start: start, count: Int(count)) }
}

extension Word {
  public func append(to bytes: inout [UInt8]) {
    unsafe bytes.append(contentsOf: letters)
  }
}

extension Word: Hashable {
  /// Mostly decided by length, address or first letter: the linker keeps one copy of equal literals where it can. Behind an
  /// empty literal stands a zero.
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
