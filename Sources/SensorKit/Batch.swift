// What a plugin made of one packet: samples, facts, answers to commands, and actions for the session to do. Made once per
// session and reused: filling one allocates nothing after it has been made. What does not fit is not cut: the batch is
// marked, and the packet refused as a whole.

public struct Batch: ~Copyable {
  /// How much one packet may say. The numbers are the arena of RR intervals, targets, ECG and acceleration.
  public enum Capacity {
    static let entries = 32
    static let fields = 256
    static let objects = 64
    static let numbers = 4096
    static let words = 32
    static let bytes = 1024
    static let actions = 32
  }

  public private(set) var entries: [Entry] = []
  public internal(set) var actions: [Action] = []
  private var fields: [FieldEntry] = []
  private var objects: [Range<Int>] = []
  private var objectFields: [FieldEntry] = []
  private var numbers: [Double] = []
  private var words: [String] = []
  private var bytes: [UInt8] = []
  private var openList = OpenList.none
  public private(set) var overflowed = false

  private enum OpenList { case none, numbers, words, objects }

  public init() {
    entries.reserveCapacity(Capacity.entries)
    actions.reserveCapacity(Capacity.actions)
    fields.reserveCapacity(Capacity.fields)
    objects.reserveCapacity(Capacity.objects)
    objectFields.reserveCapacity(Capacity.fields)
    numbers.reserveCapacity(Capacity.numbers)
    words.reserveCapacity(Capacity.words)
    bytes.reserveCapacity(Capacity.bytes)
  }

  /// Empties the batch and keeps its room.
  public mutating func removeAll() {
    rollback(to: Mark())
  }
}

// MARK: What a plugin says

extension Batch {
  /// Begins a sample; the fields set until the next sample, fact or answer are its own.
  public mutating func sample(_ kind: SampleKind) {
    begin(.sample(kind))
  }

  /// Something that is so for as long as the sensor is the same: where it is worn, what it can do, who made it.
  public mutating func fact(_ field: Field, _ word: String) {
    begin(.fact)
    set(field, word)
  }

  public mutating func fact(_ field: Field, _ number: Double) {
    begin(.fact)
    set(field, number)
  }

  public mutating func fact(_ field: Field, _ flag: Bool) {
    begin(.fact)
    set(field, flag)
  }

  /// Begins a fact that is a list of words; they are appended one by one.
  public mutating func factWords(_ field: Field) {
    begin(.fact)
    beginWords(field)
  }

  /// A fact whose words the sensor itself wrote. The bytes must be UTF-8: the plugin has looked.
  public mutating func fact(_ field: Field, text: Span<UInt8>) {
    begin(.fact)
    set(field, text: text)
  }

  /// Begins the answer to a command.
  public mutating func answer() {
    begin(.answer)
  }

  /// What is not finite has no place in JSON, and refuses the packet.
  public mutating func set(_ field: Field, _ number: Double) {
    guard number.isFinite else { return overflow() }
    append(field, .number(number))
  }

  /// A whole number is published to its last digit, also one that a double would round.
  public mutating func set(_ field: Field, _ number: some BinaryInteger) {
    guard let large = UInt64(exactly: number), large > 1 << 53 else { return set(field, Double(number)) }
    append(field, .largeCount(large))
  }

  public mutating func set(_ field: Field, _ flag: Bool) {
    append(field, .flag(flag))
  }

  /// Sets a field to a word of its vocabulary. A literal: anything else would allocate.
  public mutating func set(_ field: Field, _ word: String) {
    append(field, .word(word))
  }

  /// Sets a field to a text made of the packet's bytes. The text must be UTF-8.
  public mutating func set(_ field: Field, text: Span<UInt8>) {
    guard let range = store(text) else { return }
    append(field, .text(range))
  }

  /// Begins a list of numbers as a field of the current sample; of vectors, where `width` numbers each are one item.
  public mutating func beginNumbers(_ field: Field, inGroupsOf width: Int = 1) {
    append(field, .numbers(numbers.count..<numbers.count, groupedBy: width))
    openList = .numbers
  }

  /// One more number of the list that was begun last.
  public mutating func append(_ number: Double) {
    guard number.isFinite, openList == .numbers, numbers.count < Capacity.numbers, let last = fields.indices.last,
      case .numbers(let range, let width) = fields[last].value
    else { return overflow() }
    numbers.append(number)
    fields[last].value = .numbers(range.lowerBound..<numbers.count, groupedBy: width)
  }

  /// Begins a list of words of a vocabulary as a field of the current sample.
  public mutating func beginWords(_ field: Field) {
    append(field, .words(words.count..<words.count))
    openList = .words
  }

  /// One more word of the list that was begun last.
  public mutating func append(_ word: String) {
    guard openList == .words, words.count < Capacity.words, let last = fields.indices.last,
      case .words(let range) = fields[last].value
    else { return overflow() }
    words.append(word)
    fields[last].value = .words(range.lowerBound..<words.count)
  }

