// Splits a capture line into words. White space separates words, quotes group them, and a `#` after
// white space ends the line.

import JSON
import Time
import Vocabulary

struct CaptureScanner {
  private let bytes: ArraySlice<UInt8>
  private(set) var offset: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  /// The text after the words read so far, unchanged.
  var rest: ArraySlice<UInt8> {
    bytes[offset...].drop(while: isSpace)
  }

  /// The next word; nil at the end of the line.
  mutating func word() throws(CaptureError) -> String? {
    while offset < bytes.endIndex, isSpace(bytes[offset]) { offset += 1 }
    guard offset < bytes.endIndex, bytes[offset] != UInt8(ascii: "#") else { return nil }
    var word: [UInt8] = []
    var isQuoted = false
    while offset < bytes.endIndex, isQuoted || !isSpace(bytes[offset]) {
      let byte = bytes[offset]
      offset += 1
      if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if byte == UInt8(ascii: "\\"), isQuoted {
        word.append(try escaped())
      } else if byte == UInt8(ascii: "\r") {
        // Outside quotes it separates words. Inside them it could not be written back, because it
        // may be read as the end of the line.
        throw CaptureError("a carriage return stands inside quotes")
      } else {
        word.append(byte)
      }
    }
    if isQuoted { throw CaptureError("a quote is not closed") }
    return String(decoding: word, as: UTF8.self)
  }

  mutating func word(_ expected: String) throws(CaptureError) -> String {
    guard let word = try word() else { throw CaptureError("the line ends where \(expected) is expected") }
    return word
  }

  mutating func end() throws(CaptureError) {
    if let word = try word() { throw CaptureError("\"\(word)\" stands where the line should end") }
  }

  private mutating func escaped() throws(CaptureError) -> UInt8 {
    guard offset < bytes.endIndex, bytes[offset] == UInt8(ascii: "\"") || bytes[offset] == UInt8(ascii: "\\") else {
      throw CaptureError("inside quotes a backslash stands before a quote or a backslash only")
    }
    offset += 1
    return bytes[offset - 1]
  }
}

// MARK: Words with a meaning

extension CaptureScanner {
  mutating func uuid() throws(CaptureError) -> BluetoothUUID {
    let word = try word("a UUID")
    guard let uuid = BluetoothUUID(word) else {
      throw CaptureError("\"\(word)\" is not a UUID of 4, 8 or 32 hex digits")
    }
    return uuid
  }

  mutating func company() throws(CaptureError) -> UInt16 {
    let word = try word("a company id")
    guard word.utf8.count == 4, word.utf8.allSatisfy({ hexDigit($0) != nil }), let company = UInt16(word, radix: 16)
    else {
      throw CaptureError("\"\(word)\" is not a company id of 4 hex digits")
    }
    return company
  }

  /// The rest of the line as bytes; `-` is the empty value.
  mutating func value() throws(CaptureError) -> [UInt8] {
    var value: [UInt8] = []
    var half: UInt8?
    var word = try word("a value in hex, or - for an empty one")
    if word == "-" {
      try end()
      return []
    }
    repeat {
      for byte in word.utf8 {
        guard let digit = hexDigit(byte) else { throw CaptureError("\"\(word)\" is not a value in hex") }
        if let high = half { value.append(high << 4 | digit) }
        half = half == nil ? digit : nil
      }
      guard let next = try self.word() else { break }
      word = next
    } while true
    guard half == nil else { throw CaptureError("the value has an odd number of hex digits") }
    return value
  }
}

/// Seconds with up to nine decimals.
func captureTime(_ word: String) throws(CaptureError) -> MonotonicTime {
  let parts = word.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
  guard let seconds = decimalNumber(parts[0]), seconds <= 1_000_000_000, parts.count == 1 || parts[1].count <= 9,
    let fraction = parts.count == 1 ? 0 : decimalNumber(parts[1])
  else { throw CaptureError("\"\(word)\" is not a time in seconds from the start") }
  let digits = parts.count == 1 ? 0 : parts[1].count
  let nanoseconds = (digits..<9).reduce(fraction) { value, _ in value * 10 }
  return MonotonicTime(nanoseconds: seconds * 1_000_000_000 + nanoseconds)
}

/// Parses up to ten digits.
private func decimalNumber(_ digits: Substring.UTF8View) -> Int64? {
  guard 1...10 ~= digits.count else { return nil }
  var number: Int64 = 0
  for byte in digits {
    guard let digit = decimalDigit(byte) else { return nil }
    number = number * 10 + Int64(digit)
  }
  return number
}
