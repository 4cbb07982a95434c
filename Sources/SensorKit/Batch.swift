// The result of decoding one packet: samples, facts, answers to commands, and actions for the
// session. A batch is created once per session and reused, so that filling it allocates nothing.
// Content that does not fit is not cut: the batch is marked as overflowed, and the whole packet is
// rejected. Frequently used storage is inline and holds no references, so that setting a value is a
// few stores.

public import Vocabulary

public struct Batch: ~Copyable {
  /// The size of the storage outside the batch itself.
  enum Capacity {
    static let bytes = 1024
    /// A device may have services of many plugins, and each requests everything at once after
    /// connecting.
    static let actions = 256
  }

  /// The used part of each storage.
  @usableFromInline var taken = Mark()
  /// The number of fields when the last list was begun. Another field closes the list.
  @usableFromInline var fieldsWithList = 0
  @usableFromInline var openList = OpenList.none
  /// There is an entry, and new fields belong to it and not to an object.
  @usableFromInline var takesFields = false
  @usableFromInline var hasOverflowed = false
  @usableFromInline var entryRoom = InlineArray<32, StoredEntry>(repeating: StoredEntry())
  @usableFromInline var fieldRoom = InlineArray<128, StoredField>(repeating: StoredField())
  @usableFromInline var objectRoom = InlineArray<64, Int32>(repeating: 0)
  @usableFromInline var objectFieldRoom = InlineArray<128, StoredField>(repeating: StoredField())
  @usableFromInline var wordRoom = InlineArray<32, Word>(repeating: "")
  /// For RR intervals, electrocardiograms and acceleration.
  @usableFromInline var numberRoom = InlineArray<4096, Double>(repeating: 0)
  // Rarely used, so on the heap.
  var byteRoom = [UInt8](repeating: 0, count: Capacity.bytes)
  public internal(set) var actions: [Action] = []

  /// A member of unknown size makes the compiler pass the batch by address. With a known size it
  /// would copy all storage wherever one element is read.
  private let byAddress: any Sendable = ()

  @usableFromInline
  enum OpenList { case none, numbers, words, objects }

  public init() {
    actions.reserveCapacity(Capacity.actions)
  }

  /// The packet had more content than fits, or a number that is not finite.
  public var overflowed: Bool {
    @inlinable get { hasOverflowed }
  }

  /// Empties the batch and keeps its storage.
  @inlinable @inline(__always)
  public mutating func removeAll() {
    let hasActions = taken.actions != 0
    taken = Mark()
    if hasActions { forgetActions() }
    openList = .none
    takesFields = false
    hasOverflowed = false
  }
}

extension Batch {
  /// An entry's fields end where those of the next one begin.
  @usableFromInline
  struct StoredEntry: Sendable {
    @usableFromInline var kind: SampleKind
    @usableFromInline var form: EntryForm
    @usableFromInline var isHidden: Bool
    @usableFromInline var firstField: Int32

    @inlinable
    init(kind: SampleKind = SampleKind(""), form: EntryForm = .fact, firstField: Int32 = 0) {
      self.kind = kind
      self.form = form
      isHidden = false
      self.firstField = firstField
    }
  }

  @usableFromInline
  enum EntryForm: Sendable { case sample, fact, answer, event }

  /// A number, a flag, or the position of the value in another storage.
  @usableFromInline
  struct StoredField {
    @usableFromInline var field: Field
    @usableFromInline var form: FieldForm
    @usableFromInline var width: UInt8
    @usableFromInline var bits: UInt64

    @inlinable
    init(field: Field = Field(""), form: FieldForm = .flag, width: UInt8 = 0, bits: UInt64 = 0) {
      self.field = field
      self.form = form
      self.width = width
      self.bits = bits
    }

    @inlinable
    init(_ field: Field, _ number: Double) {
      self.init(field: field, form: .number, bits: number.bitPattern)
    }
  }

  @usableFromInline
  enum FieldForm { case number, largeCount, flag, word, text, numbers, words, objects }
}

// MARK: Filling

extension Batch {
  /// Begins a sample. Fields set from now on belong to it, until the next sample, fact, answer or
  /// event.
  @inlinable @inline(__always)
  public mutating func sample(_ kind: SampleKind) {
    begin(.sample, kind)
  }

