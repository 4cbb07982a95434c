// Unpacks the seconds of an activity, in order. Damage is found and never guessed at.

package struct SecondDecoder {
  package enum Outcome: Equatable, Sendable {
    case read
    /// The row is not as it was written, or it is of a later version.
    case damaged
    /// The row is whole, but the one before it is missing, so its differences lead nowhere.
    case unlinked
  }

  /// A sample. Its values are in the order of the stream's fields; nil for those that it lacks.
  package struct Sample {
    package fileprivate(set) var stream = 0
    package fileprivate(set) var sequence: Int64 = 0
    /// Within the second.
    package fileprivate(set) var milliseconds = 0
    package fileprivate(set) var isLate = false
    package fileprivate(set) var values: [RecordedValue?] = []
  }

  package private(set) var streams: [RecordedStream]
  /// What the row after the last one that was read begins with; nil after one that cannot be read.
  private(set) var link: UInt16?
  private var sample = Sample()

  package init(streams: [RecordedStream]) {
    self.streams = streams
  }

  /// Whether the row is as it was written, and for that second.
  package static func isWhole(_ row: Span<UInt8>, of second: Int64) -> Bool {
    let end = row.count - SecondFormat.checksumLength
    return end >= SecondFormat.headLength
      && row.littleEndian(at: end, count: SecondFormat.checksumLength) == CRC32.of(row.extracting(..<end), and: second)
  }

  package mutating func decode(_ row: Span<UInt8>, of second: Int64, _ body: (borrowing Sample) -> Void) -> Outcome {
    let before = link
    link = nil
    guard Self.isWhole(row, of: second), row[0] & ~SecondFormat.keyFlag == SecondFormat.version else { return .damaged }
    let content = row.extracting(..<(row.count - SecondFormat.checksumLength))
    if row[0] & SecondFormat.keyFlag != 0 {
      for index in streams.indices { streams[index].restart() }
    } else if before.map(UInt32.init) != row.littleEndian(at: 1, count: 2) {
      return .unlinked
    }
    var reader = PackedReader(from: SecondFormat.headLength)
    var end = content.count
    sample.isLate = false
    while reader.place < content.count {
      let place = reader.place
      guard let code = reader.number(of: content) else { return .damaged }
      if code == SecondFormat.lateMark, !sample.isLate {
        end = place
        sample.isLate = true
        continue
      }
      guard let start = SecondFormat.Start(code), start.stream < streams.count,
        read(start, &reader, of: content)
      else { return .damaged }
      body(sample)
    }
    link = SecondFormat.link(to: content.extracting(..<end))
    return .read
  }

  private mutating func read(_ start: SecondFormat.Start, _ reader: inout PackedReader, of content: Span<UInt8>) -> Bool
  {
    sample.stream = start.stream
    guard sample.isLate else {
      return sample.read(start, &reader, of: content, &streams[start.stream])
    }
    var stream = streams[start.stream]
    stream.restart()
    return sample.read(start, &reader, of: content, &stream)
  }
}

extension SecondDecoder.Sample {
  fileprivate mutating func read(
    _ start: SecondFormat.Start, _ reader: inout PackedReader, of content: Span<UInt8>, _ stream: inout RecordedStream
  ) -> Bool {
    if start.sequenceFollows {
      guard let last = stream.sequence else { return false }
      sequence = last &+ 1
    } else {
      guard let number = reader.number(of: content) else { return false }
      sequence = number.alternating
    }
    guard let milliseconds = reader.number(of: content), milliseconds < 1000,
      let present = start.hasSameFields ? stream.present : reader.number(of: content)
    else { return false }
    self.milliseconds = Int(milliseconds)
    values.removeAll(keepingCapacity: true)
    let count = stream.fieldCount
    guard count == 64 || present >> UInt64(count) == 0 else { return false }
    for index in 0..<count {
      guard present & 1 << UInt64(index) != 0 else {
        values.append(nil)
        continue
      }
      guard let value = stream.decode(&reader, of: content, field: index) else { return false }
      values.append(value)
    }
    (stream.present, stream.sequence) = (present, sequence)
    return true
  }
}
