// Bytes in, lines out. A line that lies whole in what was fed is handed on where it is; only the piece of one that goes on
// in the next feed is copied, once. Memory never exceeds the limit. A carriage return before the line feed is dropped.

public struct LineSplitter: Sendable {
  /// What a line of the protocol may have at most, its line feed not counted.
  public static let protocolLimit = 65_536
  /// Room that is kept between lines; a longer piece gives its room back when it is done.
  private static let keptRoom = 4096

  public enum Outcome: Equatable, Sendable {
    case done
    /// The closure asked for no more; the rest of what was fed is gone.
    case stopped
    /// A line exceeds the limit. It, and whatever is fed from here on, is gone.
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

  /// Hands every line that these bytes complete to `body`, without its end, until it returns false.
  public mutating func feed(_ bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Bool) -> Outcome {
    var start = 0
    while !isBroken, let end = lineFeed(in: bytes, from: start) {
      let last = end > start ? bytes[end - 1] : piece.last
      guard fits(piece.count + end - start, last: last) else { break }
      if !complete(with: bytes.extracting(start..<end), body) { return .stopped }
      start = end + 1
    }
    let rest = bytes.count - start
    // What stands last now may be the carriage return, which does not count.
    guard !isBroken, rest == 0 || fits(piece.count + rest, last: bytes[bytes.count - 1]) else { return .lineTooLong }
    append(bytes.extracting(start..<bytes.count))
    return .done
  }

  /// Hands on a last line without line feed, as files may have one.
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

  /// Whether a line of that length, or the beginning of one, keeps to the limit; if not, all is over.
  private mutating func fits(_ length: Int, last: UInt8?) -> Bool {
    guard length - (last == UInt8(ascii: "\r") ? 1 : 0) > limit else { return true }
    isBroken = true
    piece = []
    return false
  }

  private mutating func complete(with rest: Span<UInt8>, _ body: (Span<UInt8>) -> Bool) -> Bool {
    if piece.isEmpty { return handOn(rest, body) }
    append(rest)
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

  private mutating func append(_ bytes: Span<UInt8>) {
    for index in bytes.indices { piece.append(bytes[index]) }
  }
}
