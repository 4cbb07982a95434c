// One sample as a line of metrics.sock has it. The parser keeps the places of the members in a
// reused buffer, so that it does not allocate, and leaves values as they were written: the logbook
// stores fields and kinds that this release does not know.

import JSON

package struct SampleLine {
  /// A member of the line that is stored: its name without quotes, and its value.
  package struct Field: Equatable {
    var name: Range<Int>
    var value: Range<Int>
  }

  package private(set) var fields: [Field] = []
  /// The values of these members as they were written, strings with their quotes.
  package private(set) var sensor = 0..<0
  package private(set) var kind = 0..<0
  package private(set) var sequence: Int64 = 0
  /// The boot time of the sample, in milliseconds.
  package private(set) var milliseconds: Int64 = 0
  /// How old a repeated sample is. 0 for one that just came.
  package private(set) var ageMilliseconds: Int64 = 0
  /// The time of the wall clock; empty if it is unknown.
  package private(set) var wallTime = 0..<0

  package init() {}

  /// Returns false if the line is not a sample: then its parts are undefined.
  package mutating func parse(_ line: Span<UInt8>) -> Bool {
    fields.removeAll(keepingCapacity: true)
    (sensor, kind, wallTime) = (0..<0, 0..<0, 0..<0)
    (sequence, milliseconds, ageMilliseconds) = (0, -1, 0)
    var scanner = TokenScanner()
    guard scanner.skip("{", in: line) else { return false }
    var isSample = false
    repeat {
      guard let name = scanner.string(in: line), scanner.skip(":", in: line), let value = scanner.value(in: line) else {
        return false
      }
      let inner = (name.lowerBound + 1)..<(name.upperBound - 1)
      if !take(inner, value, of: line, &isSample) { fields.append(Field(name: inner, value: value)) }
    } while scanner.skip(",", in: line)
    return scanner.skip("}", in: line) && scanner.isAtEnd(of: line) && isSample && !sensor.isEmpty && !kind.isEmpty
      && milliseconds >= 0
  }

  /// Whether it is one of the members that every sample has.
  private mutating func take(
    _ name: Range<Int>, _ value: Range<Int>, of line: Span<UInt8>, _ isSample: inout Bool
  ) -> Bool {
    switch name.count {
    case 5 where line.has("class", at: name): isSample = line.has("\"sample\"", at: value)
    case 6 where line.has("sensor", at: name): sensor = value
    case 4 where line.has("kind", at: name): kind = value
    case 3 where line.has("seq", at: name): sequence = Decimal(line, value, isExact: false)?.rounded(to: 0) ?? 0
    case 1 where line.has("t", at: name): milliseconds = Decimal(line, value, isExact: false)?.rounded(to: 3) ?? -1
    case 4 where line.has("time", at: name): wallTime = value
    case 6 where line.has("age_ms", at: name):
      ageMilliseconds = Decimal(line, value, isExact: false)?.rounded(to: 0) ?? 0
    default: return false
    }
    return true
  }
}

extension SampleLine {
  /// ECG and acceleration, which come more than a hundred times a second.
  package func isSignal(_ line: Span<UInt8>) -> Bool {
    line.has("\"ecg\"", at: kind) || line.has("\"acceleration\"", at: kind)
  }

  /// The time of the wall clock, in milliseconds since 1970; nil if it is unknown. Without an
  /// allocation, because every second needs it.
  package func utcMilliseconds(_ line: Span<UInt8>) -> Int64? {
    // "2026-11-25T04:22:18.058Z" with its quotes.
    guard wallTime.count == 26 else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int64? {
      Decimal(line, (wallTime.lowerBound + offset)..<(wallTime.lowerBound + offset + count), isExact: false)?
        .rounded(to: 0)
    }
    guard let year = number(1, 4), let month = number(6, 2), let day = number(9, 2), let hour = number(12, 2),
      let minute = number(15, 2), let second = number(18, 2), let millisecond = number(21, 3),
      year >= 1970, 1...12 ~= month, 1...31 ~= day
    else { return nil }
    // The year begins in March, so that the leap day is its last.
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + millisecond
  }
}

extension Span<UInt8> {
  /// Whether the bytes at that place are this ASCII text.
  func has(_ text: StaticString, at place: Range<Int>) -> Bool {
    place.count == text.utf8CodeUnitCount && has(text, at: place.lowerBound)
  }

  func has(_ bytes: [UInt8], at place: Range<Int>) -> Bool {
    guard place.count == bytes.count else { return false }
    for offset in bytes.indices where bytes[offset] != self[place.lowerBound + offset] { return false }
    return true
  }
}
