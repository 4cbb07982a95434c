// The fake handles agents and bonds like BlueZ 5.66.

import DBus
import TestSupport
import Testing

struct FakeAgentTests {
  private let client: FakeClient
  private let belt: FakeSensor

  init() throws {
    client = try FakeClient()
    belt = client.fake.addSensor(
      "C0:00:00:00:00:01", name: "Belt",
      services: [FakeService("180d", [FakeCharacteristic("2a37")])])
    belt.characteristic("2a37")?.needsBond = true
    belt.advertise()
    try client.startDiscovery()
  }

  private let manager = "org.bluez.AgentManager1"

  private func connect(
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (device: String, measurement: String) {
    let adapter = client.fake.adapters[0]
    let isFound = try client.world.run { [belt] in adapter.device(belt) != nil }
    #expect(isFound, sourceLocation: sourceLocation)
    let path = try #require(adapter.device(belt), sourceLocation: sourceLocation)
    _ = try client.call(path, FakeClient.device, "Connect").get()
    try client.world.run(for: .seconds(1))
    return (path, try #require(try client.objects().keys.first { $0.contains("/char") }))
  }

  @Test("the first agent is the default until another requests it")
  func firstAgentDefault() throws {
    let second = client.world.makeBus()
    let isThere = try client.world.run { second.isConnected }
    #expect(isThere)
    let arguments: [Value] = [.objectPath("/a"), .string("KeyboardDisplay")]
    _ = try client.call("/org/bluez", manager, "RegisterAgent", arguments[0], arguments[1]).get()
    let again = try client.call("/org/bluez", manager, "RegisterAgent", arguments[0], arguments[1])
    #expect(client.error(of: again)?.contains("AlreadyExists") == true)
    for (member, values) in [("RegisterAgent", arguments), ("RequestDefaultAgent", [arguments[0]])] {
      let before = client.fake.agentClients
      #expect(before.first == client.bus.connection?.name)
      let call = BusMessage.call(to: "org.bluez", path: "/org/bluez", interface: manager, member: member)
      second.call(call.append(values)) { _ in }
      let isDone = try client.world.run { [client] in client.fake.agentClients != before }
      #expect(isDone)
    }
    #expect(client.fake.agentClients == [second.connection?.name, client.bus.connection?.name])
    second.stop()
    let isForgotten = try client.world.run { [client] in client.fake.agentClients.count == 1 }
    #expect(isForgotten)
    _ = try client.call("/org/bluez", manager, "UnregisterAgent", arguments[0]).get()
    let gone = try client.call("/org/bluez", manager, "UnregisterAgent", arguments[0])
    #expect(client.error(of: gone)?.contains("DoesNotExist") == true)
  }

  @Test("without an agent nothing bonds, and AcquireNotify is never answered")
  func withoutAgentNothingBondsAndAcquireNotify() throws {
    let (device, measurement) = try connect()
    let silent = try client.call(
      measurement, FakeClient.characteristic, "AcquireNotify", .properties([:]), within: .seconds(20))
    #expect(client.error(of: silent)?.contains("Timeout") == true)
    let second = try client.call(measurement, FakeClient.characteristic, "StartNotify")
    #expect(client.error(of: second)?.contains("Notify acquired") == true)
    let pair = try client.call(device, FakeClient.device, "Pair", within: .seconds(20))
    #expect(client.error(of: pair)?.contains("Timeout") == true)
    #expect(belt.bondings == 1 && !belt.isPaired)
  }

  @Test("without an agent StartNotify reports that nothing is bonded")
  func withoutAgentStartNotifyReportsThatNothing() throws {
    let (_, measurement) = try connect()
    let refused = try client.call(measurement, FakeClient.characteristic, "StartNotify")
    #expect(client.error(of: refused)?.contains("Not paired") == true)
  }

  @Test("a bonded sensor is not bonded again")
  func bondedSensorNotBondedAgain() throws {
    let (device, _) = try connect()
    _ = try client.call(device, FakeClient.device, "Pair").get()
    #expect(belt.isPaired)
    let again = try client.call(device, FakeClient.device, "Pair")
    #expect(client.error(of: again)?.contains("AlreadyExists") == true)
  }
}
