// The words of the vocabulary: names of kinds and fields, and what a field says where that is a word. All of them stand in
// the source as literals, so a word is an address in the program: handing it on counts no references and allocates nothing.

public struct Word: Sendable, ExpressibleByStringLiteral {
  @usableFromInline let literal: StaticString

  @inlinable
  public init(stringLiteral literal: StaticString) {
    self.literal = literal
  }

  /// The empty word stands for none, in tables with gaps.
  public var isEmpty: Bool { literal.utf8CodeUnitCount == 0 }
}

// A literal's bytes never move and never go away: that makes the pointers of this file safe.

extension Word {
  public func append(to bytes: inout [UInt8]) {
    literal.withUTF8Buffer { letters in unsafe bytes.append(contentsOf: letters) }
  }
}

extension Word: Hashable {
  /// Mostly decided by the address: the linker keeps one copy of equal literals where it can.
  @inlinable
  public static func == (left: Word, right: Word) -> Bool {
    left.literal.utf8CodeUnitCount == right.literal.utf8CodeUnitCount
      && (unsafe left.literal.utf8Start == right.literal.utf8Start || left.hasLetters(of: right))
  }

  @usableFromInline
  func hasLetters(of other: Word) -> Bool {
    literal.withUTF8Buffer { own in
      other.literal.withUTF8Buffer { unsafe own.elementsEqual($0) }
    }
  }

  public func hash(into hasher: inout Hasher) {
    literal.withUTF8Buffer { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension Word: CustomStringConvertible {
  public var description: String { literal.description }
}
