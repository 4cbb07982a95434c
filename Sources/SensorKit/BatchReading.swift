// How the host reads a batch, and how it discards the content of a rejected packet.

public import Vocabulary

extension Batch {
  public enum EntryKind: Equatable, Sendable {
    case sample(SampleKind)
    case fact
    case answer
    case event(Word)
  }

  /// One sample, fact, answer or event, with the range of its fields.
  public struct Entry: Sendable {
    @usableFromInline let stored: StoredEntry
    public let fields: Range<Int>

    @inlinable @inline(__always)
    init(_ stored: StoredEntry, fields: Range<Int>) { (self.stored, self.fields) = (stored, fields) }

    @inlinable @inline(__always)
    public var kind: EntryKind {
      switch stored.form {
      case .sample: .sample(stored.kind)
      case .fact: .fact
      case .answer: .answer
      case .event: .event(stored.kind.name)
      }
    }

    /// Not published, because another plugin of the same sensor provides this kind or fact.
    @inlinable @inline(__always)
    public var isHidden: Bool { stored.isHidden }
  }

  public enum Value: Equatable, Sendable {
    case number(Double)
    /// Larger than a double can hold exactly.
    case largeCount(UInt64)
    case flag(Bool)
    case word(Word)
    case text(Range<Int>)
    case numbers(Range<Int>, groupedBy: Int)
    case words(Range<Int>)
    case objects(Range<Int>)
  }

  public struct FieldEntry: Sendable {
    public let field: Field
    public let value: Value
  }

  @inlinable @inline(__always)
  public var entryIndices: Range<Int> { 0..<taken.entries }

  /// The entries added since `mark`.
  public func entryIndices(from mark: Mark) -> Range<Int> { mark.entries..<taken.entries }

  @inlinable @inline(__always)
  public func entry(_ index: Int) -> Entry {
    precondition(index < taken.entries)
    let stored = entryRoom[index]
    let end = index + 1 < taken.entries ? Int(entryRoom[index + 1].firstField) : taken.fields
    return Entry(stored, fields: Int(stored.firstField)..<end)
  }

  /// All entries at once; allocates.
  public var entries: [Entry] {
    var entries: [Entry] = []
    for index in entryIndices { entries.append(entry(index)) }
    return entries
  }

  public func field(_ index: Int) -> FieldEntry {
    precondition(index < taken.fields)
    return read(fieldRoom[index])
  }

  public func objectField(_ index: Int) -> FieldEntry {
    precondition(index < taken.objectFields)
    return read(objectFieldRoom[index])
  }

  /// The fields of an object; see `objectField`.
  public func object(_ index: Int) -> Range<Int> {
    precondition(index < taken.objects)
    let end = index + 1 < taken.objects ? Int(objectRoom[index + 1]) : taken.objectFields
    return Int(objectRoom[index])..<end
  }

  public func number(_ index: Int) -> Double {
    precondition(index < taken.numbers)
    return numberRoom[index]
  }

  public func word(_ index: Int) -> Word { wordRoom[index] }
  public func text(_ range: Range<Int>) -> ArraySlice<UInt8> { byteRoom[range] }
  public func value(of action: Action) -> ArraySlice<UInt8> { byteRoom[action.value] }

  /// The number in a field of an entry, if any.
  @inlinable @inline(__always)
  public func number(_ field: Field, of entry: Entry) -> Double? {
    for index in entry.fields where fieldRoom[index].field == field && fieldRoom[index].form == .number {
      return Double(bitPattern: fieldRoom[index].bits)
    }
    return nil
  }

  /// The range of a list of numbers in an entry, if any.
  @inlinable @inline(__always)
  public func numbers(_ field: Field, of entry: Entry) -> Range<Int>? {
    for index in entry.fields where fieldRoom[index].field == field && fieldRoom[index].form == .numbers {
      return Self.range(fieldRoom[index].bits)
    }
    return nil
  }

  /// The word in a field of an entry, if any.
  public func word(_ field: Field, of entry: Entry) -> Word? {
    for index in entry.fields where fieldRoom[index].field == field {
      if case .word(let word) = self.field(index).value { return word }
    }
    return nil
  }

  /// The flag in a field of an entry, if any.
  public func flag(_ field: Field, of entry: Entry) -> Bool? {
    for index in entry.fields where fieldRoom[index].field == field {
      if case .flag(let flag) = self.field(index).value { return flag }
    }
    return nil
  }

  /// The text of a field of an entry, if any. Allocates, so it is for rare entries.
  public func text(_ field: Field, of entry: Entry) -> String? {
    for index in entry.fields where fieldRoom[index].field == field {
      switch self.field(index).value {
      case .text(let range): return String(decoding: byteRoom[range], as: UTF8.self)
      case .word(let word): return word.description
      default: continue
      }
    }
    return nil
  }

  func read(_ stored: StoredField) -> FieldEntry {
    let range = Self.range(stored.bits)
    let value: Value =
      switch stored.form {
      case .number: .number(Double(bitPattern: stored.bits))
      case .largeCount: .largeCount(stored.bits)
      case .flag: .flag(stored.bits != 0)
      case .word: .word(wordRoom[range.lowerBound])
      case .text: .text(range)
      case .numbers: .numbers(range, groupedBy: Int(stored.width))
      case .words: .words(range)
      case .objects: .objects(range)
      }
    return FieldEntry(field: stored.field, value: value)
  }
}

// MARK: Rollback

extension Batch {
  /// A position to roll back to when a packet is rejected halfway.
  public struct Mark: Sendable {
    @usableFromInline var entries = 0
    /// How many of the entries are facts.
    @usableFromInline var facts = 0
    @usableFromInline var fields = 0
    @usableFromInline var objects = 0
    @usableFromInline var objectFields = 0
    @usableFromInline var words = 0
    @usableFromInline var numbers = 0
    @usableFromInline var bytes = 0
    @usableFromInline var actions = 0

    @inlinable
    init() {}
  }

  public var mark: Mark { taken }

  public mutating func rollback(to mark: Mark) {
    taken = mark
    forgetActions()
    openList = .none
    takesFields = taken.entries > 0
    hasOverflowed = false
  }

  /// Drops actions after the current mark.
  @usableFromInline
  mutating func forgetActions() { actions.removeLast(actions.count - taken.actions) }

  func factCount(from mark: Mark) -> Int { taken.facts - mark.facts }

  func form(of entry: Int) -> EntryForm { entryRoom[entry].form }
  func kind(of entry: Int) -> SampleKind { entryRoom[entry].kind }

  /// The only field of a fact; nil if it did not fit.
  func factField(of entry: Int) -> StoredField? {
    let first = Int(entryRoom[entry].firstField)
    let end = entry + 1 < taken.entries ? Int(entryRoom[entry + 1].firstField) : taken.fields
    return first < end ? fieldRoom[first] : nil
  }

  mutating func hide(entry index: Int) {
    entryRoom[index].isHidden = true
  }
}
