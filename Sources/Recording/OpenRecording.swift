// An activity that is being recorded: its place in time, its seconds, its laps and its totals. What
// is not stored yet is in its batch, also while the storage fails.

import JSON
import Logbook
import LogbookWire
import Time

final class OpenRecording {
  /// As it was begun. Only what never changes later is read from it.
  private let row: StoredActivity
  /// Nil until it is stored.
  private(set) var id: Int64?
  private(set) var part: RecordingBatch.Part
  private(set) var batch = RecordingBatch()
  /// Whether its last samples have come.
  private(set) var isClosed = false
  private var assembler: SecondAssembler
  private var totals = RideTotals()
  private var lap: (number: Int, startMS: Int64)
  /// The time of the last sample.
  private(set) var lastMS: Int64
  private var sport: String?
  /// How many fields of each stream the batch or the table has.
  private var fieldCounts: [Int] = []
  /// What was dropped because the storage failed for too long.
  private var lost: ClosedRange<Int64>?
  /// Where the batch has the event about that.
  private var lostEvent: Int?
  private var rider: RiderSettings

  /// At least so many seconds stay in memory while the storage fails, and at most twice as many.
  private static let fewestSeconds: Int64 = 60

  /// `start` is the boot time of the first moment, in milliseconds.
  init(_ report: borrowing RideReport, uuid: [UInt8], boot: [UInt8], start: Int64) {
    var row = StoredActivity()
    row.uuid = uuid
    row.rideID = String(decoding: report.rideID, as: UTF8.self)
    row.state = .recording
    row.sport = Self.word(report.sport) ?? row.sport
    let second = start.dividedDown(by: 1000)
    row.startMS = start - second * 1000
    row.endMS = row.startMS
    self.row = row
    rider = RiderSettings()
    part = RecordingBatch.Part(number: 1, boot: boot, bootS: second, atS: 0)
    assembler = SecondAssembler()
    lap = (report.lap, row.startMS)
    lastMS = row.startMS
    batch.parts = [part]
  }

  /// Goes on with one that is stored.
  init(_ stored: StoredRecording) {
    row = stored.row
    rider = RiderSettings(text: stored.row.rider)
    id = stored.row.id
    part = stored.part
    var totals = RideTotals()
    var last = max(row.startMS, row.endMS)
    assembler = SecondAssembler(streams: stored.streams, rows: stored.rows) { sample, stream, time in
      totals.record(sample, of: stream)
      last = max(last, time)
    }
    if let second = stored.rows.last?.second { last = max(last, second * 1000) }
    if row.totals.hasTrack { totals.recordTrack() }
    self.totals = totals
    lastMS = last
    fieldCounts = stored.streams.map(\.fieldCount)
    lap = stored.lap.map { ($0.number, $0.startMS) } ?? (1, row.startMS)
  }

  var rideID: String? { row.rideID }
  var startMS: Int64 { row.startMS }
  /// The activity's own second of a boot time in milliseconds.
  func time(_ bootMS: Int64) -> Int64 { bootMS - (part.bootS - part.atS) * 1000 }
  /// When the current second has to be committed, in milliseconds of the boot time.
  var deadline: Int64? { isClosed ? nil : assembler.deadline }
  var hasCompleted: Bool { assembler.hasCompleted }
  var currentLap: Int { lap.number }
  /// UTC of its zero as it was stored.
  var storedZeroUTCMS: Int64? { row.startUTCMS }

  /// The row of a recording that is not stored.
  func newRow(sortMS: Int64) -> StoredActivity {
    var row = row
    row.sortMS = sortMS
    return row
  }
}

// MARK: Samples

extension OpenRecording {
  /// The part of a later boot begins. `boot` is its first second.
  func begin(boot: [UInt8], at second: Int64, atS: Int64) {
    part = RecordingBatch.Part(number: part.number + 1, boot: boot, bootS: second, atS: atS)
    batch.parts.append(part)
    assembler.forgetSequences()
  }

  /// The first second that a part may begin at.
  var nextSecond: Int64 { lastMS.dividedDown(by: 1000) + 1 }

  /// `now` is the boot time in milliseconds.
  func add(_ sample: borrowing SampleLine, of line: Span<UInt8>, now: Int64) {
    let time = time(sample.milliseconds)
    guard time >= row.startMS else { return }
    let verdict = assembler.add(sample, of: line, at: time, now: now)
    if assembler.missing > 0, verdict == .added { addHole(of: sample, line, assembler.missing, at: time) }
    guard verdict != .repeated else { return }
    totals.record(sample, of: line)
    lastMS = max(lastMS, time)
  }

  private func addHole(of sample: borrowing SampleLine, _ line: Span<UInt8>, _ count: Int64, at time: Int64) {
    let sensor = sample.sensor.map { line[$0] }
    let kind = sample.kind.map { line[$0] }
    var data = JSONWriter()
    data.beginObject()
    data.member("sensor")
    data.encoded(sensor[...])
    data.member("kind")
    data.encoded(kind[...])
    data.member("lost", Int(count))
    data.endObject()
    addEvent("hole", at: time, data.bytes)
  }

  func addEvent(_ kind: String, at time: Int64, _ data: [UInt8]? = nil) {
    guard batch.events.count < Self.mostEvents else { return }
    let text = data.map { String(decoding: $0, as: UTF8.self) }
    batch.events.append(RecordingBatch.Event(atMS: max(0, time), kind: kind, data: text))
  }

  private static var mostEvents: Int { 1000 }

  /// The daemon numbers its samples from 1.
  func forgetSequences() { assembler.forgetSequences() }

