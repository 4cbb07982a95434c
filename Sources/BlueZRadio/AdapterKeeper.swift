// The adapters of the radio: their states, which one is used, and switching them on.
//
// One adapter is in use: it scans and makes new links. Existing links stay on their adapter.
// Another adapter takes over if the first one goes away or can hold no more connections.
//
// An adapter that is off at first is switched on, with retries until it has been on once. An
// adapter that goes off later was switched off by someone. It stays off until someone switches it
// on, or until it reappears: plugged in again, or after a restart of bluetoothd. An adapter that
// was blocked is switched on when it is unblocked.

internal import BlueZ
import BlueZReleases
internal import DBus
internal import EventLoop
internal import Linux
import ProgramKit
import Radio
import Time
internal import Wire

final class AdapterKeeper {
  /// It owns them.
  private unowned let radio: BlueZSensorRadio
  private let loop: EventLoop
  private let log: Log
  private let tree: ObjectTree
  /// Nil if the kernel is not asked what is blocked.
  private let switches: RadioSwitches?
  /// Every adapter seen since the start, in order of first appearance.
  private(set) var known: [KnownAdapter] = []
  /// For the adapter in use.
  private(set) var scanner: Scanner?
  /// The release that the adapters report; nil until then.
  private(set) var release: BlueZRelease?
  /// Whether to switch on an adapter that is off.
  private(set) var powersOn: Bool
  /// The only adapter to use; nil for any.
  private(set) var preferred: DeviceAddress?

  private static let longestWait = Duration.seconds(60)
  private static let avoidanceTime = Duration.seconds(60)
  /// If a controller hangs, the kernel waits 2 s for each command before the adapter is off.
  private static let resetTime = Duration.seconds(120)
  /// About a minute of refusals.
  private static let refusalsOfHanging = 7
  private static let resetPause = Duration.seconds(600)
  private static let longestResetPause = Duration.seconds(4 * 3600)
  /// bluetoothd and the kernel both report a block, in either order.
  private static let concurrence = Duration.seconds(2)

  init(of radio: BlueZSensorRadio, _ switches: RadioSwitches?, _ settings: RadioSettings) {
    self.radio = radio
    self.switches = switches
    powersOn = settings.powerOn
    preferred = settings.adapter
    (loop, log, tree) = (radio.loop, radio.log, radio.tree)
  }

  func start() {
    switches?.onChange = { [weak self] in self?.switchesChanged() }
  }

  func stop() {
    for adapter in known { adapter.retry?.cancel() }
    scanner = nil
    switches?.stop()
    known = []
  }

  /// Returns whether something has changed.
  func apply(_ settings: RadioSettings) -> Bool {
    guard powersOn != settings.powerOn || preferred != settings.adapter else { return false }
    powersOn = settings.powerOn
    preferred = settings.adapter
    return true
  }

  /// bluetoothd appeared, disappeared or restarted.
  func forgetObjects() {
    dropScanner()
    release = nil
  }

  func removed(_ path: String) {
    if scanner?.adapter.path == path { dropScanner() }
  }

  private func dropScanner() {
    scanner?.detach()
    scanner = nil
  }

  func search(_ demand: SearchDemand?) { scanner?.want(demand.map { Scanner.Demand(repeats: $0.repeats) }) }

  /// An advert arrived, so the adapter in use receives.
  func advertArrived() {
    scanner?.advertArrived()
    inUse?.resets = 0
  }

  /// Link parameters are read again on each access: bluetoothd may apply its main.conf after the
  /// adapter is on.
  var shown: [RadioAdapter] {
    for known in known where known.shown.state == .on {
      known.shown.links = linkParameters(of: known) ?? known.shown.links
    }
    return known.map(\.shown)
  }

  func changed(_ path: String, _ names: [String]) {
    if names.contains(BlueZName.Property.powered) || names.contains(BlueZName.Property.powerState) { refresh() }
    if scanner?.adapter.path == path { scanner?.adapterChanged() }
  }

  func refresh() {
    let present = tree.adapters
    for known in self.known where !present.contains(where: { $0.address == known.shown.address }) {
      known.path = nil
      known.isRefusedByBlock = false
      known.wasSwitchedOff = false
      known.isOffByReset = false
      show(known, .absent)
    }
    for adapter in present { follow(adapter) }
    release = present.lazy.compactMap(\.modalias).compactMap { BlueZRelease(modalias: $0) }.first ?? release
    choose(among: present)
    for adapter in present where !adapter.isPowered && entry(adapter).isOffByReset { switchOn(adapter) }
    radio.updateCondition()
  }

  func switchesChanged() {
    for known in self.known {
      known.retry?.cancel()
      known.attempts = 0
    }
    refresh()
  }

