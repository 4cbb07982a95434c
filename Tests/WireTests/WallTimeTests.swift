// Wall times, compared with Foundation's calendar.

import Foundation
import Testing
import Time
import Wire

@Suite struct WallTimeTests {
  static let moments: [(Int64, Int32, String)] = [
    (0, 0, "1970-01-01T00:00:00.000Z"), (1_795_252_502, 417_999_999, "2026-11-21T09:15:02.417Z"),
    (951_782_400, 0, "2000-02-29T00:00:00.000Z"), (951_868_799, 999_999_999, "2000-02-29T23:59:59.999Z"),
    (4_107_542_400, 0, "2100-03-01T00:00:00.000Z"), (4_107_542_399, 0, "2100-02-28T23:59:59.000Z"),
    (-1, 0, "1969-12-31T23:59:59.000Z"), (2_147_483_648, 0, "2038-01-19T03:14:08.000Z"),
  ]

  @Test("a time is written as ISO 8601 in UTC, and read back", arguments: moments)
  func isoText(_ row: (seconds: Int64, nanoseconds: Int32, text: String)) {
    let time = WallTime(seconds: row.seconds, nanoseconds: row.nanoseconds)
    #expect(time.isoText == row.text)
    #expect(WallTime(row.text)?.isoText == row.text)
  }

  @Test("times across four centuries agree with Foundation")
  func agreesWithFoundation() {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    for day in stride(from: Int64(-11_000), to: 140_000, by: 7) {
      let seconds = day * 86_400 + day.magnitude.someSecondOfTheDay
      let text = WallTime(seconds: seconds).isoText
      #expect(text == formatter.string(from: Date(timeIntervalSince1970: Double(seconds))))
      #expect(WallTime(text) == WallTime(seconds: seconds))
    }
  }

  @Test(
    "other text is not a time",
    arguments: [
      "", "2026-11-21", "2026-11-21T09:15:02", "2026-13-21T09:15:02Z", "2026-11-21T24:15:02Z", "2026-11-21T09:15:02.Z",
      "2026-11-21T09:15:02.x17Z", "+026-11-21T09:15:02.417Z",
    ])
  func invalidText(_ text: String) {
    #expect(WallTime(text) == nil)
  }
}

extension UInt64 {
  /// A second of the day that differs from day to day.
  fileprivate var someSecondOfTheDay: Int64 { Int64(self * 7919 % 86_400) }
}