  /// Begins an event, something that happened once. Fields set afterwards belong to it.
  @inlinable @inline(__always)
  public mutating func event(_ name: Word) {
    begin(.event, SampleKind(name))
  }

  /// A property of the sensor that does not change: where it is worn, what it can do, who made it.
  @inlinable @inline(__always)
  public mutating func fact(_ field: Field, _ word: Word) {
    begin(.fact)
    set(field, word)
  }

  @inlinable @inline(__always)
  public mutating func fact(_ field: Field, _ number: Double) {
    begin(.fact)
    set(field, number)
  }

  @inlinable @inline(__always)
  public mutating func fact(_ field: Field, _ flag: Bool) {
    begin(.fact)
    set(field, flag)
  }

  /// Begins a fact that is a list of words, which are appended one by one.
  public mutating func factWords(_ field: Field) {
    begin(.fact)
    beginWords(field)
  }

  /// A fact whose text comes from the sensor. The bytes must be valid UTF-8; the plugin checks
  /// that.
  public mutating func fact(_ field: Field, text: Span<UInt8>) {
    begin(.fact)
    set(field, text: text)
  }

  public mutating func answer() {
    begin(.answer)
  }

  /// JSON has no infinities and no NaN, so these reject the packet.
  @inlinable @inline(__always)
  public mutating func set(_ field: Field, _ number: Double) {
    guard number.isPublishable else { return overflow() }
    append(StoredField(field, number))
  }

  /// Sets several numbers with a single check for space.
  @inlinable @inline(__always)
  public mutating func set<let count: Int>(_ numbers: InlineArray<count, (field: Field, number: Double)>) {
    let start = taken.fields
    guard takesFields, start >= 0, start <= fieldRoom.count - count else { return setEach(numbers) }
    for index in 0..<count {
      guard numbers[index].number.isPublishable else { return overflow() }
      fieldRoom[start + index] = StoredField(numbers[index].field, numbers[index].number)
    }
    taken.fields = start + count
  }

  @usableFromInline
  mutating func setEach<let count: Int>(_ numbers: InlineArray<count, (field: Field, number: Double)>) {
    for index in 0..<count { set(numbers[index].field, numbers[index].number) }
  }

  /// Integers are published exactly, even those that a double would round.
  @inlinable @inline(__always)
  public mutating func set(_ field: Field, _ number: some BinaryInteger) {
    if number.bitWidth > 53, let large = UInt64(exactly: number), large > 1 << 53 {
      append(StoredField(field: field, form: .largeCount, bits: large))
    } else {
      append(StoredField(field, Double(number)))
    }
  }

  @inlinable @inline(__always)
  public mutating func set(_ field: Field, _ flag: Bool) {
    append(StoredField(field: field, form: .flag, bits: flag ? 1 : 0))
  }

  @inlinable @inline(__always)
  public mutating func set(_ field: Field, _ word: Word) {
    guard wordRoom.indices.contains(taken.words) else { return overflow() }
    append(StoredField(field: field, form: .word, bits: UInt64(taken.words)))
    wordRoom[taken.words] = word
    taken.words += 1
  }

  /// Sets a field to text from the packet. It must be valid UTF-8.
  public mutating func set(_ field: Field, text: Span<UInt8>) {
    guard let range = store(text) else { return }
    append(StoredField(field: field, form: .text, bits: Self.bits(range)))
  }

  /// Begins a list of numbers. In a list of vectors, each item has `width` numbers.
  @inlinable @inline(__always)
  public mutating func beginNumbers(_ field: Field, inGroupsOf width: Int = 1) {
    append(
      StoredField(
        field: field, form: .numbers, width: UInt8(width), bits: Self.bits(taken.numbers..<taken.numbers)))
    begin(.numbers)
  }

  /// Appends a number to the list begun last.
  @inlinable @inline(__always)
  public mutating func append(_ number: Double) {
    guard number.isPublishable, numberRoom.indices.contains(taken.numbers), extendList(.numbers) else {
      return overflow()
    }
    numberRoom[taken.numbers] = number
    taken.numbers += 1
  }

  /// Begins a list of words.
  public mutating func beginWords(_ field: Field) {
    append(StoredField(field: field, form: .words, bits: Self.bits(taken.words..<taken.words)))
    begin(.words)
  }

