// The lines that clients would get for a batch.

import JSON
import SampleLines
public import SensorKit
import Time

/// In the order of the entries. They are lines of a sensor "s".
public func lines(of batch: borrowing Batch) -> [UInt8] {
  let time = MonotonicTime(seconds: 1)
  var writer = JSONWriter()
  for index in batch.entryIndices {
    let entry = batch.entry(index)
    switch entry.kind {
    case .sample(let kind):
      var encoded = EncodedSample()
      encoded.encode(kind, entry, of: batch, SampleHeader(sensor: "s", sequence: 1, time: time))
      writer.sample(encoded, ageMS: 0)
      writer.endLine()
    case .fact: writer.factLines(sensor: "s", time: time, entry, of: batch)
    case .answer: writer.answerLine(sensor: "s", time: time, entry, of: batch)
    case .event(let name): writer.eventLine(name, time: time, entry, of: batch)
    }
  }
  return writer.bytes
}
