// The fields of frames, to compare them with another decoder's. As in a measurement, the frames
// follow each other at intervals of a quarter of a second.

import JSON
import SensorKit
import Time
import Vocabulary

extension PluginWorkload {
  /// The fields of each frame, or null for a frame that is refused after the previous ones.
  func values(of frames: Frames) -> JSONValue {
    var plugins = frames.devices.map { _ in makePlugin() }
    var time = firstTime
    var batch = Batch()
    return .array(
      (0..<frames.count).map { index in
        batch.removeAll()
        defer { time = MonotonicTime(nanoseconds: time.nanoseconds + timeStep) }
        do throws(DecodeError) {
          try plugins[frames.device(index)].decode(
            frames.frame(index).span, from: frames.source(index), at: time, into: &batch)
        } catch {
          return .null
        }
        return fields(of: batch)
      })
  }
}

private func fields(of batch: borrowing Batch) -> JSONValue {
  var members: [JSONValue.Member] = []
  for index in batch.entryIndices {
    for field in batch.entry(index).fields { members.append(member(batch.field(field), of: batch)) }
  }
  return .object(members)
}

private func member(_ entry: Batch.FieldEntry, of batch: borrowing Batch) -> JSONValue.Member {
  JSONValue.Member(text(entry.field.name), value(entry.value, of: batch))
}

private func value(_ value: Batch.Value, of batch: borrowing Batch) -> JSONValue {
  var items: [JSONValue] = []
  switch value {
  case .number(let number): return .number(number)
  case .largeCount(let count): return .number(Double(count))
  case .flag(let flag): return .bool(flag)
  case .word(let word): return .string(text(word))
  case .text(let range): return .string(String(decoding: batch.text(range), as: UTF8.self))
  case .numbers(let range, groupedBy: _): for index in range { items.append(.number(batch.number(index))) }
  case .words(let range): for index in range { items.append(.string(text(batch.word(index)))) }
  case .objects(let range):
    for index in range {
      var members: [JSONValue.Member] = []
      for field in batch.object(index) { members.append(member(batch.objectField(field), of: batch)) }
      items.append(.object(members))
    }
  }
  return .array(items)
}

private func text(_ word: Word) -> String {
  var bytes: [UInt8] = []
  word.append(to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}
