// How a batch is read: entry by entry, or by the name of a field.

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
  public var entryIndices: Range<Int> { 0..<storage.taken.entries }

  /// The entries added since `mark`.
  public func entryIndices(from mark: Mark) -> Range<Int> { mark.entries..<storage.taken.entries }

  @inlinable @inline(__always)
  public func entry(_ index: Int) -> Entry {
    precondition(index < storage.taken.entries)
    return Entry(storage.entryRoom[index], fields: storage.fields(of: index))
  }

  /// All entries at once; allocates.
  public var entries: [Entry] {
    var entries: [Entry] = []
    for index in entryIndices { entries.append(entry(index)) }
    return entries
  }

  public func field(_ index: Int) -> FieldEntry {
    precondition(index < storage.taken.fields)
    return read(storage.fieldRoom[index])
  }

  public func objectField(_ index: Int) -> FieldEntry {
    precondition(index < storage.taken.objectFields)
    return read(storage.objectFieldRoom[index])
  }

  /// The fields of an object; see `objectField`.
  public func object(_ index: Int) -> Range<Int> {
    precondition(index < storage.taken.objects)
    return storage.fields(ofObject: index)
  }

  public func number(_ index: Int) -> Double {
    precondition(index < storage.taken.numbers)
    return storage.numberRoom[index]
  }

  public func word(_ index: Int) -> Word { storage.wordRoom[index] }
  public func text(_ range: Range<Int>) -> ArraySlice<UInt8> { storage.byteRoom[range] }
  public func value(of action: Action) -> ArraySlice<UInt8> { storage.byteRoom[action.value] }

  /// The number in a field of an entry, if any.
  @inlinable @inline(__always)
  public func number(_ field: Field, of entry: Entry) -> Double? {
    storage.find(field, .number, in: entry.fields)?.number
  }

  /// The range of a list of numbers in an entry, if any.
  @inlinable @inline(__always)
  public func numbers(_ field: Field, of entry: Entry) -> Range<Int>? {
    storage.find(field, .numbers, in: entry.fields)?.range
  }

  /// The word in a field of an entry, if any.
  public func word(_ field: Field, of entry: Entry) -> Word? {
    guard let stored = storage.find(field, .word, in: entry.fields) else { return nil }
    return storage.wordRoom[stored.range.lowerBound]
  }

  /// The flag in a field of an entry, if any.
  public func flag(_ field: Field, of entry: Entry) -> Bool? {
    guard let stored = storage.find(field, .flag, in: entry.fields) else { return nil }
    return stored.bits != 0
  }

  /// The text of a field of an entry, if any. Allocates, so it is for rare entries.
  public func text(_ field: Field, of entry: Entry) -> String? {
    for index in entry.fields where storage.fieldRoom[index].field == field {
      switch self.field(index).value {
      case .text(let range): return String(decoding: text(range), as: UTF8.self)
      case .word(let word): return word.description
      default: continue
      }
    }
    return nil
  }

  func read(_ stored: StoredField) -> FieldEntry {
    let range = stored.range
    let value: Value =
      switch stored.form {
      case .number: .number(stored.number)
      case .largeCount: .largeCount(stored.bits)
      case .flag: .flag(stored.bits != 0)
      case .word: .word(storage.wordRoom[range.lowerBound])
      case .text: .text(range)
      case .numbers: .numbers(range, groupedBy: Int(stored.width))
      case .words: .words(range)
      case .objects: .objects(range)
      }
    return FieldEntry(field: stored.field, value: value)
  }
}

// MARK: For the host

extension Batch {
  func factCount(from mark: Mark) -> Int { storage.taken.facts - mark.facts }

  func form(of entry: Int) -> StoredEntry.Form { storage.entryRoom[entry].form }
  func kind(of entry: Int) -> SampleKind { storage.entryRoom[entry].kind }

  /// The only field of a fact; nil if it did not fit.
  func factField(of entry: Int) -> StoredField? {
    storage.fields(of: entry).first.map { storage.fieldRoom[$0] }
  }

  mutating func hide(entry index: Int) {
    storage.entryRoom[index].isHidden = true
  }
}
