// What one reader of the stream of events receives, and when. The caller asks for messages only
// while the reader can take them, so a reader that is stuck has no backlog: when it can read again,
// it gets the newest record of what changed meanwhile, once.
//
// Radar and events are sent at once, other records with the next frame. No record is sent twice.
// Readers of the same rate get their frames at the same times, so that the processor wakes up for all
// of them together.

import JSON
public import Time

public struct FrameReader {
  /// After so long without a message, a beat tells the page that the connection still works.
  public static let beatInterval = Duration.seconds(1)
  /// How many records of its tasks wait for a reader, and how many bytes of them.
  static let mostTaskRecords = 64
  static let mostTaskBytes = 128 << 10

  private let name: String
  private let hz: Double
  private let interval: Duration
  private let kinds: [[UInt8]]?
  /// By the index of a kind: whether it is wanted.
  private var passes: [Bool] = []
  /// Up to which change the reader knows everything: what comes with frames, and what is urgent.
  private var seen: UInt64
  private var seenUrgent: UInt64
  private var nextFrame: MonotonicTime
  /// When the last message was sent; nil before the greeting.
  private var lastSent: MonotonicTime?
  private var messages: UInt64 = 0
  private var tasks: [[UInt8]] = []
  private var taskBytes = 0

  /// The first frame has what is on the board already, if it begins with a snapshot. `name` is what a
  /// page calls this stream.
  public init(
    _ subscription: FrameSubscription, name: String, board: LiveBoard, now: MonotonicTime,
    beginsWithSnapshot: Bool = false
  ) {
    self.name = name
    hz = subscription.hz
    interval = subscription.interval
    kinds = subscription.kinds?.map { Array($0.utf8) }
    let known = beginsWithSnapshot ? 0 : board.lastChange
    (seen, seenUrgent) = (known, known)
    nextFrame = now
  }

  /// When to ask for messages, if the reader can take them and nothing arrives until then. A time
  /// that has passed means at once.
  public func deadline(_ board: LiveBoard) -> MonotonicTime {
    guard let lastSent, !hasUrgent(board), tasks.isEmpty else { return MonotonicTime(nanoseconds: 0) }
    let beat = lastSent + Self.beatInterval
    return isBehind(board) ? min(beat, nextFrame) : beat
  }

  /// Whether the board has changed since the reader's last frame.
  public func isBehind(_ board: LiveBoard) -> Bool { board.lastChange > seen }

  /// Whether something should be sent at once.
  public func hasUrgent(_ board: LiveBoard) -> Bool { board.lastUrgentChange > seenUrgent }

  /// A record about a task that this stream asked for, such as a scan. If too many wait, the oldest
  /// are dropped.
  public mutating func add(taskRecord line: [UInt8]) {
    guard line.span.isOneRecord else { return }
    tasks.append(line)
    taskBytes += line.count
    while tasks.count > Self.mostTaskRecords || taskBytes > Self.mostTaskBytes {
      taskBytes -= tasks.removeFirst().count
    }
  }
}

// MARK: Messages

extension FrameReader {
  /// Appends the greeting, which is the first message of a stream.
  public mutating func greet(_ server: StreamGreeting, now: MonotonicTime, into bytes: inout [UInt8]) {
    bytes.append(contentsOf: StreamGreeting.retry.utf8)
    begin("hello", &bytes)
    bytes.append(contentsOf: server.content(name: name, hz: hz, now: now))
    end(&bytes, now)
  }

  /// Appends the messages that are due. Returns whether there are any.
  @discardableResult
  public mutating func write(from board: LiveBoard, now: MonotonicTime, into bytes: inout [UInt8]) -> Bool {
    let start = bytes.count
    for index in passes.count..<board.kinds.count {
      passes.append(kinds.map { $0.contains(board.kinds[index]) } ?? true)
    }
    if hasUrgent(board) {
      writeRecords(urgent: true, of: board, after: seenUrgent, now, &bytes)
      seenUrgent = board.lastChange
    }
    writeTasks(now, &bytes)
    if isBehind(board), now >= nextFrame { writeFrame(board, now, &bytes) }
    if bytes.count == start, now >= (lastSent ?? now) + Self.beatInterval { writeBeat(now, &bytes) }
    return bytes.count > start
  }

