// Keeps one connection to a broker, in an event loop.
//
// - Nothing blocks the loop: see BrokerLink.
// - No handler is called from within a call of the user. They run from the loop, in the order of
//   what the broker sent, and may call everything here.
// - A message id is valid for one connection. When it ends, the caller must publish again
//   what was not acknowledged, and has it stored anyway.

public import EventLoop
internal import Linux
import Time

public final class BrokerConnection {
  private enum Stage {
    case waiting, opening, greeting, connected, stopped
  }

  public let settings: BrokerSettings
  private let retry: RetryPolicy
  private let loop: EventLoop
  private let random: () -> Double
  private let onEvent: (BrokerEvent) -> Void
  private let onMessage: (_ topic: Span<UInt8>, _ payload: Span<UInt8>, IncomingMessage) -> Void

  private var stage = Stage.waiting
  /// In the stages `greeting` and `connected`.
  private var link: BrokerLink?
  /// In the stage `opening`, when its thread has it.
  private var opening: (link: BrokerLink, done: Waker)?
  private var watch: Watch?
  /// A duplicate of the library's descriptor, which the library closes when it likes: a watch has to
  /// end before its descriptor is closed.
  private var socket: FileDescriptorBox?
  /// Of the stage: the next attempt, the broker's answer, or the keep-alive.
  private var timer: Deadline?
  private var hook: Hook?
  /// The library has failed within a call of the user.
  private var failure: BrokerFailure?
  private var spareInbox = Inbox()
  private var session: BrokerSession?
  private var keepAlive: Duration
  private var lastReceived: MonotonicTime
  private var lastSent: MonotonicTime
  private var connectedSince: MonotonicTime
  private var failures = 0
  private var hasConnected = false
  private var speaksVersion5: Bool
  private var isHoldingBack = false

  /// The library counts in whole seconds.
  private static let keepAliveSlack = Duration.seconds(1)

  /// Connects in the next iteration of the loop, and again after every failure. `random` is from 0 up
  /// to 1.
  public init(
    _ settings: BrokerSettings, retry: RetryPolicy = RetryPolicy(), in loop: EventLoop,
    random: @escaping () -> Double = { .random(in: 0..<1) },
    onMessage: @escaping (_ topic: Span<UInt8>, _ payload: Span<UInt8>, IncomingMessage) -> Void = { _, _, _ in },
    onEvent: @escaping (BrokerEvent) -> Void
  ) {
    (self.settings, self.retry, self.loop, self.random) = (settings, retry, loop, random)
    (self.onMessage, self.onEvent) = (onMessage, onEvent)
    (lastReceived, lastSent, connectedSince) = (loop.now, loop.now, loop.now)
    keepAlive = settings.keepAlive
    speaksVersion5 = settings.version != .v311
    hook = loop.makeHook { [weak self] in self?.serveLater() }
    timer = loop.schedule(at: loop.now) { [weak self] in self?.timePassed() }
  }

  deinit {
    watch?.cancel()
    timer?.cancel()
  }

  public var isConnected: Bool { stage == .connected }
  /// An attempt has begun and is not decided yet.
  public var isConnecting: Bool { stage == .opening || stage == .greeting }
  /// Bytes of messages of `atMostOnce` that the socket has not taken yet.
  public var unwrittenBytes: Int { link?.unwrittenBytes ?? 0 }
  /// Messages of `atLeastOnce` that the broker has not acknowledged yet.
  public var unacknowledgedCount: Int { link?.unacknowledgedCount ?? 0 }

  /// Says goodbye, so that the broker does not publish the will, and closes the connection. No
  /// handler is called afterwards. What still waits for the socket is lost: await acknowledgements
  /// first.
  public func stop() {
    if stage == .connected { link?.disconnect() }
    drop()
    timer?.cancel()
    stage = .stopped
  }
}

// MARK: Requests

