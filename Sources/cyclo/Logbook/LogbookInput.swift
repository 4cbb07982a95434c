// Times and distances as people write them.

import Linux
import Time
import Wire

enum LogbookInput {
  /// `1:30:00`, `90:00` or seconds.
  static func seconds(_ text: some StringProtocol) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard 1...3 ~= parts.count else { return nil }
    var seconds = 0.0
    for part in parts {
      guard part.utf8.count <= 7, let number = Int(part), number >= 0 else { return nil }
      seconds = seconds * 60 + Double(number)
    }
    return seconds
  }

  /// `0:30-1:45:00`; either end can be missing.
  static func span(_ text: String) -> (from: Double?, to: Double?)? {
    let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2, !(ends[0].isEmpty && ends[1].isEmpty) else { return nil }
    let (from, to) = (seconds(ends[0]), seconds(ends[1]))
    if !ends[0].isEmpty, from == nil { return nil }
    if !ends[1].isEmpty, to == nil { return nil }
    return (ends[0].isEmpty ? nil : from, ends[1].isEmpty ? nil : to)
  }

  /// Metres.
  static func distance(_ text: String) -> Double? {
    let digits = text.prefix { $0.isNumber || $0 == "." }
    guard let number = Double(String(digits)), number >= 0, number < 1e8 else { return nil }
    switch text.dropFirst(digits.count) {
    case "", "m": return number
    case "km": return number * 1000
    case "mi": return number * 1609.344
    default: return nil
    }
  }

  /// `2026-05-03T09:30`, local time, or a time in UTC that ends with Z.
  static func time(_ text: String) -> (time: WallTime, utcOffset: Int)? {
    if text.hasSuffix("Z") { return WallTime(text).map { ($0, LocalTime($0).utcOffset) } }
    let text = String(text.map { $0 == " " ? "T" : $0 })
    let full = text.utf8.count == 10 ? text + "T12:00:00Z" : text.utf8.count == 16 ? text + ":00Z" : text + "Z"
    guard let local = WallTime(full) else { return nil }
    // The offset an hour before or after a change of the clocks can be that of the other side.
    let offset = LocalTime(WallTime(seconds: local.seconds - Int64(LocalTime(local).utcOffset))).utcOffset
    return (WallTime(seconds: local.seconds - Int64(offset)), offset)
  }
}
