// The records that a packet publishes.

internal import SensorKit

struct Publication: Sendable {
  enum Form: Sendable {
    case sample(SampleKind)
    case event(Word)
    case fact
    case answer
  }

  let form: Form
  var when: Code?
  /// Among the fields of the program.
  var fields = 0..<0
}

struct PublishedField: Sendable {
  enum Content: Sendable {
    case number(Code)
    case flag(Code)
    case text(Code)
    case word(Code, rows: Range<Int>)
    /// The words of the bits that are set.
    case bitWords(Code, rows: Range<Int>)
    case words(ListCode, rows: Range<Int>)
    case numbers(ListCode)
    case objects(register: UInt8, group: Int)
  }

  let field: Field
  let content: Content
  let condition: Code?
}

/// A number and its word.
struct TableRow: Sendable {
  let number: Int
  let word: Word
}
