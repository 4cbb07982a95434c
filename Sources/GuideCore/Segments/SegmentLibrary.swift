// The segments of the recorder, on a connection of its own: reads them all, and again what changes.
// Without a recorder it retries, and what was read before stays. The recorder reports other changes on
// this connection, too.

import CyclometerClient
import CyclometerClientLoop
import Earth
import EventLoop
import JSON
import LogbookWire
import ProgramKit
import Segments
import Time
import Wire

final class SegmentLibrary {
  /// More segments, or more points of all, need too much memory. The newest ones count.
  static let mostSegments = 500
  static let mostPoints = 100_000
  /// The document of a segment has 10,000 points at most.
  private static let mostBytes = 2 << 20
  private static let answerTime = Duration.seconds(10)
  /// Changes often come together.
  private static let collectTime = Duration.milliseconds(500)
  private static let refusedTime = Duration.seconds(60)

  private enum Stage {
    case idle
    case listing
    /// A segment whose transfer has this number, once it has begun.
    case reading(SegmentRecord, transfer: Int?)
  }

  private struct Item {
    var record: SegmentRecord
    /// Of its line. 0 if it has none.
    var points: Int
    /// Nil if it has no line, or if newer ones leave no room for it.
    var segment: KnownSegment?
  }

  private let path: String
  private let loop: EventLoop
  private let log: Log
  private let room: Int
  private let completion: ([NamedSegment]) -> Void
  private let linkChanged: () -> Void
  private let routeChanged: (Int?) -> Void
  private var link: LogbookLink?
  private var deadline: Deadline?
  private var refresh: Deadline?
  private var backOff = BackOff()
  private var connected: MonotonicTime?
  private var stage = Stage.idle
  private var request = 0
  /// The newest one first.
  private var listed: [SegmentRecord] = []
  /// Whether the recorder has more than are listed.
  private var isCut = false
  private var items: [Int: Item] = [:]
  /// Segments that may have other efforts than `items`.
  private var obsolete: Set<Int> = []
  private var content: [UInt8] = []
  private var isStopped = false
  /// Why they could not be read, if that is known to last.
  private var complaint: String?
  /// The last warning that not all segments are recognized.
  private var warning: String?

  /// `completion` is called with all segments, when they were read and when some have changed.
  /// `linkChanged` is called when the recorder was connected or lost, and `routeChanged` with the id of a
  /// route that has changed; nil if any may have. There is `room` for so many points.
  init(
    from path: String, in loop: EventLoop, log: Log, room: Int = mostPoints,
    completion: @escaping ([NamedSegment]) -> Void, linkChanged: @escaping () -> Void,
    routeChanged: @escaping (Int?) -> Void
  ) {
    (self.path, self.loop, self.log, self.room) = (path, loop, log, room)
    (self.completion, self.linkChanged, self.routeChanged) = (completion, linkChanged, routeChanged)
  }

  func start() {
    guard !isStopped else { return }
    stage = .idle
    link = LogbookLink(
      to: path, in: loop, onRecord: { [weak self] in self?.handle($0) }, onEnd: { [weak self] in self?.end("\($0)") })
    link?.send { id, writer in writer.request(id, LogbookSubscribeRequest()) }
    list()
  }

  func stop() {
    isStopped = true
    close()
  }

  private func close() {
    link?.close()
    deadline?.cancel()
    refresh?.cancel()
    (link, deadline, refresh, stage, content) = (nil, nil, nil, .idle, [])
  }

  /// Connects again after a while.
  private func end(_ reason: String) {
    close()
    if complaint != reason { log.info("segments: not read from the recorder, retrying (\(reason))") }
    if complaint != reason || connected != nil { linkChanged() }
    complaint = reason
    if let connected { backOff.connectionLasted(loop.now - connected) }
    connected = nil
    deadline = loop.schedule(after: backOff.next()) { [weak self] in self?.start() }
  }

  private func expectAnswer() {
    deadline?.cancel()
    deadline = loop.schedule(after: Self.answerTime) { [weak self] in self?.end("the recorder does not answer") }
  }

  // MARK: Requests

  private func list(before: Int? = nil) {
    if before == nil { listed = [] }
    stage = .listing
    var page = SegmentsRequest()
    page.before = before
    page.limit = RequestLimits.page.upperBound
    request = link?.send { [page] id, writer in writer.request(id, page) } ?? 0
    expectAnswer()
  }

  /// Reads the newest segment that is not known as it is now, while there is room for its points.
  private func readNext() {
    var points = 0
    for record in listed {
      guard let item = items[record.id], item.record == record, !obsolete.contains(record.id) else {
        return read(record)
      }
      points += item.points
      guard points <= room else { break }
      if item.segment == nil, item.points > 0 { return read(record) }
    }
    finish()
  }

  private func read(_ record: SegmentRecord) {
    // It is read again if it changes meanwhile, or if this fails.
    obsolete.remove(record.id)
    items[record.id] = nil
    stage = .reading(record, transfer: nil)
    content = []
    request = link?.send { id, writer in writer.request(id, SegmentRequest(id: record.id)) } ?? 0
    expectAnswer()
  }

  /// Lists again, unless that is under way: then afterwards.
  private func refreshLater(after time: Duration = collectTime) {
    guard refresh == nil else { return }
    refresh = loop.schedule(after: time) { [weak self] in self?.refreshNow() }
  }

  private func refreshNow() {
    refresh = nil
    if case .idle = stage { list() } else { refreshLater() }
  }

  // MARK: Records

