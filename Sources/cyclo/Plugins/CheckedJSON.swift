// The records that a sensor's file makes of a capture, as `cyclo decode --json` writes them. A
// refusal also has the file and the line.

import CaptureDecoding
import DeclaredSensors
import JSON
import SampleLines
import SensorKit
import Time
import Vocabulary

final class CheckedJSON: DecodedOutput {
  private let records = DecodedJSON()
  private var lines: [UInt8] = []
  private let file: String
  private let tally: PacketTally
  private(set) var counts = RecordCounts()

  init(file: String, _ tally: PacketTally) {
    self.file = file
    self.tally = tally
  }

  var bytes: [UInt8] { lines }
  func removeAll() { lines.removeAll(keepingCapacity: true) }

  func sample(_ kind: SampleKind, _ header: SampleHeader, _ entry: Batch.Entry, of batch: borrowing Batch) {
    counts.samples += 1
    records.sample(kind, header, entry, of: batch)
    moveRecords()
  }

  func facts(sensor: String, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch) {
    counts.facts += entry.fields.count
    records.facts(sensor: sensor, time: time, entry, of: batch)
    moveRecords()
  }

  func answer(sensor: String, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch) {
    counts.answers += 1
    records.answer(sensor: sensor, time: time, entry, of: batch)
    moveRecords()
  }

  func event(
    _ name: Word, sensor: String?, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch
  ) {
    counts.events += 1
    records.event(name, sensor: sensor, time: time, entry, of: batch)
    moveRecords()
  }

  func refused(sensor: String, time: MonotonicTime, source: String, _ error: DecodeError) {
    records.refused(sensor: sensor, time: time, source: source, error)
    var place = [JSONValue.Member("file", .string(file))]
    if let line = tally.line { place.append(JSONValue.Member("line", .number(Double(line)))) }
    lines.append(contentsOf: records.bytes.dropLast(2))
    lines.append(UInt8(ascii: ","))
    lines.append(contentsOf: JSONValue.object(place).encoded.utf8.dropFirst())
    lines.append(UInt8(ascii: "\n"))
    records.removeAll()
  }

  private func moveRecords() {
    lines.append(contentsOf: records.bytes)
    records.removeAll()
  }
}
