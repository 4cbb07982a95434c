// The weeks, months and years that statistics group by.

import LogbookWire
import Time
import Wire

extension StatisticsPeriod {
  /// A number for the period of a day; later periods have higher ones.
  func number(ofDay day: Int64, weeksFrom first: WeekStart) -> Int64 {
    switch self {
    case .day: return day
    // The day 0, 1970-01-01, was a Thursday.
    case .week: return (day + first.daysBeforeThursday).dividedDown(by: 7)
    case .month:
      let date = CalendarDay(daysSince1970: day)
      return date.year * 12 + date.month - 1
    case .year: return CalendarDay(daysSince1970: day).year
    }
  }

  /// Such as `2026-05-03`, `2026-W18`, `2026-05` or `2026`. A week is named after its Thursday, as in
  /// ISO 8601, on whatever day it begins.
  func text(_ number: Int64) -> String {
    switch self {
    case .day:
      let date = CalendarDay(daysSince1970: number)
      return "\(date.year)-\(Self.twoDigits(date.month))-\(Self.twoDigits(date.day))"
    case .week:
      let thursday = number * 7
      let year = CalendarDay(daysSince1970: thursday).year
      return "\(year)-W" + Self.twoDigits((thursday - Self.firstThursday(of: year)) / 7 + 1)
    case .month: return "\(number / 12)-" + Self.twoDigits(number % 12 + 1)
    case .year: return "\(number)"
    }
  }

  /// The period of that name; nil if there is none.
  func number(named name: String) -> Int64? {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard let year = parts.first.flatMap({ Int64($0) }), 1000...9999 ~= year else { return nil }
    let part = parts.count == 2 ? Int64(parts[1].drop { $0 == "W" }) : nil
    let number: Int64?
    switch self {
    case .day: number = Self.day(name)
    case .week: number = part.flatMap { 1...53 ~= $0 ? Self.firstThursday(of: year) / 7 + $0 - 1 : nil }
    case .month: number = part.flatMap { 1...12 ~= $0 ? year * 12 + $0 - 1 : nil }
    case .year: number = year
    }
    // Refuses a 13th month, and a 53rd week of a year with 52.
    return number.flatMap { text($0) == name ? $0 : nil }
  }

  static func days(ofWeek number: Int64, from first: WeekStart) -> ClosedRange<Int64> {
    let start = number * 7 - first.daysBeforeThursday
    return start...start + 6
  }

  private static func firstThursday(of year: Int64) -> Int64 {
    guard let newYear = day("\(year)-01-01") else { return 0 }
    return (newYear + 6).dividedDown(by: 7) * 7
  }

  private static func day(_ text: String) -> Int64? {
    WallTime(text + "T00:00:00Z").map { $0.seconds.dividedDown(by: 86_400) }
  }

  private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension WeekStart {
  fileprivate var daysBeforeThursday: Int64 { self == .monday ? 3 : 4 }
}
