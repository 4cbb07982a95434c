// A recorder in virtual time, fed with lines as the daemon writes them.

import Linux
import Logbook
import Recording
import SQLite
import TestSupport
import Testing
import Time
import Wire

final class ScriptedRide {
  let file: LogbookFile
  let recorder: Recorder
  private(set) var news: [Recorder.News] = []
  /// In milliseconds since boot.
  private(set) var now: Int64
  /// UTC minus boot time; nil while the clock is not set.
  var utcOffsetMS: Int64?
  private let clock: Clock
  private var sequences: [String: Int] = [:]

  private final class Clock {
    var milliseconds: Int64 = 0
    var isSynchronized = false
  }

  /// `hasReserve`: whether the reserve is there already, which takes a while to fill.
  init(
    in folder: String, boot: UInt8 = 1, at start: Int64 = 1_000_000, settings: RecorderSettings = .init(),
    hasReserve: Bool = true
  ) throws {
    file = try LogbookFile(folder + "/logbook.db")
    if hasReserve, !Files.exists(file.path + ".reserve") {
      try SmallDisk.allocate(file.path + ".reserve", Reserve.size)
    }
    let clock = Clock()
    clock.milliseconds = start
    let system = RecorderSystem(
      boot: [UInt8](repeating: boot, count: 16),
      clock: { MonotonicTime(nanoseconds: clock.milliseconds * 1_000_000) }, isSynchronized: { clock.isSynchronized },
      utcOffset: { _ in 7200 }, newUUID: { (0..<16).map { _ in .random(in: 0...255) } })
    recorder = try Recorder(file: file, settings: settings, system: system)
    (self.clock, now) = (clock, start)
    recorder.onChange = { [weak self] in self?.news.append($0) }
    recorder.connected(instance: "a", now: time)
  }

  var time: MonotonicTime { MonotonicTime(nanoseconds: now * 1_000_000) }

  /// Time passes, and what is due is done.
  func pass(_ milliseconds: Int64) {
    let end = now + milliseconds
    while let deadline = recorder.deadline, deadline.nanoseconds <= end * 1_000_000 {
      set(max(now, (deadline.nanoseconds + 999_999) / 1_000_000))
      let before = recorder.deadline
      recorder.timePassed(now: time)
      // What stays due is done in the next turn of the loop.
      if recorder.deadline == before { break }
    }
    set(end)
  }

  private func set(_ milliseconds: Int64) {
    now = milliseconds
    clock.milliseconds = milliseconds
  }

  func synchronize() { clock.isSynchronized = true }

  /// The daemon was restarted, and numbers its samples from 1.
  func restartDaemon() {
    recorder.disconnected(now: time)
    sequences = [:]
    recorder.connected(instance: "b", now: time)
  }
}

// MARK: Lines

extension ScriptedRide {
  /// `lost` samples before this one are missing.
  @discardableResult
  func send(
    _ sensor: String, _ kind: String, _ members: String, late: Int64 = 0, lost: Int = 0, isRepeated: Bool = false
  ) -> String {
    let sequence = sequences["\(sensor)/\(kind)", default: 0] + (isRepeated ? 0 : 1 + lost)
    sequences["\(sensor)/\(kind)"] = sequence
    let at = now - late
    var line =
      #"{"class":"sample","sensor":"\#(sensor)","kind":"\#(kind)","seq":\#(sequence),"t":\#(Self.seconds(at)),"#
    if let utcOffsetMS {
      let utc = at + utcOffsetMS
      line += #""time":"\#(WallTime(seconds: utc / 1000, nanoseconds: Int32(utc % 1000) * 1_000_000).isoText)","#
    }
    line += #""age_ms":\#(isRepeated ? late : 0),"# + members + "}"
    recorder.handle(sampleLine: Array(line.utf8).span, now: time)
    return line
  }

  func ride(_ id: String, _ rideMS: Int64, lap: Int = 1, lapMS: Int64? = nil, _ more: String = #""paused":false"#) {
    send(
      "ride", "ride",
      #""ride_id":"\#(id)","sport":"cycling",\#(more),"ride_time_s":\#(Self.seconds(rideMS)),"#
        + #""distance_m":\#(Self.seconds(rideMS * 8)),"lap":\#(lap),"lap_time_s":\#(Self.seconds(lapMS ?? rideMS))"#)
    send("ride", "averages", #""power_avg_w":\#(rideMS / 100),"bpm_avg":140.25"#)
    send(
      "ride", "lap_averages",
      #""distance_m":\#(Self.seconds((lapMS ?? rideMS) * 8)),"lap_time_s":\#(Self.seconds(lapMS ?? rideMS))"#)
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    "\(milliseconds / 1000).\(String(1000 + milliseconds % 1000).dropFirst())"
  }

  /// Rides for whole seconds, from `rideMS` on.
  func rideOn(_ id: String, from rideMS: Int64, seconds: Int64, lap: Int = 1, lapMS: Int64 = 0) {
    for second in 0..<seconds {
      ride(id, rideMS + second * 1000, lap: lap, lapMS: lapMS + second * 1000)
      pass(300)
      send("pedals", "power", #""power_w":\#(200 + second)"#)
      pass(700)
    }
  }

  /// The last sample of a ride, and the time until its recording is closed.
  func end(_ id: String, _ rideMS: Int64) {
    ride(id, rideMS, #""ended":true,"paused":false"#)
    pass(1500)
  }
}

// MARK: The logbook

extension ScriptedRide {
  /// The first column of all rows.
  func texts(_ sql: String) throws -> [String] {
    let query = try file.database.prepare(sql)
    var texts: [String] = []
    while try query.step() { texts.append(query.text(0) ?? "nil") }
    return texts
  }

  func number(_ sql: String) throws -> Int64? { try file.database.integer(sql) }

  func seconds(of activity: Int64 = 1) throws -> [Int64] {
    try texts("SELECT sec FROM second WHERE activity = \(activity) ORDER BY sec").compactMap { Int64($0) }
  }

  /// The times of the samples of a sensor. All seconds have to be readable.
  func times(of sensor: String, in activity: Int64 = 1) throws -> [Int64] {
    let reader = try SecondsReader(
      [ActivitySpan(activity: activity, fromMS: 0, toMS: nil, atMS: 0)], in: file.database)
    let streams = try SecondsReader.streams(of: activity, in: file.database)
    var times: [Int64] = []
    var damaged: [Int64] = []
    while try reader.read(
      1000, damaged: { damaged.append($0) },
      { moment, _ in
        if streams[moment.stream].sensor == Array("\"\(sensor)\"".utf8) { times.append(moment.atMS) }
      })
    {}
    #expect(damaged.isEmpty)
    return times
  }

  func states() throws -> [String] {
    try texts("SELECT coalesce(ride_id, '') || ' ' || state FROM activity ORDER BY id")
  }

  func events(_ kind: String) throws -> [String] {
    try texts("SELECT at_ms || ' ' || coalesce(data, '') FROM event WHERE kind = '\(kind)' ORDER BY at_ms, n")
  }
}
