// Batches between the daemon and the broker: a queue on the disk. Every batch is stored before it
// is sent, and leaves with its acknowledgement. When the queue is full, the oldest segment goes,
// and a loss says what is missing.
//
// The files only grow: acknowledgements and losses are entries, too. So whatever ends the program,
// the next run finds what was stored. What was not synced can be lost with the power, and nothing
// else.

import Compression
public import Fleet
import JSON
import Linux
public import Time

public final class BatchSpool {
  static let mostMemory: Int64 = 1 << 20
  static let syncInterval = Duration.seconds(10)
  /// How long a segment is read again after an error, which can pass.
  static let readTimeout = Duration.seconds(600)
  /// More than the batches of a `syncInterval`. They can have been sent before the power failed.
  static let mostUnsynced: UInt64 = 32

  private struct Sent {
    let number: UInt64
    /// Of a batch; nil for a loss.
    let batch: SpoolEntry?
    var isAcknowledged = false
    /// Its segment is gone. If it has to be sent again, it is lost.
    var isOrphan = false
  }

  private let folder: String
  private let limit: Int64
  private let boot: UInt32
  private let report: (SpoolProblem) -> Void
  /// The oldest first. The newest stays, because the next number follows from it.
  private var segments: [Segment] = []
  private var lastIndex: UInt64 = 0
  private var walk = SegmentWalk()
  private var losses = Losses()
  /// Sent and not acknowledged, or acknowledged before an older one. In the order of their numbers.
  private var sent: [Sent] = []
  /// All batches up to this number are done, and these after it.
  private var acknowledged: UInt64 = 0
  private var acknowledgedEarly: [UInt64] = []
  /// Where the next batch is read.
  private var cursor = (segment: 0, place: Int64(Segment.headerLength))
  /// The number that it should have; nil if any will do.
  private var expected: UInt64?
  /// The number of the next batch.
  public private(set) var nextNumber: UInt64 = 1
  /// When a segment that cannot be read is given up; nil if all can be read.
  private var readDeadline: MonotonicTime?
  private var buffer: [UInt8] = []
  private var payload: [UInt8] = []
  /// The batch at the cursor, if its payload was read.
  private var ready: SpoolEntry?
  private var now: MonotonicTime
  private var syncDue: MonotonicTime?
  private var hasNewFile = false
  /// The newest entry is an end.
  private var isEnded = false
  /// Why the disk takes nothing now.
  private var failure: SystemError?

  /// Reads what earlier runs left. `limit` is in bytes. `bootID` is nil if it is unknown.
  public init(
    folder: String, limit: Int64, bootID: [UInt8]?, at now: MonotonicTime, report: @escaping (SpoolProblem) -> Void
  ) {
    (self.folder, self.limit, self.now, self.report) = (folder, limit, now, report)
    boot = bootID.map { crc32($0.span) } ?? 0
    do throws(SystemError) {
      try Files.createDirectory(folder, mode: 0o700)
      restore(try Files.names(in: folder))
    } catch {
      fail(error)
    }
  }

  public var counts: SpoolCounts {
    segments.reduce(into: SpoolCounts()) { counts, segment in
      counts.batches += segment.waiting.batches
      counts.records += segment.waiting.records
      counts.bytes += segment.length
    }
  }

  public var unacknowledged: Int { sent.count }
}

// MARK: What earlier runs left

extension BatchSpool {
  private func restore(_ names: [String]) {
    let stored = StoredSegments(names, in: folder, report: report)
    (segments, lastIndex, isEnded) = (stored.segments, stored.lastIndex, stored.isEnded)
    (acknowledged, nextNumber) = (stored.acknowledged, max(stored.nextNumber, stored.acknowledged + 1))
    for loss in stored.losses where loss.batches.upperBound > acknowledged { losses.restore(loss) }
    expected = oldestExpected
    for segment in segments where segment.last > acknowledged {
      forEachWaiting(in: segment) { segment.count($0, 1) }
      segment.closeReader()
    }
    let isSameBoot = segments.last.map { $0.boot == boot && boot != 0 } ?? true
    skip(stored.unread + (isEnded || isSameBoot ? 0 : Self.mostUnsynced))
    removeFinished()
  }

  /// Readers may know batches with these numbers that are not stored any more, or that cannot be read.
  /// It is unknown whether all of them were sent, so they are told as lost.
  private func skip(_ count: UInt64) {
    guard count > 0 else { return }
    let first = nextNumber
    nextNumber += count
    guard !segments.isEmpty else { return }
    add(Loss(first...nextNumber - 1, records: nil, from: nil, to: nil))
    // Otherwise the next power failure would bring these numbers back.
    sync()
  }

