// The text of a wall-clock time: "2026-11-21T09:15:02.417Z", always UTC. It is truncated to
// milliseconds, so that it never runs ahead of the clock. The calendar is computed here because
// Foundation is not linked.

import JSON
public import Time

extension WallTime {
  /// Parses an `isoText`, with any number of decimals or none.
  public init?(_ text: String) {
    self.init(text: text.utf8.span)
  }

  /// Without an allocation.
  package init?(text bytes: Span<UInt8>) {
    guard bytes.count >= 20, bytes[bytes.count - 1] == UInt8(ascii: "Z"), bytes[10] == UInt8(ascii: "T"),
      let year = bytes.decimal(0..<4), let month = bytes.decimal(5..<7), let day = bytes.decimal(8..<10),
      let hour = bytes.decimal(11..<13), let minute = bytes.decimal(14..<16), let second = bytes.decimal(17..<19),
      1...12 ~= month, 1...31 ~= day, hour < 24, minute < 60, second < 61
    else { return nil }
    var nanoseconds: Int64 = 0
    if bytes[19] == UInt8(ascii: ".") {
      let digits = 20..<min(bytes.count - 1, 29)
      guard let fraction = bytes.decimal(digits) else { return nil }
      nanoseconds = (digits.count..<9).reduce(fraction) { value, _ in value * 10 }
    }
    let shiftedYear = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let leapDays = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
    let days = shiftedYear * 365 + leapDays + dayOfYear - 719_468
    self.init(
      seconds: days * 86_400 + hour * 3600 + minute * 60 + second, nanoseconds: Int32(nanoseconds))
  }
}

extension Span<UInt8> {
  /// The number that these digits form; nil if there are none, or if a byte is not a digit.
  fileprivate func decimal(_ place: Range<Int>) -> Int64? {
    var number: Int64 = 0
    for index in place {
      guard let digit = decimalDigit(self[index]) else { return nil }
      number = number * 10 + Int64(digit)
    }
    return place.isEmpty ? nil : number
  }
}

extension WallTime {
  public var isoText: String {
    var bytes: [UInt8] = []
    bytes.appendWallTime(self)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A day of the Gregorian calendar.
package struct CalendarDay {
  package let year: Int64
  package let month: Int64
  package let day: Int64

  /// Howard Hinnant's `civil_from_days`: eras of 400 years, and years that begin in March so that
  /// the leap day is last.
  package init(daysSince1970: Int64) {
    let days = daysSince1970 + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }
}

extension [UInt8] {
  mutating func appendWallTime(_ time: WallTime) {
    let days = (time.seconds >= 0 ? time.seconds : time.seconds - 86_399) / 86_400
    let second = time.seconds - days * 86_400
    let date = CalendarDay(daysSince1970: days)
    appendNumber(date.year, width: 4, then: "-")
    appendNumber(date.month, width: 2, then: "-")
    appendNumber(date.day, width: 2, then: "T")
    appendNumber(second / 3600, width: 2, then: ":")
    appendNumber(second / 60 % 60, width: 2, then: ":")
    appendNumber(second % 60, width: 2, then: ".")
    appendNumber(Int64(time.nanoseconds) / 1_000_000, width: 3, then: "Z")
  }

  private mutating func appendNumber(_ number: Int64, width: Int, then separator: Unicode.Scalar) {
    appendPadded(number.magnitude, width: width)
    append(UInt8(ascii: separator))
  }
}
