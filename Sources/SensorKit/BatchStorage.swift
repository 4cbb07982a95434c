// The storage of a batch: entries with their fields, and lists of numbers, words and objects. All of
// it is used again for the next packet, so that filling it allocates nothing. What does not fit is
// not cut: the storage is marked as overflowed.

import JSON
import Vocabulary

@usableFromInline
struct BatchStorage: ~Copyable {
  /// The used part of each room.
  @usableFromInline var taken = Batch.Mark()
  /// The number of fields when the last list was begun. Another field closes the list.
  @usableFromInline var fieldsWithList = 0
  @usableFromInline var openList = OpenList.none
  /// The same for the list begun last in an object.
  @usableFromInline var objectFieldsWithList = 0
  @usableFromInline var openListOfObject = OpenList.none
  /// There is an entry, and new fields belong to it and not to an object.
  @usableFromInline var takesFields = false
  @usableFromInline var hasOverflowed = false
  @usableFromInline var entryRoom = InlineArray<32, StoredEntry>(repeating: StoredEntry())
  @usableFromInline var fieldRoom = InlineArray<128, StoredField>(repeating: StoredField())
  @usableFromInline var objectRoom = InlineArray<64, Int32>(repeating: 0)
  @usableFromInline var objectFieldRoom = InlineArray<128, StoredField>(repeating: StoredField())
  @usableFromInline var wordRoom = InlineArray<32, Word>(repeating: "")
  // On the heap, because most sensors send only short lists and texts, or none.
  /// For RR intervals, electrocardiograms and acceleration. Grows to what is used.
  @usableFromInline var numberRoom: [Double] = []
  private(set) var byteRoom = [UInt8](repeating: 0, count: bytes)

  /// A member of unknown size makes the compiler pass the storage by address. With a known size it
  /// would copy all of it wherever one element is read.
  private let byAddress: any Sendable = ()

  private static let numbers = 4096
  private static let bytes = 1024

  @usableFromInline
  enum OpenList { case none, numbers, words, objects }

  init() {
    numberRoom.reserveCapacity(Self.numbers)
  }

  @inlinable @inline(__always)
  mutating func removeAll() {
    taken = Batch.Mark()
    openList = .none
    takesFields = false
    hasOverflowed = false
  }

  mutating func rollback(to mark: Batch.Mark) {
    taken = mark
    openList = .none
    takesFields = taken.entries > 0
    hasOverflowed = false
  }

  @inlinable @inline(__always)
  mutating func overflow() {
    hasOverflowed = true
  }
}

@usableFromInline
struct StoredEntry: Sendable {
  @usableFromInline
  enum Form: Sendable { case sample, fact, answer, event }

  @usableFromInline var kind: SampleKind
  @usableFromInline var form: Form
  @usableFromInline var isHidden: Bool
  /// An entry's fields end where those of the next one begin.
  @usableFromInline var firstField: Int32

  @inlinable
  init(kind: SampleKind = SampleKind(""), form: Form = .fact, firstField: Int32 = 0) {
    self.kind = kind
    self.form = form
    isHidden = false
    self.firstField = firstField
  }
}

/// A number, a flag, or the position of the value in another room.
@usableFromInline
struct StoredField {
  @usableFromInline
  enum Form { case number, largeCount, flag, word, text, numbers, words, objects }

  @usableFromInline var field: Field
  @usableFromInline var form: Form
  @usableFromInline var width: UInt8
  @usableFromInline var bits: UInt64

  @inlinable
  init(field: Field = Field(""), form: Form = .flag, width: UInt8 = 0, bits: UInt64 = 0) {
    self.field = field
    self.form = form
    self.width = width
    self.bits = bits
  }

  @inlinable
  init(_ field: Field, _ number: Double) {
    self.init(field: field, form: .number, bits: number.bitPattern)
  }

  /// The place of a value in another room.
  @inlinable @inline(__always)
  init(_ field: Field, _ form: Form, _ range: Range<Int>, width: UInt8 = 0) {
    let bits = UInt64(truncatingIfNeeded: range.lowerBound) | UInt64(truncatingIfNeeded: range.count) << 32
    self.init(field: field, form: form, width: width, bits: bits)
  }

  @inlinable @inline(__always)
  var range: Range<Int> {
    let start = Int(truncatingIfNeeded: bits & 0xffff_ffff)
    return start..<start + Int(truncatingIfNeeded: bits >> 32)
  }

  @inlinable @inline(__always)
  var number: Double { Double(bitPattern: bits) }
}

// MARK: Entries and fields

