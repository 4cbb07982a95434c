// Sorts the samples of a ride into seconds by their own time, whatever time they arrive at. A second
// is complete when a sample of a later one comes, or one second after its first sample came. Samples
// that come after that are added to their second for a while, and its row is written again.

package struct SecondAssembler {
  /// To be stored in place of an earlier row of that second.
  package struct Row: Equatable {
    /// Of the boot time.
    package let second: Int64
    package let bytes: [UInt8]
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
    var row: [UInt8]
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
  private var needsKey = true

  package init() {}

  /// Their names have to be stored no later than the rows.
  package var streams: [RecordedStream] { encoder.streams }

  /// `now` is when the sample arrived, in milliseconds of the boot time.
  package mutating func add(_ sample: borrowing SampleLine, of line: Span<UInt8>, now: Int64) -> Verdict {
    let second = sample.milliseconds / 1000
    let milliseconds = Int(sample.milliseconds % 1000)
    if sample.ageMilliseconds > 0, isRepeated(sample, line) { return .repeated }
    if let current, second < current { return addLate(sample, of: line, second, milliseconds) }
    if let last = completed.last, current == nil, second <= last.second {
      return addLate(sample, of: line, second, milliseconds)
    }
    if second != current {
      complete()
      let isNext = completed.last.map { $0.second / SecondFormat.keyInterval == second / SecondFormat.keyInterval }
      encoder.begin(isKey: needsKey || isNext != true)
      needsKey = false
      current = second
      deadline = now + Self.wait
    }
    guard encoder.add(sample, of: line, milliseconds: milliseconds) else { return .noRoom }
    return .added
  }

  /// Completes the current second, as at its deadline and at the end.
  package mutating func complete() {
    guard let second = current else { return }
    let row = encoder.finish()
    completed.removeAll { $0.second <= second - Self.lateLimit }
    completed.append(Completed(second: second, row: row))
    rows.append(Row(second: second, bytes: row))
    (current, deadline) = (nil, nil)
  }

  /// The row that was made first; nil if all were fetched.
  package mutating func nextRow() -> Row? { rows.isEmpty ? nil : rows.removeFirst() }

  /// A row could not be stored, so nothing may refer to it.
  package mutating func rowWasLost() { needsKey = true }

  private func isRepeated(_ sample: borrowing SampleLine, _ line: Span<UInt8>) -> Bool {
    encoder.lastSequence(of: sample, line).map { sample.sequence <= $0 } ?? false
  }

  private mutating func addLate(
    _ sample: borrowing SampleLine, of line: Span<UInt8>, _ second: Int64, _ milliseconds: Int
  ) -> Verdict {
    guard let latest = current ?? completed.last?.second, second > latest - Self.lateLimit,
      let index = completed.firstIndex(where: { $0.second == second })
    else { return .tooLate }
    let isFirst = !completed[index].hasLate
    guard
      encoder.add(
        late: sample, of: line, milliseconds: milliseconds, to: &completed[index].row, isFirst: isFirst)
    else { return .noRoom }
    completed[index].hasLate = true
    rows.append(Row(second: second, bytes: completed[index].row))
    return .added
  }
}
