// Reading a long recording: in short steps and in bounded memory. A release build reads eight hours
// and has to keep the limit; a debug build reads half an hour.

import LogbookWire
import SQLite
import Testing
import Wire

@testable import Logbook

@Suite(.serialized) struct StepTimeTests {
  #if DEBUG
    private static let seconds = 1800
    private static let limit = Duration.seconds(2)
  #else
    private static let seconds = 8 * 3600
    private static let limit = Duration.milliseconds(15)
  #endif

  private static func second(_ second: Int) -> [String] {
    let t = Double(second) + 0.25
    let wave = second % 60
    var lines = [
      line("strap", "heart_rate", t, "\"bpm\":\(120 + wave),\"rr_ms\":[\(500 + wave),510.742188]", seq: second),
      line("ride", "heart_rate", t, "\"bpm\":\(120 + wave),\"source\":\"strap\"", seq: second),
      line("ride", "speed", t, "\"speed_mps\":8.\(wave + 1),\"source\":\"wheel\"", seq: second),
      line("ride", "cadence", t, "\"cadence_rpm\":85.\(wave + 1),\"source\":\"pedals\"", seq: second),
      line("ride", "position", t, "\"latitude_deg\":47.\(100_001 + second),\"longitude_deg\":8.5", seq: second),
      line(
        "radar", "radar", t, "\"clear\":false,\"targets\":[{\"id\":1,\"distance_m\":\(wave),\"level\":1}]", seq: second),
      line(
        "ride", "ride", t,
        "\"ride_time_s\":\(second),\"moving_time_s\":\(second),\"distance_m\":\(second * 8),\"ascent_m\":\(second / 9),\"paused\":false,\"lap\":1",
        seq: second),
      line("ride", "averages", t, "\"power_avg_w\":\(200 + wave),\"bpm_avg\":133.\(wave + 1)", seq: second),
      line("ride", "lap_averages", t, "\"power_avg_w\":\(200 + wave),\"lap_time_s\":\(second)", seq: second),
    ]
    for part in 0..<4 {
      let t = t + Double(part) / 8
      lines.append(line("pedals", "power", t, "\"power_w\":\(200 + wave + part)", seq: 4 * second + part))
      lines.append(
        line("ride", "power", t, "\"power_w\":\(200 + wave + part),\"source\":\"pedals\"", seq: 4 * second + part))
    }
    return lines
  }

  @Test("no step of a long recording takes long, and memory stays bounded")
  func steps() throws {
    let logbook = try TestLogbook()
    let id = try logbook.record((0..<Self.seconds).lazy.flatMap(Self.second)) { $0.state = .complete }
    var series = SeriesRequest()
    series.id = Int(id)
    var fine = series
    (fine.points, fine.fields) = (4000, ["power_w", "bpm", "speed_mps"])
    var raw = series
    raw.sensor = "pedals"
    var track = TrackRequest()
    (track.id, track.points) = (Int(id), 4000)
    let works: [(String, any SlicedWork)] = [
      ("totals", try TotalsWork(id, in: logbook.database)), ("series", try SeriesWork(series, in: logbook.database)),
      ("series of 4,000 points", try SeriesWork(fine, in: logbook.database)),
      ("series of a sensor", try SeriesWork(raw, in: logbook.database)),
      ("track of 4,000 points", try TrackWork(track, in: logbook.database)),
    ]
    for (name, work) in works {
      var times: [Duration] = []
      var hasMore = true
      while hasMore {
        times.append(try ContinuousClock().measure { hasMore = try work.step() })
      }
      times.sort()
      let median = times[times.count / 2]
      let nearlyAll = times[times.count * 99 / 100]
      print("\(name): \(times.count) steps, median \(median), 99 % \(nearlyAll), greatest \(times[times.count - 1])")
      #expect(nearlyAll < Self.limit, "\(name)")
    }
    #expect(try logbook.find(id).totals.rideTimeS == Double(Self.seconds - 1))
  }
}
