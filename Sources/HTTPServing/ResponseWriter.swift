// Writes one answer as far as the socket takes it. A body from memory is not copied, and one that
// comes in pieces is asked for the next one when the socket has taken the one before.

import HTTP
import Linux

public protocol BodySource: AnyObject {
  /// Appends the next piece.
  func appendPiece(to bytes: inout [UInt8]) -> BodyProgress
}

public enum BodyProgress: Sendable {
  /// There is more.
  case more
  /// There may be more later: `HTTPExchange.resume` asks again.
  case later
  case end
  /// The connection is cut, so that the client sees that the body is not complete.
  case failed
}

struct ResponseWriter {
  private enum Framing {
    case length(remaining: Int)
    case chunks
    case untilEnd
  }

  /// Sent first, then the body.
  private var head: [UInt8] = []
  private var body: [UInt8] = []
  /// Of both together.
  private var sent = 0
  private var source: (any BodySource)?
  private var framing = Framing.untilEnd
  /// The source had nothing to send.
  private var isWaiting = false
  private(set) var hasFailed = false

  private var hasSentAll: Bool { sent == head.count + body.count }
  var isFinished: Bool { hasSentAll && source == nil }
  /// Nothing can be sent before the source has more.
  var isWaitingForSource: Bool { hasSentAll && isWaiting }

  mutating func start(head: [UInt8], body: [UInt8] = []) {
    isWaiting = false
    // A rest of `100 Continue` can be left.
    self.head += head
    self.body = body
  }

  /// The body follows from the source.
  mutating func start(head: [UInt8], _ source: any BodySource, length: Int?, inChunks: Bool) {
    start(head: head)
    self.source = source
    framing = length.map { .length(remaining: $0) } ?? (inChunks ? .chunks : .untilEnd)
  }

  mutating func resume() { isWaiting = false }

  /// Writes once. Returns how many bytes the socket took.
  mutating func write(to socket: Int32) throws(SystemError) -> Int {
    if source != nil, !isWaiting, body.isEmpty { appendPiece() }
    guard !hasSentAll, !hasFailed else { return 0 }
    let fromHead = min(sent, head.count)
    let result = try StreamSocket.send(
      socket, head.span.extracting(fromHead...), body.span.extracting((sent - fromHead)...))
    guard case .done(let count) = result else { return 0 }
    sent += count
    if hasSentAll { release() }
    return count
  }

  /// An idle connection does not keep the body of its last answer. Room for pieces is kept.
  private mutating func release() {
    head.removeAll(keepingCapacity: true)
    if source == nil { body = [] } else { body.removeAll(keepingCapacity: true) }
    sent = 0
  }

  /// Hexadecimal digits and the end of the line, which are written when the piece is there.
  private static let chunkSize = Array("00000000\r\n".utf8)

  private mutating func appendPiece() {
    var isChunk = false
    if case .chunks = framing { isChunk = true }
    if isChunk { body += Self.chunkSize }
    let before = body.count
    let progress = source?.appendPiece(to: &body) ?? .end
    let count = body.count - before
    if isChunk { finishChunk(count, isLast: progress == .end) }
    if case .length(let remaining) = framing {
      framing = .length(remaining: remaining - count)
      hasFailed = count > remaining || progress == .end && count < remaining
    }
    switch progress {
    case .more: break
    case .later: isWaiting = true
    case .end: source = nil
    case .failed: hasFailed = true
    }
  }

  private mutating func finishChunk(_ count: Int, isLast: Bool) {
    if count > 0 {
      var rest = count
      for index in (0..<8).reversed() {
        body[index] = Self.digits[rest & 15]
        rest >>= 4
      }
      body += Self.lineEnd
    } else {
      // A chunk without bytes would end the body.
      body.removeAll(keepingCapacity: true)
    }
    if isLast { body += Self.lastChunk }
  }

  private static let digits = Array("0123456789abcdef".utf8)
  private static let lineEnd = Array("\r\n".utf8)
  private static let lastChunk = Array("0\r\n\r\n".utf8)
}
