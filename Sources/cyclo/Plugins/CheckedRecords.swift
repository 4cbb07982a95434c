// The records that a sensor's file makes of a capture, as text in columns. A refusal names the line
// of the file, and facts have their names in the file.

import CaptureDecoding
import DeclaredSensors
import JSON
import SampleLines
import SensorKit
import Text
import Time
import Vocabulary

final class CheckedRecords: DecodedOutput {
  private var text: ValueText
  private let file: String
  private let tally: PacketTally
  /// Of the column with the kinds.
  private let width: Int
  private(set) var counts = RecordCounts()
  /// If the last line has facts: whose, and when.
  private var factLine: (sensor: String, time: MonotonicTime)?

  init(_ program: SensorProgram, file: String, _ tally: PacketTally, _ style: Style) {
    text = ValueText(style: style)
    self.file = file
    self.tally = tally
    let names = program.info.kinds.map(\.name.description) + program.events
    width = names.map(\.utf8.count).max().map { max($0, 7) } ?? 7
  }

  var bytes: [UInt8] { text.bytes }
  func removeAll() {
    text.bytes.removeAll(keepingCapacity: true)
    factLine = nil
  }

  func sample(_ kind: SampleKind, _ header: SampleHeader, _ entry: Batch.Entry, of batch: borrowing Batch) {
    counts.samples += 1
    factLine = nil
    text.begin(header.time, header.sensor)
    let start = text.bytes.count
    text.sample(kind, entry, of: batch)
    pad(kind.name.description, at: start)
    text.append("\n")
  }

  /// The facts of a packet on one line.
  func facts(sensor: String, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch) {
    if let factLine, factLine == (sensor, time) {
      text.bytes.removeLast()
      text.append(", ")
    } else {
      begin("fact", time, sensor)
    }
    factLine = (sensor, time)
    for index in entry.fields {
      counts.facts += 1
      if index > entry.fields.lowerBound { text.append(", ") }
      let field = batch.field(index)
      text.append("\(field.field.name) ")
      text.value(.value(field.value), FieldFormat(field.field.name.description), in: batch)
    }
    text.append("\n")
  }

  func answer(sensor: String, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch) {
    counts.answers += 1
    begin("answer", time, sensor)
    text.members(of: .fields(entry.fields), in: batch)
    text.append("\n")
  }

  func event(
    _ name: Word, sensor: String?, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch
  ) {
    counts.events += 1
    begin(name.description, time, sensor ?? "")
    text.members(of: .fields(entry.fields), in: batch)
    text.append("\n")
  }

  func refused(sensor: String, time: MonotonicTime, source: String, _ error: DecodeError) {
    begin("refused", time, sensor)
    let line = tally.line.map { ":\($0)" } ?? " has no packet from there"
    text.append("\(source): \(error.reason.rawValue) at byte \(error.offset)  (\(printable(file))\(line))\n")
  }

  private func begin(_ name: String, _ time: MonotonicTime, _ sensor: String) {
    factLine = nil
    text.begin(time, sensor)
    let start = text.bytes.count
    text.append("\(name)  ")
    pad(name, at: start)
  }

  private func pad(_ name: String, at start: Int) {
    let padding = [UInt8](repeating: UInt8(ascii: " "), count: max(0, width - name.utf8.count))
    text.bytes.insert(contentsOf: padding, at: start + name.utf8.count)
  }
}