  private mutating func writeFrame(_ board: LiveBoard, _ now: MonotonicTime, _ bytes: inout [UInt8]) {
    if writeRecords(urgent: false, of: board, after: seen, now, &bytes) {
      nextFrame = time(ofFrameAfter: now)
    }
    seen = board.lastChange
  }

  /// The next multiple of the interval, unless it is so near that two frames would follow each other
  /// at once.
  private func time(ofFrameAfter now: MonotonicTime) -> MonotonicTime {
    let step = interval.wholeNanoseconds
    return MonotonicTime(nanoseconds: ((now.nanoseconds + step / 4) / step + 1) * step)
  }

  private mutating func writeBeat(_ now: MonotonicTime, _ bytes: inout [UInt8]) {
    begin("beat", &bytes)
    bytes.append(contentsOf: #"{"now":"#.utf8)
    bytes.appendSeconds(nanoseconds: now.nanoseconds)
    bytes.append(UInt8(ascii: "}"))
    end(&bytes, now)
  }

  /// Returns false, with nothing appended, if no record is wanted.
  @discardableResult
  private mutating func writeRecords(
    urgent: Bool, of board: LiveBoard, after seen: UInt64, _ now: MonotonicTime, _ bytes: inout [UInt8]
  ) -> Bool {
    let start = bytes.count
    begin(urgent ? "urgent" : "frame", &bytes)
    beginRecords(now, &bytes)
    guard board.appendRecords(after: seen, urgent: urgent, passes, now: now, to: &bytes) > 0 else {
      bytes.removeLast(bytes.count - start)
      messages -= 1
      return false
    }
    endRecords(&bytes, now)
    return true
  }

  private mutating func writeTasks(_ now: MonotonicTime, _ bytes: inout [UInt8]) {
    guard !tasks.isEmpty else { return }
    begin("task", &bytes)
    beginRecords(now, &bytes)
    for (index, line) in tasks.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: line)
    }
    endRecords(&bytes, now)
    tasks.removeAll(keepingCapacity: true)
    taskBytes = 0
  }

  private func beginRecords(_ now: MonotonicTime, _ bytes: inout [UInt8]) {
    bytes.append(contentsOf: #"{"now":"#.utf8)
    bytes.appendSeconds(nanoseconds: now.nanoseconds)
    bytes.append(contentsOf: #","records":["#.utf8)
  }

  private mutating func endRecords(_ bytes: inout [UInt8], _ now: MonotonicTime) {
    bytes.append(contentsOf: "]}".utf8)
    end(&bytes, now)
  }

  private mutating func begin(_ event: StaticString, _ bytes: inout [UInt8]) {
    messages += 1
    bytes.append(contentsOf: "event: ".utf8)
    bytes.append(contentsOf: event.description.utf8)
    bytes.append(contentsOf: "\nid: ".utf8)
    bytes.appendDecimal(messages)
    bytes.append(contentsOf: "\ndata: ".utf8)
  }

  private mutating func end(_ bytes: inout [UInt8], _ now: MonotonicTime) {
    bytes.append(contentsOf: "\n\n".utf8)
    lastSent = now
  }
}

/// What the first message of a stream tells about the server.
public struct StreamGreeting: Sendable {
  /// Changes with every start of the server.
  let instance: String
  let release: String
  /// What this page may do.
  let rights: [String]

  public init(instance: String, release: String, rights: [String]) {
    self.instance = instance
    self.release = release
    self.rights = rights
  }

  /// When a page connects again, in milliseconds.
  static let retry = "retry: 1000\n"

  /// `{"stream":"s7","instance":…}`
  func content(name: String, hz: Double, now: MonotonicTime) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("stream", name)
    writer.member("instance", instance)
    writer.member("now")
    writer.seconds(now)
    writer.member("release", release)
    writer.member("rights", rights)
    writer.member("hz", hz)
    writer.endObject()
    return writer.bytes
  }

  /// The first message of a stream that is not a `FrameReader`'s.
  public func message(name: String, hz: Double, now: MonotonicTime) -> [UInt8] {
    Array("\(Self.retry)event: hello\ndata: ".utf8) + content(name: name, hz: hz, now: now) + Array("\n\n".utf8)
  }
}
