// Access to the values of a record, whether it was parsed from a line or is in a plugin's batch.
// ValueText.swift formats both alike, so `decode` need not parse its own output.

import JSON
import SensorKit
import Text
import Vocabulary

protocol RecordValues: ~Copyable {
  associatedtype FieldName
  associatedtype RecordValue

  func form(of value: RecordValue) -> ValueForm
  func item(_ index: Int, of list: RecordValue) -> RecordValue
  func name(_ index: Int, of object: RecordValue) -> FieldName
  func member(_ index: Int, of object: RecordValue) -> RecordValue
  /// Printable; only for text values.
  func appendText(of value: RecordValue, to text: inout [UInt8])

  func isCalled(_ name: FieldName, _ word: Word) -> Bool
  func format(of name: FieldName, _ formats: inout FieldFormats) -> FieldFormat
}

enum ValueForm {
  case nothing
  case flag(Bool)
  case number(Double)
  case text
  case list(count: Int)
  case object(count: Int)
}

extension RecordValues where Self: ~Copyable {
  /// If a name occurs more than once, the last member counts.
  func member(_ name: Word, of object: RecordValue) -> RecordValue? {
    guard case .object(let count) = form(of: object) else { return nil }
    var index = count
    while index > 0 {
      index -= 1
      if isCalled(self.name(index, of: object), name) { return member(index, of: object) }
    }
    return nil
  }

  func number(_ name: Word, of object: RecordValue) -> Double? {
    guard let value = member(name, of: object), case .number(let number) = form(of: value) else { return nil }
    return number
  }

  func text(_ name: Word, of object: RecordValue) -> String? {
    guard let value = member(name, of: object), case .text = form(of: value) else { return nil }
    var bytes: [UInt8] = []
    appendText(of: value, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

// MARK: Parsed

struct ParsedValues: RecordValues {
  func form(of value: JSONValue) -> ValueForm {
    switch value {
    case .null: .nothing
    case .bool(let flag): .flag(flag)
    case .number(let number): .number(number)
    case .string: .text
    case .array(let items): .list(count: items.count)
    case .object(let members): .object(count: members.count)
    }
  }

  func item(_ index: Int, of list: JSONValue) -> JSONValue { list.items?[index] ?? .null }
  func name(_ index: Int, of object: JSONValue) -> String { object.members?[index].name ?? "" }
  func member(_ index: Int, of object: JSONValue) -> JSONValue { object.members?[index].value ?? .null }
  func appendText(of value: JSONValue, to text: inout [UInt8]) {
    text.append(contentsOf: printable(value.text ?? "").utf8)
  }
  func isCalled(_ name: String, _ word: Word) -> Bool { name == word.description }
  func format(of name: String, _ formats: inout FieldFormats) -> FieldFormat { FieldFormat(name) }
}

// MARK: In a batch

/// A value of a batch, or several fields that form an object.
enum BatchValue {
  case value(Batch.Value)
  case fields(Range<Int>)
  case objectFields(Range<Int>)
}

extension Batch: RecordValues {
  func form(of value: BatchValue) -> ValueForm {
    switch value {
    case .value(let value): plainForm(of: value)
    case .fields(let fields), .objectFields(let fields): .object(count: fields.count)
    }
  }

  private func plainForm(of value: Batch.Value) -> ValueForm {
    switch value {
    case .number(let number): .number(number.asPublished)
    case .largeCount(let count): .number(Double(count))
    case .flag(let flag): .flag(flag)
    case .word, .text: .text
    case .numbers(let numbers, let width): .list(count: numbers.count / max(1, width))
    case .words(let words): .list(count: words.count)
    case .objects(let objects): .list(count: objects.count)
    }
  }

  func item(_ index: Int, of list: BatchValue) -> BatchValue {
    guard case .value(let list) = list else { return list }
    switch list {
    case .numbers(let numbers, 1): return .value(.number(number(numbers.lowerBound + index)))
    case .numbers(let numbers, let width):
      let start = numbers.lowerBound + index * width
      return .value(.numbers(start..<start + width, groupedBy: 1))
    case .words(let words): return .value(.word(word(words.lowerBound + index)))
    case .objects(let objects): return .objectFields(object(objects.lowerBound + index))
    case .number, .largeCount, .flag, .word, .text: return .value(list)
    }
  }

  func name(_ index: Int, of object: BatchValue) -> Word { field(index, of: object)?.field.name ?? "" }

  func member(_ index: Int, of object: BatchValue) -> BatchValue {
    field(index, of: object).map { .value($0.value) } ?? object
  }

  private func field(_ index: Int, of object: BatchValue) -> FieldEntry? {
    switch object {
    case .value: nil
    case .fields(let fields): field(fields.lowerBound + index)
    case .objectFields(let fields): objectField(fields.lowerBound + index)
    }
  }

  func appendText(of value: BatchValue, to bytes: inout [UInt8]) {
    switch value {
    case .value(.word(let word)): word.append(to: &bytes)
    case .value(.text(let range)):
      bytes.append(contentsOf: printable(String(decoding: text(range), as: UTF8.self)).utf8)
    default: break
    }
  }

  func isCalled(_ name: Word, _ word: Word) -> Bool { name == word }
  func format(of name: Word, _ formats: inout FieldFormats) -> FieldFormat { formats[name] }
}
