// Discovery on one adapter: what is wanted, what is so, and one call at a time from the one to the other.
//
// - While it is wanted and the adapter is on, errors are answered by trying again, ever more slowly; never given up.
// - When nobody can know whether a session of ours runs (no answer, InProgress, Discovering false for long), StopDiscovery
//   goes first. Its errors mean nothing: "No discovery started" is what was wanted.
// - `Discovering` is believed only together with silence: BlueZ says false between two rounds of one discovery, and some
//   releases go on saying it while adverts come. A discovery that is said to run and hears nothing for long is begun anew,
//   ever more seldom: BlueZ or the controller can forget that one runs, and a quiet road sounds the same.

public import DBus
public import EventLoop
internal import Linux

public final class Scanner {
  public let adapter: Adapter
  /// Whether discovery of ours runs, as far as is known.
  public var isRunning: Bool { running != nil }
  /// Why it does not run although it is wanted.
  public private(set) var problem: BusError?

  /// Told when discovery of ours has come to rest.
  public var onRest: () -> Void = {}
  /// Told again and again while beginning anew does not help: it is refused, or hears nothing.
  public var onStuck: () -> Void = {}
  /// It does not run, and is not being begun or ended.
  public var isAtRest: Bool { call?.isPending != true && running == nil }

  private let loop: EventLoop
  private var wanted: Demand?
  private var running: Demand?
  private var isOutOfStep = false
  private var call: PendingCall?
  private var retry: Deadline?
  private var silence: Deadline?
  private var failures = 0
  /// How often in a row it was begun anew because nothing was heard.
  private var silences = 0
  private var heardAnything = false
  private var watchdog: Deadline?
  /// The same for discoveries that are said to run.
  private var deafnesses = 0
  /// Or when it began.
  private var lastHeard = BootTime(nanoseconds: 0)
  private var isDetached = false

  public struct Demand: Equatable, Sendable {
    /// Also adverts that say the same again.
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
  /// A minute of refusals, four and a half of silence.
  private static let failuresOfStuck = 7
  private static let deafnessesOfStuck = 2

  public init(_ adapter: Adapter, loop: EventLoop) {
    self.adapter = adapter
    self.loop = loop
  }

  /// Nil: no discovery.
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

  /// After Powered or Discovering has changed.
  public func adapterChanged() {
    if !adapter.isPowered {
      // The sessions of all clients end with the power.
      forget()
    } else {
      step()
      watchSilence()
    }
  }

  /// An advert came: proof that somebody's discovery runs.
  public func heard() {
    heardAnything = true
    lastHeard = loop.now
    deafnesses = 0
  }

  /// The adapter or bluetoothd is gone, and the session with it.
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

// MARK: From what is so to what is wanted

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
      // Not answered at all: it may run, so it is stopped once more before it is started, but not in a circle.
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
      heardAnything = false
      step()
      watchSilence()
      wakeWatchdog()
      settle()
    case .failure(let error):
      fail(error)
    }
  }

  private func fail(_ error: BusError) {
    // The adapter says itself when it is ready; every other error can mean that a session is there.
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
    heardAnything = false
    let pause = Self.longestPause * (1 << min(silences, 3))
    silence = loop.schedule(after: pause) { [weak self] in self?.judgeSilence() }
  }

  private func judgeSilence() {
    guard running != nil, !adapter.isDiscovering else { return }
    guard !heardAnything else {
      silences = 0
      return watchSilence()
    }
    silences += 1
    isOutOfStep = true
    step()
  }

  private func wakeWatchdog() {
    guard running != nil, watchdog?.isPending != true else { return }
    lastHeard = loop.now
    armWatchdog(after: longestSilence)
  }

  private var longestSilence: Duration { Self.longestSilence * (1 << min(deafnesses, 3)) }

  private func armWatchdog(after time: Duration) {
    watchdog = loop.schedule(after: time) { [weak self] in self?.judgeDeafness() }
  }

  private func judgeDeafness() {
    guard running != nil else { return }
    let silence = loop.now - lastHeard
    guard silence >= longestSilence else { return armWatchdog(after: longestSilence - silence) }
    deafnesses += 1
    isOutOfStep = true
    step()
    if deafnesses >= Self.deafnessesOfStuck { onStuck() }
  }
}
