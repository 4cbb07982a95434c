// Formats the values of records for all verbs. The text is bytes: `decode` writes millions of
// values, and strings cost several times as much.

import JSON
import SensorKit
import Vocabulary

struct ValueText {
  var bytes: [UInt8] = []
  let style: Style
  private var formats = FieldFormats()

  init(style: Style) {
    self.style = style
  }

  mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// Two spaces and what `write` appends, if it appends anything.
  mutating func column(_ write: (inout ValueText) -> Void) {
    append("  ")
    let start = bytes.count
    write(&self)
    if bytes.count == start { bytes.removeLast(2) }
  }
}

// MARK: Values

extension ValueText {
  mutating func value<Source: RecordValues & ~Copyable>(
    _ value: Source.RecordValue, _ format: FieldFormat, in source: borrowing Source
  ) {
    switch source.form(of: value) {
    case .nothing: break
    case .flag(let flag): append(flag ? "yes" : "no")
    case .number(let number): format.scale.shape(number, style).append(to: &bytes)
    case .text: source.appendText(of: value, to: &bytes)
    case .list(let count): list(value, count, format, in: source)
    case .object:
      append("(")
      members(of: value, in: source)
      append(")")
    }
  }

  /// The unit of a list of numbers follows the last one.
  private mutating func list<Source: RecordValues & ~Copyable>(
    _ list: Source.RecordValue, _ count: Int, _ format: FieldFormat, in source: borrowing Source
  ) {
    let isNumbers = (0..<count).allSatisfy { index in
      if case .number = source.form(of: source.item(index, of: list)) { true } else { false }
    }
    for index in 0..<count {
      if index > 0 { append(" ") }
      let item = source.item(index, of: list)
      if isNumbers, index < count - 1, case .number(let number) = source.form(of: item) {
        format.scale.shape(number, style).appendDigits(to: &bytes)
      } else {
        value(item, format, in: source)
      }
    }
  }

  /// `rr 421.9 423.8 ms, sensor contact detected`
  mutating func members<Source: RecordValues & ~Copyable>(
    of object: Source.RecordValue, in source: borrowing Source, separator: String = ", ",
    where isWanted: (Source.FieldName, Source.RecordValue) -> Bool = { _, _ in true }
  ) {
    guard case .object(let count) = source.form(of: object) else { return }
    let start = bytes.count
    for index in 0..<count {
      let (name, value) = (source.name(index, of: object), source.member(index, of: object))
      guard isWanted(name, value) else { continue }
      if bytes.count > start { append(separator) }
      member(name, value, in: source)
    }
  }

  /// `sensor contact detected`
  mutating func member<Source: RecordValues & ~Copyable>(
    _ name: Source.FieldName, _ value: Source.RecordValue, in source: borrowing Source
  ) {
    let format = source.format(of: name, &formats)
    bytes.append(contentsOf: format.label)
    append(" ")
    self.value(value, format, in: source)
  }
}

// MARK: Samples and events

extension ValueText {
  /// `142 bpm`
  mutating func headline<Source: RecordValues & ~Copyable>(
    _ name: Source.FieldName, _ value: Source.RecordValue, in source: borrowing Source
  ) {
    switch source.form(of: value) {
    case .number, .list: self.value(value, source.format(of: name, &formats), in: source)
    default: member(name, value, in: source)
    }
  }

  /// What follows the headline. Empty lists are omitted.
  mutating func details<Source: RecordValues & ~Copyable>(
    of object: Source.RecordValue, in source: borrowing Source, where isWanted: (Source.FieldName) -> Bool
  ) {
    members(of: object, in: source) { name, value in
      if case .list(0) = source.form(of: value) { return false }
      return isWanted(name)
    }
  }

  /// `heart_rate  142 bpm  rr 421.9 ms`
  mutating func sample(_ kind: SampleKind, _ entry: Batch.Entry, of batch: borrowing Batch) {
    kind.name.append(to: &bytes)
    let format = formats[kind]
    let fields = BatchValue.fields(entry.fields)
    if format.isRadar, let picture = RadarPicture(fields, in: batch) {
      column(picture.writeHeadline)
      column(picture.writeDetails)
      return
    }
    guard let index = headlineIndex(of: fields, format.headlines, in: batch) else { return }
    let name = batch.name(index, of: fields)
    let isNamed = format.explains(formats[name]) || format.headlines.contains { batch.isCalled(name, $0) }
    column { text in
      let value = batch.member(index, of: fields)
      if isNamed { text.headline(name, value, in: batch) } else { text.member(name, value, in: batch) }
    }
    column { $0.details(of: fields, in: batch) { $0 != name } }
  }

  /// `radar_approach  level 2`
  mutating func event<Source: RecordValues & ~Copyable>(
    _ name: String, _ record: Source.RecordValue, in source: borrowing Source
  ) {
    append(name)
    column { text in
      text.members(of: record, in: source, separator: "  ") { name, _ in
        !Self.eventHeader.contains { source.isCalled(name, $0) }
      }
    }
  }

  private static let eventHeader: [Word] = ["class", "event", "sensor", "t", "time", "seq"]
}

/// The main field: the first candidate that exists, else the first field.
func headlineIndex<Source: RecordValues & ~Copyable>(
  of object: Source.RecordValue, _ headlines: [Word], in source: borrowing Source
) -> Int? {
  guard case .object(let count) = source.form(of: object), count > 0 else { return nil }
  for headline in headlines {
    for index in 0..<count where source.isCalled(source.name(index, of: object), headline) { return index }
  }
  return 0
}

/// The output of a closure as a string.
func valueText(_ style: Style, _ write: (inout ValueText) -> Void) -> String {
  var text = ValueText(style: style)
  write(&text)
  return String(decoding: text.bytes, as: UTF8.self)
}

/// The value of a member as text.
func described(_ member: JSONValue.Member, _ style: Style = .plain) -> String {
  valueText(style) { $0.value(member.value, FieldFormat(member.name), in: ParsedValues()) }
}
