// The newest record of everything, shared by all readers, with the daemon's bytes as they came. A
// reader remembers up to which change it has read. So a slow one costs no memory, and what it gets
// is always the newest. After warm-up, a sample costs no allocation. Memory is bounded whatever
// arrives: the records that changed longest ago are forgotten.

public import JSON
public import Time

public final class LiveBoard {
  /// How many records of each sort are kept, and how many bytes of all.
  static let mostSamples = 512
  static let mostStates = 256
  static let mostRadars = 8
  static let mostEvents = 32
  static let mostBytes = 1 << 20
  /// Samples of further kinds are dropped.
  static let mostKinds = 128
  /// An event that is older is news no more: neither a snapshot has it, nor a reader that was stuck.
  static let eventLife = Duration.seconds(10)

  /// What is kept of the records, and how it is sent.
  enum Lane {
    /// The newest of each sensor and kind, with the next frame.
    case samples
    /// The newest of each sensor or adapter, with the next frame.
    case states
    /// The newest of each radar, at once.
    case radar
    /// Each one, at once.
    case events

    var isUrgent: Bool { self == .radar || self == .events }
  }

  private struct Slot {
    var lane = Lane.samples
    /// Nil if the slot is not in use.
    var category: LineSubject.Category?
    /// The sensor or adapter, or the name of a record of this server.
    var id: [UInt8] = []
    /// The index of the kind of a sample.
    var kind: Int?
    var line: [UInt8] = []
    var change: UInt64 = 0
    var arrived = MonotonicTime(nanoseconds: 0)
    /// The neighbours in the order of changes; -1 at the ends.
    var older = -1
    var newer = -1
  }

  private var slots: [Slot] = []
  /// Slots that are not in use.
  private var free: [Int] = []
  private var oldest = -1
  private var newest = -1
  private var byteCount = 0
  /// The names of the kinds that were seen. A kind keeps its index.
  private(set) var kinds: [[UInt8]] = []
  /// The index of the kind `radar`; nil before its first sample.
  private var radar: Int?
  /// The number of the last change, and of the last one that is urgent.
  private(set) var lastChange: UInt64 = 0
  private(set) var lastUrgentChange: UInt64 = 0
  private var series = RideSeries()