  /// Returns the number after the last batch that could be read; nil if it came to the end.
  @discardableResult
  private func forEachWaiting(in segment: Segment, from start: Int64? = nil, _ body: (SpoolEntry) -> Void) -> UInt64? {
    var place = start ?? Int64(Segment.headerLength)
    var next: UInt64 = 0
    while true {
      guard let step = try? walk.step(segment, at: place) else { return next }
      switch step {
      case .entry(let entry, _):
        place += entry.length
        if entry.kind == .batch { next = entry.number + 1 }
        if isWaiting(entry) { body(entry) }
      case .damage(let range): place = range.upperBound
      case .end: return nil
      }
    }
  }

  /// The number of the first batch that the segments should have.
  private var oldestExpected: UInt64? {
    guard let first = segments.first?.first, first > 0 else { return nil }
    return max(first, acknowledged + 1)
  }

  private func isWaiting(_ entry: SpoolEntry) -> Bool {
    entry.kind == .batch && entry.number > acknowledged && !losses.contains(entry.number)
      && !acknowledgedEarly.contains(entry.number)
  }
}

// MARK: Storing

extension BatchSpool {
  /// Stores a batch with the next number. Its payload is at most 256 KiB long.
  public func append(_ batch: BatchSummary, _ payload: Span<UInt8>, at now: MonotonicTime) {
    precondition(batch.number == nextNumber && payload.count <= SpoolEntry.mostPayload, "the batch is not the next")
    self.now = now
    let entry = SpoolEntry(batch, payload)
    buffer.removeAll(keepingCapacity: true)
    entry.append(to: &buffer)
    buffer.append(payload)
    store()
    nextNumber += 1
    segments[segments.count - 1].contain(batch.number)
    segments[segments.count - 1].count(entry, 1)
    makeRoom()
  }

  private func store(_ entry: SpoolEntry) {
    buffer.removeAll(keepingCapacity: true)
    entry.append(to: &buffer)
    store()
  }

  /// Appends the buffer to a file, or to memory if no file takes it.
  private func store() {
    if syncDue == nil { syncDue = now + Self.syncInterval }
    let bytes = buffer
    isEnded = false
    do throws(SystemError) {
      return try openSegment().append(bytes.span)
    } catch {
      fail(error)
    }
    // Memory takes everything.
    try? addSegmentInMemory().append(bytes.span)
  }

  private func addSegmentInMemory() -> Segment {
    lastIndex += 1
    let segment = Segment.inMemory(in: folder, index: lastIndex, first: nextNumber, boot: boot)
    segments.append(segment)
    return segment
  }

  private func openSegment() throws(SystemError) -> Segment {
    if let last = segments.last, last.isOpen, last.length + Int64(buffer.count) <= last.limit { return last }
    try segments.last?.seal()
    guard failure == nil else { return addSegmentInMemory() }
    let segment = try Segment.create(in: folder, index: lastIndex + 1, first: nextNumber, boot: boot)
    lastIndex += 1
    hasNewFile = true
    segments.append(segment)
    return segment
  }

  private func makeRoom() {
    while segments.count > 1, segments.reduce(0, { $0 + $1.length }) > limit { drop(at: 0) }
    while segments.count > 1, segments.reduce(0, { $0 + ($1.isInMemory ? $1.length : 0) }) > Self.mostMemory {
      // Only a full disk gains by the loss of a file.
      let isFull = failure?.isStorageFull ?? false
      drop(at: isFull ? 0 : segments.dropLast().firstIndex { $0.isInMemory } ?? 0)
      sync()
    }
  }

  /// What was not sent of a segment is lost.
  private func drop(at index: Int, as problem: (LossRecord) -> SpoolProblem = SpoolProblem.full) {
    let segment = segments[index]
    var lost: [Loss] = []
    let start = cursor.segment < index ? Int64(Segment.headerLength) : segment.length
    let unread = forEachWaiting(in: segment, from: cursor.segment == index ? cursor.place : start) { entry in
      guard let last = lost.popLast() else { return lost.append(Loss(entry)) }
      lost += follow(last, entry)
    }
    if let unread {
      let first = max(unread, segment.first, cursor.segment == index ? expected ?? 0 : 0)
      lost += holes(from: first, to: segment.last)
    }
    let onTheirWay = leaveOrphans(of: segment)
    for loss in lost {
      let whole = losses.add(loss)
      report(problem(whole.record))
      store(whole.entry)
    }
    // If the program crashes now, it is unknown whether these arrived.
    if let onTheirWay { store(onTheirWay.entry) }
    // The loss is on the device before its batches leave it.
    do throws(SystemError) {
      try segments.last?.sync()
      try syncFolder()
    } catch {
      fail(error)
    }
    remove(at: index)
  }

