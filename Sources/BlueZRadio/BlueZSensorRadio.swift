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
import Time
import Vocabulary
import Wire

public final class BlueZSensorRadio: SensorRadio {
  public weak var delegate: (any RadioDelegate)?
  public private(set) var condition = RadioCondition(
    obstacle: .busGone, message: "no D-Bus yet: start it with systemctl start dbus")
  public var bluezRelease: String? { release?.description }

  let loop: EventLoop
  let log: Log
  let tree: ObjectTree
  let sleep: SleepWatch
  /// Answers bluetoothd's questions while a user pairs.
  let agent: Agent
  private let strength: LinkStrength
  private let controllers: Controllers?
  private(set) lazy var lostLinks = LostLinks(self)
  /// Sensors that bluetoothd did not bond with by itself.
  private(set) var bondsToMake: Set<DeviceAddress> = []
  var release: BlueZRelease? { adapterKeeper.release }
  /// The question that the user is being asked.
  private var question: PairingQuestion?

  private(set) lazy var adapterKeeper = AdapterKeeper(of: self, switches, initialSettings)
  private let switches: RadioSwitches?
  private let initialSettings: RadioSettings
  private var demand: SearchDemand?
  /// The last advert of each device in the tree, by path.
  private var adverts: [String: Advert] = [:]
  /// Every link from its opening until bluetoothd has confirmed its end. For each address only the
  /// first is active.
  private(set) var links: [BlueZLink] = []
  /// Until then the kernel may have links of a bluetoothd that has ended: it keeps them for 2 s. Nil before the
  /// first bluetoothd.
  private var oldLinksEnd: MonotonicTime?
  /// Whether this bluetoothd follows another one. Links that it has from the beginning are then old, too.
  private var isSuccessor = false
  private static let oldLinkTime = Duration.seconds(3)
  private static let oldLinkPause = Duration.milliseconds(200)

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
    var settings = RadioSettings()
    settings.powerOn = powersOn
    settings.adapter = adapterAddress
    initialSettings = settings
    switches = rfkill.map { RadioSwitches(loop: loop, device: $0.device, names: $0.names) }
    tree = ObjectTree(bus: bus)
    agent = Agent(tree)
    strength = LinkStrength(loop: loop)
    sleep = SleepWatch(bus, loop: loop)
  }

  public func start() {
    tree.observer = { [weak self] in self?.treeChanged($0) }
    adapterKeeper.start()
    prepareAgent()
    sleep.changed = { [weak self] in self?.sleepChanged() }
    sleep.start()
    tree.start()
    tree.bus.start()
  }

  public func stop() {
    search(nil)
    for link in links { link.close() }
    adapterKeeper.stop()
    agent.unregister()
    sleep.stop()
    tree.observer = { _ in }
    tree.stop()
    tree.bus.stop()
    links = []
    lostLinks.forgetAll()
    adverts = [:]
  }

  public var adapters: [RadioAdapter] { adapterKeeper.shown }

  public func search(_ demand: SearchDemand?) {
    self.demand = demand
    searchAgain()
  }

  func searchAgain() { adapterKeeper.search(sleep.isAsleep ? nil : demand) }

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
    case .added(let path, BlueZName.Interface.adapter), .removed(let path, BlueZName.Interface.adapter):
      adapterKeeper.removed(path)
      adapterKeeper.refresh()
    case .changed(let path, BlueZName.Interface.adapter, let names):
      adapterKeeper.changed(path, names)
    case .added(let path, BlueZName.Interface.device):
      adverts[path] = nil
      reportIfPresent(path)
    case .removed(let path, BlueZName.Interface.device):
      adverts[path] = nil
    case .changed(let path, BlueZName.Interface.device, let names):
      deviceChanged(path, names)
    case .added, .removed, .changed:
      break
    }
    if case .stateChanged = event { return }
    for link in links { link.treeChanged(event) }
  }

  /// bluetoothd appeared, disappeared or restarted: all earlier objects are invalid.
  private func rebuild() {
    adapterKeeper.forgetObjects()
    adverts = [:]
    agent.bluetoothdChanged()
    if tree.state != .ready {
      updateCondition()
      let reason = condition.obstacle ?? .bluetoothdGone
      for link in links { link.lose(LinkFailure(reason, condition.message)) }
    }
    adapterKeeper.refresh()
    guard tree.state == .ready else { return }
    isSuccessor = oldLinksEnd != nil
    oldLinksEnd = loop.now + Self.oldLinkTime
    for device in tree.devices { reportIfPresent(device.path) }
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
    if adapterKeeper.apply(settings), tree.state == .ready { adapterKeeper.refresh() }
  }

  /// Links are closed before the computer sleeps: after it wakes, BlueZ would report them as
  /// connected until they are used.
  private func sleepChanged() {
    updateCondition()
    searchAgain()
    if sleep.isAsleep {
      for link in links { link.lose(LinkFailure(.suspended, condition.message)) }
    } else {
      for device in tree.devices { reportIfPresent(device.path) }
    }
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
    if link.wasUp { adapterKeeper.markRoom(link.path) }
    lostLinks.resetIdleAdapters()
    bondingChanged()
    advance(link.address)
    loop.schedule(after: .seconds(2)) { [weak self] in self?.announceIfHeld(link.address) }
  }

  private func advance(_ address: DeviceAddress) {
    // A Connect between StartDiscovery and StopDiscovery makes the kernel end the discovery.
    // bluetoothd 5.66 then never starts one again for this client.
    guard isAtRest, let next = links.first(where: { $0.address == address }), next.isWaiting else { return }
    // The kernel would join a connect to the old link, and can lose it when that link ends.
    guard !hasOldLink(address) else {
      loop.schedule(after: Self.oldLinkPause) { [weak self] in self?.advance(address) }
      return
    }
    loop.schedule(after: .zero) { [weak self, weak next] in
      if self?.isAtRest == true { next?.begin() }
    }
  }

  /// Whether the kernel has a link to a sensor that this bluetoothd has not made.
  private func hasOldLink(_ address: DeviceAddress) -> Bool {
    guard let oldLinksEnd, loop.now < oldLinksEnd, let device = device(address), isSuccessor || !device.isConnected,
      let adapter = adapterKeeper.adapter(of: device.path)
    else { return false }
    return kernelHasLink(to: address, on: adapter)
  }

  private var isAtRest: Bool { adapterKeeper.scanner?.isAtRest != false }

  func advanceAll() {
    for link in links { advance(link.address) }
  }

  /// A sensor that is still connected does not advertise, so nothing else would report its
  /// presence.
  private func announceIfHeld(_ address: DeviceAddress) {
    guard !links.contains(where: { $0.address == address }), let device = device(address), device.isConnected else {
      return
    }
    reportIfPresent(device.path)
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
    guard let scanner = adapterKeeper.scanner else { return false }
    return path.hasPrefix(scanner.adapter.path + "/")
  }

  /// Whether the object belongs to an adapter that may have links of ours.
  func isReachable(_ path: String) -> Bool { adapterKeeper.preferred == nil || isOurs(path) }
}

