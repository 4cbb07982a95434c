// One connection to a socket of the service: lines in, lines out. The server interprets the
// requests. A client that exceeds a limit is sent the reason before it is disconnected.

import EventLoop
import JSON
package import Linux
import Time
package import Wire

package final class Client {
  package let role: SocketRole
  package let peer: PeerCredentials
  private let loop: EventLoop
  private let socket: FileDescriptor
  private var watch: Watch?
  private var splitter = LineSplitter()
  private var queue = OutputQueue()
  private let quota: UserQuota
  /// The bytes of the queue, as the quota has counted them.
  private var accounted = 0
  /// Runs until the user's quota allows further requests.
  private var pacing: Deadline?
  /// Bytes that were read, but not parsed because there is no room for replies or no quota left.
  private var unparsed: [UInt8] = []
  private var flush: Hook?
  private var subscription: ClientSubscription?
  private weak var server: SocketServer?
  /// The client has closed its sending side, as `printf … | nc -N` does. It may still read.
  private var hasInputEnded = false
  /// The client is being disconnected: it gets what is queued, ending with the reason, and nothing
  /// else.
  private var isDismissed = false
  private var farewell: Deadline?
  private var stall: Deadline?
  /// When the queue last shrank.
  private var shrankAt: MonotonicTime
  private var lastRequestAt: MonotonicTime
  private var hasSubscribed = false
  /// The number of bytes of an incomplete line.
  private var lineLength = 0
  /// The client's scan, pairing or capture. It ends when the client disconnects.
  package private(set) var operation: (any ClientOperation)?
  /// It keeps a sensor disabled, so its connection is in use even if nothing is sent.
  private var isHolding = false
  /// Requests with a deferred reply that are not `operation`.
  private var pendingReplies = 0

  /// How long a client may leave its queue unread.
  private static let timeout = Duration.seconds(60)
  private static let farewellTime = Duration.seconds(1)

  init(_ socket: consuming FileDescriptor, role: SocketRole, server: SocketServer, loop: EventLoop) throws(SystemError)
  {
    peer = try server.identify(socket.number)
    quota = server.quota(of: peer.user)
    self.socket = socket
    self.role = role
    self.server = server
    self.loop = loop
    shrankAt = loop.now
    lastRequestAt = loop.now
    flush = loop.makeHook { [weak self] in self?.writeQueue() }
    watch = try loop.watch(self.socket.number, for: .readable) { [weak self] ready in self?.serve(ready) }
    quota.join()
  }

  var isLeaving: Bool { farewell != nil }

  func hasGroup(_ group: UInt32) -> Bool { server?.hasGroup(socket.number, group) ?? false }

  /// This client as `Places` sees it when another one connects.
  var place: Places.Place {
    let isQuiet = !hasSubscribed && isIdle
    return Places.Place(user: peer.user, role: role, idleSince: isQuiet ? lastRequestAt : nil)
  }

  /// Drops the connection at once.
  func close() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    farewell?.cancel()
    stall?.cancel()
    pacing?.cancel()
    quota.leave(withQueued: accounted)
    operation?.end()
    operation = nil
    server?.closed(self)
  }

  private func giveUp(_ why: String) {
    server?.logEnd(of: self, "\(why): disconnected")
    close()
  }

  /// Queues the reason after everything that is already queued, then disconnects.
  func dismiss(_ error: ErrorRecord) {
    guard !isDismissed else { return }
    send(error)
    isDismissed = true
    unparsed = []
    operation?.end()
    operation = nil
    subscription = nil
    server?.publisher.remove(self)
    writeQueue()
  }

  /// All is written. Keeps reading for a moment, because closing a socket with unread input could
  /// discard the reason.
  private func finishDismissal() {
    guard let watch, !isLeaving else { return }
    guard !hasInputEnded else { return close() }
    try? StreamSocket.shutdownWrite(socket.number)
    try? watch.change(to: .readable)
    farewell = loop.schedule(after: Self.farewellTime) { [weak self] in self?.close() }
  }
}

// MARK: Out

