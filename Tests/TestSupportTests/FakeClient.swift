// A small client of BlueZ, for tests of the fake.

import DBus
import Linux
import TestSupport
import Testing

final class FakeClient {
  let world: TestWorld
  let fake: FakeBlueZ
  let bus: Bus
  private(set) var signals: [String] = []

  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let characteristic = "org.bluez.GattCharacteristic1"

  init() throws {
    world = try TestWorld()
    fake = FakeBlueZ(world)
    bus = world.makeBus()
    _ = bus.addMatch(MatchRule(sender: "org.bluez")) { [unowned self] signal in note(signal) }
    fake.addAdapter()
    let isThere = try world.run { [fake, bus] in bus.isConnected && fake.isRunning }
    #expect(isThere)
    try world.run(for: .seconds(1))
  }

  private func note(_ signal: BusMessage) {
    var reader = signal.reader
    switch signal.member {
    case "PropertiesChanged":
      _ = reader.string()
      for (name, value) in (reader.properties() ?? [:]).sorted(by: { $0.key < $1.key }) {
        signals.append("\(name)=\(Self.show(value))")
      }
      for name in reader.strings() ?? [] { signals.append("\(name) gone") }
    case let member:
      signals.append("\(member ?? "") \(reader.objectPath() ?? "")")
    }
  }

  private static func show(_ value: Value) -> String {
    value.text ?? value.boolean.map(String.init) ?? value.integer.map(String.init) ?? value.byteArray.map { "\($0)" }
      ?? "?"
  }

  func forgetSignals() { signals = [] }

  /// Calls, and runs virtual time until the reply arrives.
  @discardableResult
  func call(
    _ path: String, _ interface: String, _ member: String, _ arguments: Value..., within span: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Result<BusMessage, BusError> {
    let message = BusMessage.call(to: "org.bluez", path: path, interface: interface, member: member).append(arguments)
    var result: Result<BusMessage, BusError>?
    bus.call(message, timeout: span) { result = $0 }
    let isAnswered = try world.run(within: span + .seconds(1)) { result != nil }
    #expect(isAnswered, sourceLocation: sourceLocation)
    return try #require(result, sourceLocation: sourceLocation)
  }

  func error(of result: Result<BusMessage, BusError>) -> String? {
    guard case .failure(let error) = result else { return nil }
    return error.description
  }

  func objects(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: [String: [String: Value]]] {
    let answer = try call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects").get()
    var reader = answer.reader
    let objects = reader.objects()
    return try #require(objects, sourceLocation: sourceLocation)
  }

  static let hci0 = "/org/bluez/hci0"

  func startDiscovery() throws {
    let filter = Value.properties(["Transport": .string("le")])
    _ = try call(Self.hci0, Self.adapter, "SetDiscoveryFilter", filter).get()
    _ = try call(Self.hci0, Self.adapter, "StartDiscovery").get()
  }

  /// Discovers and connects a sensor with one characteristic that notifies.
  func connectedBelt(sourceLocation: SourceLocation = #_sourceLocation) throws -> (
    FakeSensor, path: String, characteristic: String
  ) {
    let belt = fake.addSensor("C0:00:00:00:00:01", name: "Belt", services: [heartRate])
    belt.batteryPercentage = 80
    belt.advertise()
    try startDiscovery()
    try world.run(for: .seconds(1))
    let path = try #require(fake.adapters.first?.device(belt), sourceLocation: sourceLocation)
    _ = try call(path, Self.device, "Connect").get()
    try world.run(for: .seconds(1))
    let characteristic = try #require(
      objects().first { $0.value[Self.characteristic]?["UUID"]?.text?.hasPrefix("00002a37") == true }?.key,
      sourceLocation: sourceLocation)
    return (belt, path, characteristic)
  }

  private var heartRate: FakeService {
    FakeService(
      "180d",
      [
        FakeCharacteristic("2a37"), FakeCharacteristic("2a38", ["read"], value: [1]),
        FakeCharacteristic("2a39", ["write"]),
      ])
  }
}