  private func follow(_ adapter: Adapter) {
    let known = entry(adapter)
    known.path = adapter.path
    let isGained = adapter.isPowered && known.shown.state != .on && !known.isOffByReset
    if adapter.isPowered {
      if known.shown.state != .on { known.resettingUntil = MonotonicTime(nanoseconds: 0) }
      known.isOffByReset = false
      known.wasSwitchedOff = false
      known.isRefusedByBlock = false
      known.problem = nil
      known.attempts = 0
      known.callsForHelp = 0
      known.retry?.cancel()
    } else if known.shown.state == .on {
      known.isOffByReset = loop.now < known.resettingUntil
      known.wasSwitchedOff = !known.isOffByReset
      known.wentOff = loop.now
    }
    // The kernel's current state beats an earlier answer of bluetoothd.
    let isBlocked = switches?.isBlocked(adapter.name) ?? (adapter.isSaidBlocked || known.isRefusedByBlock)
    if isBlocked, let wentOff = known.wentOff, loop.now - wentOff < Self.concurrence { known.wasSwitchedOff = false }
    known.shown.name = adapter.name
    if !adapter.isPowered { radio.lostLinks.wentOff(known) }
    let isBack = known.shown.state == .absent && adapter.isPowered
    show(known, adapter.isPowered ? .on : isBlocked ? .blocked : .off)
    if isBack { radio.lostLinks.cameBack(known) }
    if isGained { radio.delegate?.radioGainedAdapter() }
  }

  private func entry(_ adapter: Adapter) -> KnownAdapter {
    if let known = self.known.first(where: { $0.shown.address == adapter.address }) { return known }
    let known = KnownAdapter(RadioAdapter(name: adapter.name, address: adapter.address, state: .absent))
    self.known.append(known)
    return known
  }

  private func show(_ known: KnownAdapter, _ state: AdapterState) {
    guard known.shown.state != state else { return }
    known.shown.state = state
    known.shown.links = state == .on ? linkParameters(of: known) : nil
    radio.delegate?.radioChanged(known.shown)
  }
}

extension AdapterKeeper {
  func linkParameters(of known: KnownAdapter) -> LinkParameters? {
    guard let number = known.path.flatMap({ tree.adapter(at: $0).number }), let begin = LinkDefaults.read(of: number)
    else { return nil }
    return LinkParameters(
      shortestIntervalMS: Double(begin.shortestInterval) * 1.25,
      longestIntervalMS: Double(begin.longestInterval) * 1.25,
      latency: Int(begin.latency), supervisionTimeoutMS: Int(begin.supervisionTimeout) * 10)
  }
}

// MARK: The adapter in use

extension AdapterKeeper {
  private func choose(among present: [Adapter]) {
    let current = present.first { $0.path == scanner?.adapter.path }
    let chosen: Adapter?
    if let preferred {
      chosen = present.first { DeviceAddress($0.address) == preferred }
    } else {
      // The current adapter stays in use while it works.
      let preference = [current].compactMap { $0 } + present
      chosen =
        preference.first { $0.isPowered && !isAvoided($0) } ?? preference.first(where: \.isPowered)
        ?? preference.first { entry($0).shown.state != .blocked } ?? preference.first
    }
    if chosen?.path != scanner?.adapter.path {
      scanner?.want(nil)
      scanner?.detach()
      scanner = chosen.map { Scanner($0, loop: loop) }
      scanner?.onRest = { [weak self] in self?.radio.advanceAll() }
      scanner?.onStuck = { [weak self] in self?.adapterIsDeaf() }
      radio.advanceAll()
      radio.searchAgain()
    }
    if let chosen, !chosen.isPowered { switchOn(chosen) }
  }

  /// Restarting discovery did not help. Another adapter may receive more, and switching a
  /// controller off and on resets it.
  private func adapterIsDeaf() {
    guard let adapter = scanner?.adapter, let known = inUse else { return }
    resetIfAlone(adapter, known)
    known.avoidedUntil = loop.now + Self.avoidanceTime
    choose(among: tree.adapters)
  }

  /// Only while there is no link to lose, and with growing pauses: a road without sensors looks the
  /// same.
  private func resetIfAlone(_ adapter: Adapter, _ known: KnownAdapter) {
    let prefix = adapter.path + "/"
    guard powersOn, adapter.isPowered, loop.now >= known.noResetUntil,
      !radio.links.contains(where: { $0.path.isEmpty || $0.path.hasPrefix(prefix) }),
      !tree.devices.contains(where: { $0.path.hasPrefix(prefix) && $0.isConnected })
    else { return }
    known.noResetUntil = loop.now + min(Self.resetPause * (1 << min(known.resets, 8)), Self.longestResetPause)
    known.resets += 1
    reset(known, because: "receives nothing, or refuses to scan")
  }

