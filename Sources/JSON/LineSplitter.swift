// Splits bytes into lines. A line that is complete in the input is passed on in place; only an
// incomplete last line is copied, once. Memory never exceeds the limit. A carriage return before
// the line feed is dropped.

public struct LineSplitter: Sendable {
  /// The maximum length of a protocol line, without its line feed.
  public static let protocolLimit = 65_536
  /// The capacity kept between lines. A larger buffer is freed after its line.
  private static let keptRoom = 4096

  public enum Outcome: Equatable, Sendable {
    case done
    /// The closure returned false; the rest of the input is discarded.
    case stopped
    /// A line exceeds the limit. It and all further input are discarded.
    case lineTooLong
  }

  private let limit: Int
  private let skipsBlankLines: Bool
  private var piece: [UInt8] = []
  private var isBroken = false

  public init(limit: Int = protocolLimit, skipsBlankLines: Bool = true) {
    self.limit = limit
    self.skipsBlankLines = skipsBlankLines
  }

  /// Passes each complete line without its line feed to `body`, until it returns false.
  public mutating func feed(_ bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Bool) -> Outcome {
    var start = 0
    while !isBroken, let end = lineFeed(in: bytes, from: start) {
      let last = end > start ? bytes[end - 1] : piece.last
      guard fits(piece.count + end - start, last: last) else { break }
      if !complete(with: bytes.extracting(start..<end), body) { return .stopped }
      start = end + 1
    }
    let rest = bytes.count - start
    // The last byte so far may be the carriage return, which does not count.
    guard !isBroken, rest == 0 || fits(piece.count + rest, last: bytes[bytes.count - 1]) else { return .lineTooLong }
    piece.append(bytes.extracting(start..<bytes.count))
    return .done
  }

  /// Passes on a last line without a line feed, as files may have one.
  public mutating func finish(_ body: (Span<UInt8>) -> Bool) -> Outcome {
    guard !isBroken else { return .lineTooLong }
    guard !piece.isEmpty else { return .done }
    return complete(with: [UInt8]().span, body) ? .done : .stopped
  }
}

extension LineSplitter {
  private func lineFeed(in bytes: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\n") { return index }
      index += 1
    }
    return nil
  }

  /// Whether a line of that length fits the limit. If not, the splitter stops working.
  private mutating func fits(_ length: Int, last: UInt8?) -> Bool {
    guard length - (last == UInt8(ascii: "\r") ? 1 : 0) > limit else { return true }
    isBroken = true
    piece = []
    return false
  }

  private mutating func complete(with rest: Span<UInt8>, _ body: (Span<UInt8>) -> Bool) -> Bool {
    if piece.isEmpty { return handOn(rest, body) }
    piece.append(rest)
    var line: [UInt8] = []
    swap(&line, &piece)
    let goesOn = handOn(line.span, body)
    if line.capacity <= Self.keptRoom {
      line.removeAll(keepingCapacity: true)
      swap(&line, &piece)
    }
    return goesOn
  }

  private func handOn(_ line: Span<UInt8>, _ body: (Span<UInt8>) -> Bool) -> Bool {
    let endsWithReturn = line.count > 0 && line[line.count - 1] == UInt8(ascii: "\r")
    let line = endsWithReturn ? line.extracting(droppingLast: 1) : line
    return skipsBlankLines && isBlank(line) ? true : body(line)
  }

  private func isBlank(_ line: Span<UInt8>) -> Bool {
    for index in line.indices where !isSpace(line[index]) { return false }
    return true
  }
}