  /// Appends a word to the list begun last.
  public mutating func append(_ word: Word) {
    guard wordRoom.indices.contains(taken.words), extendList(.words) else { return overflow() }
    wordRoom[taken.words] = word
    taken.words += 1
  }

  /// Begins a list of objects; `nextObject` begins each of them.
  @inlinable @inline(__always)
  public mutating func beginObjects(_ field: Field) {
    append(StoredField(field: field, form: .objects, bits: Self.bits(taken.objects..<taken.objects)))
    begin(.objects)
    takesFields = false
  }

  /// Begins the next object of the list. Fields set from now on belong to it, until the next object
  /// or `endObjects`.
  @inlinable @inline(__always)
  public mutating func nextObject() {
    if !beginObject() { overflow() }
  }

  @inlinable @inline(__always)
  public mutating func endObjects() {
    openList = .none
    takesFields = taken.entries > 0
  }
}

// MARK: Storage

extension Batch {
  @inlinable @inline(__always)
  mutating func begin(_ form: EntryForm, _ kind: SampleKind = SampleKind("")) {
    openList = .none
    takesFields = true
    guard entryRoom.indices.contains(taken.entries) else { return overflow() }
    entryRoom[taken.entries] = StoredEntry(
      kind: kind, form: form, firstField: Int32(truncatingIfNeeded: taken.fields))
    taken.entries += 1
    if form == .fact { taken.facts += 1 }
  }

  @inlinable @inline(__always)
  mutating func append(_ field: StoredField) {
    guard takesFields, fieldRoom.indices.contains(taken.fields) else { return appendElsewhere(field) }
    fieldRoom[taken.fields] = field
    taken.fields += 1
  }

  @usableFromInline
  mutating func appendElsewhere(_ field: StoredField) {
    if openList == .objects { return appendToObject([field]) }
    guard taken.entries > 0, fieldRoom.indices.contains(taken.fields) else { return overflow() }
    takesFields = true
    append(field)
  }

  /// Returns false if there is no space or no open list of objects.
  @inlinable @inline(__always)
  mutating func beginObject() -> Bool {
    let objects = taken.objects
    guard objectRoom.indices.contains(objects), extendList(.objects) else { return false }
    objectRoom[objects] = Int32(truncatingIfNeeded: taken.objectFields)
    taken.objects = objects + 1
    return true
  }

  @inlinable @inline(__always)
  mutating func appendToObject<let count: Int>(_ fields: InlineArray<count, StoredField>) {
    let start = taken.objectFields
    guard taken.objects > 0, start >= 0, start <= objectFieldRoom.count - count else { return overflow() }
    for index in 0..<count { objectFieldRoom[start + index] = fields[index] }
    taken.objectFields = start + count
  }

  @inlinable @inline(__always)
  mutating func begin(_ list: OpenList) {
    openList = list
    fieldsWithList = taken.fields
  }

  /// Extends the list begun last by one. Returns false if no list of this type is open.
  @inlinable @inline(__always)
  mutating func extendList(_ list: OpenList) -> Bool {
    let last = fieldsWithList &- 1
    guard openList == list, fieldsWithList == taken.fields, fieldRoom.indices.contains(last) else { return false }
    fieldRoom[last].bits &+= 1 << 32
    return true
  }

  @inlinable @inline(__always)
  static func bits(_ range: Range<Int>) -> UInt64 {
    UInt64(truncatingIfNeeded: range.lowerBound) | UInt64(truncatingIfNeeded: range.count) << 32
  }

  @inlinable @inline(__always)
  static func range(_ bits: UInt64) -> Range<Int> {
    let start = Int(truncatingIfNeeded: bits & 0xffff_ffff)
    return start..<start + Int(truncatingIfNeeded: bits >> 32)
  }

  mutating func store(_ span: Span<UInt8>) -> Range<Int>? {
    let start = taken.bytes
    guard span.count <= Capacity.bytes - start else {
      overflow()
      return nil
    }
    var room = byteRoom.mutableSpan
    for index in span.indices { room[start + index] = span[index] }
    taken.bytes = start + span.count
    return start..<taken.bytes
  }

  @inlinable @inline(__always)
  mutating func overflow() {
    hasOverflowed = true
  }
}

extension Double {
  /// A comparison with NaN is false, so this is only true for finite numbers.
  @inlinable @inline(__always)
  var isPublishable: Bool { magnitude < .infinity }
}
