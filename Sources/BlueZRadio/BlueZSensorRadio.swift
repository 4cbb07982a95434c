// The radio of a real bike, through bluetoothd. If something is missing (bus, bluetoothd, adapter,
// permission), its condition says what to do. Everything is rebuilt when the condition changes.
//
// Invariants: sensors are identified by address, and objects are looked up at each use. Devices are
// removed only as `BlueZLink` says. The delegate is called from the loop, never from
// within a call that it made.

internal import BlueZ
import BlueZReleases
public import DBus
public import EventLoop
public import ProgramKit
public import Radio
import Text
import Wire

public final class BlueZSensorRadio: SensorRadio {
  public weak var delegate: (any RadioDelegate)?
  public internal(set) var condition = RadioCondition(
    obstacle: .busGone, message: "no D-Bus yet: start it with systemctl start dbus")
  public var bluezRelease: String? { release?.description }

  let loop: EventLoop
  let log: Log
  /// Whether to switch on an adapter that is off.
  private(set) var powersOn: Bool
  /// The only adapter to use; nil for any.
  private(set) var preferred: DeviceAddress?
  /// Nil if the kernel is not asked what is blocked.
  let switches: RadioSwitches?
  let tree: ObjectTree
  let sleep: SleepWatch
  /// Answers bluetoothd's questions while a user pairs.
  let agent: Agent
  private let strength: LinkStrength
  private let controllers: Controllers?
  private(set) lazy var lostLinks = LostLinks(self)
  /// Sensors that bluetoothd did not bond with by itself.
  var bondsToMake: Set<DeviceAddress> = []
  /// The release that the adapters report; reset when bluetoothd restarts.
  var release: BlueZRelease?
  /// The question that the user is being asked.
  var question: PairingQuestion?

  /// Every adapter seen since the start, in order of first appearance.
  var knownAdapters: [KnownAdapter] = []
  /// For the adapter in use.
  var scanner: Scanner?
  var demand: SearchDemand?
  /// The last advert of each device in the tree, by path.
  var adverts: [String: Advert] = [:]
  /// Every link from its opening until bluetoothd has confirmed its end. For each address only the
  /// first is active.
  var links: [BlueZLink] = []

  /// Where the kernel reports what is blocked.
  public struct RFKill: Sendable {
    let device: String
    let names: String

    public init(device: String = "/dev/rfkill", names: String = "/sys/class/rfkill") {
      self.device = device
      self.names = names
    }
  }

  /// Replaces the kernel as the source of what controllers report.
  public struct Controllers {
    let watch: (Int32) -> (() -> [[UInt8]])?
    let hasLink: (Int32, String) -> Bool

    /// `watch` takes the N of hciN, and returns a function that reads the HCI events since its last
    /// call, or nil if they cannot be read. `hasLink` returns whether the kernel has a link to that
    /// address.
    public init(watch: @escaping (Int32) -> (() -> [[UInt8]])?, hasLink: @escaping (Int32, String) -> Bool) {
      self.watch = watch
      self.hasLink = hasLink
    }
  }

  public init(
    loop: EventLoop, bus: Bus, log: Log, powersOn: Bool = true, adapterAddress: DeviceAddress? = nil,
    rfkill: RFKill? = nil, controllers: Controllers? = nil
  ) {
    self.controllers = controllers
    self.loop = loop
    self.log = log
    self.powersOn = powersOn
    preferred = adapterAddress
    switches = rfkill.map { RadioSwitches(loop: loop, device: $0.device, names: $0.names) }
    tree = ObjectTree(bus: bus)
    agent = Agent(tree)
    strength = LinkStrength(loop: loop)
    sleep = SleepWatch(bus, loop: loop)
  }

  public func start() {
    tree.observer = { [weak self] in self?.treeChanged($0) }
    switches?.onChange = { [weak self] in self?.switchesChanged() }
    prepareAgent()
    sleep.changed = { [weak self] in self?.sleepChanged() }
    sleep.start()
    tree.start()
    tree.bus.start()
  }

  public func stop() {
    search(nil)
    for link in links { link.close() }
    for adapter in knownAdapters { adapter.retry?.cancel() }
    scanner = nil
    switches?.stop()
    agent.unregister()
    sleep.stop()
    tree.observer = { _ in }
    tree.stop()
    tree.bus.stop()
    links = []
    lostLinks.forgetAll()
    knownAdapters = []
    adverts = [:]
  }

  /// Link parameters are read again on each access: bluetoothd may apply its main.conf after the
  /// adapter is on.
  public var adapters: [RadioAdapter] {
    for known in knownAdapters where known.shown.state == .on {
      known.shown.links = linkParameters(of: known) ?? known.shown.links
    }
    return knownAdapters.map(\.shown)
  }

  public func search(_ demand: SearchDemand?) {
    self.demand = demand
    scanner?.want(sleep.isAsleep ? nil : demand.map { Scanner.Demand(repeats: $0.repeats) })
  }

  public func name(of address: DeviceAddress) -> String? { device(address)?.name }

  public func link(to address: DeviceAddress) -> any Link {
    BlueZLink(to: address, radio: self)
  }

  /// Starts watching now. Nil if the adapter of the device has no number.
  func witness(of device: Device) -> ConnectWitness? {
    guard let adapter = device.adapterPath, let number = tree.adapter(at: adapter).number else { return nil }
    return controllers.map { ConnectWitness(reading: $0.watch(number)) } ?? ConnectWitness(on: number)
  }

  func kernelHasLink(to address: DeviceAddress, on adapter: KnownAdapter) -> Bool {
    guard let number = adapter.path.flatMap({ tree.adapter(at: $0).number }) else { return false }
    return controllers?.hasLink(number, address.text) ?? KernelLinks.has(address.text, on: number) ?? false
  }

