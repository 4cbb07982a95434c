// The connection of one program: bytes in and out of its socket, and the conversation over it.

import EventLoop
import JSON
import Linux
import SensorKit
import SensorProcesses
import Serving
import Time

final class ProcessConnection {
  let peer: PeerCredentials
  /// Of its user, for all of the user's programs.
  private let quota: UserQuota
  /// The unsent bytes, as the quota has counted them.
  private var accounted = 0
  private let loop: EventLoop
  private let socket: FileDescriptor
  private weak var keeper: ProcessKeeper?
  private(set) var conversation: ProcessConversation?
  private var watch: Watch?
  private var splitter = LineSplitter()
  private var flushHook: Hook?
  private var deadline: Deadline?
  private var farewell: Deadline?
  /// Runs until the quota allows to read on.
  private var pacing: Deadline?

  /// A program that leaves more than this unread does not read at all.
  private static let mostUnsent = 256 << 10
  /// What is read costs as many requests of the quota as it has KiB. Without an answer in it, it costs more.
  private static let leastCost = 1 << 10
  private static let costOfOthers = 16
  /// How long a program that is turned away may read the reason.
  private static let farewellTime = Duration.seconds(1)

  init(
    _ socket: consuming FileDescriptor, _ peer: PeerCredentials, quota: UserQuota, keeper: ProcessKeeper,
    loop: EventLoop
  ) throws(SystemError) {
    self.peer = peer
    self.quota = quota
    self.socket = socket
    self.keeper = keeper
    self.loop = loop
    flushHook = loop.makeHook { [weak self] in self?.flush() }
    watch = try loop.watch(self.socket.number, for: .readable) { [weak self] ready in self?.serve(ready) }
    quota.join()
  }

  var place: Places.Place { Places.Place(user: peer.user, role: .plugin) }

  /// `owner` gets what the program publishes.
  func begin(release: String, instance: String, owner: any ProcessConversationOwner) {
    conversation = ProcessConversation(release: release, instance: instance, at: loop.now, owner: owner)
    followDeadline()
    scheduleFlush()
  }

  /// The program gets the reason, and then the connection is closed.
  func end(with fault: ProcessFault) {
    conversation?.end(with: fault)
    scheduleFlush()
  }

  /// Drops the connection at once.
  func close() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    deadline?.cancel()
    farewell?.cancel()
    pacing?.cancel()
    quota.leave(withQueued: accounted)
    keeper?.closed(self)
  }

  /// What is to be sent is written at the end of the turn.
  func scheduleFlush() { flushHook?.schedule() }
}

// MARK: Out

extension ProcessConnection {
  func send(_ packet: ProcessPacket, _ value: Span<UInt8>) {
    conversation?.send(packet, value, at: loop.now)
    followDeadline()
    scheduleFlush()
  }

  func send(_ command: Command, of session: Int) {
    _ = conversation?.send(command, of: session, at: loop.now)
    followDeadline()
    scheduleFlush()
  }

  private func flush() {
    guard watch != nil, let conversation, farewell == nil || !conversation.output.isEmpty else { return }
    do throws(SystemError) {
      while !conversation.output.isEmpty {
        guard case .done(let count) = try StreamSocket.send(socket.number, conversation.output.span) else { break }
        conversation.sent(count)
      }
      let unsent = conversation.output.count
      quota.changeQueue(by: unsent - accounted)
      accounted = unsent
      if unsent > Self.mostUnsent || quota.isExhausted(for: unsent) {
        conversation.end(with: ProcessFault(.pluginSlow, "too much is left unread"))
        return close()
      }
      if conversation.isEnded {
        if unsent == 0 { return leave() }
        // The program has that long to read what is before the reason.
        farewell = farewell ?? loop.schedule(after: Self.farewellTime) { [weak self] in self?.close() }
      }
      try followInterest()
    } catch {
      close()
    }
  }

  private func followInterest() throws(SystemError) {
    var interest: Interest = pacing == nil ? .readable : []
    if accounted > 0 { interest.insert(.writable) }
    try watch?.change(to: interest)
  }

  /// Keeps reading for a moment, because closing a socket with unread input could discard the reason.
  private func leave() {
    try? StreamSocket.shutdownWrite(socket.number)
    try? followInterest()
    farewell?.cancel()
    farewell = loop.schedule(after: Self.farewellTime) { [weak self] in self?.close() }
  }
}

// MARK: In

extension ProcessConnection {
  private func serve(_ ready: Interest) {
    if ready.contains(.writable) { flush() }
    guard watch != nil, !ready.isDisjoint(with: [.readable, .hangUp, .failed]) else { return }
    // A descriptor always reports that the peer hung up, and would do so again and again.
    if pacing != nil { return ready.isDisjoint(with: [.hangUp, .failed]) ? () : close() }
    do throws(SystemError) {
      try read()
    } catch {
      close()
    }
  }

  private func read() throws(SystemError) {
    guard let keeper else { return close() }
    guard quota.hasRequests(at: loop.now) else { return try pause() }
    var buffer: [UInt8] = []
    keeper.swapReadBuffer(with: &buffer)
    defer { keeper.swapReadBuffer(with: &buffer) }
    guard case .done(let count) = try socket.read(into: &buffer) else { return }
    guard count > 0 else { return close() }
    guard let conversation, !conversation.isEnded else { return quota.charge(bytes: count) }
    let answered = conversation.answers
    let outcome = splitter.feed(buffer.span.extracting(..<count)) { line in
      conversation.receive(line, at: loop.now)
      return !conversation.isEnded
    }
    if outcome == .lineTooLong {
      conversation.end(
        with: ProcessFault(.lineTooLong, "a line has at most \(LineSplitter.protocolLimit) bytes"))
    }
    let isAnswer = conversation.answers > answered
    quota.charge(bytes: isAnswer ? count : max(count, Self.leastCost) * Self.costOfOthers)
    followDeadline()
    scheduleFlush()
  }

  /// The user's programs send too much. What they send meanwhile waits in the socket.
  private func pause() throws(SystemError) {
    pacing =
      pacing
      ?? loop.schedule(after: UserQuota.pause) { [weak self] in
        self?.pacing = nil
        try? self?.followInterest()
      }
    try followInterest()
  }

  /// The deadline is moved only if it would be too late, so packets set no timers.
  private func followDeadline() {
    guard let next = conversation?.deadline else { return deadline?.cancel() ?? () }
    guard let deadline else {
      deadline = loop.schedule(at: next) { [weak self] in self?.advance() }
      return
    }
    if !deadline.isPending || next < deadline.time { deadline.set(to: next) }
  }

  private func advance() {
    conversation?.advance(to: loop.now)
    followDeadline()
    scheduleFlush()
  }
}