extension Client: Subscriber {
  /// If nothing is queued, the batch is written directly, and the rest of a partial write is queued.
  /// Requests are not handled here, because other subscribers are still waiting for this batch.
  package func deliver(_ output: OutputBatch) {
    guard watch != nil, !isDismissed else { return }
    guard accounted == 0, subscription?.takesAll(of: output) == true else {
      take(output)
      if !unparsed.isEmpty { flush?.schedule() }
      return push()
    }
    let bytes = output.bytes
    do throws(SystemError) {
      guard case .done(let count) = try StreamSocket.send(socket.number, bytes.span) else {
        return keep(output, after: 0)
      }
      if count < bytes.count { keep(output, after: count) }
    } catch {
      close()
    }
  }

  /// The socket took `count` bytes. The rest of a cut line must follow; later lines are queued if
  /// there is room.
  private func keep(_ output: OutputBatch, after count: Int) {
    for (index, entry) in output.entries.enumerated() where entry.line.upperBound > count {
      if entry.line.lowerBound < count {
        queue.append(output.bytes[count..<entry.line.upperBound])
      } else {
        take(index, of: output)
      }
    }
    push()
  }

  /// Queues the new entries of the batch that the subscription passes.
  private func take(_ output: OutputBatch) {
    for index in subscription?.takeNew(of: output) ?? 0..<0 { take(index, of: output) }
  }

  /// Queues what was published before the line that follows.
  private func catchUp() {
    if let output = server?.publisher.output { take(output) }
  }

  private func take(_ index: Int, of output: OutputBatch) {
    let entry = output.entries[index]
    if let event = entry.event, subscription?.takes(event) != true { return }
    guard let stream = entry.stream else { return enqueue(output.bytes[entry.line]) }
    guard subscription?.takes(stream, at: loop.now) == true else { return }
    queue.append(output.bytes[entry.line], of: stream, isFull: isFull)
    account()
  }

  package func begin(_ operation: any ClientOperation) { self.operation = operation }

  package func endOperation() { operation = nil }

  /// Whether it keeps something for as long as it stays connected.
  package func hold(_ isHolding: Bool) { self.isHolding = isHolding }

  package func send(_ record: some Record) {
    var writer = JSONWriter()
    writer.line(record)
    send(line: writer.bytes)
  }

  /// Drops the record if the client does not read fast enough.
  package func offer(_ record: some Record) {
    if !isFull { send(record) }
  }

  package func send(line: [UInt8]) {
    quota.charge(bytes: line.count)
    sendUncharged(line: line)
  }

  /// For lines that are limited in another way than by the user's quota, such as a transfer that
  /// waits until its last piece was read.
  package func sendUncharged(line: [UInt8]) {
    catchUp()
    enqueue(line[...])
    flush?.schedule()
  }

  private func enqueue(_ line: ArraySlice<UInt8>) {
    guard watch != nil, !isDismissed else { return }
    // Records other than samples are kept for a slow client, up to a limit.
    let isOver = queue.isFull && quota.isExhausted(for: queue.count)
    guard queue.count < OutputQueue.ceiling, !isOver else { return giveUp("left too much unread") }
    queue.append(line)
    account()
  }

  private var isFull: Bool { queue.isFull || quota.isExhausted(for: queue.count) }

  private func account() {
    quota.changeQueue(by: queue.count - accounted)
    accounted = queue.count
  }

  /// Records published before this belong to the previous subscription or to the snapshot.
  package func subscribe(_ filter: Filter) {
    catchUp()
    queue.flushDeferred()
    account()
    guard let publisher = server?.publisher else { return }
    subscription = ClientSubscription(filter, after: publisher.output)
    hasSubscribed = true
    publisher.add(self)
  }

  package func unsubscribe() {
    catchUp()
    queue.flushDeferred()
    account()
    subscription = nil
    server?.publisher.remove(self)
  }

  /// Keeps the connection open for a deferred reply, even if the client has closed its sending side.
  package func expectReply() {
    pendingReplies += 1
  }

  package func didReply() {
    pendingReplies -= 1
    flush?.schedule()
  }

  /// Runs once per iteration: writes everything that was queued in it, then parses requests that were
  /// waiting for room.
  private func writeQueue() {
    // Records of this iteration must precede the late samples that `push` may append.
    catchUp()
    push()
    guard watch != nil, !isDismissed else { return }
    parseRest()
    if queue.isEmpty { operation?.didDrain() }
    guard watch != nil, !isDismissed else { return }
    if hasInputEnded, isIdle { return close() }
    updateInterest()
  }

