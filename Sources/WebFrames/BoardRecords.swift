// The newest record of everything, in the order of the changes. Memory is bounded whatever arrives:
// the records that changed longest ago are forgotten. After warm-up, a sample costs no allocation.

import JSON
import Time

struct BoardRecords {
  /// How many records of each sort are kept, and how many bytes of all.
  static let mostSamples = 512
  static let mostStates = 256
  static let mostRadars = 8
  static let mostEvents = 32
  static let mostBytes = 1 << 20
  /// An older event is left out of snapshots, and of what a reader that was stuck gets.
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
  /// The number of the last change, and of the last one that is urgent.
  private(set) var lastChange: UInt64 = 0
  private(set) var lastUrgentChange: UInt64 = 0

  /// Each event is a record of its own. Any other replaces the one of the same sort, id and kind.
  mutating func keep(
    _ line: Span<UInt8>, _ lane: Lane, _ category: LineSubject.Category, _ id: Span<UInt8>, kind: Int?,
    at now: MonotonicTime
  ) {
    let known = category == .event ? nil : place(of: id, category, kind)
    write(line, to: known ?? makeSlot(lane, category, id, kind), at: now)
  }

  mutating func forget(sensor id: Span<UInt8>) {
    for index in slots.indices where slots[index].id.isEqual(to: id) {
      if slots[index].category == .sample || slots[index].category == .state { remove(index) }
    }
  }

  /// A record that is not the daemon's.
  mutating func forget(ours name: Span<UInt8>) {
    if let index = place(of: name, .ours, nil) { remove(index) }
  }

  mutating func forgetAll() {
    while oldest >= 0 { remove(oldest) }
  }
}

// MARK: Writing

extension BoardRecords {
  private func place(of id: Span<UInt8>, _ category: LineSubject.Category, _ kind: Int?) -> Int? {
    for index in slots.indices
    where slots[index].kind == kind && slots[index].category == category && slots[index].id.isEqual(to: id) {
      return index
    }
    return nil
  }

  private mutating func makeSlot(
    _ lane: Lane, _ category: LineSubject.Category, _ id: Span<UInt8>, _ kind: Int?
  ) -> Int {
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

  private mutating func write(_ line: Span<UInt8>, to index: Int, at now: MonotonicTime) {
    byteCount += line.count - slots[index].line.count
    slots[index].line.replace(with: line)
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

  private mutating func remove(_ index: Int?) {
    guard let index else { return }
    unlink(index)
    byteCount -= slots[index].line.count
    slots[index] = Slot()
    free.append(index)
  }

  private mutating func append(_ index: Int) {
    slots[index].older = newest
    slots[index].newer = -1
    if newest >= 0 { slots[newest].newer = index } else { oldest = index }
    newest = index
  }

  private mutating func unlink(_ index: Int) {
    let (older, newer) = (slots[index].older, slots[index].newer)
    if older >= 0 { slots[older].newer = newer } else { oldest = newer }
    if newer >= 0 { slots[newer].older = older } else { newest = older }
  }
}

// MARK: Reading

extension BoardRecords {
  private func forEach(_ body: (Int) -> Void) {
    var index = oldest
    while index >= 0 {
      body(index)
      index = slots[index].newer
    }
  }

  /// The lines of all that is news, in the order of the changes.
  func forEachLine(now: MonotonicTime, _ body: ([UInt8]) -> Void) {
    forEach { if isNews($0, now) { body(slots[$0].line) } }
  }

  /// As `LiveBoard.appendRecords`.
  func appendLines(
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
}