  public init() {}

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
    if subject.isRemoval { forget(sensor: id) }
    let lane = lane(subject.category, kind)
    let known = subject.category == .event ? nil : place(of: id, subject.category, kind)
    write(line, to: known ?? makeSlot(lane, subject.category, id, kind), at: now)
    return true
  }

  /// A record of this server or of another service. The newest with this name is kept.
  public func publish(_ line: [UInt8], as name: String, at now: MonotonicTime) {
    guard line.span.isOneRecord else { return }
    let id = Array(name.utf8)
    let known = place(of: id.span, .ours, nil)
    write(line.span, to: known ?? makeSlot(.states, .ours, id.span, nil), at: now)
  }

  /// A restarted daemon reports everything again.
  public func forgetAll() {
    while oldest >= 0 { remove(oldest) }
  }

  /// The series of the current ride, to add what was measured before this server started.
  public func fillSeries(_ fill: (inout RideSeries) -> Void) { fill(&series) }

  private func lane(_ category: LineSubject.Category, _ kind: Int?) -> Lane {
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

// MARK: Slots

extension LiveBoard {
  private func place(of id: Span<UInt8>, _ category: LineSubject.Category, _ kind: Int?) -> Int? {
    for index in slots.indices
    where slots[index].kind == kind && slots[index].category == category && slots[index].id.isEqual(to: id) {
      return index
    }
    return nil
  }

  private func makeSlot(_ lane: Lane, _ category: LineSubject.Category, _ id: Span<UInt8>, _ kind: Int?) -> Int {
    let most =
      switch lane {
      case .samples: Self.mostSamples
      case .states: Self.mostStates
      case .radar: Self.mostRadars
      case .events: Self.mostEvents
      }
    if count(of: lane) >= most { remove(oldest { slots[$0].lane == lane }) }
    let index = free.popLast() ?? slots.count
    if index == slots.count { slots.append(Slot()) }
    slots[index].lane = lane
    slots[index].category = category
    slots[index].id = id.copied
    slots[index].kind = kind
    append(index)
    return index
  }

  private func count(of lane: Lane) -> Int {
    var count = 0
    forEach { if slots[$0].lane == lane { count += 1 } }
    return count
  }

  private func oldest(where isMeant: (Int) -> Bool) -> Int? {
    var index = oldest
    while index >= 0, !isMeant(index) { index = slots[index].newer }
    return index >= 0 ? index : nil
  }

  private func write(_ line: Span<UInt8>, to index: Int, at now: MonotonicTime) {
    // Out of the slots while it is written, because each access to them is checked.
    var kept: [UInt8] = []
    swap(&kept, &slots[index].line)
    byteCount += line.count - kept.count
    kept.replace(with: line)
    swap(&kept, &slots[index].line)
    lastChange += 1
    slots[index].change = lastChange
    slots[index].arrived = now
    if slots[index].lane.isUrgent { lastUrgentChange = lastChange }
    unlink(index)
    append(index)
    while byteCount > Self.mostBytes, oldest != index {
      remove(oldest { slots[$0].lane == .samples && $0 != index } ?? oldest)
    }
  }

  private func forget(sensor id: Span<UInt8>) {
    for index in slots.indices where slots[index].id.isEqual(to: id) {
      if slots[index].category == .sample || slots[index].category == .state { remove(index) }
    }
  }

  private func remove(_ index: Int?) {
    guard let index else { return }
    unlink(index)
    byteCount -= slots[index].line.count
    slots[index] = Slot()
    free.append(index)
  }

  private func append(_ index: Int) {
    slots[index].older = newest
    slots[index].newer = -1
    if newest >= 0 { slots[newest].newer = index } else { oldest = index }
    newest = index
  }

  private func unlink(_ index: Int) {
    let (older, newer) = (slots[index].older, slots[index].newer)
    if older >= 0 { slots[older].newer = newer } else { oldest = newer }
    if newer >= 0 { slots[newer].older = older } else { newest = older }
  }

  private func forEach(_ body: (Int) -> Void) {
    var index = oldest
    while index >= 0 {
      body(index)
      index = slots[index].newer
    }
  }
}

// MARK: Reading

extension LiveBoard {
  /// Appends the records that changed after `seen`, in the order of their changes, with commas
  /// between them. Returns how many. `passes` has for each kind whether it is wanted.
  func appendRecords(
    after seen: UInt64, urgent: Bool, _ passes: [Bool], now: MonotonicTime, to bytes: inout [UInt8]
  ) -> Int {
    var index = newest
    while index >= 0, slots[index].change > seen { index = slots[index].older }
    index = index >= 0 ? slots[index].newer : oldest
    var count = 0
    while index >= 0 {
      let isWanted = slots[index].kind.map { passes[$0] } ?? true
      if isWanted, slots[index].lane.isUrgent == urgent, isNews(index, now) {
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(contentsOf: slots[index].line)
        count += 1
      }
      index = slots[index].newer
    }
    return count
  }

  private func isNews(_ index: Int, _ now: MonotonicTime) -> Bool {
    slots[index].lane != .events || now - slots[index].arrived <= Self.eventLife
  }

  /// The newest records of everything, and the series of the ride: `{"now":…,"records":[…],
  /// "series":{…}}`.
  public func writeSnapshot(into writer: inout JSONWriter, now: MonotonicTime) {
    writer.beginObject()
    writer.member("now")
    writer.seconds(now)
    writer.member("records")
    writer.beginArray()
    forEach { if isNews($0, now) { writer.encoded(slots[$0].line[...]) } }
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
