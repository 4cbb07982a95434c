// A radio that plays a scene. Like BlueZ, it reports advertisements only during a search, needs a
// moment to connect, and delivers values only over a link and after a subscription.

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
  let plugins: PluginRegistry
  private var scene: any Scene
  var devices: [SimulatedDevice]
  var replay: Replay?
  var replaying: Deadline?
  private var began = MonotonicTime(nanoseconds: 0)
  private var upcoming: SceneEvent?
  private var advertising: Deadline?
  private var demand: SearchDemand?

  static let advertInterval = Duration.milliseconds(250)
  static let connectTime = Duration.milliseconds(150)

  public init(_ scene: any Scene, loop: EventLoop, plugins: PluginRegistry) {
    self.scene = scene
    self.loop = loop
    self.plugins = plugins
    devices = scene.devices.map(SimulatedDevice.init)
  }

  public func start() {
    began = loop.now + scene.leadIn
    advance()
  }

  public func stop() {
    search(nil)
    replaying?.cancel()
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
    device.isBonded = false
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
    // Devices without characteristics only broadcast; the scene determines when and what.
    for device in devices where device.link == nil && device.scenery.isConnectable {
      // The signal strength varies as if people were moving.
      device.wanderedRSSI = max(-90, min(-40, device.wanderedRSSI + Int.random(in: -2...2)))
      var advert = device.scenery.advert
      advert.rssi = device.wanderedRSSI
      delegate?.radio(received: advert)
    }
  }
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

final class SimulatedDevice {
  private(set) var scenery: SceneDevice
  var isAccepting = true
  var isBonded = false
  var wanderedRSSI: Int
  var values: [Endpoint: [UInt8]] = [:]
  weak var link: SimulatedLink?

  init(_ scenery: SceneDevice) {
    self.scenery = scenery
    wanderedRSSI = scenery.rssi
  }

  func add(_ endpoints: [Endpoint]) {
    scenery.endpoints += endpoints.filter { !scenery.endpoints.contains($0) }
  }

  var connectedAdvert: Advert {
    var advert = scenery.advert
    advert.isConnected = true
    return advert
  }
}
