// Goes through a segment from entry to entry and reads only their headers. After a damaged header
// it looks for the next whole one.

import Linux

struct SegmentWalk {
  enum Step: Equatable {
    case entry(SpoolEntry, at: Int64)
    /// No header is in these bytes. What follows is whole again.
    case damage(Range<Int64>)
    /// Nothing more is whole: the segment ends here, or within an entry.
    case end(Int64)
  }

  private var window = [UInt8](repeating: 0, count: 4096)
  private var source: ObjectIdentifier?
  private var start: Int64 = 0
  private var count = 0

  /// What is at a place. It must be the beginning of the entries or the end of one.
  mutating func step(_ segment: Segment, at place: Int64) throws(SystemError) -> Step {
    guard place + Int64(SpoolEntry.headerLength) <= segment.length else { return .end(place) }
    let index = try load(segment, place)
    if let entry = SpoolEntry(window.span, at: index) {
      return place + entry.length <= segment.length ? .entry(entry, at: place) : .end(place)
    }
    var next = place + 1
    while next + Int64(SpoolEntry.headerLength) <= segment.length {
      let index = try load(segment, next)
      for shift in 0...(count - index - SpoolEntry.headerLength)
      where SpoolEntry(window.span, at: index + shift) != nil {
        return .damage(place..<next + Int64(shift))
      }
      next += Int64(count - index - SpoolEntry.headerLength + 1)
    }
    return .end(place)
  }

  /// Where the window has the bytes of a place. It has a whole header from there on.
  private mutating func load(_ segment: Segment, _ place: Int64) throws(SystemError) -> Int {
    let end = place + Int64(SpoolEntry.headerLength)
    if source == ObjectIdentifier(segment), start <= place, end <= start + Int64(count) { return Int(place - start) }
    source = nil
    let read = try segment.read(into: &window, at: place)
    // The file is shorter than it was.
    guard read >= SpoolEntry.headerLength else { throw SystemError.shortFile(segment.path) }
    (source, start, count) = (ObjectIdentifier(segment), place, read)
    return 0
  }

  /// Of a segment that is removed. Another one could get its place in memory.
  mutating func forget() { source = nil }
}