  public func readStrength(of address: DeviceAddress, _ done: @escaping (Int) -> Void) -> Bool {
    // On Linux 6.1, a command of ours during a connect makes the kernel miss its end, and it then
    // does nothing for seconds.
    guard links.allSatisfy({ $0.phase == .open }) else { return false }
    guard let device = device(address), device.isConnected, let path = device.adapterPath,
      let number = tree.adapter(at: path).number
    else { return true }
    strength.read(address.text, on: number) { if let dBm = $0 { done(dBm) } }
    return true
  }
}

// MARK: The tree

extension BlueZSensorRadio {
  private func treeChanged(_ event: ObjectTree.Event) {
    switch event {
    case .stateChanged:
      rebuild()
    case .added(let path, BlueZ.Interface.adapter), .removed(let path, BlueZ.Interface.adapter):
      if scanner?.adapter.path == path { dropScanner() }
      refreshAdapters()
    case .changed(let path, BlueZ.Interface.adapter, let names):
      adapterChanged(path, names)
    case .added(let path, BlueZ.Interface.device):
      adverts[path] = nil
      noteDevice(path)
    case .removed(let path, BlueZ.Interface.device):
      adverts[path] = nil
    case .changed(let path, BlueZ.Interface.device, let names):
      deviceChanged(path, names)
    case .added, .removed, .changed:
      break
    }
    if case .stateChanged = event { return }
    for link in links { link.treeChanged(event) }
  }

  /// bluetoothd appeared, disappeared or restarted: all earlier objects are invalid.
  private func rebuild() {
    dropScanner()
    adverts = [:]
    agent.bluetoothdChanged()
    release = nil
    if tree.state != .ready {
      updateCondition()
      let reason = condition.obstacle ?? .bluetoothdGone
      for link in links { link.lose(LinkFailure(reason, condition.message)) }
    }
    refreshAdapters()
    guard tree.state == .ready else { return }
    for device in tree.devices { noteDevice(device.path) }
  }

  /// A lost bus is retried by its owner. A bus that is there and does not answer hangs, or the
  /// daemon's side of it does.
  public func prove(_ isAlive: @escaping (Bool) -> Void) {
    guard tree.bus.isConnected else { return isAlive(true) }
    tree.bus.ping(timeout: Self.longestProof) { result in
      if case .failure(let error) = result, error.name == .timedOut { return isAlive(false) }
      isAlive(true)
    }
  }

  private static let longestProof = Duration.seconds(5)

  public func apply(_ settings: RadioSettings) {
    guard powersOn != settings.powerOn || preferred != settings.adapter else { return }
    powersOn = settings.powerOn
    preferred = settings.adapter
    if tree.state == .ready { refreshAdapters() }
  }

  /// Links are closed before the computer sleeps: after it wakes, BlueZ would report them as
  /// connected until they are used.
  private func sleepChanged() {
    updateCondition()
    search(demand)
    if sleep.isAsleep {
      for link in links { link.lose(LinkFailure(.suspended, condition.message)) }
    } else {
      for device in tree.devices { noteDevice(device.path) }
    }
  }

  private func dropScanner() {
    scanner?.detach()
    scanner = nil
  }
}

// MARK: Links

extension BlueZSensorRadio {
  /// The link begins once bluetoothd has confirmed the end of the previous link to that sensor,
  /// whose Disconnect would end the new one.
  func admit(_ link: BlueZLink) {
    links.append(link)
    bondingChanged()
    advance(link.address)
  }

  func finished(_ link: BlueZLink) {
    guard links.contains(where: { $0 === link }) else { return }
    links.removeAll { $0 === link }
    if link.wasUp { noteRoom(link.path) }
    lostLinks.resetIdleAdapters()
    bondingChanged()
    advance(link.address)
    loop.schedule(after: .seconds(2)) { [weak self] in self?.announceIfHeld(link.address) }
  }

  private func advance(_ address: DeviceAddress) {
    // A Connect between StartDiscovery and StopDiscovery makes the kernel end the discovery.
    // bluetoothd 5.66 then never starts one again for this client.
    guard isAtRest, let next = links.first(where: { $0.address == address }), next.isWaiting else { return }
    loop.schedule(after: .zero) { [weak self, weak next] in
      if self?.isAtRest == true { next?.begin() }
    }
  }

  private var isAtRest: Bool { scanner?.isAtRest != false }

  func advanceAll() {
    for link in links { advance(link.address) }
  }

  /// A sensor that is still connected does not advertise, so nothing else would report its
  /// presence.
  private func announceIfHeld(_ address: DeviceAddress) {
    guard !links.contains(where: { $0.address == address }), let device = device(address), device.isConnected else {
      return
    }
    noteDevice(device.path)
  }

  /// The device on the adapter where it is connected, or bonded, or else on the adapter in use.
  func device(_ address: DeviceAddress) -> Device? {
    let known = tree.devices.filter { isReachable($0.path) && $0.address.flatMap { DeviceAddress($0) } == address }
    return known.first(where: \.isConnected) ?? known.first { $0.isPaired && isOn($0) }
      ?? known.first { isOurs($0.path) }
  }

  private func isOn(_ device: Device) -> Bool { device.adapterPath.map { tree.adapter(at: $0).isPowered } ?? false }

  /// Whether the object belongs to the adapter in use, which is the one that scans.
  func isOurs(_ path: String) -> Bool {
    guard let scanner else { return false }
    return path.hasPrefix(scanner.adapter.path + "/")
  }

  /// Whether the object belongs to an adapter that may have links of ours.
  func isReachable(_ path: String) -> Bool { preferred == nil || isOurs(path) }
}
