// The weeks, months and years that statistics group by.

import LogbookWire
import Wire

extension StatisticsPeriod {
  /// A number for the period of a day; later periods have higher ones.
  func number(ofDay day: Int64) -> Int64 {
    switch self {
    case .day: return day
    // The day 0, 1970-01-01, was a Thursday.
    case .week: return (day + 3).dividedDown(by: 7)
    case .month:
      let date = CalendarDay(daysSince1970: day)
      return date.year * 12 + date.month - 1
    case .year: return CalendarDay(daysSince1970: day).year
    }
  }

  /// Such as `2026-05-03`, `2026-W18`, `2026-05` or `2026`.
  func text(_ number: Int64) -> String {
    switch self {
    case .day:
      let date = CalendarDay(daysSince1970: number)
      return "\(date.year)-\(Self.twoDigits(date.month))-\(Self.twoDigits(date.day))"
    case .week:
      // By ISO 8601, a week belongs to the year of its Thursday.
      let thursday = number * 7
      let year = CalendarDay(daysSince1970: thursday).year
      var first = thursday
      while CalendarDay(daysSince1970: first - 7).year == year { first -= 7 }
      return "\(year)-W" + Self.twoDigits((thursday - first) / 7 + 1)
    case .month: return "\(number / 12)-" + Self.twoDigits(number % 12 + 1)
    case .year: return "\(number)"
    }
  }

  /// From Monday to Sunday.
  static func days(ofWeek number: Int64) -> ClosedRange<Int64> { (number * 7 - 3)...(number * 7 + 3) }

  private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
