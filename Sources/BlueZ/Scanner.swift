// Discovery on one adapter. It compares the wanted state with the actual one and makes one call at
// a time to reach it.
//
// - While discovery is wanted and the adapter is on, errors are retried with growing delays,
//   without a limit.
// - If it is unclear whether a session of ours runs (no reply, InProgress, Discovering false for
//   long), StopDiscovery is called first. Its errors are ignored, because "No discovery started" is
//   the wanted state.
// - `Discovering` only counts together with silence. BlueZ sets it to false between two rounds of a
//   discovery, and some releases leave it false while advertisements arrive.
// - A discovery that is reported as running but receives nothing for long is restarted, with
//   growing delays. BlueZ or the controller can lose a running discovery, and an empty road looks
//   the same.

public import DBus
public import EventLoop
internal import Linux
import Time

public final class Scanner {
  public let adapter: Adapter
  /// Whether a discovery of ours runs, as far as is known.
  public var isRunning: Bool { running != nil }
  /// Why it is not running although it is wanted.
  public private(set) var problem: BusError?

  /// Called when our discovery is neither running nor being started or stopped.
  public var onRest: () -> Void = {}
  /// Called repeatedly while restarts do not help, because they are refused or nothing is received.
  public var onStuck: () -> Void = {}
  /// It is not running, starting or stopping.
  public var isAtRest: Bool { call?.isPending != true && running == nil }

  private let loop: EventLoop
  private var wanted: Demand?
  private var running: Demand?
  private var isOutOfStep = false
  private var call: PendingCall?
  private var retry: Deadline?
  private var silence: Deadline?
  private var failures = 0
  /// How many restarts in a row were caused by silence.
  private var silences = 0
  private var receivedAnything = false
  private var watchdog: Deadline?
  /// The same for discoveries that are reported as running.
  private var deafnesses = 0
  /// When something was last received, or when the watchdog was armed.
  private var lastReceived = MonotonicTime(nanoseconds: 0)
  private var isDetached = false

  public struct Demand: Equatable, Sendable {
    /// Also report repeated advertisements.
    public var repeats: Bool

    public init(repeats: Bool) {
      self.repeats = repeats
    }
  }

  private static let shortestWait = Duration.milliseconds(500)
  private static let longestWait = Duration.seconds(30)
  /// BlueZ pauses about 5 s between two rounds.
  private static let longestPause = Duration.seconds(12)
  private static let longestSilence = Duration.seconds(90)
  /// About a minute of refusals, or four and a half minutes of silence.
  private static let failuresOfStuck = 7
  private static let deafnessesOfStuck = 2

  public init(_ adapter: Adapter, loop: EventLoop) {
    self.adapter = adapter
    self.loop = loop
  }

  /// Nil stops the discovery.
  public func want(_ demand: Demand?) {
    guard demand != wanted else { return }
    wanted = demand
    if demand == nil {
      retry?.cancel()
      failures = 0
      problem = nil
    }
    step()
  }

  /// Call after a change of Powered or Discovering.
  public func adapterChanged() {
    if !adapter.isPowered {
      // The sessions of all clients end when the power goes off.
      forget()
    } else {
      step()
      watchSilence()
    }
  }

  /// Call for every advertisement. It proves that a discovery runs, though maybe not ours.
  public func advertArrived() {
    receivedAnything = true
    lastReceived = loop.now
    deafnesses = 0
  }

  /// Call when the adapter or bluetoothd is gone, and the session with it.
  public func detach() {
    isDetached = true
    forget()
  }

  private func forget() {
    call?.cancel()
    call = nil
    retry?.cancel()
    silence?.cancel()
    watchdog?.cancel()
    running = nil
    isOutOfStep = false
    failures = 0
    onRest()
  }

  private func settle() {
    if isAtRest { onRest() }
  }
}

// MARK: Reaching the wanted state

extension Scanner {
  private func step() {
    guard call?.isPending != true, !isDetached, adapter.isPowered else { return }
    if isOutOfStep || (running != nil && running != wanted) { return stop() }
    guard let wanted, running == nil, retry?.isPending != true else { return }
    start(wanted)
  }

  private func stop() {
    call = adapter.stopDiscovery { [weak self] result in
      guard let self else { return }
      call = nil
      running = nil
      isOutOfStep = false
      silence?.cancel()
      watchdog?.cancel()
      // Without a reply the discovery may still run. It is stopped again before a start, after a
      // delay to avoid a loop.
      if case .failure(let error) = result, error.name == .timedOut || error.name == .noReply { return fail(error) }
      step()
      settle()
    }
  }

  private func start(_ demand: Demand) {
    call = adapter.setDiscoveryFilter(repeats: demand.repeats) { [weak self] result in
      guard let self else { return }
      call = nil
      if case .failure(let error) = result { return fail(error) }
      guard wanted == demand else {
        step()
        return settle()
      }
      call = adapter.startDiscovery { [weak self] in self?.started(demand, $0) }
    }
  }

  private func started(_ demand: Demand, _ result: Result<Void, BusError>) {
    call = nil
    switch result {
    case .success:
      running = demand
      problem = nil
      receivedAnything = false
      step()
      watchSilence()
      wakeWatchdog()
      settle()
    case .failure(let error):
      fail(error)
    }
  }

  private func fail(_ error: BusError) {
    // The adapter reports when it is ready. After any other error a session may exist.
    isOutOfStep = error.name != .bluezNotReady
    problem = wanted == nil ? nil : error
    let pause = min(Self.shortestWait * (1 << min(failures, 8)), Self.longestWait)
    failures += 1
    retry?.cancel()
    retry = loop.schedule(after: pause) { [weak self] in self?.step() }
    settle()
    if failures >= Self.failuresOfStuck { onStuck() }
  }

  private func watchSilence() {
    guard running != nil, !adapter.isDiscovering else {
      if running != nil { failures = 0 }
      silence?.cancel()
      return
    }
    guard silence?.isPending != true else { return }
    receivedAnything = false
    let pause = Self.longestPause * (1 << min(silences, 3))
    silence = loop.schedule(after: pause) { [weak self] in self?.judgeSilence() }
  }

  private func judgeSilence() {
    guard running != nil, !adapter.isDiscovering else { return }
    guard !receivedAnything else {
      silences = 0
      return watchSilence()
    }
    silences += 1
    isOutOfStep = true
    step()
  }

  private func wakeWatchdog() {
    guard running != nil, watchdog?.isPending != true else { return }
    lastReceived = loop.now
    armWatchdog(after: longestSilence)
  }

  private var longestSilence: Duration { Self.longestSilence * (1 << min(deafnesses, 3)) }

  private func armWatchdog(after time: Duration) {
    watchdog = loop.schedule(after: time) { [weak self] in self?.judgeDeafness() }
  }

  private func judgeDeafness() {
    guard running != nil else { return }
    let silence = loop.now - lastReceived
    guard silence >= longestSilence else { return armWatchdog(after: longestSilence - silence) }
    deafnesses += 1
    isOutOfStep = true
    step()
    if deafnesses >= Self.deafnessesOfStuck { onStuck() }
  }
}
