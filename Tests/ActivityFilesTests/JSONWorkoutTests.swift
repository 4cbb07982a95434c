// Workouts as JSON, in the spellings of several apps.

import ActivityFiles
import ActivityVectors
import Earth
import Testing
import Time

@Suite struct JSONWorkoutTests {
  private func workout(_ text: String) throws -> ReadItems { try read(Array(text.utf8), with: AnyActivityReader()) }

  private let start = WallTime(seconds: 1_777_824_900)

  @Test("a list of points by itself is an activity")
  func list() throws {
    let result = try workout(
      """
      [{"latitude": 47.1, "longitude": 8.5, "heart_rate": 120, "time": "2026-05-03T16:15:00Z"},
       {"latitude": "47.2", "longitude": 8.5, "heart_rate": null, "time": "2026-05-03T16:15:05.5Z", "Speed_KMH": 36},
       {"lat": 47.3, "lng": 8.5, "HeartRate": 0, "timestamp": 1777824910000, "altitude": 430.5}]
      """)
    #expect(result.headers.map(\.start) == [start] && result.warnings.isEmpty)
    #expect(result.points.map(\.t) == [0, 5, 10])
    #expect(result.points.map { $0[.heartRate] } == [120, nil, nil])
    #expect(result.points.map { $0.position?.latitude } == [47.1, 47.2, 47.3])
    #expect(abs((result.points[1][.speed] ?? 0) - 10) < 1e-9 && result.points[2][.altitude] == 430.5)
  }

  @Test("an object around the list describes the workout, before and after it")
  func object() throws {
    let result = try workout(
      """
      {"sport": "CYCLING_SPORT", "start": "2026-05-03T18:15:00+02:00",
       "data": {"points": [{"t": 0, "location": {"lat": 47.1, "lon": 8}, "heartRate": {"value": 130, "unit": "bpm"}},
                {"t": 2.9, "location": {"lat": 47.1, "lon": 8}, "heartRate": {"value": 131}}]},
       "title": "Evening", "laps": [{"start": "2026-05-03T16:15:00Z", "distance": 500}]}
      """)
    #expect(result.headers.map(\.start) == [start] && result.headers.first?.sport == .cycling)
    #expect(result.points.map(\.t) == [0, 2] && result.points.map { $0[.heartRate] } == [130, 131])
    #expect(result.summaries.map(\.name) == ["Evening"] && result.summaries.map(\.elapsed) == [2])
  }

  @Test("without any time, points are a second apart and the date is unknown")
  func untimed() throws {
    let result = try workout("{\"points\":[{\"heart_rate\":100},{\"heart_rate\":101},{\"heart_rate\":102}]}")
    #expect(result.points.map(\.t) == [0, 1, 2] && result.headers.map(\.start) == [nil])
    #expect(result.warnings == ["the points have no time: they were placed one second apart"])
  }

  @Test("each object of a list with points is an activity")
  func several() throws {
    let one = { (hour: Int) in
      "{\"sport\":\"run\",\"points\":[{\"bpm\":100,\"time\":\"2026-05-03T\(hour):00:00Z\"},{\"bpm\":101,\"time\":\"2026-05-03T\(hour):00:01Z\"}]}"
    }
    let result = try workout("[\(one(10)),\(one(12)),\(one(11))]")
    #expect(result.headers.map(\.sport) == [.running, .running, .running] && result.points.count == 6)
    #expect(result.warnings.isEmpty)
    // A value per line.
    #expect(try workout("\(one(10))\n\(one(12))\n").headers.count == 2)
  }

  @Test("points that are dropped are counted in a sentence")
  func warnings() throws {
    let result = try workout(
      """
      [{"lat":47,"lon":8,"time":1777824900},{"lat":95,"lon":8,"time":1777824901},{"lat":47,"lon":8,"time":"soon"},
       {"lat":47,"lon":8},{"lat":47,"lon":8,"time":1777824890},{"lat":47,"lon":8,"time":1777824905}
      """)
    #expect(result.points.map(\.t) == [0, 5])
    #expect(
      result.warnings == [
        "1 of the points have an impossible position, which was dropped",
        "1 of the times are not dates: what they belong to was dropped or has no time",
        "one point has no time and was dropped", "one point was out of order in time and was dropped",
        "the file is truncated; what comes before that was kept",
      ])
  }

  @Test(
    "other JSON, and what is not JSON, is refused with a reason",
    arguments: [
      ("{\"type\":\"FeatureCollection\"}", "no data points"), ("[1,2", "truncated"),
      ("{\"a\":]", "line 1 is not valid JSON"),
      ("[tru]", "not valid JSON"), ("[01x]", "not valid JSON"), ("[\"\\x\"]", "not valid JSON"),
      (String(repeating: "[", count: 70), "nested more than 64 deep"),
    ])
  func refusals(text: String, reason: String) {
    let error = #expect(throws: ActivityFileError.self) { try workout(text) }
    #expect(error?.description.contains(reason) ?? false, "\(error.debugDescription)")
  }

  @Test("escapes and letters beyond ASCII are read")
  func escapes() throws {
    let result = try workout("{\"name\":\"Z\\u00fcrich \\ud83d\\udeb2 \\\"ö\\\"\",\"points\":[{\"hr\":99}]}")
    #expect(result.headers.first?.name == "Zürich 🚲 \"ö\"")
  }
}
