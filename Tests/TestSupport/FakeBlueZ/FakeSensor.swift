// The sensor itself, independent of BlueZ: its advertisements and services, and whether it is in
// range.

internal import DBus
internal import EventLoop

public final class FakeService {
  public let uuid: String
  public let characteristics: [FakeCharacteristic]

  public init(_ uuid: String, _ characteristics: [FakeCharacteristic]) {
    self.uuid = longUUID(uuid)
    self.characteristics = characteristics
  }
}

/// BlueZ shows every UUID in full and in lower case; tests may use the short form.
func longUUID(_ uuid: String) -> String {
  uuid.count == 4 ? "0000\(uuid.lowercased())-0000-1000-8000-00805f9b34fb" : uuid.lowercased()
}

public final class FakeSensor {
  /// The advertised address, and the known one after bonding.
  public internal(set) var address: String
  /// Its identity address, if it is hidden until bonding.
  public var ownAddress: String?
  public let name: String
  public let addressType: String
  /// The sensor's current services. BlueZ keeps showing the ones it read first, until the device is
  /// removed.
  public var services: [FakeService]
  public var manufacturerData: [UInt16: [UInt8]] = [:]
  public var serviceData: [String: [UInt8]] = [:]
  public var appearance: UInt16?
  public var rssi: Int16 = -60
  /// Shown as Battery1 while connected; nil for none.
  public var batteryPercentage: UInt8?
  public var isPaired = false
  /// How it bonds.
  public var bonding = FakeBonding.justWorks
  /// How often a bonding was attempted.
  public internal(set) var bondings = 0
  /// Whether it answers a connection request, advertising or not.
  public var isInRange = false
  public private(set) var isAdvertising = false
  public internal(set) var connectAttempts = 0

  unowned let fake: FakeBlueZ
  /// The device object through which it is connected.
  weak var link: FakeDevice?
  private var advert: Deadline?
  /// The adapter whose controller has a link that the kernel does not know.
  private weak var loser: FakeAdapter?
  private var explicitServices: [String]?

  init(_ fake: FakeBlueZ, _ address: String, _ name: String, _ addressType: String, _ services: [FakeService]) {
    self.fake = fake
    self.address = address
    self.name = name
    self.addressType = addressType
    self.services = services
  }

  public var isConnected: Bool { link != nil }

  /// Defaults to all its services.
  public var advertisedServices: [String] {
    get { explicitServices ?? services.map(\.uuid) }
    set { explicitServices = newValue.map(longUUID) }
  }

  public func characteristic(_ uuid: String) -> FakeCharacteristic? {
    services.lazy.flatMap(\.characteristics).first { $0.uuid == longUUID(uuid) }
  }
}

// MARK: Advertising

extension FakeSensor {
  /// All scanning adapters receive it until it stops or is connected. A sensor does not advertise
  /// while connected and resumes after the link is lost.
  public func advertise() {
    isInRange = true
    isAdvertising = true
    advert?.cancel()
    advert = nil
    scheduleAdvert(after: .zero)
  }

  public func stopAdvertising() {
    isAdvertising = false
    advert?.cancel()
    advert = nil
  }

  /// Out of range or without a battery: silent, and its link times out.
  public func goAway() {
    isInRange = false
    stopAdvertising()
    dropLink(.timeout)
  }

  /// Only while an adapter scans, so that an idle test has no deadlines.
  func scheduleAdvert(after span: Duration? = nil) {
    guard isAdvertising, advert?.isPending != true, fake.isAnybodyScanning else { return }
    advert = fake.loop.schedule(after: span ?? fake.script.timing.advertInterval) { [weak self] in
      guard let self, isAdvertising else { return }
      if !isConnected, !isLost { fake.receive(self) }
      scheduleAdvert()
    }
  }
}

// MARK: Lost links

extension FakeSensor {
  /// The sensor has a link that the kernel does not know.
  public var isLost: Bool { loser != nil }

  func lose(on adapter: FakeAdapter) { loser = adapter }

  /// The controller was reset.
  func find(on adapter: FakeAdapter) {
    guard loser === adapter else { return }
    loser = nil
    scheduleAdvert()
  }
}

// MARK: Links

extension FakeSensor {
  public func dropLink(_ reason: LinkLoss = .timeout) {
    link?.loseLink(reason)
  }

  /// The link ends, and bluetoothd connects again by itself. The kernel sends the cancel of that
  /// before its LE Create Connection, so that it loses the link.
  public func dropLinkAndReconnect() {
    link?.isReconnecting = true
    dropLink()
  }

  /// Sends a notification. Without a subscriber it is lost, as with a real sensor.
  public func notify(_ uuid: String, _ bytes: [UInt8]) {
    guard let characteristic = characteristic(uuid) else { return }
    link?.pass(bytes, of: characteristic)
  }

  public func setBattery(_ percentage: UInt8?) {
    batteryPercentage = percentage
    link?.batteryChanged()
  }
}
