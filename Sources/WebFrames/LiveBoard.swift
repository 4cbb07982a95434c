// The newest record of everything, shared by all readers, with the daemon's bytes as they came. A
// reader remembers up to which change it has read. So a slow one costs no memory, and what it gets
// is always the newest.

public import JSON
public import Time

public final class LiveBoard {
  /// Samples of further kinds are dropped.
  static let mostKinds = 128

  private var records = BoardRecords()
  /// The names of the kinds that were seen. A kind keeps its index.
  private(set) var kinds: [[UInt8]] = []
  /// The index of the kind `radar`; nil before its first sample.
  private var radar: Int?
  private var series = RideSeries()

  public init() {}

  /// The number of the last change, and of the last one that is urgent.
  var lastChange: UInt64 { records.lastChange }
  public var lastUrgentChange: UInt64 { records.lastUrgentChange }

  /// A line from the daemon, without its line feed. Returns false if it is not for pages.
  @discardableResult
  public func receive(_ line: Span<UInt8>, at now: MonotonicTime) -> Bool {
    guard line.isOneRecord, let subject = LineSubject(line) else { return false }
    let id = line.extracting(subject.id)
    var kind: Int?
    if subject.category == .sample {
      let name = line.extracting(subject.kind)
      guard let index = kindIndex(name) else { return false }
      kind = index
      series.handle(line, kind: name, sensor: id)
    }
    if subject.isRemoval { records.forget(sensor: id) }
    records.keep(line, lane(subject.category, kind), subject.category, id, kind: kind, at: now)
    return true
  }

  /// A record of this server or of another service. The newest with this name is kept.
  public func publish(_ line: [UInt8], as name: String, at now: MonotonicTime) {
    guard line.span.isOneRecord else { return }
    records.keep(line.span, .states, .ours, Array(name.utf8).span, kind: nil, at: now)
  }

  /// Readers that have the record keep it.
  public func forget(_ name: String) { records.forget(ours: Array(name.utf8).span) }

  /// A restarted daemon reports everything again.
  public func forgetAll() { records.forgetAll() }

  /// The series of the current ride, to add what was measured before this server started.
  public func fillSeries(_ fill: (inout RideSeries) -> Void) { fill(&series) }

  private func lane(_ category: LineSubject.Category, _ kind: Int?) -> BoardRecords.Lane {
    switch category {
    case .sample: kind == radar ? .radar : .samples
    case .state, .sensor, .adapter, .ours: .states
    case .event: .events
    }
  }

  private func kindIndex(_ name: Span<UInt8>) -> Int? {
    for index in kinds.indices where kinds[index].isEqual(to: name) { return index }
    guard kinds.count < Self.mostKinds else { return nil }
    if name.isText("radar") { radar = kinds.count }
    kinds.append(name.copied)
    return kinds.count - 1
  }
}

// MARK: Reading

extension LiveBoard {
  /// Appends the records that changed after `seen`, in the order of their changes, with commas
  /// between them. Returns how many. `passes` has for each kind whether it is wanted.
  func appendRecords(
    after seen: UInt64, urgent: Bool, _ passes: [Bool], now: MonotonicTime, to bytes: inout [UInt8]
  ) -> Int {
    records.appendLines(after: seen, urgent: urgent, passes, now: now, to: &bytes)
  }

  /// The newest records of everything, and the series of the ride: `{"now":…,"records":[…],
  /// "series":{…}}`.
  public func writeSnapshot(into writer: inout JSONWriter, now: MonotonicTime) {
    writer.beginObject()
    writer.member("now")
    writer.seconds(now)
    writer.member("records")
    writer.beginArray()
    records.forEachLine(now: now) { writer.encoded($0[...]) }
    writer.endArray()
    writer.member("series")
    series.write(into: &writer)
    writer.endObject()
  }
}

extension JSONWriter {
  mutating func seconds(_ time: MonotonicTime) {
    beginValue()
    bytes.appendSeconds(nanoseconds: time.nanoseconds)
  }
}