  /// The daemon answered `rider` and `bike`.
  func add(rider answer: JSONValue, bike: JSONValue) {
    rider.add(rider: answer, bike: bike)
    batch.rider = rider.text
    batch.bike = RiderSettings.currentBike(bike)
  }
}

// MARK: Laps and totals

extension OpenRecording {
  /// The lap of the report has begun, at `time` of the activity.
  func beginLap(_ number: Int, at time: Int64) {
    let start = max(time, lap.startMS)
    addLap(cause: number == lap.number + 1 ? "manual" : nil, endMS: start)
    // Laps without samples, because the recorder did not run.
    if number > lap.number + 1, number - lap.number < Self.mostLaps {
      for missed in (lap.number + 1)..<number {
        batch.laps.append(
          RecordingBatch.Lap(number: missed, startMS: start, endMS: start, cause: nil, totals: nil))
      }
    }
    lap = (number, start)
  }

  private static var mostLaps: Int { 1000 }

  /// Replaces the row of the current lap.
  private func addLap(cause: String?, endMS: Int64) {
    batch.laps.removeAll { $0.number == lap.number }
    batch.laps.append(
      RecordingBatch.Lap(
        number: lap.number, startMS: lap.startMS, endMS: max(lap.startMS, endMS), cause: cause, totals: totals.lap.text)
    )
  }

  func setSport(_ report: borrowing RideReport) {
    guard let word = Self.word(report.sport), word != sport else { return }
    // What the row has already, the rider may have changed.
    if sport != nil || word != row.sport { batch.summary = summary(.recording, sport: word) }
    sport = word
  }

  private static func word(_ text: [UInt8]) -> String? {
    text.count > 2 ? String(decoding: text[1..<(text.count - 1)], as: UTF8.self) : nil
  }

  /// Adds the totals so far to the batch.
  func summarize() {
    addLap(cause: nil, endMS: lastMS)
    batch.summary = summary(.recording, sport: batch.summary?.sport)
  }

  func close(_ state: StoredActivity.State) {
    guard !isClosed else { return }
    complete()
    addLap(cause: "end", endMS: lastMS)
    var summary = summary(state, sport: batch.summary?.sport)
    var detail = StoredDetail(text: row.detail)
    detail.derived.zones = totals.zones(of: StoredRider(text: rider.text))
    detail.derived.powerCurve = totals.bestPowers
    summary.detail = detail.text
    batch.summary = summary
    isClosed = true
  }

  private func summary(_ state: StoredActivity.State, sport: String?) -> RecordingBatch.Summary {
    var summary = RecordingBatch.Summary()
    (summary.state, summary.endMS, summary.sport) = (state, lastMS, sport)
    summary.totals = totals.totals
    summary.totals.setTrainingLoad(StoredRider(text: rider.text))
    return summary
  }
}

// MARK: Commits

extension OpenRecording {
  /// Completes the current second.
  func complete() { assembler.complete() }

  /// Moves what is complete into the batch.
  func collect(_ sensors: SensorFacts) {
    while let row = assembler.nextRow() {
      let row = RecordingBatch.Row(second: row.second, bytes: row.bytes)
      if let place = batch.rows.lastIndex(where: { $0.second == row.second }) {
        batch.rows[place] = row
      } else {
        batch.rows.append(row)
      }
    }
    dropOldRows()
    let streams = assembler.streams
    for index in streams.indices {
      let count = streams[index].fieldCount
      if index < fieldCounts.count, fieldCounts[index] == count { continue }
      addStream(index, streams[index], sensors)
      if index < fieldCounts.count { fieldCounts[index] = count } else { fieldCounts.append(count) }
    }
  }

  /// Names and facts of sensors came.
  func updateStreams(_ sensors: SensorFacts) {
    for (index, stream) in assembler.streams.enumerated() where index < fieldCounts.count {
      if sensors.knows(stream.sensor) { addStream(index, stream, sensors) }
    }
  }

  private func addStream(_ index: Int, _ stream: RecordedStream, _ sensors: SensorFacts) {
    batch.streams.removeAll { $0.number == index }
    let (name, facts) = sensors.facts(of: stream.sensor)
    batch.streams.append(RecordingBatch.Stream(index, stream, name: name, facts: facts))
  }

  /// Keeps the last minute, and what it takes to begin with a second that can be read alone.
  private func dropOldRows() {
    guard let first = batch.rows.first, let last = batch.rows.last else { return }
    let limit = last.second - Self.fewestSeconds
    guard let kept = batch.rows.lastIndex(where: { $0.second <= limit && $0.isKey }), kept > 0 else { return }
    lost = min(lost?.lowerBound ?? .max, first.second * 1000)...(batch.rows[kept].second * 1000)
    batch.rows.removeFirst(kept)
  }

  /// Adds the hole to the next commit. If that fails as well, the hole may become longer.
  func reportLost() {
    guard let lost else { return }
    var data = JSONWriter()
    data.beginObject()
    data.member("from_ms", Int(lost.lowerBound))
    data.member("to_ms", Int(lost.upperBound))
    data.member("reason", "storage")
    data.endObject()
    let text = String(decoding: data.bytes, as: UTF8.self)
    if let lostEvent {
      batch.events[lostEvent].data = text
    } else {
      lostEvent = batch.events.count
      batch.events.append(RecordingBatch.Event(atMS: lost.lowerBound, kind: "hole", data: text))
    }
  }

  var hasLost: Bool { lost != nil }

  /// The batch is on the device.
  func didStore(_ id: Int64) {
    self.id = id
    batch.removeAll()
    (lost, lostEvent) = (nil, nil)
  }
}

extension Int64 {
  /// Towards negative infinity.
  func dividedDown(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
