// What every reader and every writer of a format looks like. Both work in pieces: neither holds a
// whole file.

public protocol ActivityReader {
  /// Reads the next bytes, in pieces of any size. After an error, the file contains no activity.
  mutating func feed(_ bytes: Span<UInt8>, item: (ActivityItem) -> Void) throws(ActivityFileError)

  /// Ends the file. Throws if it contained nothing to keep.
  mutating func finish(item: (ActivityItem) -> Void) throws(ActivityFileError)

  /// The same a portion at a time, because routes are emitted at the end. Returns whether there is
  /// more. Call it until it returns false.
  mutating func finishSome(item: (ActivityItem) -> Void) throws(ActivityFileError) -> Bool
}

public protocol ActivityWriter {
  /// Appends what the item adds to the file. The caller may empty the buffer at any time.
  mutating func write(_ item: ActivityItem, into output: inout [UInt8]) throws(ActivityFileError)

  mutating func finish(into output: inout [UInt8]) throws(ActivityFileError)

  /// The same a portion at a time, because a route is written at its end. Returns whether there is
  /// more. Call it until it returns false.
  mutating func finishSome(into output: inout [UInt8]) throws(ActivityFileError) -> Bool
}

extension ActivityReader {
  public mutating func finishSome(item: (ActivityItem) -> Void) throws(ActivityFileError) -> Bool {
    try finish(item: item)
    return false
  }
}

extension ActivityWriter {
  public mutating func finishSome(into output: inout [UInt8]) throws(ActivityFileError) -> Bool {
    try finish(into: &output)
    return false
  }
}

/// Why a file cannot be read or written, in a sentence for the user.
public struct ActivityFileError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}