  /// Batches between the two that are not done were damaged.
  private func follow(_ last: Loss, _ entry: SpoolEntry) -> [Loss] {
    let next = last.batches.upperBound + 1
    guard next < entry.number else { return [last.joined(Loss(entry))] }
    let isDone = (next..<entry.number).contains { acknowledgedEarly.contains($0) || losses.contains($0) }
    if isDone { return [last, Loss(entry)] }
    let damaged = Loss(next...entry.number - 1, records: nil, from: nil, to: nil)
    return [last.joined(damaged).joined(Loss(entry))]
  }

  /// What was sent and not acknowledged of a segment that is dropped.
  private func leaveOrphans(of segment: Segment) -> Loss? {
    var orphans: Loss?
    for index in sent.indices
    where segment.first <= sent[index].number && sent[index].number <= segment.last && !sent[index].isOrphan {
      sent[index].isOrphan = true
      guard let batch = sent[index].batch, !sent[index].isAcknowledged else { continue }
      orphans = orphans.map { $0.joined(Loss(batch)) } ?? Loss(batch)
    }
    return orphans
  }

  private func add(_ loss: Loss) { store(losses.add(loss).entry) }

  private func remove(at index: Int) {
    let segment = segments.remove(at: index)
    walk.forget()
    if cursor.segment > index {
      cursor.segment -= 1
    } else if cursor.segment == index {
      cursor.place = Int64(Segment.headerLength)
      ready = nil
      expected = expected ?? oldestExpected
    }
    do throws(SystemError) {
      try segment.remove()
    } catch {
      fail(error)
    }
  }

  private func removeFinished() {
    while segments.count > 1, segments[0].last <= acknowledged { remove(at: 0) }
  }
}

// MARK: Sending

extension BatchSpool {
  /// The oldest that was not sent. The payload of a batch replaces the contents of `output`. Nil if
  /// nothing waits, or if too many are not acknowledged.
  public func next(into output: inout [UInt8], at now: MonotonicTime) -> SpoolItem? {
    self.now = now
    guard sent.count < SendPace.mostUnacknowledged else { return nil }
    let batch = readNext()
    // A loss that is acknowledged before them would end the batches that cannot be read now.
    guard readDeadline == nil else { return nil }
    if let loss = losses.next, batch.map({ loss.batches.upperBound < $0.number }) ?? true {
      let number = loss.batches.upperBound
      losses.setInFlight(upTo: number)
      sent.append(Sent(number: number, batch: nil))
      return .loss(number, loss.record)
    }
    guard let batch else { return nil }
    let payload = payload
    output.replace(with: payload.span)
    cursor.place += batch.length
    ready = nil
    expected = batch.number + 1
    sent.append(Sent(number: batch.number, batch: batch))
    return .batch(batch.number)
  }

  /// Whether `next` returns something.
  public var hasNext: Bool {
    sent.count < SendPace.mostUnacknowledged && (losses.next != nil || readNext() != nil)
  }

  /// Reads the next batch, if it is whole. The cursor stays before it.
  private func readNext() -> SpoolEntry? {
    while true {
      do throws(SystemError) {
        if ready == nil { ready = try readAtCursor() }
        readDeadline = nil
        return ready
      } catch {
        if readDeadline == nil { report(.notReadable(error)) }
        segments[cursor.segment].closeReader()
        let deadline = readDeadline ?? now + Self.readTimeout
        readDeadline = deadline
        guard deadline <= now, cursor.segment + 1 < segments.count else { return nil }
        drop(at: cursor.segment, as: SpoolProblem.lost)
        readDeadline = nil
      }
    }
  }

  private func readAtCursor() throws(SystemError) -> SpoolEntry? {
    while cursor.segment < segments.count {
      let segment = segments[cursor.segment]
      switch try walk.step(segment, at: cursor.place) {
      case .entry(let entry, let place):
        guard isWaiting(entry) else {
          cursor.place += entry.length
          if entry.kind == .batch { expected = entry.number + 1 }
          continue
        }
        findHole(before: entry.number)
        if try readPayload(of: entry, in: segment, at: place) { return entry }
        report(.damaged(path: segment.path, offset: place))
        segment.count(entry, -1)
        cursor.place += entry.length
        add(Loss(entry))
      case .damage(let range):
        report(.damaged(path: segment.path, offset: range.lowerBound))
        cursor.place = range.upperBound
      case .end:
        guard cursor.segment + 1 < segments.count else { return nil }
        segment.closeReader()
        cursor = (cursor.segment + 1, Int64(Segment.headerLength))
      }
    }
    return nil
  }

  /// Batches that should be before this one, and are not, are lost.
  private func findHole(before number: UInt64) {
    guard let expected, expected < number else { return }
    self.expected = number
    for hole in holes(from: expected, to: number - 1) { add(hole) }
  }

