// A radio that plays a scene. Like BlueZ, it reports advertisements only during a search, needs a
// moment to connect, and delivers values only over a link and after a subscription.

public import CaptureFormat
public import EventLoop
import Linux
public import Radio
public import SensorKit
import Time
import Wire

public final class SimulatedRadio: SensorRadio {
  public weak var delegate: (any RadioDelegate)?
  public var reported: (String) -> Void = { _ in }
  let loop: EventLoop
  /// For captures, which do not say to which services their characteristics belong.
  let plugins: PluginShelf
  private var scene: any Scene
  private var devices: [SimulatedDevice]
  private var replay: Replay?
  private var replaying: Deadline?
  private var began = MonotonicTime(nanoseconds: 0)
  private var upcoming: SceneEvent?
  private var advertising: Deadline?
  private var demand: SearchDemand?
  /// Nil unless other daemons share the devices.
  private var air: SharedAir?
  private var airCheck: Deadline?
  /// Since when nothing is received over the link.
  private var silence: MonotonicTime?

  /// How long a link lasts without any packet.
  private static let supervision = Duration.seconds(2)
  static let advertInterval = Duration.milliseconds(250)
  static let connectTime = Duration.milliseconds(150)

  public init(_ scene: any Scene, loop: EventLoop, plugins: PluginShelf) {
    self.scene = scene
    self.loop = loop
    self.plugins = plugins
    devices = scene.devices.map(SimulatedDevice.init)
    air = scene.folder.map { SharedAir(folder: $0) }
  }

  public func start() {
    began = loop.now + scene.leadIn
    if air != nil { checkAir() }
    advance()
  }

  public func stop() {
    search(nil)
    replaying?.cancel()
    airCheck?.cancel()
    for device in devices { device.link?.close() }
  }

  public var condition: RadioCondition { RadioCondition(obstacle: nil, message: "simulated, ready") }

  public var adapters: [RadioAdapter] {
    [RadioAdapter(name: "simulated", address: "00:00:00:00:00:00", state: .on)]
  }

  public var bluezRelease: String? { nil }

  /// The sensors that are already paired when the simulation begins.
  public var pairedSensors: [PlayedSensor] {
    devices.filter { $0.scenery.isPaired }.map { PlayedSensor($0.scenery.advert, settings: $0.scenery.settings) }
  }

  public var addresses: [DeviceAddress] { devices.map(\.scenery.address) }

  public func connectedSensors() -> [Advert] {
    devices.filter { $0.link?.isOpen == true }.map(\.connectedAdvert)
  }

  public func name(of address: DeviceAddress) -> String? {
    device(at: address)?.scenery.name
  }

  public func id(of address: DeviceAddress) -> String? {
    device(at: address)?.scenery.id
  }

  public func link(to address: DeviceAddress) -> any Link {
    SimulatedLink(to: device(at: address), of: self)
  }

  /// Removes the bond on both sides.
  public func forgetBond(with address: DeviceAddress) -> Bool {
    guard let device = device(at: address), device.isBonded else { return false }
    device.endBond()
    return true
  }

  private func device(at address: DeviceAddress) -> SimulatedDevice? {
    devices.first { $0.scenery.address == address }
  }
}

// MARK: Advertisements

extension SimulatedRadio {
  public func search(_ demand: SearchDemand?) {
    guard demand != self.demand else { return }
    self.demand = demand
    advertising?.cancel()
    advertising = nil
    if demand != nil { scheduleAdverts() }
  }

  private func scheduleAdverts() {
    advertising = loop.schedule(after: Self.advertInterval) { [weak self] in self?.advertise() }
  }

  private func advertise() {
    scheduleAdverts()
    let strength = air?.strength
    if let air, strength == nil || !air.isFree { return }
    // Devices without characteristics only broadcast; the scene determines when and what.
    for device in devices where device.link == nil && device.scenery.isConnectable {
      // The signal strength varies as if people were moving.
      device.wanderedRSSI = max(-90, min(-40, device.wanderedRSSI + Int.random(in: -2...2)))
      var advert = device.scenery.advert
      advert.rssi = strength ?? device.wanderedRSSI
      delegate?.radio(received: advert)
    }
  }
}

// MARK: Devices that other daemons share

extension SimulatedRadio {
  /// Whether a device may open its link now.
  var isLinkFree: Bool { air?.connect() ?? true }

  func linkClosed() { air?.disconnect() }

  /// Connects when the others have left the link, and loses it out of range.
  private func checkAir() {
    airCheck = loop.schedule(after: Self.advertInterval) { [weak self] in self?.checkAir() }
    guard let air else { return }
    // A link that is dropped without being closed ends, too.
    if devices.allSatisfy({ $0.link?.isOpen != true }) { air.disconnect() }
    guard air.isLinked, air.strength == nil else {
      silence = nil
      for device in devices { device.link?.accepted() }
      return
    }
    let silence = silence ?? loop.now
    self.silence = silence
    guard loop.now - silence >= Self.supervision else { return }
    for device in devices { device.link?.lose() }
  }

  private var isOutOfRange: Bool { air.map { $0.strength == nil } ?? false }
}

// MARK: The scene

extension SimulatedRadio {
  /// Plays due events, then waits for the next one.
  private func advance() {
    while let event = upcoming ?? scene.next() {
      upcoming = event
      guard began + event.at <= loop.now else {
        loop.schedule(at: began + event.at) { [weak self] in self?.advance() }
        return
      }
      upcoming = nil
      play(event)
    }
  }