  /// Nothing is left to send, now or later.
  private var isIdle: Bool {
    queue.isEmpty && unparsed.isEmpty && subscription == nil && operation == nil && pendingReplies == 0 && !isHolding
  }

  private func push() {
    guard watch != nil, !isLeaving else { return }
    let before = queue.written
    do throws(SystemError) {
      try queue.write(to: socket.number)
    } catch {
      return close()
    }
    account()
    if queue.written != before { shrankAt = loop.now }
    if isDismissed, queue.isEmpty { return finishDismissal() }
    updateInterest()
  }

  /// A client that does not read its replies is not read either.
  private func updateInterest() {
    var wanted: Interest = !isDismissed && (isFull || !unparsed.isEmpty) || hasInputEnded ? [] : .readable
    if !queue.isEmpty { wanted.insert(.writable) }
    do throws(SystemError) {
      try watch?.change(to: wanted)
    } catch {
      return close()
    }
    watchForStall()
  }

  /// Disconnects a client whose queue has not shrunk for a minute.
  private func watchForStall() {
    if queue.isEmpty {
      stall?.cancel()
      stall = nil
    } else if stall == nil {
      shrankAt = loop.now
      judgeStallLater()
    }
  }

  private func judgeStallLater() {
    stall = loop.schedule(at: shrankAt + Self.timeout) { [weak self] in
      guard let self else { return }
      if loop.now >= shrankAt + Self.timeout { giveUp("has read nothing for a minute") } else { judgeStallLater() }
    }
  }
}

// MARK: In

extension Client {
  private func serve(_ ready: Interest) {
    if ready.contains(.writable) { writeQueue() }
    guard watch != nil, !ready.isDisjoint(with: [.readable, .hangUp, .failed]) else { return }
    do throws(SystemError) {
      try read(isGone: !ready.isDisjoint(with: [.hangUp, .failed]))
    } catch {
      close()
    }
  }

  private func read(isGone: Bool) throws(SystemError) {
    guard let server, unparsed.isEmpty else { return close() }
    var buffer: [UInt8] = []
    server.swapReadBuffer(with: &buffer)
    defer { server.swapReadBuffer(with: &buffer) }
    guard case .done(let count) = try socket.read(into: &buffer) else { return }
    guard count > 0 else { return isGone || isLeaving ? close() : inputEnded() }
    guard !isDismissed else { return }
    parse(buffer.span.extracting(..<count), server)
  }

  /// Handles one line at a time while there is room for replies. This bounds a client's memory to
  /// its queue and one reply, however short its requests are. Requests beyond the user's quota
  /// wait.
  private func parse(_ bytes: Span<UInt8>, _ server: SocketServer) {
    var start = 0
    while start < bytes.count, watch != nil, !isDismissed {
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
      let isWhole = end < bytes.count
      guard !isFull, !isWhole || isAdmitted(bytes: lineLength + end - start) else {
        for index in start..<bytes.count { unparsed.append(bytes[index]) }
        flush?.schedule()
        return
      }
      lineLength = isWhole ? 0 : lineLength + end - start
      if isWhole { lastRequestAt = loop.now }
      end = min(end + 1, bytes.count)
      let outcome = splitter.feed(bytes.extracting(start..<end)) { line in
        server.handle(line, from: self)
        return true
      }
      if outcome == .lineTooLong {
        let text = "a line has at most \(LineSplitter.protocolLimit) bytes"
        dismiss(ErrorRecord(id: nil, .lineTooLong, text))
      }
      start = end
    }
  }

  private func isAdmitted(bytes: Int) -> Bool {
    if quota.admitRequest(bytes: bytes, at: loop.now) { return true }
    pacing = loop.schedule(after: UserQuota.pause) { [weak self] in
      self?.pacing = nil
      self?.flush?.schedule()
    }
    return false
  }

  private func parseRest() {
    guard let server, !unparsed.isEmpty, !isFull, pacing == nil else { return }
    var rest: [UInt8] = []
    swap(&rest, &unparsed)
    parse(rest.span, server)
  }

  /// The client keeps its subscription and replies until it hangs up, or until nothing is left to
  /// send. End of file stays readable, so the socket is no longer watched for input.
  private func inputEnded() {
    hasInputEnded = true
    writeQueue()
  }
}
