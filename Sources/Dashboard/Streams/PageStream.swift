// One stream of events to a page. What the page gets, and when, is FrameReader's; this object asks
// for it when it is due and the page's socket has room.

import EventLoop
import HTTP
import HTTPServing
import Time
import WebAccess
import WebFrames

final class PageStream: FrameSource {
  /// The page names it in requests whose records it wants here.
  let name: String
  let phone: Int
  /// False if the phone was revoked: no other stream takes the place of this one.
  private(set) var mayContinue = true
  private let loop: EventLoop
  private let board: LiveBoard
  /// Counts as an open stream of the phone.
  private let permit: StreamPermit?
  private var channel: EventChannel?
  private var writer: EventReader?
  private var reader: FrameReader
  /// The reader before the last message was rendered, which may be discarded unsent.
  private var confirmed: FrameReader
  private var renderedVersion = 0
  private var hasRendered = false
  private var deadline: Deadline?

  /// A socket without room is tried again after this long, so that what it gets then is new.
  private static let stallInterval = Duration.seconds(1)

  init(_ reader: FrameReader, name: String, phone: Int, permit: StreamPermit?, board: LiveBoard, loop: EventLoop) {
    (self.reader, confirmed) = (reader, reader)
    (self.name, self.phone, self.permit) = (name, phone, permit)
    (self.board, self.loop) = (board, loop)
  }

  /// Returns false if the page is gone already. `ended` is called when the stream ends.
  func open(_ exchange: HTTPExchange, _ greeting: StreamGreeting, ended: @escaping () -> Void) -> Bool {
    var bytes: [UInt8] = []
    reader.greet(greeting, now: loop.now, into: &bytes)
    confirmed = reader
    let channel = EventChannel(self)
    self.channel = channel
    writer = exchange.open(Self.head, on: channel, greeting: bytes, ended: ended)
    guard writer != nil else { return false }
    deadline = loop.schedule(at: loop.now) { [weak self] in self?.update() }
    return true
  }

  /// Sends what is due, and sets the timer for the rest.
  func update() {
    guard let channel, let deadline else { return }
    let due = reader.deadline(board)
    guard due <= loop.now else {
      if !deadline.isPending || deadline.time != due { deadline.set(to: due) }
      return
    }
    hasRendered = false
    channel.publish(channel.version + 1)
    deadline.set(to: hasRendered ? reader.deadline(board) : loop.now + Self.stallInterval)
  }

  /// A record of a task that this page has started.
  func send(taskRecord line: [UInt8]) {
    reader.add(taskRecord: line)
    confirmed.add(taskRecord: line)
    update()
  }

  func close() {
    writer?.close()
  }

  /// Closes it for good, because the phone was revoked.
  func revoke() {
    mayContinue = false
    close()
  }

  /// The stream has ended.
  func stop() {
    deadline?.cancel()
    deadline = nil
    writer = nil
  }

  func appendChanges(after version: Int, to message: inout [UInt8]) {
    // Nothing of the last message was sent. This one has what was in it, and is newer.
    if version < renderedVersion { reader = confirmed }
    confirmed = reader
    renderedVersion = channel?.version ?? 0
    hasRendered = true
    reader.write(from: board, now: loop.now, into: &message)
  }

  /// A proxy must not wait until it has collected more.
  private static let head = HTTPResponse(.ok, .stream).setting("Content-Type", "text/event-stream")
    .setting("X-Accel-Buffering", "no").uncached.securing()
}
