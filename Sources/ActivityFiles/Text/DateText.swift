// Dates of text formats: ISO 8601, written in UTC with whole seconds. Read with any offset, with
// parts of a second, and without a zone.

import JSON
import Time

struct DateText: Equatable {
  /// Seconds since 1970, rounded down.
  let seconds: Int64
  let hasZone: Bool

  /// nil if that is not a date.
  init?(_ text: String) {
    var reader = DigitReader(text)
    guard let year = reader.number(digits: 4), reader.skip("-"), let month = reader.number(digits: 2),
      reader.skip("-"), let day = reader.number(digits: 2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
      let hour = reader.number(digits: 2), reader.skip(":"), let minute = reader.number(digits: 2),
      1970...9999 ~= year, 1...12 ~= month, 1...CalendarDate.days(of: month, year) ~= day, hour < 24, minute < 60
    else { return nil }
    var second = 0
    if reader.skip(":") {
      guard let number = reader.number(digits: 2), number < 61 else { return nil }
      second = number
      if reader.skip(".") || reader.skip(",") { reader.skipDigits() }
    }
    guard let offset = reader.offset(), reader.isAtEnd else { return nil }
    hasZone = offset.isKnown
    let days = CalendarDate(year: year, month: month, day: day).daysSince1970
    seconds = Int64(days * 86_400 + hour * 3600 + minute * 60 + second - offset.seconds)
  }
}

private struct DigitReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ text: String) {
    var bytes = Array(text.utf8)
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    place = bytes.firstIndex { !isSpace($0) } ?? bytes.count
    self.bytes = bytes
  }

  var isAtEnd: Bool { place == bytes.count }

  mutating func number(digits count: Int) -> Int? {
    guard bytes.count - place >= count else { return nil }
    var number = 0
    for byte in bytes[place..<place + count] {
      guard let digit = decimalDigit(byte) else { return nil }
      number = number * 10 + Int(digit)
    }
    place += count
    return number
  }

  mutating func skip(_ letter: Unicode.Scalar) -> Bool {
    guard place < bytes.count, bytes[place] == UInt8(ascii: letter) else { return false }
    place += 1
    return true
  }

  mutating func skipDigits() {
    while place < bytes.count, decimalDigit(bytes[place]) != nil { place += 1 }
  }

  /// nil if there is something else. Without a zone, the time is that of UTC.
  mutating func offset() -> (seconds: Int, isKnown: Bool)? {
    if isAtEnd { return (0, false) }
    if skip("Z") || skip("z") { return (0, true) }
    let isNegative = skip("-")
    guard isNegative || skip("+"), let hours = number(digits: 2), hours <= 15 else { return nil }
    _ = skip(":")
    let minutes = isAtEnd ? 0 : number(digits: 2)
    guard let minutes, minutes < 60 else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return (isNegative ? -seconds : seconds, true)
  }
}

/// A day of the Gregorian calendar. Years begin in March here, so that the leap day is last.
private struct CalendarDate {
  let year: Int
  let month: Int
  let day: Int

  static func days(of month: Int, _ year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  init(year: Int, month: Int, day: Int) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// From 1970 on.
  init(daysSince1970: Int) {
    let days = max(0, daysSince1970) + 719_468
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    month = shifted < 10 ? shifted + 3 : shifted - 9
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
    year = days / 146_097 * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  }

  var daysSince1970: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return shiftedYear * 365 + shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400 + dayOfYear - 719_468
  }
}

extension WallTime {
  /// Such as 2026-05-03T16:15:00Z. Times before 1970 and after 9999 are those of the nearest day.
  var dateText: String {
    let seconds = min(max(0, seconds), 253_402_300_799)
    let date = CalendarDate(daysSince1970: Int(seconds / 86_400))
    var bytes: [UInt8] = []
    for (number, width, separator) in [
      (date.year, 4, "-"), (date.month, 2, "-"), (date.day, 2, "T"), (Int(seconds / 3600 % 24), 2, ":"),
      (Int(seconds / 60 % 60), 2, ":"), (Int(seconds % 60), 2, "Z"),
    ] as [(Int, Int, Unicode.Scalar)] {
      bytes.appendPadded(UInt64(number), width: width)
      bytes.append(UInt8(ascii: separator))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// That many seconds later.
  func advanced(by t: Double) -> WallTime {
    WallTime(seconds: seconds &+ (t.roundedInteger ?? 0))
  }
}
