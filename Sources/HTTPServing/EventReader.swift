// One stream of events. Its queue has the rest of a message that the socket took in part, and
// urgent messages, but no frames.

import JSON
import Linux
import Time

public final class EventReader {
  private weak var connection: HTTPConnection?
  private let channel: EventChannel
  private let socket: Int32
  private var queue: [UInt8] = []
  /// How many bytes were queued of messages that are not frames, since the queue was empty.
  private var queuedUrgent = 0
  /// The version of the last frame that was sent or, in part, queued.
  private var version = 0
  /// Since when the socket takes nothing; nil if it has room.
  private(set) var stalledSince: MonotonicTime?
  private var ended: (() -> Void)?

  /// Urgent messages are rare and small. A reader that leaves more unread is disconnected, connects
  /// again, and gets the newest frame.
  static let mostUrgent = 64 << 10
  /// In the kernel. What is there cannot be replaced by something newer.
  static let sendBuffer: Int32 = 8 << 10
  static let mostUnsent: Int32 = 4 << 10

  init(_ connection: HTTPConnection, _ socket: Int32, _ channel: EventChannel, _ ended: (() -> Void)?) {
    self.connection = connection
    self.socket = socket
    self.channel = channel
    self.ended = ended
    // The head of the answer is still to be written.
    stalledSince = connection.now
    channel.join(self)
  }

  /// Sends a message to this reader only, at once.
  public func send(_ message: [UInt8]) {
    guard connection != nil else { return }
    let taken = stalledSince == nil ? write(message.span) : 0
    queuedUrgent += message.count - taken
    guard queuedUrgent <= Self.mostUrgent else { return close() }
    enqueue(message.span.extracting(taken...))
    settle()
  }

  /// Ends the stream at the end of this iteration of the loop.
  public func close() {
    connection?.closeLater()
  }

  /// Sends the newest frame, unless the reader has it or has no room.
  func update() {
    guard connection != nil, stalledSince == nil, version < channel.version else { return }
    let frame = channel.changes(after: version)
    let taken = write(frame.span)
    // A frame of which nothing was sent is replaced by the next one.
    if taken > 0 || frame.isEmpty {
      version = channel.version
      enqueue(frame.span.extracting(taken...))
    }
    settle()
  }

  /// As long as the socket has room, what the connection waits for stays the same.
  private func settle() {
    if stalledSince != nil { connection?.settle() }
  }

  /// The socket has room.
  func resume() {
    stalledSince = nil
    if !queue.isEmpty { queue.removeFirst(write(queue.span)) }
    if queue.isEmpty { queuedUrgent = 0 }
    update()
  }

  func end() {
    connection = nil
    channel.leave(self)
    let ended = ended
    self.ended = nil
    ended?()
  }

  /// Returns how many bytes the socket took. After fewer than all, it has no more room.
  private func write(_ bytes: Span<UInt8>) -> Int {
    guard bytes.count > 0 else { return 0 }
    do throws(SystemError) {
      var count = 0
      if case .done(let taken) = try StreamSocket.send(socket, bytes) { count = taken }
      if count < bytes.count { stalledSince = connection?.now }
      return count
    } catch {
      connection?.closeLater()
      return bytes.count
    }
  }

  private func enqueue(_ bytes: Span<UInt8>) {
    queue.append(bytes)
  }
}
