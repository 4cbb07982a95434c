// A connect, from the start of the turn to the first value, including retries. It holds the turn and
// limits the time.

import EventLoop
import Linux
import Radio
import Time
import Wire

final class Attempt {
  enum Stage {
    /// Between two tries.
    case none
    case coming(any Link)
    /// The device is connected; its services are being resolved.
    case up(any Link)
    case open(Flow)
  }

  private(set) var stage = Stage.none
  private(set) var quickTries = 0
  private let began: MonotonicTime
  /// The deadline for all its tries together.
  private var end: MonotonicTime
  private var linkTime: Duration
  private var wasUp = false
  /// A cancel was wanted while the controller was creating the link: it waits until this time.
  private var creationEnd: MonotonicTime?
  /// Nil once the turn has ended.
  private(set) var ticket: ConnectQueue.Ticket?
  private let queue: ConnectQueue
  private let loop: EventLoop
  private weak var owner: (any AttemptOwner)?
  private var deadline: Deadline?
  private var turnDeadline: Deadline?

  init(
    _ ticket: ConnectQueue.Ticket, of queue: ConnectQueue, loop: EventLoop, attempts: Int, owner: any AttemptOwner
  ) {
    self.ticket = ticket
    self.queue = queue
    self.loop = loop
    self.owner = owner
    began = loop.now
    linkTime = ticket.isSpeculative ? Self.hope(queue) : ReconnectPolicy.linkTime(attempts: attempts)
    end = began + linkTime
  }

  private static func hope(_ queue: ConnectQueue) -> Duration {
    queue.areAdvertsNeeded ? ReconnectPolicy.speculativeTimeout : ReconnectPolicy.longestHope
  }

  var isUp: Bool {
    switch stage {
    case .none, .coming: false
    case .up, .open: true
    }
  }

  var link: (any Link)? {
    switch stage {
    case .none: nil
    case .coming(let link), .up(let link): link
    case .open(let flow): flow.link
    }
  }

  /// The link, once its services are known.
  var flow: Flow? {
    guard case .open(let flow) = stage else { return nil }
    return flow
  }

  var timeLeft: Duration { end - loop.now }
}

protocol AttemptOwner: AnyObject {
  func attempt(_ attempt: Attempt, failed failure: LinkFailure)
  /// Others wait, and it is unknown whether the device is there.
  func attemptYields(_ attempt: Attempt)
}

// MARK: The link

extension Attempt {
  func open(_ link: any Link) {
    stage = .coming(link)
    creationEnd = nil
    limit(to: min(linkTime, timeLeft))
    link.open()
  }

  func linkCameUp() {
    if case .coming(let link) = stage { stage = .up(link) }
    ticket?.provePresence()
    if !wasUp { end = loop.now + ReconnectPolicy.serviceTime }
    wasUp = true
    limit(to: timeLeft)
  }

  /// Ends the turn, but not the attempt.
  func linkOpened(_ link: any Link) {
    linkCameUp()
    // Subscribing may take long, as the user may be asked for a passkey.
    limit(to: ReconnectPolicy.serviceTime)
    leaveQueue()
    stage = .open(Flow(link))
  }

  /// The link is used from now on, or is closed.
  func endTime() { deadline?.cancel() }

  func linkClosed() {
    endTime()
    flow?.link = nil
    stage = .none
  }

  func countQuickTry() { quickTries += 1 }

  private func limit(to time: Duration) {
    deadline?.cancel()
    deadline = loop.schedule(after: max(time, .zero)) { [weak self] in
      self?.endUnlessCreating { $0.fail("no link within \($0.loop.now - $0.began)") }
    }
  }

  private func fail(_ detail: String) {
    owner?.attempt(self, failed: LinkFailure(.unanswered, .connectingFailed, detail))
  }

  /// While the controller creates the link, a cancel could come too late. So the link gets, once,
  /// the time that the kernel allows for it.
  private func endUnlessCreating(_ end: @escaping (Attempt) -> Void) {
    guard case .coming(let link) = stage, link.connectStage != .listening else { return end(self) }
    let creationEnd = creationEnd ?? loop.now + ConnectStage.creationTime
    guard loop.now < creationEnd else { return end(self) }
    self.creationEnd = creationEnd
    deadline?.cancel()
    deadline = loop.schedule(at: creationEnd) { [weak self] in self?.endUnlessCreating(end) }
  }
}

// MARK: The turn

extension Attempt {
  func leaveQueue() {
    turnDeadline?.cancel()
    guard let ticket else { return }
    self.ticket = nil
    queue.release(ticket)
  }

  /// The need of others for adverts has changed.
  func limitHope() {
    guard ticket?.isSpeculative == true, !isUp, creationEnd == nil else { return }
    linkTime = Self.hope(queue)
    end = began + linkTime
    limit(to: timeLeft)
  }

  /// A speculative connect yields at once, any other after a while.
  func queueIsContended() {
    guard let ticket else { return }
    if ticket.isSpeculative { return endUnlessCreating { $0.owner?.attemptYields($0) } }
    let end = began + ReconnectPolicy.longestTurn
    guard loop.now < end else { return expireTurn() }
    turnDeadline?.cancel()
    turnDeadline = loop.schedule(at: end) { [weak self] in self?.expireTurn() }
  }

  private func expireTurn() {
    guard ticket != nil, queue.isWanted else { return }
    if isUp { return leaveQueue() }
    endUnlessCreating { $0.fail("no link within \($0.loop.now - $0.began), and others wait") }
  }
}
