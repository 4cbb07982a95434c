// A value of a fact or an answer, for later use.

package import JSON
package import SensorKit
import Vocabulary

extension Batch {
  func members(of entry: Entry) -> [JSONValue.Member] {
    entry.fields.map { JSONValue.Member(field($0).field.name.description, json(field($0).value)) }
  }

  package func json(_ value: Value) -> JSONValue {
    switch value {
    case .number(let number): .number(number)
    case .largeCount(let count): .number(Double(count))
    case .flag(let flag): .bool(flag)
    case .word(let word): .string(word.description)
    case .text(let range): .string(String(decoding: text(range), as: UTF8.self))
    case .words(let range): .array(range.map { .string(word($0).description) })
    case .numbers(let range, let width):
      width == 1
        ? .array(range.map { .number(number($0)) })
        : .array(
          stride(from: range.lowerBound, to: range.upperBound, by: width).map { start in
            .array((start..<min(start + width, range.upperBound)).map { .number(number($0)) })
          })
    case .objects(let range):
      .array(
        range.map { index in
          .object(
            object(index).map { JSONValue.Member(objectField($0).field.name.description, json(objectField($0).value)) })
        })
    }
  }
}