extension BatchStorage {
  @inlinable @inline(__always)
  mutating func begin(_ form: StoredEntry.Form, _ kind: SampleKind = SampleKind("")) {
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

  /// Appends several numbers with a single check for space. Returns false if this is not possible.
  @inlinable @inline(__always)
  mutating func append<let count: Int>(_ numbers: InlineArray<count, (field: Field, number: Double)>) -> Bool {
    let start = taken.fields
    guard takesFields, start >= 0, start <= fieldRoom.count - count else { return false }
    for index in 0..<count {
      guard numbers[index].number.isPublishable else {
        overflow()
        return true
      }
      fieldRoom[start + index] = StoredField(numbers[index].field, numbers[index].number)
    }
    taken.fields = start + count
    return true
  }

  @inlinable @inline(__always)
  mutating func append(_ field: Field, _ word: Word) {
    guard wordRoom.indices.contains(taken.words) else { return overflow() }
    append(StoredField(field: field, form: .word, bits: UInt64(taken.words)))
    wordRoom[taken.words] = word
    taken.words += 1
  }

  mutating func append(_ field: Field, _ text: Span<UInt8>) {
    if let range = store(text) { append(StoredField(field, .text, range)) }
  }

  mutating func append(_ field: Field, hex bytes: Span<UInt8>) {
    let start = taken.bytes
    guard 2 * bytes.count <= Self.bytes - start else { return overflow() }
    var room = byteRoom.mutableSpan
    for index in bytes.indices {
      room[start + 2 * index] = hexLetter(bytes[index] >> 4)
      room[start + 2 * index + 1] = hexLetter(bytes[index] & 0xf)
    }
    taken.bytes = start + 2 * bytes.count
    append(StoredField(field, .text, start..<taken.bytes))
  }

  mutating func store(_ span: Span<UInt8>) -> Range<Int>? {
    let start = taken.bytes
    guard span.count <= Self.bytes - start else {
      overflow()
      return nil
    }
    var room = byteRoom.mutableSpan
    for index in span.indices { room[start + index] = span[index] }
    taken.bytes = start + span.count
    return start..<taken.bytes
  }

  @inlinable @inline(__always)
  func fields(of entry: Int) -> Range<Int> {
    let end = entry + 1 < taken.entries ? Int(entryRoom[entry + 1].firstField) : taken.fields
    return Int(entryRoom[entry].firstField)..<end
  }

  /// The first of these fields with this name and form.
  @inlinable @inline(__always)
  func find(_ field: Field, _ form: StoredField.Form, in fields: Range<Int>) -> StoredField? {
    for index in fields where fieldRoom[index].field == field && fieldRoom[index].form == form {
      return fieldRoom[index]
    }
    return nil
  }
}

// MARK: Lists

extension BatchStorage {
  @inlinable @inline(__always)
  mutating func beginNumbers(_ field: Field, inGroupsOf width: Int) {
    append(StoredField(field, .numbers, taken.numbers..<taken.numbers, width: UInt8(width)))
    open(.numbers)
  }

  @inlinable @inline(__always)
  mutating func append(_ number: Double) {
    guard number.isPublishable, taken.numbers < numberRoom.count || growNumbers(), extendList(.numbers) else {
      return overflow()
    }
    numberRoom[taken.numbers] = number
    taken.numbers += 1
  }

  /// Allocates nothing, because the capacity is reserved. Returns false if it is used up.
  @usableFromInline
  mutating func growNumbers() -> Bool {
    guard numberRoom.count < Self.numbers else { return false }
    numberRoom.append(0)
    return true
  }

  mutating func beginWords(_ field: Field) {
    append(StoredField(field, .words, taken.words..<taken.words))
    open(.words)
  }

  mutating func append(_ word: Word) {
    guard wordRoom.indices.contains(taken.words), extendList(.words) else { return overflow() }
    wordRoom[taken.words] = word
    taken.words += 1
  }

  @inlinable @inline(__always)
  mutating func beginObjects(_ field: Field) {
    append(StoredField(field, .objects, taken.objects..<taken.objects))
    open(.objects)
    takesFields = false
  }

  /// Returns false if there is no space or no open list of objects.
  @inlinable @inline(__always)
  mutating func beginObject() -> Bool {
    let objects = taken.objects
    guard objectRoom.indices.contains(objects), extendList(.objects) else { return false }
    openListOfObject = .none
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
  mutating func endObjects() {
    openList = .none
    takesFields = taken.entries > 0
  }

  func fields(ofObject object: Int) -> Range<Int> {
    let end = object + 1 < taken.objects ? Int(objectRoom[object + 1]) : taken.objectFields
    return Int(objectRoom[object])..<end
  }

  @inlinable @inline(__always)
  mutating func open(_ list: OpenList) {
    if openList == .objects, !takesFields { return openInObject(list) }
    openList = list
    fieldsWithList = taken.fields
  }

  /// Objects have no lists of objects.
  @usableFromInline
  mutating func openInObject(_ list: OpenList) {
    if list == .objects { overflow() }
    openListOfObject = list
    objectFieldsWithList = taken.objectFields
  }

  @usableFromInline
  mutating func extendListOfObject(_ list: OpenList) -> Bool {
    let last = objectFieldsWithList - 1
    guard openList == .objects, !takesFields, openListOfObject == list, objectFieldsWithList == taken.objectFields,
      objectFieldRoom.indices.contains(last)
    else { return false }
    objectFieldRoom[last].bits &+= 1 << 32
    return true
  }

  /// Extends the list begun last by one. Returns false if no list of this type is open.
  @inlinable @inline(__always)
  mutating func extendList(_ list: OpenList) -> Bool {
    let last = fieldsWithList &- 1
    guard openList == list, fieldsWithList == taken.fields, fieldRoom.indices.contains(last) else {
      return extendListOfObject(list)
    }
    fieldRoom[last].bits &+= 1 << 32
    return true
  }
}

extension Double {
  /// A comparison with NaN is false, so this is only true for finite numbers.
  @inlinable @inline(__always)
  var isPublishable: Bool { magnitude < .infinity }
}
