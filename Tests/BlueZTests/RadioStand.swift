// A radio over a fake BlueZ in virtual time, and what it told.

import DBus
import DaemonCore
import EventLoop
import Linux
import SensorKit
import TestSupport
import Testing
import Wire

final class RadioStand {
  let world: TestWorld
  let fake: FakeBlueZ
  let bus: Bus
  let radio: BlueZRadio
  let belt: FakeSensor
  var adverts: [Advert] = []
  var adapterStates: [String] = []
  var obstacles: [StateReason?] = []
  var questions: [PairingQuestion] = []
  var hanging: [String] = []

  static let address = DeviceAddress("C0:00:00:00:00:01")
  static let rate = Endpoint(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a37))
  static let location = Endpoint(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a38))
  static let control = Endpoint(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a39))
  static let battery = Endpoint(service: BluetoothUUID(0x180f), characteristic: BluetoothUUID(0x2a19))

  init(
    powersOn: Bool = true, adapter: Bool = true, afterBluetoothd: Bool = false, rfkill: BlueZRadio.RFKill? = nil,
    _ prepare: (FakeBlueZ) -> Void = { _ in }
  ) throws {
    world = try TestWorld()
    fake = FakeBlueZ(world)
    belt = fake.addSensor(
      "C0:00:00:00:00:01", name: "Belt",
      services: [
        FakeService(
          "180d",
          [
            FakeCharacteristic("2a37"), FakeCharacteristic("2a38", ["read"], value: [1]),
            FakeCharacteristic("2a39", ["write"]), FakeCharacteristic("2a9d", ["indicate"]),
          ])
      ])
    prepare(fake)
    if adapter { fake.addAdapter() }
    // Else it is open who is on the bus first.
    let isThere =
      try !afterBluetoothd || world.run { [fake] in fake.isRunning && fake.adapters.first?.isPowered == true }
    #expect(isThere)
    bus = world.makeBus()
    radio = BlueZRadio(
      loop: world.loop, bus: bus, log: Log { _ in }, powersOn: powersOn, rfkill: rfkill,
      controllers: .init(fake))
    radio.delegate = self
    radio.start()
  }

  /// Started, and everything there.
  static func ready(_ prepare: (FakeBlueZ) -> Void = { _ in }) throws -> RadioStand {
    let stand = try RadioStand(prepare)
    #expect(try stand.world.run { stand.radio.condition == .ready })
    return stand
  }

  /// Discovery has found the belt.
  static func heard(_ prepare: (FakeBlueZ) -> Void = { _ in }) throws -> RadioStand {
    let stand = try ready(prepare)
    stand.belt.advertise()
    stand.radio.search(SearchDemand())
    #expect(try stand.world.run { !stand.adverts.isEmpty })
    stand.radio.search(nil)
    try stand.world.settle()
    return stand
  }

  func makeLink() throws -> LinkProbe {
    LinkProbe(radio.link(to: try #require(Self.address)), world)
  }

  func openLink() throws -> LinkProbe {
    let probe = try makeLink()
    probe.open()
    #expect(try world.run { probe.isOpen }, "\(String(describing: probe.failure))")
    return probe
  }
}

extension RadioStand: RadioDelegate {
  func radio(heard advert: Advert) { adverts.append(advert) }

  func radioChanged(_ adapter: RadioAdapter) { adapterStates.append("\(adapter.name) \(adapter.state.rawValue)") }

  func radio(asks question: PairingQuestion) { questions.append(question) }

  func radio(cannotRevive adapter: String) { hanging.append(adapter) }

  func radioConditionChanged() { obstacles.append(radio.condition.obstacle) }
}

/// A link, and what it told. It minds being told something from within its own call.
final class LinkProbe: LinkDelegate {
  let link: any Link
  private let world: TestWorld
  private(set) var endpoints: [Endpoint]?
  private(set) var values: [[UInt8]] = []
  private(set) var indicated: [Bool] = []
  private(set) var failure: LinkFailure?
  private(set) var revealed: [DeviceAddress] = []
  private var isCalling = false

  init(_ link: any Link, _ world: TestWorld) {
    self.link = link
    self.world = world
    link.delegate = self
  }

  var isOpen: Bool { endpoints != nil && failure == nil }

  func open() { guarded { link.open() } }
  func close() { guarded { link.close() } }

  private func guarded(_ call: () -> Void) {
    isCalling = true
    call()
    isCalling = false
  }

  func subscribe(_ endpoint: Endpoint) throws -> LinkFailure? {
    var result: Result<Void, LinkFailure>?
    guarded { link.subscribe(endpoint) { result = $0 } }
    #expect(result == nil)
    #expect(try world.run { result != nil })
    if case .failure(let failure) = result { return failure }
    return nil
  }

  func read(_ endpoint: Endpoint) throws -> [UInt8]? {
    var result: Result<[UInt8], LinkFailure>?
    guarded { link.read(endpoint) { result = $0 } }
    #expect(try world.run { result != nil })
    return try? result?.get()
  }

  func write(_ value: [UInt8], to endpoint: Endpoint) throws -> LinkFailure? {
    var result: Result<Void, LinkFailure>?
    guarded { link.write(value, to: endpoint, withResponse: true) { result = $0 } }
    #expect(try world.run { result != nil })
    if case .failure(let failure) = result { return failure }
    return nil
  }

  func link(_ link: any Link, revealed address: DeviceAddress) { revealed.append(address) }

  func link(_ link: any Link, openedWith endpoints: [Endpoint]) {
    #expect(!isCalling)
    self.endpoints = endpoints
  }

  func link(_ link: any Link, received value: Span<UInt8>, from endpoint: Endpoint, indicated: Bool) {
    #expect(!isCalling)
    var bytes: [UInt8] = []
    for index in value.indices { bytes.append(value[index]) }
    values.append(bytes)
    self.indicated.append(indicated)
  }

  func link(_ link: any Link, closedWith failure: LinkFailure) {
    #expect(!isCalling)
    #expect(self.failure == nil, "closed twice")
    self.failure = failure
  }
}

extension BlueZRadio.Controllers {
  /// Those of a fake BlueZ.
  init(_ fake: FakeBlueZ) {
    self.init(
      watch: { [weak fake] in fake?.watchController($0) },
      hasLink: { [weak fake] in fake?.kernelHasLink($0, $1) ?? false })
  }
}