  /// The control points of replayed devices respond as in their recordings.
  func wrote(_ value: [UInt8], to endpoint: Endpoint, of device: SimulatedDevice) {
    guard let place = devices.firstIndex(where: { $0 === device }), place < scene.devices.count else { return }
    for action in scene.actions(afterWriting: value, to: endpoint, of: place) {
      play(SceneEvent(at: .zero, device: place, action))
    }
  }

  func play(_ event: SceneEvent) {
    if case .reports(let report) = event.action { return reported(report) }
    let device = devices[event.device]
    switch event.action {
    case .accepts:
      device.isAccepting = true
      device.link?.accepted()
    case .refuses:
      device.isAccepting = false
      device.link?.lose()
    case .holds(let endpoint, let value): device.values[endpoint] = value
    case .notifies(let endpoint, let value, let indicated):
      if isOutOfRange { return }
      device.link?.receive(value, from: endpoint, indicated: indicated)
    case .advertises(let manufacturer, let service):
      var advert = device.scenery.advert
      if let manufacturer { advert.manufacturerData = [manufacturer] }
      if let service { advert.serviceData = [service] }
      if demand != nil { delegate?.radio(received: advert) }
    case .reports: break
    }
  }
}

// MARK: Replays

// The devices of a capture join those of the scene, and its lines are played when they are due.

extension SimulatedRadio: ReplayingRadio {
  public func replay(_ lines: [CaptureLine], speed: Double) throws(ReplayError) -> [PlayedSensor] {
    let isNew = lines.contains(.header)
    guard var replay = isNew ? Replay(began: loop.now + Replay.leadIn, speed: speed) : self.replay else {
      throw ReplayError("a capture starts with the line \(CaptureLine.headerText)")
    }
    guard !replay.isFull else { throw ReplayError("too much of the capture has not been played yet", isForNow: true) }
    replay.speed = speed
    let scenery = try scenery(of: lines, known: replay.places)
    replay.drop()
    var joined = devices
    for device in scenery {
      replay.places[device.id] = device.place
      if device.place == joined.count {
        joined.append(SimulatedDevice(device.scenery))
      } else {
        joined[device.place].add(device.scenery.endpoints)
      }
    }
    for line in lines {
      if let report = line.report { replay.events.append(report) }
      guard case .event(let time, let id, let event) = line else { continue }
      guard let place = replay.places[id] else { throw ReplayError("\(id) is not a device of this capture") }
      guard let action = joined[place].scenery.action(for: event) else { continue }
      joined[place].hold(action)
      replay.events.append(SceneEvent(at: .nanoseconds(time.nanoseconds), device: place, action))
    }
    devices = joined
    self.replay = replay
    playReplay()
    return scenery.filter(\.isDeclared).map { PlayedSensor($0.scenery.advert, settings: $0.scenery.settings) }
  }

  private struct Scenery {
    let id: String
    let place: Int
    var scenery: SceneDevice
    /// Declared by a `device` line in this piece.
    let isDeclared: Bool
  }

  /// The devices declared in these lines, and earlier ones whose characteristics appear in them.
  private func scenery(of lines: [CaptureLine], known: [String: Int]) throws(ReplayError) -> [Scenery] {
    let uses = lines.reduce(into: [String: [BluetoothUUID]]()) { $0.note($1) }
    let settings = lines.settings
    var all: [Scenery] = []
    var count = devices.count
    for case .device(let description) in lines {
      var device = SceneDevice(
        description, number: count, uses: uses[description.id] ?? [], plugins: plugins.registry, isWhole: false)
      device.settings = settings[description.id] ?? []
      let place = devices.firstIndex { $0.scenery.address == device.address } ?? count
      count = max(count, place + 1)
      all.append(Scenery(id: description.id, place: place, scenery: device, isDeclared: true))
    }
    for (id, uses) in uses where !all.contains(where: { $0.id == id }) {
      guard let place = known[id] else { throw ReplayError("\(id) is not a device of this capture") }
      var device = devices[place].scenery
      device.endpoints = device.endpoints(for: uses, plugins: plugins.registry)
      all.append(Scenery(id: id, place: place, scenery: device, isDeclared: false))
    }
    return all
  }

  /// Plays due events, then waits for the next one.
  private func playReplay() {
    replaying?.cancel()
    while let replay, replay.next < replay.events.count {
      let event = replay.events[replay.next]
      guard replay.time(of: event) <= loop.now else {
        replaying = loop.schedule(at: replay.time(of: event)) { [weak self] in self?.playReplay() }
        return
      }
      self.replay?.next += 1
      play(event)
    }
  }
}

extension Replay {
  /// Drops events that were played.
  fileprivate mutating func drop() {
    events.removeSubrange(..<next)
    next = 0
  }
}

extension SimulatedDevice {
  /// Makes the first recorded value of a read available from the start, because the daemon may read
  /// it a moment earlier.
  fileprivate func hold(_ action: SceneEvent.Action) {
    scenery.learn(from: action)
    guard case .holds(let endpoint, let value) = action, values[endpoint] == nil else { return }
    values[endpoint] = value
  }
}

final class SimulatedDevice {
  private(set) var scenery: SceneDevice
  fileprivate(set) var isAccepting = true
  private(set) var isBonded = false
  fileprivate(set) var wanderedRSSI: Int
  fileprivate(set) var values: [Endpoint: [UInt8]] = [:]
  weak var link: SimulatedLink?

  init(_ scenery: SceneDevice) {
    self.scenery = scenery
    wanderedRSSI = scenery.rssi
  }

  func bond() { isBonded = true }

  func endBond() { isBonded = false }

  func add(_ endpoints: [Endpoint]) {
    scenery.endpoints += endpoints.filter { !scenery.endpoints.contains($0) }
  }

  var connectedAdvert: Advert {
    var advert = scenery.advert
    advert.isConnected = true
    return advert
  }
}