  private func handle(_ record: ReceivedRecord) {
    if connected == nil {
      connected = loop.now
      linkChanged()
      routeChanged(nil)
    }
    switch record.recordClass {
    case SegmentChangeRecord.className:
      guard let change = SegmentChangeRecord(record.content) else { return }
      if change.change.known != .removed { obsolete.insert(change.id) }
      refreshLater()
    case RouteChangeRecord.className:
      if let change = RouteChangeRecord(record.content) { routeChanged(change.id) }
    case ActivityChangeRecord.className:
      if ActivityChangeRecord(record.content)?.change.known != .recording { refreshLater() }
    case LogbookEventRecord.className:
      if LogbookEventRecord(record.content)?.event.known == .storageOK { refreshLater() }
    case "reply" where record["id"]?.integer == request: handle(reply: record["result"] ?? .null)
    case "error" where record["id"]?.integer == request || record["id"] == nil: handle(Refusal(record.refusal))
    case DataRecord.className: handle(data: record.content)
    default: break
    }
  }

  private func handle(reply: JSONValue) {
    switch stage {
    case .idle: break
    case .listing:
      guard let page = SegmentsReply(reply) else { return end(RouteDownload.unclear.message) }
      listed += page.segments
      if page.hasMore, listed.count < Self.mostSegments, let last = page.segments.last { return list(before: last.id) }
      compare(hasMore: page.hasMore)
    case .reading(let record, _):
      guard let transfer = TransferReply(reply)?.transfer else { return keep(nil, of: record) }
      stage = .reading(record, transfer: transfer)
      expectAnswer()
    }
  }

  private func compare(hasMore: Bool) {
    isCut = hasMore || listed.count > Self.mostSegments
    listed = Array(listed.prefix(Self.mostSegments))
    let ids = Set(listed.map(\.id))
    items = items.filter { ids.contains($0.key) }
    obsolete.formIntersection(ids)
    readNext()
  }

  private func handle(data json: JSONValue) {
    guard case .reading(let record, let transfer?) = stage else { return }
    guard let data = DataRecord(json) else { return keep(nil, of: record) }
    // The rest of a segment that was not understood.
    guard data.transfer == transfer else { return }
    guard data.offset == content.count, content.count + data.piece.bytes.count <= Self.mostBytes else {
      return keep(nil, of: record)
    }
    content += data.piece.bytes
    expectAnswer()
    if data.isLast { keep((try? JSONValue.parse(content)).flatMap { SegmentDocument($0) }, of: record) }
  }

  /// Keeps the document that was read; nil if it is not understood.
  private func keep(_ document: SegmentDocument?, of record: SegmentRecord) {
    content = []
    let segment = document.flatMap { KnownSegment($0) }
    if segment == nil {
      let reason = document == nil ? RouteDownload.unclear.message : "it has no line of 100 m to 50 km"
      log.warning("segment \(record.id): not recognized (\(reason))")
    }
    items[record.id] = Item(record: record, points: segment?.line.count ?? 0, segment: segment)
    dropOldest()
    readNext()
  }

  private func dropOldest() {
    var points = items.values.reduce(0) { $0 + ($1.segment == nil ? 0 : $1.points) }
    for record in listed.reversed() where points > room {
      guard let item = items[record.id], item.segment != nil else { continue }
      items[record.id]?.segment = nil
      points -= item.points
    }
  }

  private func handle(_ refusal: Refusal) {
    if case .reading(let record, _) = stage, refusal.code == .noSuchActivity {
      // It was removed meanwhile.
      listed.removeAll { $0.id == record.id }
      return readNext()
    }
    deadline?.cancel()
    stage = .idle
    if complaint != refusal.message { log.info("segments: refused by the recorder (\(refusal.message))") }
    complaint = refusal.message
    refreshLater(after: Self.refusedTime)
  }

  private func finish() {
    (stage, complaint) = (.idle, nil)
    deadline?.cancel()
    var points = 0
    var segments: [NamedSegment] = []
    var isFull = false
    for record in listed {
      guard let item = items[record.id] else { continue }
      points += item.points
      isFull = points > room
      if isFull { break }
      if let segment = item.segment { segments.append(NamedSegment(segment: segment, name: Array(record.name.utf8))) }
    }
    warn(of: segments.count, isFull: isFull)
    completion(segments)
  }

  /// Once per change of the number.
  private func warn(of count: Int, isFull: Bool) {
    guard isFull || isCut else { return warning = nil }
    let limit = isFull ? "\(room) points" : "\(Self.mostSegments) segments"
    let new = "segments: only the newest \(count) are recognized, because there is room for \(limit)"
    if new != warning { log.warning(new) }
    warning = new
  }
}

struct NamedSegment {
  var segment: KnownSegment
  var name: [UInt8]
}

extension KnownSegment {
  fileprivate init?(_ document: SegmentDocument) {
    let positions = document.points.compactMap { Coordinate(latitude: $0.latitudeDeg, longitude: $0.longitudeDeg) }
    guard positions.count == document.points.count else { return nil }
    self.init(
      id: document.segment.id, positions, best: document.best.flatMap { PastEffort($0) },
      last: document.last.flatMap { PastEffort($0) })
  }
}

extension PastEffort {
  /// Nil if no rider takes so long.
  fileprivate init?(_ record: EffortDetailRecord) {
    guard record.effort.timeS > 0, record.effort.timeS < EffortTimes.longest else { return nil }
    var times: EffortTimes?
    if record.distancesM.count == record.timesS.count, record.distancesM.count > 1 {
      times = EffortTimes(zip(record.distancesM, record.timesS).map { (distanceM: $0, seconds: $1) })
    }
    self.init(timeS: record.effort.timeS, times: times)
  }
}
