// A trainer speaks several services, and two of them tell facts of the same name: what it is believed to be must not depend
// on which was read first.

import SensorKit
import Sensors
import Testing

@Suite struct CombinedSensorTests {
  static let services = [BluetoothUUID(0x1816), BluetoothUUID(0x1818)]
  static let speedFeature = (service: services[0], characteristic: BluetoothUUID(0x2a5c))
  static let powerFeature = (service: services[1], characteristic: BluetoothUUID(0x2a65))
  static let speedLocation = (service: services[0], characteristic: SensorLocation.characteristic)
  static let powerLocation = (service: services[1], characteristic: SensorLocation.characteristic)

  final class Trainer {
    var host = PluginHost(
      recognize(DeviceDescription(services: services), among: registry), settings: SensorSettings())
    var batch = Batch()
    var believed: [String: Batch.Value] = [:]

    func read(_ place: (service: BluetoothUUID, characteristic: BluetoothUUID), _ bytes: [UInt8]) throws {
      batch.removeAll()
      let source = Source(
        .read(service: place.service, characteristic: place.characteristic), sender: Sender(address: "", name: ""))
      try host.decode(bytes.span, from: source, at: MonotonicTime(seconds: 0), into: &batch)
      for entry in batch.entries where entry.kind == .fact && !entry.isHidden {
        for index in entry.fields { believed[batch.field(index).field.name.description] = batch.field(index).value }
      }
    }
  }

  @Test(arguments: [true, false])
  func whatOneServiceCanTheSensorCan(_ powerFirst: Bool) throws {
    let trainer = Trainer()
    if powerFirst { try trainer.read(Self.powerFeature, [0x04, 0, 0, 0]) }
    try trainer.read(Self.speedFeature, [0x02, 0])
    if !powerFirst { try trainer.read(Self.powerFeature, [0x04, 0, 0, 0]) }
    #expect(trainer.believed["wheel_revolution_data"] == .flag(true))
    #expect(trainer.believed["crank_revolution_data"] == .flag(true))
    #expect(trainer.believed["multiple_sensor_locations"] == .flag(false))
  }

  @Test func whatNoServiceCanAnyMoreTheSensorCannot() throws {
    let trainer = Trainer()
    try trainer.read(Self.powerFeature, [0x04, 0, 0, 0])
    try trainer.read(Self.speedFeature, [0, 0])
    try trainer.read(Self.powerFeature, [0, 0, 0, 0])
    #expect(trainer.believed["wheel_revolution_data"] == .flag(false))
  }

  @Test(arguments: [true, false])
  func ofOtherFactsTheFirstServiceIsBelieved(_ powerFirst: Bool) throws {
    let trainer = Trainer()
    if powerFirst { try trainer.read(Self.powerLocation, [15]) }
    try trainer.read(Self.speedLocation, [12])
    if !powerFirst { try trainer.read(Self.powerLocation, [15]) }
    #expect(trainer.believed["sensor_location"] == .word("rear_wheel"))
  }
}