// MARK: Condition

extension BlueZSensorRadio {
  func updateCondition() {
    let known = tree.state == .ready ? adapterKeeper.condition : conditionOfBluetoothd
    let now =
      sleep.isAsleep
      ? RadioCondition(obstacle: .suspended, message: "the computer is going to sleep, or has slept") : known
    guard now != condition else { return }
    condition = now
    delegate?.radioConditionChanged()
  }

  private var conditionOfBluetoothd: RadioCondition {
    switch tree.state {
    case .busGone:
      let why = tree.bus.lastError.map { " (\($0))" } ?? ""
      return RadioCondition(
        obstacle: .busGone, message: "no D-Bus at \(tree.bus.address)\(why): start it with systemctl start dbus")
    case .bluetoothdGone:
      return RadioCondition(
        obstacle: .bluetoothdGone, message: "bluetoothd does not run: start it with systemctl start bluetooth")
    case .failing(let error) where error.name == .accessDenied:
      let message =
        "no permission to use bluetoothd (\(error)): add this user to the group bluetooth, then start it again"
      return RadioCondition(obstacle: .bluetoothdGone, message: message)
    case .failing(let error):
      return RadioCondition(
        obstacle: .bluetoothdGone,
        message: "bluetoothd does not answer (\(error)): restart it with systemctl restart bluetooth")
    case .asking, .ready:
      // Lasts only milliseconds, so an earlier condition is kept.
      guard condition.obstacle == nil else { return condition }
      return RadioCondition(obstacle: .bluetoothdGone, message: "waiting for bluetoothd")
    }
  }
}

// MARK: Adverts

// BlueZ reports adverts as properties of devices. A device in the tree was not necessarily received:
// BlueZ keeps bonded ones for ever, and others for a while. It was received if it has an RSSI, which
// BlueZ removes when discovery ends.

extension BlueZSensorRadio {
  public func connectedSensors() -> [Advert] {
    tree.devices.filter { isReachable($0.path) && $0.isConnected }.compactMap { advert(of: $0) }
  }

  /// A device that was added to the tree, or was there before us.
  func reportIfPresent(_ path: String) {
    let device = tree.device(at: path)
    guard isOurs(path) && device.rssi != nil || isReachable(path) && device.isConnected else { return }
    report(device)
  }

