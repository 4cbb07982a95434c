// The records of `decode` as text, one per line: `0.250000  hr1  heart_rate  142 bpm  rr 421.9 ms`.

import CaptureDecoding
import JSON
import SampleLines
import SensorKit
import Text
import Time
import Vocabulary

final class DecodedText: DecodedOutput {
  private var text: ValueText

  init(_ style: Style) {
    text = ValueText(style: style)
  }

  var bytes: [UInt8] { text.bytes }
  func removeAll() { text.bytes.removeAll(keepingCapacity: true) }

  func sample(_ kind: SampleKind, _ header: SampleHeader, _ entry: Batch.Entry, of batch: borrowing Batch) {
    text.begin(header.time, header.sensor)
    text.sample(kind, entry, of: batch)
    text.append("\n")
  }

  func facts(sensor: String, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch) {
    for index in entry.fields {
      text.begin(time, sensor)
      text.append("fact  ")
      text.members(of: .fields(index..<index + 1), in: batch)
      text.append("\n")
    }
  }

  func answer(sensor: String, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch) {
    text.begin(time, sensor)
    text.append("answer  ")
    text.members(of: .fields(entry.fields), in: batch)
    text.append("\n")
  }

  /// An event without a sensor has no line.
  func event(
    _ name: Word, sensor: String?, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch
  ) {
    guard let sensor = sensor ?? batch.text("sensor", of: .fields(entry.fields)) else { return }
    text.begin(time, sensor)
    text.event(name.description, .fields(entry.fields), in: batch)
    text.append("\n")
  }

  func refused(sensor: String, time: MonotonicTime, source: String, _ error: DecodeError) {
    text.begin(time, sensor)
    text.append("refused  \(source): \(reasonText(error.reason.rawValue)) at byte \(error.offset)\n")
  }
}

extension ValueText {
  /// Aligns times of up to a day.
  mutating func begin(_ time: MonotonicTime, _ sensor: String) {
    let (seconds, fraction) = [UInt8].microseconds(time.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000)
    var largest: UInt64 = 10
    for _ in 0..<4 {
      if seconds < largest { append(" ") }
      largest *= 10
    }
    bytes.appendDecimal(seconds)
    append(".")
    bytes.appendPadded(fraction, width: 6)
    append("  ")
    append(printable(sensor))
    append("  ")
  }
}
