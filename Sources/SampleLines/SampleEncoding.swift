// Encodes samples, facts, answers and refusals as lines. A sample is encoded once, into a reused
// buffer. A snapshot changes only its age, so the position of the age is stored.

public import JSON
public import SensorKit
public import Time
public import Vocabulary
import Wire

/// The members of a sample besides its fields.
public struct SampleHeader: Sendable {
  public let sensor: String
  /// Counts the samples of one sensor and kind from 1.
  public let sequence: Int
  public let time: MonotonicTime
  /// Omitted while the clock has obviously not been set, and in decoded captures.
  public let wallTime: WallTime?

  public init(sensor: String, sequence: Int, time: MonotonicTime, wallTime: WallTime? = nil) {
    self.sensor = sensor
    self.sequence = sequence
    self.time = time
    self.wallTime = wallTime
  }
}

/// The last sample of a sensor and kind, ready to be sent. Encoding into it again does not
/// allocate.
public struct EncodedSample: Sendable {
  private var writer = JSONWriter()
  /// The sensor and kind of the encoded line, and the end of the part that their samples share.
  private var sensor = ""
  private var kind: SampleKind?
  private var countPlace = 0
  private var agePlace = 0

  public init() {}

  /// The line with its line feed and an age of 0; empty before the first encoding.
  public var line: [UInt8] { writer.bytes }

  public mutating func encode(
    _ kind: SampleKind, _ entry: Batch.Entry, of batch: borrowing Batch, _ header: SampleHeader
  ) {
    if kind == self.kind, header.sensor == sensor {
      writer.goBack(toValueAt: countPlace)
    } else {
      begin(kind, header.sensor)
    }
    writer.number(header.sequence)
    writer.member("t" as Word)
    writer.time(header.time)
    if let moment = header.wallTime {
      writer.member("time" as Word)
      writer.wallTime(moment)
    }
    writer.member("age_ms" as Word)
    writer.number(0)
    agePlace = writer.bytes.count - 1
    writer.fields(of: entry, in: batch)
    writer.endObject()
    writer.endLine()
  }

  private mutating func begin(_ kind: SampleKind, _ sensor: String) {
    self.kind = kind
    self.sensor = sensor
    writer.removeAll()
    writer.beginRecord("sample")
    writer.member("sensor", sensor)
    writer.member("kind")
    writer.word(kind.name)
    writer.member("seq")
    countPlace = writer.bytes.count
  }

  /// Appends the sample with the given age; nothing before the first encoding.
  fileprivate func append(to buffer: inout [UInt8], ageMS: Int) {
    guard !writer.bytes.isEmpty else { return }
    buffer.append(contentsOf: writer.bytes[..<agePlace])
    buffer.appendDecimal(UInt64(max(0, ageMS)))
    buffer.append(contentsOf: writer.bytes[(agePlace + 1)...].dropLast())
  }
}

extension JSONWriter {
  /// Writes an encoded sample with the given age as a value; `endLine` completes the line.
  public mutating func sample(_ sample: EncodedSample, ageMS: Int) {
    beginValue()
    sample.append(to: &bytes, ageMS: ageMS)
  }

  public mutating func factLines(sensor: String, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch) {
    for index in entry.fields {
      beginRecord("fact")
      member("sensor", sensor)
      member("t", time)
      member("name")
      word(batch.field(index).field.name)
      member("value")
      value(batch.field(index).value, in: batch)
      endObject()
      endLine()
    }
  }

  public mutating func answerLine(sensor: String, time: MonotonicTime, _ entry: Batch.Entry, of batch: borrowing Batch)
  {
    beginRecord("answer")
    member("sensor", sensor)
    member("t", time)
    fields(of: entry, in: batch)
    endObject()
    endLine()
  }

  public mutating func eventLine(
    _ name: Word, sensor: String? = nil, time: MonotonicTime, wallTime: WallTime? = nil, _ entry: Batch.Entry,
    of batch: borrowing Batch
  ) {
    beginRecord("event")
    member("event")
    word(name)
    member("sensor", sensor)
    member("t", time)
    member("time", wallTime)
    fields(of: entry, in: batch)
    endObject()
    endLine()
  }

  public mutating func refusedLine(sensor: String, time: MonotonicTime, source: String, _ error: DecodeError) {
    beginRecord("refused")
    member("sensor", sensor)
    member("t", time)
    member("source", source)
    member("error", error.reason.rawValue)
    member("offset", error.offset)
    endObject()
    endLine()
  }
}

// MARK: Fields

extension JSONWriter {
  /// Writes the fields of an entry as members, without numbers that are not finite.
  public mutating func fields(of entry: Batch.Entry, in batch: borrowing Batch) {
    for index in entry.fields { member(batch.field(index), in: batch) }
  }

  private mutating func member(_ field: Batch.FieldEntry, in batch: borrowing Batch) {
    if case .number(let number) = field.value, !number.isFinite { return }
    member(field.field.name)
    value(field.value, in: batch)
  }

  private mutating func value(_ value: Batch.Value, in batch: borrowing Batch) {
    switch value {
    case .number(let value): number(value)
    case .largeCount(let count): number(count)
    case .flag(let flag): bool(flag)
    case .word(let word): self.word(word)
    case .text(let range): string(batch.text(range).span)
    case .numbers(let range, let width):
      beginArray()
      for index in range {
        let place = (index - range.lowerBound) % width
        if width > 1, place == 0 { beginArray() }
        number(batch.number(index))
        if width > 1, place == width - 1 { endArray() }
      }
      endArray()
    case .words(let range):
      beginArray()
      for index in range { word(batch.word(index)) }
      endArray()
    case .objects(let range):
      beginArray()
      for index in range { object(index, in: batch) }
      endArray()
    }
  }

  private mutating func object(_ index: Int, in batch: borrowing Batch) {
    beginObject()
    for field in batch.object(index) { member(batch.objectField(field), in: batch) }
    endObject()
  }
}
