// An activity as NDJSON: its samples as metrics.sock sent them, and its events. Times have the
// precision of the logbook, which is a millisecond.

import JSON
import Logbook
import SQLite
import Time
import Wire

final class RecordExport: ExportPieces {
  private struct Part {
    let atMS: Int64
    /// Of the boot time, less that of the activity.
    let shiftMS: Int64
  }

  private struct Event {
    let atMS: Int64
    let activity: Int64
    let kind: String
    let data: String?
  }

  private static let portion = 60
  private static let eventPortion = 200

  private let database: Database
  private let reader: SecondsReader
  private let startMS: Int64?
  private let spans: [ActivitySpan]
  private var parts: [Int64: [Part]] = [:]
  /// By activity.
  private var streams: [Int64: [RecordedStream]] = [:]
  private var events: ArraySlice<Event> = []
  private var eventSpan = 0
  /// Of the last event that was fetched.
  private var eventPlace: (atMS: Int64, number: Int64)
  private var isFinished = false
  private(set) var leftOut: [String] = []

  init(_ row: StoredActivity, start: WallTime?, in database: Database) throws(Refusal) {
    self.database = database
    spans = row.shownSpans
    startMS = start.map { $0.seconds * 1000 + Int64($0.nanoseconds / 1_000_000) }
    eventPlace = (spans.first?.fromMS ?? 0, 0)
    do throws(SQLiteError) {
      reader = try SecondsReader(spans, in: database)
      let rows = try database.prepare("SELECT boot_s, at_s FROM part WHERE activity = ?1 ORDER BY at_s")
      for span in spans where parts[span.activity] == nil {
        streams[span.activity] = try SecondsReader.streams(of: span.activity, in: database)
        try rows.bind(1, span.activity)
        var found: [Part] = []
        while try rows.step() {
          let (boot, at) = (rows.integer(0), rows.integer(1))
          found.append(Part(atMS: at * 1000, shiftMS: (boot - at) * 1000))
        }
        parts[span.activity] = found
      }
    } catch {
      throw Refusal(storage: error)
    }
  }

  func prepare() throws(Refusal) -> Bool { false }

  func write(into buffer: inout [UInt8]) throws(Refusal) -> Bool {
    guard !isFinished else { return false }
    do throws(SQLiteError) {
      if events.isEmpty { try fetchEvents() }
      isFinished = try !reader.read(Self.portion) { moment, sample in
        writeEvents(until: moment.atMS, into: &buffer)
        write(sample, at: moment, into: &buffer)
      }
      if isFinished {
        writeEvents(until: .max, into: &buffer)
        while try fetchEvents() { writeEvents(until: .max, into: &buffer) }
      }
    } catch {
      throw Refusal(storage: error)
    }
    return !isFinished
  }

  private func write(
    _ sample: borrowing SecondDecoder.Sample, at moment: SecondsReader.Moment, into buffer: inout [UInt8]
  ) {
    guard let known = streams[moment.activity], known.indices.contains(moment.stream) else { return }
    let stream = known[moment.stream]
    let names = stream.fieldNames
    guard sample.values.count <= names.count else { return }
    buffer.append(contentsOf: "{\"class\":\"sample\",\"sensor\":".utf8)
    buffer.append(contentsOf: stream.sensor)
    buffer.append(contentsOf: ",\"kind\":".utf8)
    buffer.append(contentsOf: stream.kind)
    buffer.append(contentsOf: ",\"seq\":\(sample.sequence)".utf8)
    appendTimes(moment.atMS, moment.activity, into: &buffer)
    for index in sample.values.indices {
      guard let value = sample.values[index] else { continue }
      buffer.append(contentsOf: ",\"".utf8)
      buffer.append(contentsOf: names[index])
      buffer.append(contentsOf: "\":".utf8)
      value.write(into: &buffer)
    }
    buffer.append(contentsOf: "}\n".utf8)
  }

  /// `atMS` counts from the start of the activity that is exported.
  private func appendTimes(_ atMS: Int64, _ activity: Int64, into buffer: inout [UInt8]) {
    let own = atMS - shift(atMS, activity)
    let part = parts[activity]?.last { $0.atMS <= own } ?? parts[activity]?.first
    buffer.append(contentsOf: ",\"t\":".utf8)
    RecordedValue.number(mantissa: own + (part?.shiftMS ?? 0), decimals: 3).write(into: &buffer)
    guard let startMS else { return }
    buffer.append(contentsOf: ",\"time\":\"\(WallTime(milliseconds: startMS + atMS).isoText)\"".utf8)
  }

  /// From the time of a recording to that of the activity that shows it.
  private func shift(_ atMS: Int64, _ activity: Int64) -> Int64 {
    let span = spans.last { $0.activity == activity && $0.atMS <= atMS } ?? spans.first { $0.activity == activity }
    return span.map { $0.atMS - $0.fromMS } ?? 0
  }
}

// MARK: Events

extension RecordExport {
  private func writeEvents(until atMS: Int64, into buffer: inout [UInt8]) {
    while let event = events.first, event.atMS <= atMS {
      events.removeFirst()
      buffer.append(contentsOf: "{\"class\":\"event\",\"event\":".utf8)
      var writer = JSONWriter()
      writer.string(event.kind)
      buffer.append(contentsOf: writer.bytes)
      appendTimes(event.atMS, event.activity, into: &buffer)
      writer.removeAll()
      for member in event.data.flatMap({ try? JSONValue.parse($0) })?.members ?? []
      where !["class", "event", "t", "time"].contains(member.name) {
        writer.member(member.name, member.value)
      }
      if !writer.bytes.isEmpty {
        buffer.append(UInt8(ascii: ","))
        buffer.append(contentsOf: writer.bytes)
      }
      buffer.append(contentsOf: "}\n".utf8)
    }
  }

  /// Returns false if there are no more.
  @discardableResult
  private func fetchEvents() throws(SQLiteError) -> Bool {
    while eventSpan < spans.count {
      let span = spans[eventSpan]
      let rows = try database.prepare(
        """
        SELECT n, at_ms, kind, data FROM event WHERE activity = ?1 AND (at_ms, n) > (?2, ?3) AND at_ms < ?4
        ORDER BY at_ms, n LIMIT \(Self.eventPortion)
        """)
      try rows.bind(1, span.activity)
      try rows.bind(2, eventPlace.atMS)
      try rows.bind(3, eventPlace.number)
      try rows.bind(4, span.toMS ?? .max)
      var found: [Event] = []
      while try rows.step() {
        eventPlace = (rows.integer(1), rows.integer(0))
        found.append(
          Event(
            atMS: rows.integer(1) - span.fromMS + span.atMS, activity: span.activity, kind: rows.text(2) ?? "",
            data: rows.text(3)))
      }
      if !found.isEmpty {
        events = found[...]
        return true
      }
      eventSpan += 1
      if eventSpan < spans.count { eventPlace = (spans[eventSpan].fromMS, 0) }
    }
    return false
  }
}
