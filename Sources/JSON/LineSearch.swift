// Finds members of a line that another program of ours wrote, without parsing it and without an
// allocation.

extension Span<UInt8> {
  package func isText(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && has(text, at: 0)
  }

  /// Whether these bytes are next. They are skipped then.
  package func skip(_ text: StaticString, at place: inout Int) -> Bool {
    guard has(text, at: place) else { return false }
    place += text.utf8CodeUnitCount
    return true
  }

  /// The rest of a string, up to its quote, which is skipped; nil if it has an escape or no end.
  package func string(at place: inout Int) -> Range<Int>? {
    let start = place
    while place < count {
      switch self[place] {
      case UInt8(ascii: "\""):
        place += 1
        return start..<place - 1
      case UInt8(ascii: "\\"): return nil
      default: place += 1
      }
    }
    return nil
  }

  /// The place after these bytes; nil if they do not occur.
  package func end(of text: StaticString, from start: Int = 0) -> Int? {
    var place = start
    while place < count {
      if skip(text, at: &place) { return place }
      place += 1
    }
    return nil
  }

  /// Where the value of a member begins that is not the first. A quote within a string is escaped,
  /// so that a comma and a quote before a name are those of a member.
  package func value(of member: StaticString) -> Int? {
    var place = 0
    while let start = end(of: #",""#, from: place) {
      place = start
      if skip(member, at: &place), skip(#"":"#, at: &place) { return place }
      place = start
    }
    return nil
  }

  package func number(of member: StaticString) -> Double? {
    guard let start = value(of: member) else { return nil }
    var end = start
    while end < count, self[end] != UInt8(ascii: ","), self[end] != UInt8(ascii: "}") { end += 1 }
    return (try? JSONValue.parse(extracting(start..<end)))?.number
  }
}
