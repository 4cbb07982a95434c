// org.bluez.Adapter1: power, discovery sessions per client, and known devices.

internal import DBus
internal import EventLoop
internal import Linux
import Time

public final class FakeAdapter {
  public let name: String
  public let address: String
  public private(set) var isPowered = true
  /// The state of the rfkill switch.
  public private(set) var isBlocked = false
  /// The most connections it can hold; nil for no limit.
  public var slots: Int?
  /// The largest number of simultaneous Connect calls that waited for a link.
  public internal(set) var mostConnectsAtOnce = 0

  unowned let fake: FakeBlueZ
  private(set) var devices: [FakeDevice] = []
  private var sessions: Set<String> = []
  private var filters: [String: DiscoveryFilter] = [:]
  private var isPresent = false
  /// The controller's replies to connect commands, one HCI event each.
  private var controllerEvents: [[UInt8]] = []
  private var isDeaf = false
  private var hangs = false

  static let interface = "org.bluez.Adapter1"
  static let createConnection: UInt16 = 0x200d
  static let cancelConnection: UInt16 = 0x200e
  static let commandDisallowed: UInt8 = 0x0c

  init(_ fake: FakeBlueZ, _ name: String, _ address: String) {
    self.fake = fake
    self.name = name
    self.address = address
  }

  public var path: String { "/org/bluez/\(name)" }
  public var isScanning: Bool { isPresent && isPowered && !sessions.isEmpty }
  /// How many clients have a discovery session.
  public var discoverySessions: Int { sessions.count }

  public var connectsUnderWay: Int { devices.count { $0.isConnecting && !$0.isFlapping } }
  public var links: Int { devices.count { $0.isConnected } }
  var isFull: Bool { slots.map { links >= $0 } ?? false }

  public func device(_ sensor: FakeSensor) -> String? {
    devices.first { $0.sensor === sensor }?.path
  }
}

struct DiscoveryFilter {
  var uuids: [String] = []
  var duplicates = false

  init(_ properties: [String: Value] = [:]) {
    uuids = properties["UUIDs"]?.texts?.map { $0.lowercased() } ?? []
    duplicates = properties["DuplicateData"]?.boolean ?? false
  }
}

// MARK: Lifetime

extension FakeAdapter {
  func boot() {
    isPowered = fake.script.autoEnable && !isBlocked
    fake.after(fake.script.timing.start) { [weak self] in
      guard let self, fake.adapters.contains(where: { $0 === self }) else { return }
      isPresent = true
      export()
      for sensor in fake.sensors where sensor.isPaired { _ = add(sensor) }
    }
  }

  private func export() {
    let object = FakeObject(path, [Self.interface: properties])
    object.call = { [weak self] in self?.answer($0) ?? .unknown }
    object.set = { [weak self] _, name, value, call in self?.set(name, value, call) ?? .unknown }
    fake.table.add(object)
  }

  /// The whole bluetoothd dies, so clients are not notified.
  func die() {
    isPresent = false
    sessions = []
    filters = [:]
    for device in devices { device.die() }
    devices = []
  }

  /// Only this adapter goes, so clients are notified.
  func leave() {
    for device in devices { remove(device) }
    isPresent = false
    sessions = []
    fake.table.remove(path)
  }

  private var properties: [String: Value] {
    [
      "Address": .string(address), "AddressType": .string("public"), "Name": .string("test"),
      "Alias": .string("test"), "Class": .uint32(0), "Powered": .bool(isPowered), "Discoverable": .bool(false),
      "Pairable": .bool(false), "Discovering": .bool(saidDiscovering), "UUIDs": .strings([]),
      "Roles": .strings(["central", "peripheral"]), "Modalias": .string(modalias),
    ]
  }

  private var modalias: String {
    let release = fake.script.release
    let digits = String((release.major << 8 | release.minor) + 0x10000, radix: 16, uppercase: true)
    return "usb:v1D6Bp0246d" + digits.dropFirst()
  }

  private var saidDiscovering: Bool { fake.script.claimedDiscovering ?? isScanning }
}

// MARK: The controller

extension FakeAdapter {
  func answer(command: UInt16, asStatus isStatus: Bool, _ status: UInt8) {
    let code = [UInt8(command & 0xff), UInt8(command >> 8)]
    controllerEvents.append(isStatus ? [0x04, 0x0f, 4, status, 1] + code : [0x04, 0x0e, 4, 1] + code + [status])
  }

  fileprivate func watchController() -> () -> [[UInt8]] {
    var next = controllerEvents.count
    return { [weak self] in
      guard let self else { return [] }
      defer { next = controllerEvents.count }
      return Array(controllerEvents[next...])
    }
  }
}

extension FakeBlueZ {
  /// Reads the events of controller hciN from now on, like a raw HCI socket; nil if the script
  /// hides them.
  public func watchController(_ number: Int32) -> (() -> [[UInt8]])? {
    guard script.showsControllers else { return nil }
    return adapters.first { $0.name == "hci\(number)" }?.watchController()
  }

  /// Whether the kernel has a link to this address through hciN.
  public func kernelHasLink(_ number: Int32, _ address: String) -> Bool {
    linksKeptByKernel.contains(address)
      || sensors.contains { $0.address == address && $0.link?.adapter.name == "hci\(number)" }
  }
}

// MARK: Power

