// The destination of decoded records. Each is written from a batch of a plugin or of the ride, in
// the form chosen by the caller.

import JSON
public import SampleLines
public import SensorKit
public import Time
public import Vocabulary

public protocol DecodedOutput: AnyObject {
  /// The lines written since `removeAll`.
  var bytes: [UInt8] { get }
  /// Empties the buffer and keeps its storage.
  func removeAll()

  func sample(_ kind: SampleKind, _ header: SampleHeader, _ entry: Batch.Entry, of batch: borrowing Batch)
  /// One line per fact of the entry.
  func facts(sensor: String, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch)
  func answer(sensor: String, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch)
  /// `sensor` is nil for events of the ride.
  func event(_ name: Word, sensor: String?, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch)
  func refused(sensor: String, time: MonotonicTime, source: String, _ error: DecodeError)
}

/// Writes the lines of the protocol.
public final class DecodedJSON: DecodedOutput {
  private var writer = JSONWriter()
  private var encoded = EncodedSample()

  public init() {}

  public var bytes: [UInt8] { writer.bytes }
  public func removeAll() { writer.removeAll() }

  public func sample(_ kind: SampleKind, _ header: SampleHeader, _ entry: Batch.Entry, of batch: borrowing Batch) {
    encoded.encode(kind, entry, of: batch, header)
    writer.sample(encoded, ageMS: 0)
    writer.endLine()
  }

  public func facts(sensor: String, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch) {
    writer.factLines(sensor: sensor, time: time, entry, of: batch)
  }

  public func answer(sensor: String, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch) {
    writer.answerLine(sensor: sensor, time: time, entry, of: batch)
  }

  public func event(
    _ name: Word, sensor: String?, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch
  ) {
    writer.eventLine(name, sensor: sensor, time: time, entry, of: batch)
  }

  public func refused(sensor: String, time: MonotonicTime, source: String, _ error: DecodeError) {
    writer.refusedLine(sensor: sensor, time: time, source: source, error)
  }
}
