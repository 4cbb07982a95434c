// Sorts the samples of a ride into seconds by their own time, whatever time they arrive at. A second
// is complete when a sample of a later one comes, or one second after its first sample came. Samples
// that come after that are added to their second for a while, and its row is written again.

package struct SecondAssembler {
  /// To be stored in place of an earlier row of that second.
  package struct Row: Equatable {
    /// Of the activity.
    package let second: Int64
    package let bytes: [UInt8]

    package init(second: Int64, bytes: [UInt8]) { (self.second, self.bytes) = (second, bytes) }
  }

  package enum Verdict: Equatable, Sendable {
    case added
    /// A snapshot repeats it.
    case repeated
    /// Its second was completed too long ago.
    case tooLate
    /// There are too many streams.
    case noRoom
  }

  private struct Completed {
    let second: Int64
    /// Nil if it cannot be extended.
    var row: [UInt8]?
    var hasLate = false
  }

  /// For so many seconds after a second, late samples are added to it.
  package static let lateLimit: Int64 = 5
  /// How long a second waits for further samples, in milliseconds.
  package static let wait: Int64 = 1000

  private var encoder = SecondEncoder()
  private var current: Int64?
  /// When the current second has to be completed, in milliseconds of the boot time.
  package private(set) var deadline: Int64?
  private var completed: [Completed] = []
  private var rows: [Row] = []
  /// Whether it is time to fetch rows. Late samples wait for the next second or the deadline, lest each
  /// of them costs a commit.
  package private(set) var hasCompleted = false
  private var needsKey = true
  /// How many samples of its stream are missing before the last one that was added.
  package private(set) var missing: Int64 = 0

  package init() {}

  /// Goes on with a recording: `rows` are its last seconds, from a key second on. Calls `body` with
  /// their samples and the times of these, in milliseconds. Samples that are stored are not added
  /// again, and later ones of the last second are added to it.
  package init(
    streams: [RecordedStream], rows: [Row], _ body: (borrowing SecondDecoder.Sample, RecordedStream, Int64) -> Void
  ) {
    var newest = [Int64](repeating: .min, count: streams.count)
    var decoder = SecondDecoder(streams: streams)
    for row in rows {
      var hasLate = false
      let outcome = decoder.decode(row.bytes.span, of: row.second) { sample in
        let time = row.second * 1000 + Int64(sample.milliseconds)
        newest[sample.stream] = max(newest[sample.stream], time)
        hasLate = hasLate || sample.isLate
        body(sample, streams[sample.stream], time)
      }
      // What cannot be read cannot be extended either.
      completed.append(Completed(second: row.second, row: outcome == .read ? row.bytes : nil, hasLate: hasLate))
    }
    completed.removeAll { $0.second <= (rows.last?.second ?? 0) - Self.lateLimit }
    encoder = SecondEncoder(streams: streams, newest: newest)
  }

  /// Their names have to be stored no later than the rows.
  package var streams: [RecordedStream] { encoder.streams }

  /// The daemon was restarted: it numbers its samples from 1.
  package mutating func forgetSequences() { encoder.forgetSequences() }

  /// `time` is that of the sample, and `now` is when it arrived, in milliseconds of the boot time.
  package mutating func add(
    _ sample: borrowing SampleLine, of line: Span<UInt8>, at time: Int64, now: Int64
  ) -> Verdict {
    let second = SecondFormat.second(of: time)
    missing = 0
    if let newest = encoder.newest(before: sample, line) {
      if sample.ageMilliseconds > 0, isRepeated(sample, at: time, newest) { return .repeated }
      if let sequence = newest.sequence, sample.sequence > sequence { missing = sample.sequence - sequence - 1 }
    }
    if let last = current ?? completed.last?.second, second < last || second == last && current == nil {
      return addLate(sample, of: line, at: time, now: now)
    }
    if second != current {
      complete()
      let isNext = completed.last.map { $0.second / SecondFormat.keyInterval == second / SecondFormat.keyInterval }
      encoder.begin(isKey: needsKey || isNext != true)
      needsKey = false
      current = second
      deadline = now + Self.wait
    }
    guard encoder.add(sample, of: line, at: time) else { return .noRoom }
    return .added
  }

  /// Completes the current second, as at its deadline and at the end.
  package mutating func complete() {
    deadline = nil
    hasCompleted = hasCompleted || current != nil || !rows.isEmpty
    guard let second = current else { return }
    let row = encoder.finish(second)
    completed.removeAll { $0.second <= second - Self.lateLimit }
    completed.append(Completed(second: second, row: row))
    rows.append(Row(second: second, bytes: row))
    current = nil
  }

  /// The row that was made first; nil if all were fetched.
  package mutating func nextRow() -> Row? {
    hasCompleted = false
    return rows.isEmpty ? nil : rows.removeFirst()
  }

  /// A row could not be stored, so nothing may refer to it.
  package mutating func rowWasLost() { needsKey = true }

  private func isRepeated(_ sample: borrowing SampleLine, at time: Int64, _ newest: SecondEncoder.Newest) -> Bool {
    newest.sequence.map { sample.sequence <= $0 } ?? (time <= newest.milliseconds)
  }

  private mutating func addLate(
    _ sample: borrowing SampleLine, of line: Span<UInt8>, at time: Int64, now: Int64
  ) -> Verdict {
    let second = SecondFormat.second(of: time)
    guard let latest = current ?? completed.last?.second, second > latest - Self.lateLimit,
      let index = completed.firstIndex(where: { $0.second == second }), var row = completed[index].row
    else { return .tooLate }
    let isFirst = !completed[index].hasLate
    completed[index].row = nil
    defer { completed[index].row = row }
    guard encoder.add(late: sample, of: line, at: time, to: &row, isFirst: isFirst) else { return .noRoom }
    completed[index].hasLate = true
    rows.append(Row(second: second, bytes: row))
    deadline = deadline ?? now + Self.wait
    return .added
  }
}
