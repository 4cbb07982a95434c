// One stream of events to a page. What the page gets, and when, is FrameReader's; this object asks
// for it when it is due and the page's socket has room. All streams are updated together, by
// PageStreams.

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
  /// Schedules an update at the end of this iteration of the loop.
  private let scheduleUpdate: () -> Void
  /// Counts as an open stream of the phone.
  private let permit: StreamPermit?
  private var channel: EventChannel?
  private var writer: EventReader?
  private var reader: FrameReader
  /// The reader before the last message was rendered, which may be discarded unsent.
  private var confirmed: FrameReader
  private var renderedVersion = 0
  /// Whether the update that is going on has rendered a message; nil between updates.
  private var hasRendered: Bool?
  /// When it is due again, if nothing urgent comes; nil before it is open and after its end.
  private(set) var due: MonotonicTime?
  /// Whether changes that are not urgent can wait until `due`.
  private(set) var awaitsFrame = false

  /// A socket without room is tried again after this long, so that what it gets then is new.
  private static let stallInterval = Duration.seconds(1)

  init(
    _ reader: FrameReader, name: String, phone: Int, permit: StreamPermit?, board: LiveBoard, loop: EventLoop,
    scheduleUpdate: @escaping () -> Void
  ) {
    (self.reader, confirmed) = (reader, reader)
    (self.name, self.phone, self.permit) = (name, phone, permit)
    (self.board, self.loop, self.scheduleUpdate) = (board, loop, scheduleUpdate)
  }

  /// Returns false if the page is gone already. `ended` is called when the stream ends.
  func open(_ exchange: HTTPExchange, _ greeting: StreamGreeting, ended: @escaping () -> Void) -> Bool {
    var bytes: [UInt8] = []
    reader.greet(greeting, now: loop.now, into: &bytes)
    confirmed = reader
    let channel = EventChannel(self)
    self.channel = channel
    writer = exchange.open(.eventStream, on: channel, greeting: bytes, ended: ended)
    guard writer != nil else { return false }
    due = loop.now
    scheduleUpdate()
    return true
  }

  /// Sends what is due, and finds out when the rest is.
  func update() {
    guard let channel, due != nil else { return }
    var (next, hasRoom) = (reader.deadline(board), true)
    if next <= loop.now {
      hasRendered = false
      channel.publish(channel.version + 1)
      hasRoom = hasRendered == true
      hasRendered = nil
      next = hasRoom ? reader.deadline(board) : loop.now + Self.stallInterval
    }
    // It may have ended meanwhile.
    if due != nil { due = next }
    awaitsFrame = !hasRoom || reader.isBehind(board)
  }

  /// A record of a task that this page has started.
  func send(taskRecord line: [UInt8]) {
    reader.add(taskRecord: line)
    confirmed.add(taskRecord: line)
    scheduleUpdate()
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
    due = nil
    writer = nil
  }

  func appendChanges(after version: Int, to message: inout [UInt8]) {
    // Nothing of the last message was sent. This one has what was in it, and is newer.
    if version < renderedVersion { reader = confirmed }
    confirmed = reader
    renderedVersion = channel?.version ?? 0
    if hasRendered == nil { scheduleUpdate() } else { hasRendered = true }
    reader.write(from: board, now: loop.now, into: &message)
  }
}