  func deviceChanged(_ path: String, _ names: [String]) {
    guard isReachable(path) else { return }
    let device = tree.device(at: path)
    // RSSI changes far more often than the rest.
    if names == [BlueZName.Property.rssi] {
      adverts[path]?.rssi = device.rssi
    } else {
      adverts[path] = nil
    }
    let saysAnything =
      names.contains(BlueZName.Property.rssi) && device.rssi != nil
      || names.contains(BlueZName.Property.manufacturerData) || names.contains(BlueZName.Property.serviceData)
    let isFound = saysAnything && isOurs(path)
    let wasConnected = names.contains(BlueZName.Property.connected) && device.isConnected && !hasLink(device)
    if isFound || wasConnected { report(device) }
    if names.contains(BlueZName.Property.connected), !device.isConnected { lostLinks.resetIdleAdapters() }
  }

  private func hasLink(_ device: Device) -> Bool {
    let address = device.address.flatMap { DeviceAddress($0) }
    return links.contains { $0.address == address }
  }

  private func report(_ device: Device) {
    if !device.isConnected {
      adapterKeeper.advertArrived()
    }
    guard let advert = advert(of: device) else { return }
    lostLinks.advertised(advert.address)
    delegate?.radio(received: advert)
  }

  private func advert(of device: Device) -> Advert? {
    if let known = adverts[device.path] { return known }
    guard let address = device.address.flatMap({ DeviceAddress($0) }) else { return nil }
    var advert = Advert(
      address: address, name: device.name.flatMap(advertisedName), rssi: device.rssi,
      services: device.uuids.compactMap { BluetoothUUID($0) })
    advert.isConnected = device.isConnected
    advert.manufacturerData = device.manufacturerData.map {
      Advert.ManufacturerData(company: $0.company, value: $0.value)
    }
    advert.serviceData = device.serviceData.compactMap { data in
      BluetoothUUID(data.service).map { Advert.ServiceData(service: $0, value: data.value) }
    }
    adverts[device.path] = advert
    return advert
  }
}

// MARK: Bonding

// The agent is registered only while a user pairs a sensor, and refuses all other devices. Bonds of
// other programs on this computer are not its business.

extension BlueZSensorRadio {
  func prepareAgent() {
    agent.asked = { [weak self] in self?.asked($0) }
    agent.withdrawn = { [weak self] _ in self?.dropQuestion() }
    agent.displayed = { [weak self] device, digits in
      self?.log.info("\(device): type \(digits) on the sensor")
    }
  }

  func addBondToMake(_ address: DeviceAddress) { bondsToMake.insert(address) }

  func removeBondToMake(_ address: DeviceAddress) { bondsToMake.remove(address) }

  func bondingChanged() {
    guard links.contains(where: { $0.mayBond && $0.phase != .closed }) else {
      dropQuestion()
      return agent.unregister()
    }
    agent.register { [weak self] error in
      if let error { self?.log.warning("no agent for bonding: \(error)") }
    }
  }

  public func forgetBond(with address: DeviceAddress) -> Bool {
    guard let device = device(address), device.isPaired, let adapter = device.adapterPath else { return false }
    log.info("\(address): removed the bond of this computer to make a new one")
    tree.adapter(at: adapter).removeDevice(device) { [weak self] result in
      if case .failure(let error) = result { self?.log.warning("\(address): cannot remove its bond: \(error)") }
    }
    return true
  }

  private func dropQuestion() {
    question?.withdraw()
    question = nil
  }

  private func asked(_ asked: Agent.Question) {
    guard let link = links.first(where: { $0.path == asked.device && $0.mayBond && $0.phase != .closed }) else {
      log.info("\(asked.device) asks for a bond, but is not being paired: refused")
      return asked.answer(.no)
    }
    let ask: PairingQuestion.Ask
    switch asked.ask {
    case .consent: return asked.answer(.yes)
    case .passkey: ask = .passkey
    case .confirmation(let passkey): ask = .confirmation(passkey: Int(passkey))
    }
    link.recordQuestion()
    let question = PairingQuestion(ask, of: link.address) { [weak link] answer in
      switch answer {
      case .passkey(let passkey): asked.answer(.passkey(UInt32(passkey)))
      case .confirmed: asked.answer(.yes)
      case nil:
        asked.answer(.no)
        link?.userRefused()
      }
    }
    self.question = question
    guard let delegate else { return question.answer(nil) }
    delegate.radio(asks: question)
  }
}

/// A name can be anything that a device nearby sends. Keeps only printable characters, up to the
/// limit; nil if none are left.
private func advertisedName(_ name: String) -> String? {
  let kept = name.unicodeScalars.lazy.filter { !$0.isUnprintable }.prefix(String.longestName)
  return kept.isEmpty ? nil : String(String.UnicodeScalarView(kept))
}
