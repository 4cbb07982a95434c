// A scripted BlueZ: org.bluez on a bus, on the test's own loop, with adapters and sensors that
// follow the test's script. It behaves like BlueZ 5.66 wherever a client can see a difference. All
// delays are deadlines of the loop, so virtual time applies to it too.

public import DBus
public import EventLoop

public final class FakeBlueZ {
  public let loop: EventLoop
  public var script = FakeScript()
  public private(set) var adapters: [FakeAdapter] = []
  public private(set) var sensors: [FakeSensor] = []
  /// All calls so far, oldest first, such as "Connect /org/bluez/hci0/dev_..".
  public private(set) var calls: [String] = []
  /// Whether bluetoothd runs and is on the bus.
  public private(set) var isRunning = false
  /// Called after a crash, where a service manager would restart it.
  public var crashed: () -> Void = {}

  let table = ObjectTable()
  private(set) lazy var agents = FakeAgents(self)
  private let makeBus: () -> Bus
  private var bus: Bus?
  private var observation: BusObservation?
  private var clients: [String: NameWatch] = [:]
  /// Unplugged adapters, whose pending operations may still complete.
  private var retired: [FakeAdapter] = []
  /// Addresses of sensors whose links the kernel keeps although bluetoothd has ended.
  public private(set) var linksKeptByKernel: Set<String> = []
  /// Whether bluetoothd finds these links at its start.
  private var reportsKeptLinks = false
  /// Counts restarts, so that operations begun before a crash end with it.
  private var life = 0

  public init(loop: EventLoop, makeBus: @escaping () -> Bus) {
    self.loop = loop
    self.makeBus = makeBus
    table.send = { [weak self] in self?.bus?.send($0) }
  }

  /// Starts on the world's private bus.
  public convenience init(_ world: TestWorld) {
    self.init(loop: world.loop) { [unowned world] in world.makeBus() }
    start()
  }
}

// MARK: Starting and crashing

extension FakeBlueZ {
  /// Requests the name as soon as there is a bus; adapters appear a moment later.
  public func start() {
    guard bus == nil else { return }
    let bus = makeBus()
    self.bus = bus
    bus.handleCalls { [weak self] in self?.answer($0) ?? .unknown }
    observation = bus.observe(
      connected: { [weak self] in self?.boot() }, lost: { [weak self] _ in self?.die() })
    bus.requestName("org.bluez")
    bus.start()
  }

  /// SIGKILL: leaves the bus and drops all its state. Links break, and the adapters remain for the
  /// next `start`.
  public func crash() {
    guard let bus else { return }
    die()
    observation?.cancel()
    bus.stop()
    self.bus = nil
  }

  /// Crashes because of a bug of its own.
  func crashByItself() {
    guard isRunning else { return }
    crash()
    crashed()
  }

  /// Releases the name but stays on the bus with its objects.
  public func dropName() {
    bus?.releaseName("org.bluez")
  }

  public func takeName() {
    bus?.requestName("org.bluez")
  }

  private func boot() {
    isRunning = true
    agents.export()
    for adapter in adapters { adapter.boot() }
  }

  private func die() {
    isRunning = false
    life += 1
    for client in clients.values { client.cancel() }
    clients = [:]
    table.forgetAll()
    agents.forgetAll()
    for adapter in adapters { adapter.die() }
  }
}

// MARK: Hardware

extension FakeBlueZ {
  @discardableResult
  public func addAdapter(_ name: String = "hci0", address: String = "00:11:22:33:44:55") -> FakeAdapter {
    let adapter = FakeAdapter(self, name, address)
    adapters.append(adapter)
    if isRunning { adapter.boot() }
    return adapter
  }

  /// The adapter was unplugged or crashed.
  public func removeAdapter(_ adapter: FakeAdapter) {
    adapters.removeAll { $0 === adapter }
    retired.append(adapter)
    adapter.leave()
  }

  @discardableResult
  public func addSensor(
    _ address: String, name: String, addressType: String = "random", services: [FakeService] = []
  ) -> FakeSensor {
    let sensor = FakeSensor(self, address, name, addressType, services)
    sensors.append(sensor)
    return sensor
  }

  /// Delivers an advertisement to all adapters.
  func receive(_ sensor: FakeSensor) {
    for adapter in adapters { adapter.receive(sensor) }
  }

  func wakeAdvertisers() {
    for sensor in sensors { sensor.scheduleAdvert() }
  }

  var isAnybodyScanning: Bool { adapters.contains { $0.isScanning } }
}

// MARK: Calls

extension FakeBlueZ {
  private func answer(_ call: BusMessage) -> CallAnswer {
    calls.append("\(call.member ?? "") \(call.path ?? "")")
    if script.ignores(call) { return .later }
    if let error = script.refuse(call) { return .reply(.error(error, to: call)) }
    return table.answer(call)
  }

  /// How often a method was called, on any object or on one.
  public func count(of member: String, at path: String? = nil) -> Int {
    calls.count { call in
      let parts = call.split(separator: " ")
      return parts[0] == member && (path == nil || parts.dropFirst().first.map(String.init) == path)
    }
  }

  /// For tests that run for days.
  public func forgetCalls() {
    calls = []
  }

  func reply(_ call: BusMessage, _ values: Value...) {
    bus?.send(BusMessage.reply(to: call).append(values))
  }

  func fail(_ call: BusMessage, _ error: BusError) {
    bus?.send(.error(error, to: call))
  }

  func send(_ message: BusMessage) {
    bus?.send(message)
  }

  func call(_ message: BusMessage, _ answered: @escaping BusConnection.Reply) -> PendingCall? {
    bus?.call(message, timeout: .seconds(60), answered)
  }

  /// Runs later, unless bluetoothd has died by then.
  func after(_ span: Duration, _ action: @escaping () -> Void) {
    let life = life
    loop.schedule(after: span) { [weak self] in
      if self?.life == life { action() }
    }
  }

  /// Releases a client's state when it leaves the bus.
  func watchClient(_ name: String) {
    guard clients[name] == nil, let bus else { return }
    clients[name] = bus.watchName(name) { [weak self] owner in
      guard owner == nil else { return }
      self?.clients.removeValue(forKey: name)?.cancel()
      self?.agents.forget(name)
      for adapter in self?.adapters ?? [] { adapter.forgetClient(name) }
    }
  }
}

// MARK: Links that outlive bluetoothd

extension FakeBlueZ {
  public func keepLinks(_ addresses: Set<String>, areReported: Bool) {
    (linksKeptByKernel, reportsKeptLinks) = (addresses, areReported)
  }

  public func endKeptLinks() {
    let ended = adapters.flatMap(\.devices).filter { reports($0.sensor) }
    linksKeptByKernel = []
    for device in ended { device.change("Connected", .bool(false)) }
  }

  func reports(_ sensor: FakeSensor) -> Bool { reportsKeptLinks && linksKeptByKernel.contains(sensor.address) }
}
