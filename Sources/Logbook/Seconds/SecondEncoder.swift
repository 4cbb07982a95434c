// Packs the samples of an activity, a second at a time.

package struct SecondEncoder {
  /// The newest sample of a stream.
  struct Newest {
    /// Nil if the daemon numbers its samples from 1 again.
    var sequence: Int64?
    var milliseconds = Int64.min
  }

  package private(set) var streams: [RecordedStream] = []
  private var newest: [Newest] = []
  /// The second so far.
  private var bytes: [UInt8] = []
  private var link: UInt16 = 0
  private var hasBegun = false

  package init() {}

  /// Goes on with streams that are stored.
  init(streams: [RecordedStream], newest: [Int64]) {
    self.streams = streams
    self.newest = newest.map { Newest(sequence: nil, milliseconds: $0) }
    for index in self.streams.indices { self.streams[index].restart() }
  }

  /// Begins the next second. After a second that is lost, begin a key second.
  package mutating func begin(isKey: Bool) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(SecondFormat.version | (isKey || !hasBegun ? SecondFormat.keyFlag : 0))
    bytes.appendLittleEndian(UInt32(link), count: 2)
    if isKey { for index in streams.indices { streams[index].restart() } }
    hasBegun = true
  }

  /// Whether the second has a sample.
  package var isEmpty: Bool { bytes.count <= SecondFormat.headLength }

  /// The last sample of the same stream; nil for the first one.
  func newest(before sample: borrowing SampleLine, _ line: Span<UInt8>) -> Newest? {
    known(sample, line).map { newest[$0] }
  }

  /// The daemon was restarted, so its numbers begin at 1.
  mutating func forgetSequences() {
    for index in newest.indices { newest[index].sequence = nil }
  }

  private mutating func note(_ sequence: Int64, _ index: Int, at milliseconds: Int64) {
    newest[index].sequence = max(sequence, newest[index].sequence ?? .min)
    newest[index].milliseconds = max(milliseconds, newest[index].milliseconds)
  }

  /// Adds a sample to the second at `time`, in milliseconds of the activity. Returns false if the
  /// activity has too many streams for another one.
  package mutating func add(_ sample: borrowing SampleLine, of line: Span<UInt8>, at time: Int64) -> Bool {
    guard let index = index(ofStreamOf: sample, line) else { return false }
    streams[index].append(
      sample, of: line, milliseconds: SecondFormat.milliseconds(of: time), stream: index, into: &bytes)
    note(sample.sequence, index, at: time)
    return true
  }

  /// Ends the second, which has this number, and returns its row.
  package mutating func finish(_ second: Int64) -> [UInt8] {
    link = SecondFormat.link(to: bytes.span)
    bytes.appendLittleEndian(CRC32.of(bytes.span, and: second), count: SecondFormat.checksumLength)
    // A copy: if both had the same buffer, the first sample of the next second would need a new one.
    var row: [UInt8] = []
    row.reserveCapacity(bytes.count)
    row.append(contentsOf: bytes)
    return row
  }

  /// Adds a sample to a row that is finished.
  package mutating func add(
    late sample: borrowing SampleLine, of line: Span<UInt8>, at time: Int64, to row: inout [UInt8], isFirst: Bool
  ) -> Bool {
    guard let index = index(ofStreamOf: sample, line) else { return false }
    row.removeLast(SecondFormat.checksumLength)
    if isFirst { row.appendPacked(SecondFormat.lateMark) }
    // Of a copy, because the seconds after it have no part in it.
    var stream = streams[index]
    stream.restart()
    stream.append(
      sample, of: line, milliseconds: SecondFormat.milliseconds(of: time), stream: index, into: &row)
    note(sample.sequence, index, at: time)
    stream.restart()
    if stream.fieldCount > streams[index].fieldCount { streams[index].adoptNames(of: stream) }
    row.appendLittleEndian(CRC32.of(row.span, and: SecondFormat.second(of: time)), count: SecondFormat.checksumLength)
    return true
  }

  private func known(_ sample: borrowing SampleLine, _ line: Span<UInt8>) -> Int? {
    for index in streams.indices
    where line.has(streams[index].sensor, at: sample.sensor) && line.has(streams[index].kind, at: sample.kind) {
      return index
    }
    return nil
  }

  private mutating func index(ofStreamOf sample: borrowing SampleLine, _ line: Span<UInt8>) -> Int? {
    if let index = known(sample, line) { return index }
    guard streams.count < SecondFormat.Start.mostStreams else { return nil }
    streams.append(RecordedStream(sensor: sample.sensor.map { line[$0] }, kind: sample.kind.map { line[$0] }))
    newest.append(Newest())
    return streams.count - 1
  }
}

extension RecordedStream {
  fileprivate mutating func append(
    _ sample: borrowing SampleLine, of line: Span<UInt8>, milliseconds: Int, stream: Int, into bytes: inout [UInt8]
  ) {
    var present: UInt64 = 0
    for field in sample.fields {
      if let index = index(of: field.name, in: line) { present |= 1 << UInt64(index) }
    }
    let follows = sequence.map { $0 &+ 1 == sample.sequence } ?? false
    let start = SecondFormat.Start(
      stream: stream, sequenceFollows: follows, hasSameFields: present == self.present)
    bytes.appendPacked(start.code)
    if !follows { bytes.appendPacked(UInt64(alternating: sample.sequence)) }
    bytes.appendPacked(UInt64(milliseconds))
    if present != self.present { bytes.appendPacked(present) }
    // In the order of the stream's fields, because that is the order in which the bits are read.
    for index in 0..<fields.count where present & 1 << UInt64(index) != 0 {
      let name = fields[index].name
      guard let field = sample.fields.last(where: { line.has(name, at: $0.name) }) else { continue }
      encode(field.value, of: line, field: index, into: &bytes)
    }
    (self.present, sequence) = (present, sample.sequence)
  }
}
