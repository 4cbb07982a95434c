// Writes an activity of a file into the tables, some hundred rows at a time. It is invisible until
// its state changes at the end of the import.

import ActivityFiles
import JSON
import Logbook
import LogbookWire
import SQLite
import Time
import Wire

struct ImportedActivity {
  /// In seconds. Seconds after that are dropped.
  static let longest = 31 * 86_400
  /// Of events, devices and zones each: files of devices have far fewer.
  private static let mostOthers = 5000

  private(set) var row: StoredActivity
  private var kept: KeptFile
  private var batch = RecordingBatch()
  private var assembler = SecondAssembler()
  private var line = PointLine()
  private var sample = SampleLine()
  private var lapCount = 0
  private var eventCount = 0
  private var storedFields = 0
  private var lastPoint: Int?
  private(set) var dropped = 0

  init(_ header: ActivityHeader, _ source: ActivitySource, hash: [UInt8]) {
    row = StoredActivity()
    row.state = .importing
    row.source = source
    row.sourceHash = hash
    row.uuid = (0..<16).map { _ in UInt8.random(in: 0...255) }
    row.sport = SportCodes(sport: header.sport, subSport: header.subSport).word
    row.name = header.name?.shortened(to: RequestLimits.name)
    row.note = header.note?.shortened(to: RequestLimits.text)
    row.startUTCMS = header.start.map { $0.seconds * 1000 }
    row.sortMS = row.startUTCMS ?? 0
    row.utcSource = row.startUTCMS.map { _ in "file" }
    row.utcOffsetS = header.utcOffset
    kept = KeptFile(header, sport: row.sport)
  }

  /// Inserts the row. Everything else refers to it.
  mutating func begin(_ table: ActivityTable) throws(SQLiteError) {
    row.id = try table.insert(row)
  }

  var pendingCount: Int { batch.rows.count + batch.laps.count + batch.events.count }

  mutating func add(_ item: ActivityItem) {
    switch item {
    case .point(let point): add(point)
    case .lap(let lap): add(lap)
    case .event(let event): add(event)
    case .device(let device):
      if kept.devices.count < Self.mostOthers { kept.devices.append(KeptDevice(device, after: lastPoint ?? -1)) }
    case .zones(let zones):
      if kept.zones.count < Self.mostOthers { kept.zones.append(KeptZones(zones)) }
    case .summary(let summary):
      kept.summary = KeptSummary(summary)
      finish(summary)
    case .header, .routePoint, .cue, .warning, .omission: break
    }
  }

  /// Stores what was added since the last time, in one transaction.
  mutating func flush(_ tables: RecordingTables, _ database: Database) throws(SQLiteError) {
    collectRows()
    if let stream = assembler.streams.first, stream.fieldNames.count > storedFields {
      batch.streams = [RecordingBatch.Stream(0, stream)]
      storedFields = stream.fieldNames.count
    }
    guard !batch.isEmpty else { return }
    let (batch, id) = (batch, row.id)
    try database.transaction { () throws(SQLiteError) in try tables.add(batch, to: id) }
    self.batch = RecordingBatch()
  }

  private mutating func add(_ point: ActivityPoint) {
    guard 0...Self.longest ~= point.t, lastPoint.map({ point.t > $0 }) ?? true else {
      dropped += 1
      return
    }
    lastPoint = point.t
    line.set(point)
    let bytes = line.bytes
    guard sample.parse(bytes.span) else { return }
    _ = assembler.add(sample, of: bytes.span, at: sample.milliseconds, now: 0)
    collectRows()
  }

  private mutating func collectRows() {
    while let row = assembler.nextRow() {
      batch.rows.append(RecordingBatch.Row(second: row.second, bytes: row.bytes))
    }
  }

  private mutating func add(_ lap: ActivityLap) {
    lapCount += 1
    batch.laps.append(
      RecordingBatch.Lap(
        number: lapCount, startMS: Int64(max(0, lap.summary.start)) * 1000, endMS: milliseconds(lap.summary.end),
        cause: lap.trigger.word.rawValue,
        totals: LapTotals(lapTimeS: lap.summary[.timerTime], EffortTotals(lap.summary.values)).text,
        detail: KeptLap(lap).encoded))
  }

  private mutating func add(_ event: ActivityEvent) {
    guard eventCount < Self.mostOthers else { return }
    eventCount += 1
    let kept = KeptEvent(event, after: lastPoint ?? -1)
    batch.events.append(
      RecordingBatch.Event(atMS: milliseconds(Double(event.t)), kind: kept.kind, data: kept.encoded))
  }

  /// The totals of the file; those that it lacks follow from its points later.
  private mutating func finish(_ summary: ActivitySummary) {
    assembler.complete()
    row.startMS = 0
    row.endMS = max(milliseconds(summary.end), Int64(lastPoint ?? 0) * 1000)
    row.totals = StoredTotals(summary.values).plausible
    row.totals.laps = lapCount
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("file")
    kept.write(into: &writer)
    writer.endObject()
    row.detail = String(decoding: writer.bytes, as: UTF8.self)
  }

  private func milliseconds(_ seconds: Double) -> Int64 {
    Int64((min(max(0, seconds), RequestLimits.seconds.upperBound) * 1000).rounded())
  }
}

extension ActivityLap.Trigger {
  fileprivate var word: LapTrigger {
    switch self {
    case .manual: .manual
    case .time: .time
    case .distance: .distance
    case .position: .position
    case .end: .end
    }
  }
}

extension String {
  /// Cut at a character.
  func shortened(to bytes: Int) -> String {
    var text = self
    if text.utf8.count > bytes { text = String(decoding: utf8.prefix(bytes), as: UTF8.self) }
    while text.utf8.count > bytes { text.removeLast() }
    return text
  }
}