extension BrokerConnection {
  /// The library copies topic and payload. Nothing of ours is allocated.
  @discardableResult
  public func publish(
    _ payload: Span<UInt8>, to topic: Span<UInt8>, _ quality: QualityOfService, isRetained: Bool
  ) throws(BrokerRequestError) -> MessageID {
    let link = try requireLink()
    guard hasRoom(for: topic.count + payload.count, quality, in: link) else {
      if quality == .atMostOnce { isHoldingBack = true }
      throw .full
    }
    return followUp(try link.publish(payload, to: topic, quality, isRetained: isRetained))
  }

  /// The answer is the event `subscribed`. With `atLeastOnce`, the broker sends a message again if
  /// the connection fails before we have acknowledged it.
  public func subscribe(
    to filters: [String], _ quality: QualityOfService = .atLeastOnce
  ) throws(BrokerRequestError) -> MessageID {
    followUp(try requireLink().subscribe(filters, quality))
  }

  private func requireLink() throws(BrokerRequestError) -> BrokerLink {
    guard stage == .connected, failure == nil, let link else { throw .notConnected }
    return link
  }

  private func hasRoom(for size: Int, _ quality: QualityOfService, in link: BrokerLink) -> Bool {
    switch quality {
    case .atLeastOnce: link.unacknowledgedCount < session?.unacknowledgedLimit ?? 0
    // A message larger than the limit is sent when nothing else waits.
    case .atMostOnce: link.unwrittenBytes == 0 || link.unwrittenBytes + size <= settings.unwrittenLimit
    }
  }

  private func followUp(_ sent: BrokerLink.Sent) -> MessageID {
    lastSent = loop.now
    failure = sent.failure ?? follow()
    if failure != nil { hook?.schedule() }
    return sent.id
  }
}

// MARK: Connecting

extension BrokerConnection {
  private func timePassed() {
    switch stage {
    case .waiting: open()
    case .opening: onEvent(.slow(.noAnswer(settings.answerLimit)))
    case .greeting: end(.noAnswer(settings.answerLimit))
    case .connected: checkKeepAlive()
    case .stopped: break
    }
  }

  private func open() {
    let link = BrokerLink(settings, speaksVersion5: speaksVersion5, continuesSession: hasConnected)
    stage = .opening
    do throws(SystemError) {
      let done = try Waker()
      watch = try loop.watch(done.number, for: .readable) { [weak self] _ in self?.opened() }
      opening = (link, done)
      try OwnThread.start {
        link.open()
        done.wake()
      }
      timer?.set(to: loop.now + settings.answerLimit)
    } catch {
      end(.local(error))
    }
  }

  private func opened() {
    guard let (link, done) = opening, done.clear() else { return }
    unwatch()
    opening = nil
    if let failure = link.openingFailure { return end(failure) }
    (self.link, stage) = (link, .greeting)
    timer?.set(to: loop.now + settings.answerLimit)
    finish(nil)
  }

  /// Reports the failure, and schedules the next attempt.
  private func end(_ failure: BrokerFailure) {
    let wasConnected = stage == .connected
    let lasted = wasConnected && loop.now - connectedSince >= retry.lasting
    failures = lasted ? 0 : failures + 1
    drop()
    stage = .waiting
    let delay = retry.delay(failures: failures, wasConnected: wasConnected, chance: random())
    timer?.set(to: loop.now + delay)
    onEvent(wasConnected ? .disconnected(failure, retryIn: delay) : .failed(failure, retryIn: delay))
  }

  private func drop() {
    unwatch()
    (opening, link, failure, session) = (nil, nil, nil, nil)
    isHoldingBack = false
  }

  private func unwatch() {
    watch?.cancel()
    (watch, socket) = (nil, nil)
  }
}

// MARK: The connection

extension BrokerConnection {
  private func serve(_ ready: Interest) {
    guard let link else { return }
    var failure = self.failure
    let isReadable = !ready.isDisjoint(with: [.readable, .inputEnded, .hangUp, .failed])
    // During the handshake of TLS, only reading makes progress, whatever OpenSSL waits for.
    if failure == nil, isReadable || link.isAwaitingAnswer { failure = link.read() }
    if failure == nil, ready.contains(.writable) { failure = link.write() }
    if failure == nil, link.isAwaitingAnswer, !ready.isDisjoint(with: [.inputEnded, .hangUp, .failed]) {
      // In a handshake that was cut off, the library sees no end, and would be called for ever.
      failure = settings.address.isEncrypted ? .closed : .closedBeforeAnswer
    }
    if isReadable { lastReceived = loop.now }
    finish(failure)
  }