extension FakeAdapter {
  /// Takes effect at once, like rfkill or a user's command.
  public func setPowered(_ isOn: Bool) {
    guard isOn != isPowered else { return }
    isPowered = isOn
    if !isOn {
      hangs = false
      sessions = []
      for sensor in fake.sensors { sensor.find(on: self) }
      for device in devices {
        device.loseLink(.local)
        device.finishConnect(.connectionAborted)
      }
    }
    fake.table.change(path, Self.interface, ["Powered": .bool(isOn)])
    discoveryChanged()
  }

  /// Blocks the adapter by rfkill: it is off, and BlueZ cannot switch it on.
  public func setBlocked(_ isBlocked: Bool) {
    self.isBlocked = isBlocked
    if isBlocked { setPowered(false) }
  }

  private func set(_ name: String, _ value: Value, _ call: BusMessage) -> CallAnswer {
    guard name == "Powered", let isOn = value.boolean else {
      fake.table.change(path, Self.interface, [name: value])
      return .reply(.reply(to: call))
    }
    if isOn && isBlocked { return .reply(.error(.blocked, to: call)) }
    fake.after(fake.script.timing.power) { [weak self] in
      self?.setPowered(isOn)
      self?.fake.reply(call)
    }
    return .later
  }
}

// MARK: Discovery

extension FakeAdapter {
  private func answer(_ call: BusMessage) -> CallAnswer {
    let client = call.sender ?? ""
    switch call.member {
    case "StartDiscovery": return answer(call, startDiscovery(client))
    case "StopDiscovery": return answer(call, stopDiscovery(client))
    case "SetDiscoveryFilter":
      var reader = call.reader
      filters[client] = DiscoveryFilter(reader.properties() ?? [:])
      fake.watchClient(client)
      return .reply(.reply(to: call))
    case "RemoveDevice":
      var reader = call.reader
      let path = reader.objectPath()
      guard let device = devices.first(where: { $0.path == path }) else { return answer(call, .doesNotExist) }
      device.sensor.isPaired = false
      remove(device)
      return .reply(.reply(to: call))
    default: return .unknown
    }
  }

  private func answer(_ call: BusMessage, _ error: BusError?) -> CallAnswer {
    .reply(error.map { .error($0, to: call) } ?? .reply(to: call))
  }

  private func startDiscovery(_ client: String) -> BusError? {
    guard isPowered else { return .notReady }
    if sessions.isEmpty { isDeaf = hangs }
    guard sessions.insert(client).inserted else { return .inProgress }
    fake.watchClient(client)
    discoveryChanged()
    return nil
  }

  private func stopDiscovery(_ client: String) -> BusError? {
    guard isPowered else { return .notReady }
    guard sessions.remove(client) != nil else { return .bluezFailed("No discovery started") }
    discoveryChanged()
    return nil
  }

  func forgetClient(_ client: String) {
    filters[client] = nil
    if sessions.remove(client) != nil { discoveryChanged() }
    for device in devices { device.forgetClient(client) }
  }

  private func discoveryChanged() {
    fake.table.change(path, Self.interface, ["Discovering": .bool(saidDiscovering)])
    if isScanning {
      fake.wakeAdvertisers()
    } else {
      // BlueZ drops the RSSI when discovery ends.
      for device in devices { fake.table.invalidate(device.path, FakeDevice.interface, "RSSI") }
    }
  }

  /// The discovery seems to run but receives nothing. It recovers after all sessions were stopped
  /// and started again, or, with `untilOff`, after the power was off.
  public func goDeaf(untilOff: Bool = false) {
    isDeaf = true
    hangs = untilOff
  }

  func receive(_ sensor: FakeSensor) {
    guard isScanning, !isDeaf else { return }
    let active = sessions.map { filters[$0] ?? DiscoveryFilter() }
    let isWanted = active.contains { filter in
      filter.uuids.isEmpty || filter.uuids.contains { sensor.advertisedServices.contains($0) }
    }
    let known = devices.first { $0.sensor === sensor }
    guard isWanted || known != nil else { return }
    let device = known ?? add(sensor)
    device.received(repeatsData: active.contains(where: \.duplicates))
  }
}

// MARK: Devices

extension FakeAdapter {
  private func add(_ sensor: FakeSensor) -> FakeDevice {
    let device = FakeDevice(self, sensor)
    devices.append(device)
    device.export()
    return device
  }

  func remove(_ device: FakeDevice) {
    device.leave()
    devices.removeAll { $0 === device }
  }

  /// Removes a sensor's object, as BlueZ does with temporary devices.
  public func forget(_ sensor: FakeSensor) {
    if let device = devices.first(where: { $0.sensor === sensor }) { remove(device) }
  }

  /// Signals for advertisements of unrelated devices, as at a crowded start line.
  public func flood(strangers: Int = 40, signalsPerSecond: Int, for span: Duration) {
    let end = fake.loop.now + span
    let paths = (0..<strangers).map { "\(path)/dev_F0_00_00_00_00_" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    for path in paths {
      let properties: [String: Value] = ["Address": .string(String(path.suffix(17))), "RSSI": .int16(-80)]
      fake.table.add(FakeObject(path, [FakeDevice.interface: properties]))
    }
    floodTick(paths, 0, max(1, signalsPerSecond / 100), end)
  }

  private func floodTick(_ paths: [String], _ first: Int, _ count: Int, _ end: MonotonicTime) {
    guard fake.loop.now < end else {
      for path in paths { fake.table.remove(path) }
      return
    }
    for number in first..<(first + count) {
      let strength = Value.int16(Int16(-60 - number % 37))
      fake.table.change(paths[number % paths.count], FakeDevice.interface, ["RSSI": strength], always: true)
    }
    fake.after(.milliseconds(10)) { [weak self] in self?.floodTick(paths, first + count, count, end) }
  }
}
