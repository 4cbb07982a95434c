// Positions from gpsd. The client is connected while positions are wanted, and reconnects after a
// loss.
//
// - gpsd may be missing. The client retries with growing delays and reports that only through
//   `state`.
// - gpsd lets a receiver sleep while no client watches, so this client disconnects when nothing is
//   wanted.
// - Every closure runs from the loop, never from within a call of the user.
// - Each fix costs parsing its JSON, which allocates. Unwanted reports are dropped by their first
//   bytes, without allocating.

public import EventLoop
public import Linux
public import Metrics
import Time

public final class GPSDClient {
  public enum Address: Equatable, Sendable, CustomStringConvertible {
    /// A port on 127.0.0.1.
    case loopback(port: UInt16 = 2947)
    case unix(path: String)

    public var description: String {
      switch self {
      case .loopback(let port): "localhost:\(port)"
      case .unix(let path): path
      }
    }
  }

  public enum Rate: Equatable, Sendable {
    /// No fixes are wanted.
    case none
    /// A fix every five seconds.
    case slow
    /// Every fix.
    case full
  }

  public enum State: Equatable, Sendable {
    /// No fixes are wanted.
    case idle
    /// gpsd cannot be reached.
    case absent
    /// Connected to gpsd, which has this many active receivers.
    case watching(receivers: Int)
  }

  public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
    case system(SystemError)
    /// Connected, but no greeting arrived.
    case silent
    case ended
    /// A line was longer than gpsd ever writes.
    case longLine
    /// gpsd does not read our requests.
    case stuck

    public var description: String {
      switch self {
      case .system(let error): error.description
      case .silent: "it sent no greeting"
      case .ended: "it closed the connection"
      case .longLine: "it sent a line that is too long for gpsd"
      case .stuck: "it does not read requests"
      }
    }
  }

  public let loop: EventLoop
  public let address: Address
  public private(set) var state = State.idle
  public private(set) var rate = Rate.none
  /// Called for every wanted fix, and for reports of a receiver without a fix (`mode` is `none`).
  public var fix: (Fix) -> Void = { _ in }
  /// Called for every report that was read, unchanged, before its fix.
  public var report: (Span<UInt8>) -> Void = { _ in }
  public var stateChanged: (State) -> Void = { _ in }
  /// Why the last attempt or connection ended; nil while there is one.
  public private(set) var problem: Problem?
  /// The version reported by the connected gpsd.
  public private(set) var release: String?
  /// gpsd has sent a greeting at least once.
  public private(set) var wasThere = false
  /// The number of connection attempts.
  public private(set) var attempts = 0

  private(set) var session: GPSDSession?
  private var wanted = false
  /// The next attempt, or the report that nothing is wanted.
  private var retry: Deadline?
  private var greetingDeadline: Deadline?
  private var wait = GPSDClient.shortestWait
  private var connectedAt: MonotonicTime?

  static let shortestWait = Duration.seconds(1)
  /// The longest wait if gpsd is started during a ride.
  static let longestWait = Duration.seconds(300)
  /// The time limit for the greeting.
  static let greetingTime = Duration.seconds(10)
  /// A connection that ends sooner does not reset the delay.
  static let successTime = Duration.seconds(30)

  public init(loop: EventLoop, address: Address = .loopback()) {
    self.loop = loop
    self.address = address
  }

  deinit {
    retry?.cancel()
    greetingDeadline?.cancel()
    session?.close()
  }

  /// Retries at once if gpsd was missing, because it may have been started.
  public func lookAgain() {
    guard wanted, state == .absent, session == nil else { return }
    wait = Self.shortestWait
    retryLater(.zero) { [weak self] in self?.connect() }
  }

  /// Can be called at any time.
  public func want(_ rate: Rate) {
    guard rate != self.rate else { return }
    self.rate = rate
    if rate == .none {
      leave()
      wanted = false
      // Reported from the loop.
      retryLater(.zero) { [weak self] in self?.become(.idle) }
    } else if !wanted {
      wanted = true
      retryLater(.zero) { [weak self] in self?.connect() }
    } else {
      session?.want(rate)
    }
  }
}

// MARK: Connecting

extension GPSDClient {
  private func connect() {
    attempts += 1
    do throws(SystemError) {
      let socket =
        switch address {
        case .loopback(let port): try TCPSocket.connect(to: .loopback(port: port))
        case .unix(let path): try UnixSocket.connect(to: path, nonBlocking: true)
        }
      let session = try GPSDSession(loop: loop, socket: socket, rate: rate)
      session.greeted = { [weak self] in self?.becomeConnected(to: $0) }
      session.receiversChanged = { [weak self] in self?.become(.watching(receivers: $0)) }
      session.fix = { [weak self] in self?.fix($0) }
      session.report = { [weak self] in self?.report($0) }
      session.lost = { [weak self] in self?.becomeLost($0) }
      self.session = session
      greetingDeadline = loop.schedule(after: Self.greetingTime) { [weak self] in
        self?.becomeLost(.silent)
      }
    } catch {
      becomeLost(.system(error))
    }
  }

  private func becomeConnected(to release: String?) {
    greetingDeadline?.cancel()
    self.release = release
    connectedAt = loop.now
    wasThere = true
    problem = nil
    become(.watching(receivers: 0))
  }

  private func becomeLost(_ reason: Problem) {
    if let connectedAt, loop.now - connectedAt >= Self.successTime { wait = Self.shortestWait }
    problem = reason
    leave()
    retryLater(wait) { [weak self] in self?.connect() }
    wait = min(wait * 2, Self.longestWait)
    become(.absent)
  }

  private func leave() {
    greetingDeadline?.cancel()
    session?.close()
    (session, connectedAt) = (nil, nil)
  }

  private func retryLater(_ span: Duration, _ action: @escaping () -> Void) {
    retry?.cancel()
    retry = loop.schedule(after: span, action)
  }

  private func become(_ next: State) {
    guard next != state else { return }
    state = next
    stateChanged(next)
  }
}