  private func serveLater() {
    guard let link else { return }
    finish(failure ?? (link.hasDecrypted ? link.read() : nil))
  }

  private func checkKeepAlive() {
    guard let link else { return }
    let due = min(lastReceived, lastSent) + keepAlive + Self.keepAliveSlack
    guard due <= loop.now else {
      timer?.set(to: due)
      return
    }
    let failure = link.keepAlive()
    // The library has sent a ping, and counts from now on.
    (lastReceived, lastSent) = (loop.now, loop.now)
    timer?.set(to: loop.now + keepAlive + Self.keepAliveSlack)
    finish(failure)
  }

  /// After each call of the library from the loop: delivers what it has reported, and then ends the
  /// connection if it has failed.
  private func finish(_ failure: BrokerFailure?) {
    guard let link else { return }
    deliver(from: link)
    guard self.link === link else { return }
    if let failure = failure ?? self.failure ?? follow() { return end(failure) }
    if link.hasDecrypted { hook?.schedule() }
    if isHoldingBack, link.unwrittenBytes <= settings.unwrittenLimit / 2 {
      isHoldingBack = false
      onEvent(.writable)
    }
  }

  /// Watches for what the library waits for.
  private func follow() -> BrokerFailure? {
    guard let link else { return nil }
    let interest: Interest = link.wantsWrite ? [.readable, .inputEnded, .writable] : [.readable, .inputEnded]
    do throws(SystemError) {
      if let watch {
        try watch.change(to: interest)
      } else {
        let socket = FileDescriptorBox(try link.duplicateSocket())
        watch = try loop.watch(socket.number, for: interest) { [weak self] ready in self?.serve(ready) }
        self.socket = socket
      }
      return nil
    } catch {
      return .local(error)
    }
  }

  private func deliver(from link: BrokerLink) {
    // The inbox is out while handlers run, because they may call this connection.
    var inbox = Inbox()
    swap(&inbox, &spareInbox)
    link.exchange(&inbox)
    for index in inbox.reports.indices where self.link === link {
      handle(inbox.reports[index], inbox.bytes.span)
    }
    inbox.clear()
    swap(&inbox, &spareInbox)
  }

  private func handle(_ report: Inbox.Report, _ bytes: Span<UInt8>) {
    switch report {
    case .accepted(let session, let keepAlive): accepted(session, keepAlive)
    case .refused(let refusal): refused(refusal)
    case .acknowledged(let id, let refusal): onEvent(.acknowledged(id, refusal))
    case .subscribed(let id, let refusals): onEvent(.subscribed(id, refusals))
    case .message(let topic, let payload, let message):
      onMessage(bytes.extracting(topic), bytes.extracting(payload), message)
    case .ended(let refusal): end(refusal == .takenOver ? .takenOver : .ended(refusal))
    }
  }

  private func accepted(_ session: BrokerSession, _ keepAlive: Duration?) {
    (stage, self.session, connectedSince) = (.connected, session, loop.now)
    hasConnected = true
    (lastReceived, lastSent) = (loop.now, loop.now)
    self.keepAlive = keepAlive ?? settings.keepAlive
    if self.keepAlive > .zero {
      timer?.set(to: loop.now + self.keepAlive + Self.keepAliveSlack)
    } else {
      // The broker wants no pings.
      timer?.cancel()
    }
    onEvent(.connected(session))
  }

  private func refused(_ refusal: BrokerRefusal) {
    guard refusal == .unsupportedVersion, speaksVersion5, settings.version == .newest else {
      return end(.refused(refusal))
    }
    speaksVersion5 = false
    drop()
    stage = .waiting
    timer?.set(to: loop.now)
  }
}