  /// Switches the adapter off, and on again once it is off.
  func reset(_ known: KnownAdapter, because what: String) {
    guard powersOn, known.shown.state == .on, loop.now >= known.resettingUntil, let path = known.path else { return }
    let adapter = tree.adapter(at: path)
    known.resettingUntil = loop.now + Self.resetTime
    log.warning("adapter \(adapter.name) (\(adapter.address)) \(what): power-cycling it")
    adapter.setPowered(false) { [weak self] result in
      guard case .failure(let error) = result else { return }
      // Without an answer, it may still go off.
      if error.name != .timedOut, error.name != .noReply { known.resettingUntil = MonotonicTime(nanoseconds: 0) }
      self?.log.warning("adapter \(adapter.name) cannot be powered off: \(error)")
      self?.callForHelp(with: known, because: error)
    }
  }

  /// The remaining remedies need privileges that the daemon does not have.
  private func callForHelp(with known: KnownAdapter, because error: BusError) {
    guard powersOn, loop.now >= known.noCallUntil, error.isOfHangingAdapter else { return }
    known.noCallUntil = loop.now + min(Self.resetPause * (1 << min(known.callsForHelp, 8)), Self.longestResetPause)
    known.callsForHelp += 1
    radio.delegate?.radio(cannotRevive: known.shown.name)
  }

  /// The adapter of that device has no room for a link. Returns the name of the adapter used
  /// instead, if there is one.
  func markFull(_ device: String) -> String? {
    guard let full = adapter(of: device) else { return nil }
    full.avoidedUntil = loop.now + Self.avoidanceTime
    choose(among: tree.adapters)
    guard let inUse, inUse !== full else { return nil }
    return "adapter \(inUse.shown.name)"
  }

  /// A link on that device's adapter has ended.
  func markRoom(_ device: String) {
    adapter(of: device)?.avoidedUntil = nil
  }

  private func isAvoided(_ adapter: Adapter) -> Bool {
    entry(adapter).avoidedUntil.map { loop.now < $0 } ?? false
  }

  func adapter(of device: String) -> KnownAdapter? {
    self.known.first { known in known.path.map { device.hasPrefix($0 + "/") } ?? false }
  }

  var inUse: KnownAdapter? {
    guard let path = scanner?.adapter.path else { return nil }
    return self.known.first { $0.path == path }
  }

  private func switchOn(_ adapter: Adapter) {
    let known = entry(adapter)
    guard powersOn, !known.wasSwitchedOff, !known.isSwitching, known.retry?.isPending != true else { return }
    known.isSwitching = true
    log.info("switching adapter \(adapter.name) (\(adapter.address)) on")
    adapter.setPowered(true) { [weak self] result in
      known.isSwitching = false
      if case .failure(let error) = result { self?.powerRefused(known, error) }
    }
  }

  private func powerRefused(_ known: KnownAdapter, _ error: BusError) {
    known.problem = error
    known.isRefusedByBlock = error.name == .bluezBlocked
    let pause = min(Duration.seconds(1 << min(known.attempts, 6)), Self.longestWait)
    known.attempts += 1
    known.retry = loop.schedule(after: pause) { [weak self] in self?.refresh() }
    refresh()
    if known.attempts >= Self.refusalsOfHanging, known.shown.state == .off { callForHelp(with: known, because: error) }
  }
}

extension BusError {
  /// bluetoothd works, but the adapter does not.
  fileprivate var isOfHangingAdapter: Bool {
    switch name {
    case .bluezNotReady, .bluezBlocked, .bluezNotAuthorized, .bluezNotPermitted: false
    default: name == .timedOut || name == .noReply || "\(name)".hasPrefix("org.bluez.")
    }
  }
}

// MARK: Condition

extension AdapterKeeper {
  var condition: RadioCondition {
    guard let inUse else {
      let wanted = preferred.map { "no Bluetooth adapter \($0)" } ?? "no Bluetooth adapter"
      return RadioCondition(obstacle: .adapterAbsent, message: "\(wanted): plug one in, or look for errors with dmesg")
    }
    let name = inUse.shown.name
    switch inUse.shown.state {
    case .on:
      return .ready
    case .blocked:
      return RadioCondition(
        obstacle: .adapterBlocked, message: "adapter \(name) is blocked: rfkill unblock bluetooth")
    case .off, .absent:
      let why = inUse.problem.map { " (\($0))" } ?? ""
      return RadioCondition(
        obstacle: .adapterOff, message: "adapter \(name) is off\(why): switch it on with bluetoothctl power on")
    }
  }
}
