// The logbook that is filled, and the way of an entry into it.

import ActivityFiles
import Linux
import Logbook
import LogbookFiles
import LogbookWire
import SQLite
import Time
import Wire

final class DemoLogbook {
  private let file: LogbookFile
  private let changes: ActivityChanges
  private let spool: String

  init(in folder: String) throws {
    try Files.createDirectory(folder, mode: 0o700)
    file = try LogbookFile(folder + "/logbook.db")
    // A power cut only means to run it again.
    try file.database.execute("PRAGMA synchronous=OFF")
    changes = ActivityChanges(try ActivityCatalogue(file.database))
    spool = folder + "/demo.fit"
  }

  func add(_ entry: DemoYear.Entry) throws {
    switch entry.content {
    case .ride(let metres, let intensity): try record(entry, .ride, .cycling, metres, intensity)
    case .run(let metres): try record(entry, .run, .running, metres, 0.75)
    case .swim(let metres): try addByHand(entry, "swimming", seconds: metres * 1.25, metres)
    case .strength: try addByHand(entry, "strength_training", seconds: 2700, nil)
    }
  }

  private func addByHand(_ entry: DemoYear.Entry, _ sport: String, seconds: Double, _ metres: Double?) throws {
    var request = AddRequest()
    (request.sport, request.start, request.utcOffsetS) = (sport, entry.start, DemoYear.utcOffset)
    (request.elapsedTimeS, request.values.distanceM, request.name) = (seconds, metres, entry.name)
    _ = try changes.add(request)
  }

  private func record(
    _ entry: DemoYear.Entry, _ kind: DemoEffort.Kind, _ sport: SportCode, _ metres: Double, _ intensity: Double
  ) throws {
    try Files.replace(spool, with: try fit(entry, kind, sport, metres, intensity), mode: 0o600)
    defer { try? Files.remove(spool) }
    let work = try ImportWork(
      path: spool, name: "demo.fit", target: .activity, in: file.database, now: entry.start)
    while try work.step() {}
  }

  private func fit(
    _ entry: DemoYear.Entry, _ kind: DemoEffort.Kind, _ sport: SportCode, _ metres: Double, _ intensity: Double
  ) throws -> [UInt8] {
    var random = DemoRandom(seed: entry.seed)
    let way = DemoLoop(length: metres, &random)
    var effort = DemoEffort(kind, way: way, intensity: intensity, random)
    var header = ActivityHeader(start: entry.start)
    (header.sport, header.utcOffset, header.name) = (sport, DemoYear.utcOffset, entry.name)
    header.recorder.name = "Cyclometer demo"
    header.rider = DemoEffort.rider
    var writer = FITWriter()
    var bytes: [UInt8] = []
    try writer.write(.header(header), into: &bytes)
    try writer.write(.event(ActivityEvent(t: 0, kind: .start(automatic: false))), into: &bytes)
    var t = 0
    var lap = (index: 0, start: 0, distance: 0.0)
    var needsCoffee = metres > 50_000
    let lapLength = kind == .ride ? 10_000.0 : 1_000.0
    func endLap(_ trigger: ActivityLap.Trigger) throws {
      var summary = ActivitySummary(start: lap.start, elapsed: Double(t - lap.start))
      summary[.distance] = effort.distance - lap.distance
      summary[.timerTime] = summary.elapsed
      try writer.write(.lap(ActivityLap(index: lap.index, trigger: trigger, summary: summary)), into: &bytes)
      lap = (lap.index + 1, t, effort.distance)
    }
    while effort.distance < metres, t < 8 * 3600 {
      try writer.write(.point(effort.second(t)), into: &bytes)
      t += 1
      if needsCoffee, effort.distance > metres / 2 {
        needsCoffee = false
        try writer.write(.event(ActivityEvent(t: t, kind: .stop(automatic: false))), into: &bytes)
        t += 900
        try writer.write(.event(ActivityEvent(t: t, kind: .start(automatic: false))), into: &bytes)
      }
      if effort.distance - lap.distance >= lapLength { try endLap(.distance) }
    }
    if t > lap.start { try endLap(.end) }
    try writer.write(.event(ActivityEvent(t: t, kind: .stop(automatic: false))), into: &bytes)
    try writer.write(.zones(DemoEffort.thresholds), into: &bytes)
    var summary = ActivitySummary(start: 0, elapsed: Double(t))
    (summary.sport, summary.utcOffset) = (sport, DemoYear.utcOffset)
    try writer.write(.summary(summary), into: &bytes)
    try writer.finish(into: &bytes)
    bytes.replaceSubrange(0..<14, with: writer.fileHeader)
    return bytes
  }
}
