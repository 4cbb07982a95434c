// A trainer has several services, and two of them report facts of the same name. The result must
// not depend on which service was read first.

import SensorKit
import Sensors
import Testing
import Time
import Vocabulary

@Suite struct CombinedSensorTests {
  static let services = [BluetoothUUID(0x1816), BluetoothUUID(0x1818)]
  static let speedFeature = (service: services[0], characteristic: BluetoothUUID(0x2a5c))
  static let powerFeature = (service: services[1], characteristic: BluetoothUUID(0x2a65))
  static let speedLocation = (service: services[0], characteristic: SensorLocation.characteristic)
  static let powerLocation = (service: services[1], characteristic: SensorLocation.characteristic)

  final class Trainer {
    var host = PluginHost(
      builtInPlugins.recognize(DeviceDescription(services: services)), settings: SensorSettings())
    var batch = Batch()
    var facts: [String: Batch.Value] = [:]

    func read(_ place: (service: BluetoothUUID, characteristic: BluetoothUUID), _ bytes: [UInt8]) throws {
      batch.removeAll()
      let source = PacketSource(
        .read(service: place.service, characteristic: place.characteristic), sender: Sender(address: "", name: ""))
      try host.decode(bytes.span, from: source, at: MonotonicTime(seconds: 0), into: &batch)
      for entry in batch.entries where entry.kind == .fact && !entry.isHidden {
        for index in entry.fields { facts[batch.field(index).field.name.description] = batch.field(index).value }
      }
    }
  }

  @Test("a feature of one service is a feature of the sensor", arguments: [true, false])
  func featureOfOneService(_ powerFirst: Bool) throws {
    let trainer = Trainer()
    if powerFirst { try trainer.read(Self.powerFeature, [0x04, 0, 0, 0]) }
    try trainer.read(Self.speedFeature, [0x02, 0])
    if !powerFirst { try trainer.read(Self.powerFeature, [0x04, 0, 0, 0]) }
    #expect(trainer.facts["wheel_revolution_data"] == .flag(true))
    #expect(trainer.facts["crank_revolution_data"] == .flag(true))
    #expect(trainer.facts["multiple_sensor_locations"] == .flag(false))
  }

  @Test("a feature that no service has any more is withdrawn")
  func withdrawnFeature() throws {
    let trainer = Trainer()
    try trainer.read(Self.powerFeature, [0x04, 0, 0, 0])
    try trainer.read(Self.speedFeature, [0, 0])
    try trainer.read(Self.powerFeature, [0, 0, 0, 0])
    #expect(trainer.facts["wheel_revolution_data"] == .flag(false))
  }

  @Test("for other facts, the first service counts", arguments: [true, false])
  func otherFacts(_ powerFirst: Bool) throws {
    let trainer = Trainer()
    if powerFirst { try trainer.read(Self.powerLocation, [15]) }
    try trainer.read(Self.speedLocation, [12])
    if !powerFirst { try trainer.read(Self.powerLocation, [15]) }
    #expect(trainer.facts["sensor_location"] == .word("rear_wheel"))
  }
}
