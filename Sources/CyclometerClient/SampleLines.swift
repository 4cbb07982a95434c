// Sample lines that wait for the driver, in one buffer, so that they cost no allocation.

import JSON

struct SampleLines {
  private var bytes: [UInt8] = []
  private var start = 0
  private var lengths = Queue<Int>()
  /// How many were ever added, and taken.
  private(set) var added = 0
  private(set) var taken = 0

  var isEmpty: Bool { lengths.isEmpty }

  mutating func append(_ line: Span<UInt8>) {
    bytes.append(line)
    lengths.append(line.count)
    added += 1
  }

  /// Replaces the contents of `line`. Returns false if there is none.
  mutating func takeFirst(_ line: inout [UInt8]) -> Bool {
    guard let length = lengths.popFirst() else { return false }
    line.replace(with: bytes.span.extracting(start..<start + length))
    start += length
    taken += 1
    if lengths.isEmpty {
      bytes.removeAll(keepingCapacity: true)
      start = 0
    }
    return true
  }
}
