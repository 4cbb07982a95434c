// A radio over a fake BlueZ in virtual time, and what it reported.

import BlueZRadio
import DBus
import EventLoop
import Linux
import ProgramKit
import Radio
import TestSupport
import Testing
import Vocabulary
import Wire

final class RadioStand {
  let world: TestWorld
  let fake: FakeBlueZ
  let bus: Bus
  let radio: BlueZSensorRadio
  let belt: FakeSensor
  var adverts: [Advert] = []
  var adapterStates: [String] = []
  var gainedAdapters = 0
  var obstacles: [StateReason?] = []
  var questions: [PairingQuestion] = []
  var hanging: [String] = []

  static let address = DeviceAddress("C0:00:00:00:00:01")
  static let rate = Endpoint(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a37))
  static let location = Endpoint(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a38))
  static let control = Endpoint(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a39))
  static let battery = Endpoint(service: BluetoothUUID(0x180f), characteristic: BluetoothUUID(0x2a19))

  init(
    powersOn: Bool = true, adapter: Bool = true, afterBluetoothd: Bool = false, rfkill: BlueZSensorRadio.RFKill? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
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
    // Otherwise the order in which both join the bus is undefined.
    let isThere =
      try !afterBluetoothd || world.run { [fake] in fake.isRunning && fake.adapters.first?.isPowered == true }
    #expect(isThere, sourceLocation: sourceLocation)
    bus = world.makeBus()
    radio = BlueZSensorRadio(
      loop: world.loop, bus: bus, log: Log { _ in }, powersOn: powersOn, rfkill: rfkill,
      controllers: .init(fake))
    radio.delegate = self
    radio.start()
  }

  /// A started radio that is ready.
  static func ready(sourceLocation: SourceLocation = #_sourceLocation, _ prepare: (FakeBlueZ) -> Void = { _ in }) throws
    -> RadioStand
  {
    let stand = try RadioStand(sourceLocation: sourceLocation, prepare)
    #expect(try stand.world.run { stand.radio.condition == .ready }, sourceLocation: sourceLocation)
    return stand
  }

  /// Discovery has found the belt and has stopped.
  static func discovered(sourceLocation: SourceLocation = #_sourceLocation, _ prepare: (FakeBlueZ) -> Void = { _ in })
    throws -> RadioStand
  {
    let stand = try ready(sourceLocation: sourceLocation, prepare)
    stand.belt.advertise()
    stand.radio.search(SearchDemand())
    #expect(try stand.world.run { !stand.adverts.isEmpty }, sourceLocation: sourceLocation)
    stand.radio.search(nil)
    try stand.world.settle()
    return stand
  }

  func makeLink(sourceLocation: SourceLocation = #_sourceLocation) throws -> LinkProbe {
    LinkProbe(radio.link(to: try #require(Self.address, sourceLocation: sourceLocation)), world)
  }

  func openLink(sourceLocation: SourceLocation = #_sourceLocation) throws -> LinkProbe {
    let probe = try makeLink(sourceLocation: sourceLocation)
    probe.open()
    #expect(try world.run { probe.isOpen }, "\(String(describing: probe.failure))", sourceLocation: sourceLocation)
    return probe
  }
}

extension RadioStand: RadioDelegate {
  func radio(received advert: Advert) { adverts.append(advert) }

  func radioChanged(_ adapter: RadioAdapter) { adapterStates.append("\(adapter.name) \(adapter.state.rawValue)") }

  func radioGainedAdapter() { gainedAdapters += 1 }

  func radio(asks question: PairingQuestion) { questions.append(question) }

  func radio(cannotRevive adapter: String) { hanging.append(adapter) }

  func radioConditionChanged() { obstacles.append(radio.condition.obstacle) }
}

/// A link, and what it reported. A callback from within the link's own call fails the test.
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

  func subscribe(_ endpoint: Endpoint, sourceLocation: SourceLocation = #_sourceLocation) throws -> LinkFailure? {
    var result: Result<Void, LinkFailure>?
    guarded { link.subscribe(endpoint) { result = $0 } }
    #expect(result == nil, sourceLocation: sourceLocation)
    #expect(try world.run { result != nil }, sourceLocation: sourceLocation)
    if case .failure(let failure) = result { return failure }
    return nil
  }

  func read(_ endpoint: Endpoint, sourceLocation: SourceLocation = #_sourceLocation) throws -> [UInt8]? {
    var result: Result<[UInt8], LinkFailure>?
    guarded { link.read(endpoint) { result = $0 } }
    #expect(try world.run { result != nil }, sourceLocation: sourceLocation)
    return try? result?.get()
  }

  func write(_ value: [UInt8], to endpoint: Endpoint, sourceLocation: SourceLocation = #_sourceLocation) throws
    -> LinkFailure?
  {
    var result: Result<Void, LinkFailure>?
    guarded { link.write(value, to: endpoint, withResponse: true) { result = $0 } }
    #expect(try world.run { result != nil }, sourceLocation: sourceLocation)
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

extension BlueZSensorRadio.Controllers {
  init(_ fake: FakeBlueZ) {
    self.init(
      watch: { [weak fake] in fake?.watchController($0) },
      hasLink: { [weak fake] in fake?.kernelHasLink($0, $1) ?? false })
  }
}