  /// Begins a list of objects as a field of the current sample; `nextObject` begins each of them.
  public mutating func beginObjects(_ field: Field) {
    append(field, .objects(objects.count..<objects.count))
    openList = .objects
  }

  /// Begins the next object of the list; the fields set until the next one, or until `endObjects`, are its own.
  public mutating func nextObject() {
    guard openList == .objects, objects.count < Capacity.objects, let last = fields.indices.last,
      case .objects(let range) = fields[last].value
    else { return overflow() }
    objects.append(objectFields.count..<objectFields.count)
    fields[last].value = .objects(range.lowerBound..<objects.count)
  }

  public mutating func endObjects() {
    openList = .none
  }
}

// MARK: What the host reads

extension Batch {
  public enum EntryKind: Equatable, Sendable {
    case sample(SampleKind)
    case fact
    case answer
  }

  /// One sample, fact or answer, and which fields are its own.
  public struct Entry: Sendable {
    public let kind: EntryKind
    public fileprivate(set) var fields: Range<Int>
    /// Said, but not to be published: another plugin of the same sensor speaks for this kind.
    public internal(set) var isHidden = false
  }

  public enum Value: Equatable, Sendable {
    case number(Double)
    /// Above what a double holds exactly.
    case largeCount(UInt64)
    case flag(Bool)
    case word(String)
    case text(Range<Int>)
    case numbers(Range<Int>, groupedBy: Int)
    case words(Range<Int>)
    case objects(Range<Int>)
  }

  public struct FieldEntry: Sendable {
    public let field: Field
    public fileprivate(set) var value: Value
  }

  /// The entries made since `mark`.
  public func entryIndices(from mark: Mark) -> Range<Int> { mark.entries..<entries.count }

  public func field(_ index: Int) -> FieldEntry { fields[index] }
  public func number(_ index: Int) -> Double { numbers[index] }
  public func word(_ index: Int) -> String { words[index] }
  public func object(_ index: Int) -> Range<Int> { objects[index] }
  public func objectField(_ index: Int) -> FieldEntry { objectFields[index] }
  public func text(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }
  public func value(of action: Action) -> ArraySlice<UInt8> { bytes[action.value] }

  /// The number of a field of an entry, where it has one.
  public func number(_ field: Field, of entry: Entry) -> Double? {
    for index in entry.fields where fields[index].field == field {
      if case .number(let number) = fields[index].value { return number }
    }
    return nil
  }

  mutating func hide(entry index: Int) {
    entries[index].isHidden = true
  }
}

// MARK: Whole or nothing

extension Batch {
  /// A place to go back to when a packet is refused half-way.
  public struct Mark: Sendable {
    fileprivate var entries = 0
    fileprivate var actions = 0
    fileprivate var fields = 0
    fileprivate var objects = 0
    fileprivate var objectFields = 0
    fileprivate var numbers = 0
    fileprivate var words = 0
    fileprivate var bytes = 0
  }

  public var mark: Mark {
    Mark(
      entries: entries.count, actions: actions.count, fields: fields.count, objects: objects.count,
      objectFields: objectFields.count, numbers: numbers.count, words: words.count, bytes: bytes.count)
  }

  public mutating func rollback(to mark: Mark) {
    entries.shorten(to: mark.entries)
    actions.shorten(to: mark.actions)
    fields.shorten(to: mark.fields)
    objects.shorten(to: mark.objects)
    objectFields.shorten(to: mark.objectFields)
    numbers.shorten(to: mark.numbers)
    words.shorten(to: mark.words)
    bytes.shorten(to: mark.bytes)
    openList = .none
    overflowed = false
  }
}

extension Batch {
  private mutating func begin(_ kind: EntryKind) {
    openList = .none
    guard entries.count < Capacity.entries else { return overflow() }
    entries.append(Entry(kind: kind, fields: fields.count..<fields.count))
  }

  private mutating func append(_ field: Field, _ value: Value) {
    if openList == .objects {
      guard objectFields.count < Capacity.fields, let last = objects.indices.last else { return overflow() }
      objectFields.append(FieldEntry(field: field, value: value))
      objects[last] = objects[last].lowerBound..<objectFields.count
      return
    }
    openList = .none
    guard fields.count < Capacity.fields, let last = entries.indices.last else { return overflow() }
    fields.append(FieldEntry(field: field, value: value))
    entries[last].fields = entries[last].fields.lowerBound..<fields.count
  }

  mutating func store(_ span: Span<UInt8>) -> Range<Int>? {
    guard span.count <= Capacity.bytes - bytes.count else {
      overflow()
      return nil
    }
    let start = bytes.count
    for index in span.indices { bytes.append(span[index]) }
    return start..<bytes.count
  }

  mutating func overflow() {
    overflowed = true
  }
}

extension Array {
  /// Most of the arrays are as short as they should be already, and then this costs nothing.
  fileprivate mutating func shorten(to length: Int) {
    if count > length { removeLast(count - length) }
  }
}
