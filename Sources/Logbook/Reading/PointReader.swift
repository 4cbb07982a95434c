// Reads an activity as points, one for each second in which something was measured: the believed
// values of a recording, or what a file had. In slices, as `SecondsReader`.

package import ActivityFiles
import JSON
package import SQLite

package final class PointReader {
  private let seconds: SecondsReader
  private let states: Statement
  private var assembler = PointAssembler()
  private var span: Int?
  private var counters: ShownCounters?
  /// Points before this second are read for their counters only.
  private let firstT: Int

  /// Points before `fromMS` and from `toMS` on are left out.
  package init(
    _ spans: [ActivitySpan], in database: Database, fromMS: Int64 = 0, toMS: Int64 = .max
  ) throws(SQLiteError) {
    counters = ShownCounters(spans)
    firstT = counters == nil ? .min : Int(fromMS / 1000)
    seconds = try SecondsReader(spans, in: database, fromMS: counters == nil ? fromMS : 0, toMS: toMS)
    states = try database.prepare(
      "SELECT at_ms, data FROM event WHERE activity = ?1 AND kind = 'state' ORDER BY at_ms, n LIMIT 10000")
  }

  /// Reads up to `limit` rows of seconds. `damaged` is called with the time of each row that cannot be
  /// read. Returns false after the last one.
  package func read(
    _ limit: Int, damaged: (Int64) -> Void = { _ in }, _ body: (ActivityPoint) -> Void
  ) throws(SQLiteError) -> Bool {
    try readRide(limit, damaged: damaged) { point, _ in body(point) }
  }

  /// The same, with what the daemon counted and every sample.
  package func readRide(
    _ limit: Int, damaged: (Int64) -> Void = { _ in },
    sample: (Int64, borrowing SecondDecoder.Sample, RecordedStream) -> Void = { _, _, _ in },
    _ body: (ActivityPoint, RideSecond) -> Void
  ) throws(SQLiteError) -> Bool {
    let part = try seconds.beginSpan()
    if part != span, let activity = seconds.activity {
      span = part
      assembler.begin(seconds.streams, silences: try silences(of: activity))
    }
    let streams = seconds.streams
    func emit(_ assembled: ActivityPoint, _ ride: RideSecond) {
      var point = assembled
      counters?.apply(to: &point)
      if point.t >= firstT { body(point, ride) }
    }
    let hasMore = try seconds.read(limit, damaged: damaged) { moment, stored in
      assembler.add(stored, at: moment.atMS, emit)
      if stored.stream < streams.count { sample(moment.atMS, stored, streams[stored.stream]) }
    }
    if !hasMore { assembler.finish(emit) }
    return hasMore
  }

  /// In the time of the activity that is shown.
  private func silences(of activity: Int64) throws(SQLiteError) -> RadarSilences {
    var silences = RadarSilences()
    let radars = seconds.streams.filter { $0.kind.has("\"radar\"") }.map(\.sensor)
    guard let radar = radars.first, let id = try? JSONValue.parse(radar.span).text else { return silences }
    try states.bind(1, activity)
    while try states.step() {
      guard let data = states.text(1).flatMap({ try? JSONValue.parse($0) }), data["sensor"]?.text == id,
        let state = data["state"]?.text
      else { continue }
      silences.add(isStreaming: state == "streaming", at: states.integer(0) + seconds.shiftMS)
    }
    return silences
  }
}
