// Invariants of every batch of a host. Its samples are of kinds that the plugins list, numbers are
// finite, text is UTF-8, lists are complete, and only writes contain bytes.

import Fuzzing
import SensorKit

extension Batch {
  func requireSound(for infos: [SensorInfo]) {
    for entry in entries {
      if case .sample(let kind) = entry.kind {
        require(infos.contains { $0.kinds.contains(kind) }, "a sample of the kind \(kind.name), which no plugin lists")
      }
      require(!entry.fields.isEmpty, "an entry of kind \(entry.kind) without fields")
      for index in entry.fields { requireSound(field(index)) }
    }
    for action in actions {
      let isWrite = action.verb == .write || action.verb == .writeWithoutResponse
      require(isWrite != action.value.isEmpty, "\(action.verb) with \(action.value.count) bytes")
    }
  }

  private func requireSound(_ field: FieldEntry) {
    let name = field.field.name
    switch field.value {
    case .flag, .word, .words, .largeCount: break
    case .number(let number): require(number.isFinite, "\(name) is \(number)")
    case .text(let range):
      require((try? UTF8Span(validating: text(range).span)) != nil, "\(name) is not UTF-8: \(Array(text(range)))")
    case .numbers(let range, let width):
      require(width > 0 && range.count % width == 0, "\(name) has \(range.count) numbers in groups of \(width)")
      for index in range { require(number(index).isFinite, "\(name) has \(number(index)) in it") }
    case .objects(let range):
      for index in range {
        for field in object(index) { requireSound(objectField(field)) }
      }
    }
  }
}