  /// What is neither acknowledged nor known as lost.
  private func holes(from first: UInt64, to last: UInt64) -> [Loss] {
    var start = max(first, acknowledged + 1)
    var holes: [Loss] = []
    func close(_ end: UInt64) {
      if start < end { holes.append(Loss(start...end - 1, records: nil, from: nil, to: nil)) }
    }
    let known = losses.all.map(\.batches) + acknowledgedEarly.map { $0...$0 }
    for range in known.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound >= start {
      close(min(range.lowerBound, last + 1))
      start = range.upperBound + 1
    }
    close(last + 1)
    return holes
  }

  private func readPayload(of entry: SpoolEntry, in segment: Segment, at place: Int64) throws(SystemError) -> Bool {
    if payload.count > entry.payloadLength {
      payload.removeLast(payload.count - entry.payloadLength)
    } else {
      payload.append(contentsOf: repeatElement(0, count: entry.payloadLength - payload.count))
    }
    let count = try segment.read(into: &payload, at: place + Int64(SpoolEntry.headerLength))
    let read = payload
    return count == entry.payloadLength && entry.hasChecksum(of: read.span)
  }

  /// The broker has it. Batches leave in their order.
  public func acknowledge(_ number: UInt64, at now: MonotonicTime) {
    self.now = now
    guard let index = sent.firstIndex(where: { $0.number == number && !$0.isAcknowledged }) else { return }
    sent[index].isAcknowledged = true
    acknowledgedEarly.append(number)
    if let batch = sent[index].batch, !sent[index].isOrphan { segments.first { number <= $0.last }?.count(batch, -1) }
    let before = acknowledged
    while let first = sent.first, first.isAcknowledged {
      acknowledged = max(acknowledged, first.number)
      sent.removeFirst()
    }
    guard acknowledged > before else { return }
    losses.acknowledge(upTo: acknowledged)
    let done = acknowledged
    acknowledgedEarly.removeAll { $0 <= done }
    store(.acknowledgement(acknowledged))
    removeFinished()
  }

  /// What `next` has just returned can never be sent. A batch becomes a loss.
  public func lose(_ number: UInt64, at now: MonotonicTime) {
    guard let batch = sent.last?.batch, batch.number == number else { return acknowledge(number, at: now) }
    self.now = now
    sent.removeLast()
    segments.first { number <= $0.last }?.count(batch, -1)
    let loss = losses.add(Loss(batch))
    report(.lost(loss.record))
    store(loss.entry)
  }

  /// The connection is lost: what was not acknowledged is sent again.
  public func recallUnacknowledged(at now: MonotonicTime) {
    self.now = now
    losses.recall()
    let recalled = sent
    sent.removeAll(keepingCapacity: true)
    ready = nil
    cursor = (0, Int64(Segment.headerLength))
    expected = oldestExpected
    for item in recalled where item.isOrphan && !item.isAcknowledged {
      if let batch = item.batch { add(Loss(batch)) }
    }
  }
}

// MARK: Syncing

extension BatchSpool {
  /// When `timePassed` syncs what was stored; nil while all of it is on the device.
  public var deadline: MonotonicTime? { syncDue }

  public func timePassed(at now: MonotonicTime) {
    self.now = now
    if let syncDue, syncDue <= now { sync() }
  }

  /// Before the program ends.
  public func close(at now: MonotonicTime) {
    self.now = now
    if !segments.isEmpty, !isEnded {
      store(.end(nextNumber - 1))
      isEnded = true
    }
    sync()
  }

  private func sync() {
    do throws(SystemError) {
      if failure != nil { try moveToFiles() }
      var isSynced = false
      for segment in segments where try segment.sync() { isSynced = true }
      try syncFolder()
      // A disk that takes nothing fails only when there is something for it.
      if isSynced, failure != nil {
        failure = nil
        report(.writableAgain)
      }
      syncDue = failure == nil ? nil : now + Self.syncInterval
    } catch {
      fail(error)
      syncDue = now + Self.syncInterval
    }
  }

  private func syncFolder() throws(SystemError) {
    if hasNewFile { try Files.syncDirectory(folder) }
    hasNewFile = false
  }

  private func moveToFiles() throws(SystemError) {
    try Files.createDirectory(folder, mode: 0o700)
    for segment in segments where segment.isInMemory {
      try segment.moveToFile()
      hasNewFile = true
    }
  }

  /// Batches stay in memory until the next try.
  private func fail(_ error: SystemError) {
    if failure == nil { report(.notWritable(error)) }
    failure = error
    if syncDue == nil { syncDue = now + Self.syncInterval }
  }
}
