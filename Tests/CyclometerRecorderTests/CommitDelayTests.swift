// Eight clients that use every method at once on a large logbook while a ride is recorded: how long a
// turn of the loop takes, for which the next commit may have to wait. Optimized code has to keep the
// limit, with 5,000 activities and a ride of two hours; debug code has less to do.
//
// The processor's time counts, because other programs and the device make the time of the clock
// uncertain. It is printed, too.

import CyclometerClient
import EventLoop
import Foundation
import JSON
import Linux
import Logbook
import LogbookWire
import ProgramKit
import RecorderCore
import SQLite
import Synchronization
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct CommitDelayTests {
  #if DEBUG
    private static let seconds = 120
    private static let activities = 1000
    private static let limit = 500.0
  #else
    private static let seconds = 7200
    private static let activities = 5000
    private static let limit = 50.0
  #endif
  private static let clients = 8

  @Test("no method delays a commit, with eight clients at once on a large logbook")
  func delays() throws {
    let daemon = try RealDaemon(["--simulate", "bike"])
    let folder = daemon.folder
    try fill(folder.file("recorder"))
    try record(from: daemon)
    try expectNoGap(folder.file("recorder/logbook.db"))
  }

  /// With all clients. Afterwards the logbook is closed.
  private func record(from daemon: RealDaemon) throws {
    let folder = daemon.folder
    let loop = try EventLoop()
    let places = RecorderPlaces(
      daemon: Endpoint(controlSocket: daemon.controlSocket), socket: folder.file("run/logbook.sock"),
      directories: ServiceDirectories(runtime: folder.file("recorder-run"), state: folder.file("recorder")))
    let service = try RecorderService(
      loop: loop, configuration: RecorderConfiguration(), places: places, log: Log(write: { _ in }), release: "test")
    try service.start()
    let probe = LoopProbe(loop)
    try run(loop, until: .now + .seconds(3)) { false }
    print("quiet: \(probe.summary)")
    probe.reset()
    let progress = Progress()
    for number in 0..<Self.clients {
      let socket = folder.file("run/logbook.sock")
      Thread.detachNewThread { LogbookVisitor(number, progress).run(socket, long: 1) }
    }
    try run(loop, until: .now + .seconds(540)) { progress.count == Self.clients }
    print("\(Self.clients) clients: \(probe.summary)")
    #expect(progress.count == Self.clients && progress.problems.isEmpty, "\(progress.problems)")
    #expect(probe.longestTurnMS < Self.limit)
    service.stop()
  }

  private func run(_ loop: EventLoop, until end: MonotonicTime, _ isDone: () -> Bool) throws {
    _ = try loop.run(until: end, isDone)
  }

  /// The recording is activity `activities + 1`, apart from what was imported.
  private func expectNoGap(_ path: String) throws {
    let file = try LogbookFile(path)
    let steps = try file.database.integer(
      """
      SELECT max(step) FROM (SELECT sec - lag(sec) OVER (ORDER BY sec) AS step FROM second
      WHERE activity = (SELECT id FROM activity WHERE source = 'recorded' AND ride_id IS NOT NULL))
      """)
    #expect(steps == 1)
  }

  /// One long recording, and others without seconds.
  private func fill(_ folder: String) throws {
    try Files.createDirectory(folder, mode: 0o700)
    let file = try LogbookFile(folder + "/logbook.db")
    var row = StoredActivity()
    (row.uuid, row.state, row.sport) = ([UInt8](repeating: 7, count: 16), .complete, "cycling")
    (row.startUTCMS, row.sortMS, row.endMS) = (1_777_777_777_000, 1_777_777_777_000, Int64(Self.seconds) * 1000)
    (row.utcOffsetS, row.totals.hasTrack) = (7200, true)
    let batch = Self.recording()
    let table = try ActivityTable(file.database)
    let tables = try RecordingTables(file.database)
    try file.database.transaction { () throws(SQLiteError) in
      try tables.add(batch, to: try table.insert(row))
      try file.database.execute(
        """
        INSERT INTO activity(uuid, state, source, sport, name, note, sort_ms, start_utc_ms, utc_offset_s, end_ms, ride_s,
          moving_s, distance_m, totals, exported, search)
        WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.activities))
        SELECT randomblob(16), 'complete', 'recorded', iif(i % 3, 'cycling', 'running'), 'Ride ' || i, 'note ' || i,
          1500000000000 + i * 40000000, 1500000000000 + i * 40000000, 7200, 5400000, 5400, 5000, 30000 + i,
          '{"ride_time_s":5400,"moving_time_s":5000,"distance_m":' || (30000 + i) || ',"power_avg_w":201.5}', 1,
          'ride ' || i
        FROM n;
        UPDATE activity SET exported = 1
        """)
    }
  }

  private static func recording() -> RecordingBatch {
    var assembler = SecondAssembler()
    var sample = SampleLine()
    var batch = RecordingBatch()
    for second in 0..<seconds {
      let wave = second % 47
      let bodies = [
        (
          "ride", "ride",
          #""ride_time_s":\#(second),"moving_time_s":\#(second),"distance_m":\#(second * 8),"paused":false,"lap":1"#
        ),
        ("strap", "heart_rate", #""bpm":\#(120 + wave),"rr_ms":[\#(500 + wave).5,510.25]"#),
        ("ride", "heart_rate", #""bpm":\#(120 + wave),"source":"strap""#),
        ("ride", "speed", #""speed_mps":8.\#(wave + 1),"source":"wheel""#),
        ("ride", "power", #""power_w":\#(200 + wave),"source":"pedals""#),
        ("pedals", "power", #""power_w":\#(200 + wave),"balance_pct":49.5"#),
        ("ride", "position", #""latitude_deg":47.\#(100_000 + second),"longitude_deg":8.5"#),
        ("radar", "radar", #""clear":false,"targets":[{"id":1,"distance_m":\#(wave),"level":1}]"#),
      ]
      for (index, body) in bodies.enumerated() {
        let line =
          #"{"class":"sample","sensor":"\#(body.0)","kind":"\#(body.1)","seq":\#(second + 1),"#
          + #""t":\#(second).\#(index)1,"age_ms":0,\#(body.2)}"#
        let bytes = Array(line.utf8)
        guard sample.parse(bytes.span) else { continue }
        _ = assembler.add(sample, of: bytes.span, at: sample.milliseconds, now: sample.milliseconds)
      }
      while let row = assembler.nextRow() { batch.rows.append(.init(second: row.second, bytes: row.bytes)) }
    }
    assembler.complete()
    while let row = assembler.nextRow() { batch.rows.append(.init(second: row.second, bytes: row.bytes)) }
    batch.streams = assembler.streams.enumerated().map { RecordingBatch.Stream($0, $1) }
    batch.parts = [.init(number: 1, boot: [UInt8](repeating: 1, count: 16), bootS: 1000, atS: 0)]
    return batch
  }
}

/// How many clients are done, and what went wrong.
private final class Progress: Sendable {
  private let state = Mutex<(count: Int, problems: [String])>((0, []))

  var count: Int { state.withLock { $0.count } }
  var problems: [String] { state.withLock { $0.problems } }

  func finish(_ problems: [String]) {
    state.withLock { state in
      state.count += 1
      state.problems += problems
    }
  }
}

/// Measures the turns of a loop: a deadline that is always due soon is late by what the loop does.
private final class LoopProbe {
  private static let interval = Duration.milliseconds(2)
  private let loop: EventLoop
  private var deadline: Deadline?
  private var processor = LoopProbe.processorMS
  private var due = MonotonicTime.now
  /// The processor's time between two calls, in milliseconds.
  private var turns: [Double] = []
  /// How late the calls were.
  private var delays: [Double] = []

  init(_ loop: EventLoop) {
    self.loop = loop
    arm()
  }

  func reset() { (turns, delays) = ([], []) }

  private func arm() {
    processor = Self.processorMS
    due = .now + Self.interval
    deadline = loop.schedule(at: due) { [weak self] in self?.fire() }
  }

  private func fire() {
    turns.append(Self.processorMS - processor)
    delays.append(Double((MonotonicTime.now - due).wholeNanoseconds) / 1e6)
    arm()
  }

  var longestTurnMS: Double { turns.max() ?? 0 }

  var summary: String {
    func text(_ values: [Double]) -> String {
      let sorted = values.sorted()
      guard let last = sorted.last else { return "none" }
      let numbers = [sorted[sorted.count / 2], sorted[sorted.count * 99 / 100], last]
      return numbers.map { String(format: "%.1f", $0) }.joined(separator: " / ")
    }
    return "\(turns.count) turns, processor \(text(turns)) ms, late by \(text(delays)) ms (median / 99 % / longest)"
  }

  private static var processorMS: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}

/// A client that uses every method that reads, exports, imports and backs up, in an order of its own.
private struct LogbookVisitor {
  private let number: Int
  private let progress: Progress

  init(_ number: Int, _ progress: Progress) { (self.number, self.progress) = (number, progress) }

  func run(_ socket: String, long id: Int) {
    var problems: [String] = []
    let requests = [
      ("list", #"{"limit":200}"#), ("list", #"{"limit":200,"before":800,"text":"ride"}"#),
      ("list", #"{"sport":"running","from":"2018-01-01T00:00:00.000Z"}"#), ("stats", #"{"by":"week"}"#),
      ("stats", #"{"by":"month","sport":"cycling"}"#), ("stats", #"{"by":"year"}"#), ("show", #"{"id":\#(id)}"#),
      ("laps", #"{"id":\#(id)}"#), ("status", "{}"), ("series", #"{"id":\#(id),"points":4000}"#),
      ("series", #"{"id":\#(id),"sensor":"pedals"}"#), ("track", #"{"id":\#(id),"points":4000}"#),
      ("export", #"{"id":\#(id),"format":"fit"}"#), ("export", #"{"id":\#(id),"format":"gpx"}"#),
      ("export", #"{"id":\#(id),"format":"tcx"}"#), ("export", #"{"id":\#(id),"format":"csv"}"#),
      ("export", #"{"id":\#(id),"format":"ndjson"}"#), ("backup", "{}"), ("routes", "{}"), ("segments", "{}"),
      ("import", ""),
    ]
    do {
      let peer = try LogbookPeer(socket)
      for index in requests.indices {
        let (method, parameters) = requests[(index + number * 5) % requests.count]
        if let problem = try use(peer, method, parameters) { problems.append("\(method): \(problem)") }
      }
    } catch {
      problems.append("\(error)")
    }
    progress.finish(problems)
  }

  private func use(_ peer: LogbookPeer, _ method: String, _ parameters: String) throws -> String? {
    if method == "import" { return try upload(peer) }
    let answer = try peer.ask(method, parameters)
    guard let result = answer["result"] else {
      return answer["code"] == "internal" || answer["code"] == "unknown_method" ? nil : "\(answer)"
    }
    guard result["transfer"] != nil else { return nil }
    while true {
      let piece = try peer.next { $0["class"] != "reply" }
      if piece["class"] == "error" { return "\(piece)" }
      if piece["end"] == true { return nil }
    }
  }

  private func upload(_ peer: LogbookPeer) throws -> String? {
    var text = #"<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>"#
    for second in 0..<400 {
      text +=
        #"<trkpt lat="47.\#(100_000 + second)" lon="8.5"><ele>400</ele>"#
        + #"<time>2025-0\#(number + 1)-03T07:\#(10 + second / 60):\#(second % 60 < 10 ? "0" : "")\#(second % 60)Z</time></trkpt>"#
    }
    let bytes = Array((text + "</trkseg></trk></gpx>").utf8)
    let transfer = try peer.result("import", #"{"name":"ride.gpx","bytes":\#(bytes.count)}"#)["transfer"]?.integer ?? 0
    var offset = 0
    while offset < bytes.count {
      let end = min(bytes.count, offset + Piece.mostBytes)
      let piece = String(decoding: Base64.encode(bytes[offset..<end]), as: UTF8.self)
      let last = end == bytes.count ? #","end":true,"bytes":\#(end)"# : ""
      let reply = try peer.ask("put", #"{"transfer":\#(transfer),"offset":\#(offset),"base64":"\#(piece)"\#(last)}"#)
      guard let result = reply["result"] else { return "\(reply)" }
      if end == bytes.count, result["added"] == nil { return "nothing was added: \(reply)" }
      offset = end
    }
    return nil
  }
}
