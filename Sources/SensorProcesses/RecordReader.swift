// Reads the records of an answer into a batch, by the names of the file. Everything that the file does not
// have, every value of another type, and every number beyond the range of a double refuses all of them.
// Reading allocates nothing.

internal import DeclaredSensors
internal import JSON
internal import SensorKit

/// Reads from a line whose JSON was checked before.
struct RecordReader {
  private let program: ProcessProgram
  private var json: JSONReader

  init(_ program: ProcessProgram) {
    self.program = program
    json = JSONReader(hugeNumbers: .infinite)
  }

  /// Reads the list of records at `place`. False if one of them is not of the file. `answersOnly` refuses all
  /// other forms.
  mutating func read(
    at place: Int, answersOnly: Bool, _ line: Span<UInt8>, into batch: inout Batch
  ) throws(JSONError) -> Bool {
    json.restart(at: place)
    guard try json.kind(line) == .array else { return false }
    try json.enter(line)
    while try json.nextItem(line) {
      guard try record(answersOnly, line, into: &batch) else { return false }
    }
    return !batch.overflowed
  }

  /// The members that name the section of a record, in the order in which they count.
  private enum Mark: Int { case sample, event, fact, answer }

  private static let marks: [Word] = ["sample", "event", "fact", "answer"]

  private mutating func record(
    _ answersOnly: Bool, _ line: Span<UInt8>, into batch: inout Batch
  ) throws(JSONError) -> Bool {
    guard try json.kind(line) == .object else { return false }
    let start = json.offset
    var count = 0
    var found: (mark: Mark, place: Int)?
    try json.enter(line)
    while try json.nextMember(line) {
      count += 1
      if let index = Self.marks.firstIndex(where: { $0.isSpelled(json.scratch) }), let mark = Mark(rawValue: index),
        index <= found?.mark.rawValue ?? index
      {
        found = (mark, json.offset)
      }
      try json.skipValue(line)
    }
    let end = json.offset
    guard let found, !answersOnly || found.mark == .answer else { return false }
    let isOfFile =
      switch found.mark {
      case .sample, .event: try named(found.mark, found.place, start, line, into: &batch)
      case .fact, .answer: count == 1 ? try nested(found.mark, found.place, line, into: &batch) : false
      }
    json.restart(at: end)
    return isOfFile
  }

  /// `{"sample":"radar","clear":true}`
  private mutating func named(
    _ mark: Mark, _ place: Int, _ start: Int, _ line: Span<UInt8>, into batch: inout Batch
  ) throws(JSONError) -> Bool {
    json.restart(at: place)
    guard try json.kind(line) == .string else { return false }
    try json.readString(line)
    guard let record = program.records.first(where: { $0.form.isNamed(json.scratch, mark == .sample) }) else {
      return false
    }
    switch record.form {
    case .sample(let kind): batch.sample(kind)
    case .event(let name): batch.event(name)
    case .fact, .answer: return false
    }
    json.restart(at: start)
    return try fields(record.fields, except: Self.marks[mark.rawValue], line, into: &batch)
  }

  /// `{"fact":{"model":"L508"}}`
  private mutating func nested(
    _ mark: Mark, _ place: Int, _ line: Span<UInt8>, into batch: inout Batch
  ) throws(JSONError) -> Bool {
    let form = mark == .fact ? ProcessProgram.Form.fact : .answer
    json.restart(at: place)
    guard let record = program.records.first(where: { $0.form == form }), try json.kind(line) == .object else {
      return false
    }
    if form == .answer { batch.answer() }
    return try fields(record.fields, areFacts: form == .fact, line, into: &batch)
  }
}

// MARK: Fields

extension RecordReader {
  /// Reads the members of the object that follows. Each may be there once.
  private mutating func fields(
    _ range: Range<Int>, except mark: Word? = nil, areFacts: Bool = false, _ line: Span<UInt8>,
    into batch: inout Batch
  ) throws(JSONError) -> Bool {
    var seen: UInt64 = 0
    var hasMark = false
    // Programs mostly write the members in the order of the file.
    var next = range.lowerBound
    try json.enter(line)
    while try json.nextMember(line) {
      if let mark, mark.isSpelled(json.scratch) {
        if hasMark { return false }
        hasMark = true
        try json.skipValue(line)
        continue
      }
      guard let index = index(in: range, from: next) else { return false }
      let bit = UInt64(1) << UInt64(index - range.lowerBound)
      guard seen & bit == 0 else { return false }
      seen |= bit
      next = index + 1
      if areFacts { batch.fact() }
      guard try value(program.fields[index], line, into: &batch) else { return false }
    }
    return true
  }

  private func index(in range: Range<Int>, from next: Int) -> Int? {
    if range.contains(next), program.fields[next].field.name.isSpelled(json.scratch) { return next }
    return range.first { program.fields[$0].field.name.isSpelled(json.scratch) }
  }

  private mutating func value(
    _ known: ProcessProgram.RecordField, _ line: Span<UInt8>, into batch: inout Batch
  ) throws(JSONError) -> Bool {
    let kind = try json.kind(line)
    switch known.type {
    case .number:
      guard kind == .number, let number = try number(line) else { return false }
      batch.set(known.field, number)
    case .flag:
      guard kind == .flag else { return false }
      batch.set(known.field, try json.readFlag(line))
    case .text:
      guard kind == .string else { return false }
      try json.readString(line)
      batch.set(known.field, text: json.scratch.span)
    case .word(let words):
      guard kind == .string, let word = try word(words, line) else { return false }
      batch.set(known.field, word)
    case .numbers, .words, .objects:
      guard kind == .array else { return false }
      return try list(known, line, into: &batch)
    }
    return !batch.overflowed
  }

  /// Nil for a number that is too large.
  private mutating func number(_ line: Span<UInt8>) throws(JSONError) -> Double? {
    let number = try json.readNumber(line)
    return number.isFinite ? number : nil
  }

  private mutating func word(_ words: Range<Int>, _ line: Span<UInt8>) throws(JSONError) -> Word? {
    try json.readString(line)
    for index in words where program.words[index].isSpelled(json.scratch) { return program.words[index] }
    return nil
  }

  private mutating func list(
    _ known: ProcessProgram.RecordField, _ line: Span<UInt8>, into batch: inout Batch
  ) throws(JSONError) -> Bool {
    try json.enter(line)
    switch known.type {
    case .numbers:
      batch.beginNumbers(known.field)
      while try json.nextItem(line) {
        guard try json.kind(line) == .number, let number = try number(line) else { return false }
        batch.append(number)
        if batch.overflowed { return false }
      }
    case .words(let words):
      batch.beginWords(known.field)
      while try json.nextItem(line) {
        guard try json.kind(line) == .string, let word = try word(words, line) else { return false }
        batch.append(word)
        if batch.overflowed { return false }
      }
    case .objects(let fields):
      batch.beginObjects(known.field)
      while try json.nextItem(line) {
        guard try json.kind(line) == .object else { return false }
        batch.nextObject()
        guard !batch.overflowed, try self.fields(fields, line, into: &batch) else { return false }
      }
      batch.endObjects()
    case .number, .flag, .text, .word: return false
    }
    return true
  }
}

extension ProcessProgram.Form {
  fileprivate func isNamed(_ text: [UInt8], _ isSample: Bool) -> Bool {
    switch self {
    case .sample(let kind): isSample && kind.name.isSpelled(text)
    case .event(let name): !isSample && name.isSpelled(text)
    case .fact, .answer: false
    }
  }
}
