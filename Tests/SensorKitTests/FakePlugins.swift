// Plugins for trivial protocols, used to test the host and the batch.

import SensorKit
import Time
import Vocabulary

enum Fake {
  static let service = BluetoothUUID(0xfff0)
  static let other = BluetoothUUID(0xfff8)
  static let value = BluetoothUUID(0xfff1)
  static let second = BluetoothUUID(0xfff2)
  static let sender = Sender(address: "A0:9E:1A:00:00:01", name: "Fake")

  static func notified(_ characteristic: BluetoothUUID, of service: BluetoothUUID = service) -> PacketSource {
    PacketSource(.notified(service: service, characteristic: characteristic), sender: sender)
  }

  static func info(
    _ id: String, _ characteristic: BluetoothUUID, of service: BluetoothUUID = service, stale: Int = 3,
    commands: [CommandInfo] = []
  ) -> SensorInfo {
    SensorInfo(
      id: id, title: id, services: [service], characteristics: [.subscribed(characteristic, of: service)],
      kinds: [.speed], silence: Silence(staleAfter: .seconds(stale), reconnectAfter: .seconds(stale * 3)),
      commands: commands)
  }
}

/// Publishes its byte as a speed. It refuses 0xff after it has begun a sample, overflows the batch
/// on 0xfe, and sets a deadline on 0xfd. A command writes one byte; the value 254 overflows the
/// batch.
struct FirstPlugin: SensorPlugin {
  static let info = Fake.info("first", Fake.value, commands: [CommandInfo("zero", "Begin at 0")])
  private var deadlineTime: MonotonicTime?

  init(settings: SensorSettings) {}

  var deadline: MonotonicTime? { deadlineTime }

  mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    batch.sample(.speed)
    batch.set(.speedMps, value[0])
    if value[0] == 0xff { throw DecodeError(.reservedValue, at: 0) }
    if value[0] == 0xfe { for _ in 0..<1_000 { batch.set(.bpm, 1) } }
    if value[0] == 0xfd { deadlineTime = time + .seconds(1) }
  }

  mutating func command(_ command: Command, at time: MonotonicTime, into batch: inout Batch) throws(CommandError) {
    let bytes: [UInt8] = [0x01]
    batch.write(bytes.span, to: Fake.service, Fake.value)
    if command.value == nil { throw .badValue }
    if command.value == 254 { for _ in 0..<1_000 { batch.subscribe(Fake.service, Fake.value) } }
  }

  mutating func tick(at time: MonotonicTime, into batch: inout Batch) {
    deadlineTime = nil
    batch.answer()
    batch.set(Field("result"), "timeout")
  }
}

struct SecondPlugin: SensorPlugin {
  static let info = Fake.info("second", Fake.second, stale: 5)

  init(settings: SensorSettings) {}

  mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    batch.sample(.speed)
    batch.set(.speedMps, value[0])
  }
}

/// Has the first plugin's characteristic in another service.
struct ThirdPlugin: SensorPlugin {
  static let info = Fake.info("third", Fake.value, of: Fake.other)

  init(settings: SensorSettings) {}

  mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    batch.sample(.speed)
  }
}

/// Publishes whether its device has the quirk `bent`.
struct BentPlugin: SensorPlugin {
  static let info = Fake.info("bent", Fake.value)
  static let effect = QuirkEffect("bent")
  private var isBent = false

  init(settings: SensorSettings) {
    settingsChanged(settings)
  }

  mutating func settingsChanged(_ settings: SensorSettings) {
    isBent = settings.quirks.contains(Self.effect)
  }

  mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    batch.sample(.speed)
    batch.set(Field("bent"), isBent)
  }
}
