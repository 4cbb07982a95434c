// Bytes of a stream become lines, however they were cut on the way. The room behind what was read is found again.

struct LineBuffer {
  private var bytes: [UInt8] = []
  private var start = 0
  /// Where looking for the next line feed goes on, so that a long line is not searched again with every piece.
  private var searched = 0

  mutating func append(_ piece: ArraySlice<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      searched -= start
      start = 0
    }
    bytes += piece
  }

  /// The next whole line, without its line feed.
  mutating func next() -> [UInt8]? {
    guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = bytes.count
      return nil
    }
    defer {
      start = end + 1
      searched = start
    }
    return Array(bytes[start..<end])
  }
}
