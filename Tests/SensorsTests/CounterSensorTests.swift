// Speed, power and running sensors beyond their vectors: commands and their results, silence,
// settings that change during a ride, and the length of every combination of flags.

import JSON
import SampleLines
import SensorKit
import Sensors
import Testing
import Time
import Vocabulary

@Suite struct CounterSensorTests {
  enum Service {
    static let cycling = BluetoothUUID(0x1816)
    static let power = BluetoothUUID(0x1818)
    static let running = BluetoothUUID(0x1814)
  }

  /// One sensor, fed packet by packet. Its output is lines of JSON without their envelope.
  final class Sensor {
    let service: BluetoothUUID
    var host: PluginHost
    var batch = Batch()

    init(_ service: BluetoothUUID, circumferenceMM: Double? = nil) {
      self.service = service
      let types = builtInPlugins.recognize(DeviceDescription(services: [service]))
      host = PluginHost(types, settings: SensorSettings(circumferenceMM: circumferenceMM))
    }

    func receive(_ characteristic: UInt32, _ bytes: [UInt8], at seconds: Double) -> [String] {
      batch.removeAll()
      let source = PacketSource(
        .notified(service: service, characteristic: BluetoothUUID(characteristic)),
        sender: Sender(address: "", name: ""))
      do throws(DecodeError) {
        try host.decode(bytes.span, from: source, at: MonotonicTime(seconds: seconds), into: &batch)
      } catch {
        return ["\(error.reason.rawValue) \(error.offset)"]
      }
      return output()
    }

    func output() -> [String] {
      batch.entries.map { entry in
        var writer = JSONWriter()
        writer.beginObject()
        writer.fields(of: entry, in: batch)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
      }
    }

    /// The bytes that a command writes, or the error.
    func command(_ name: String, _ value: Double? = nil, at seconds: Double = 0) -> String {
      batch.removeAll()
      do throws(CommandError) {
        try host.command(Command(name: name, value: value), at: MonotonicTime(seconds: seconds), into: &batch)
      } catch {
        return "\(error)"
      }
      return batch.actions.map { "\($0.characteristic) \(hex(batch.value(of: $0)))" }.joined(separator: ", ")
    }

    private func hex(_ bytes: ArraySlice<UInt8>) -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }
}

// MARK: Commands

extension CounterSensorTests {
  @Test(
    "a command is written as its bytes",
    arguments: [
      (Service.cycling, "set_cumulative", 100_000, "2a55 01a0860100"),
      (Service.cycling, "set_cumulative", 4_294_967_295, "2a55 01ffffffff"),
      (Service.cycling, "set_cumulative", 4_294_967_296, "badValue"),
      (Service.cycling, "set_cumulative", -1, "badValue"),
      (Service.cycling, "set_cumulative", 1.5, "badValue"),
      (Service.cycling, "set_cumulative", .nan, "badValue"),
      (Service.cycling, "set_cumulative", nil, "badValue"),
      (Service.cycling, "set_location", 12, "2a55 030c"),
      (Service.cycling, "set_location", 17, "badValue"),
      (Service.cycling, "list_locations", nil, "2a55 04"),
      (Service.cycling, "start_calibration", nil, "notSupported"),
      (Service.cycling, "zero_offset", nil, "notSupported"),
      (Service.running, "set_cumulative", 123.4, "2a55 01d2040000"),
      (Service.running, "start_calibration", nil, "2a55 02"),
      (Service.power, "set_cumulative", 258, "2a66 0102010000"),
      (Service.power, "set_location", 5, "2a66 0205"),
      (Service.power, "list_locations", nil, "2a66 03"),
      (Service.power, "set_crank_length", 172.5, "2a66 045901"),
      (Service.power, "set_crank_length", 172.3, "badValue"),
      (Service.power, "set_crank_length", 40_000, "badValue"),
      (Service.power, "crank_length", nil, "2a66 05"),
      (Service.power, "set_chain_length", 1368, "2a66 065805"),
      (Service.power, "set_chain_weight", 298, "2a66 082a01"),
      (Service.power, "set_span_length", 128, "2a66 0a8000"),
      (Service.power, "zero_offset", nil, "2a66 0c"),
      (Service.power, "mask_content", 5, "2a66 0d0500"),
      (Service.power, "sampling_rate", nil, "2a66 0e"),
      (Service.power, "factory_calibration_date", nil, "2a66 0f"),
      (Service.power, "enhanced_zero_offset", nil, "2a66 10"),
    ] as [(BluetoothUUID, String, Double?, String)])
  func commandBytes(_ row: (service: BluetoothUUID, name: String, value: Double?, written: String)) {
    #expect(Sensor(row.service).command(row.name, row.value) == row.written)
  }

  @Test(
    "only one command can be pending, until its answer, a timeout or a lost link",
    arguments: [
      (Service.cycling, "list_locations", 0x2a55, [0x10, 0x04, 0x01], 4),
      (Service.running, "start_calibration", 0x2a55, [0x10, 0x02, 0x04], 2),
      (Service.power, "zero_offset", 0x2a66, [0x20, 0x0c, 0x04], 12),
    ] as [(BluetoothUUID, String, UInt32, [UInt8], Int)])
  func onePendingCommand(
    _ row: (service: BluetoothUUID, name: String, characteristic: UInt32, answer: [UInt8], opcode: Int)
  ) {
    let sensor = Sensor(row.service)
    _ = sensor.command(row.name, at: 10)
    #expect(sensor.command(row.name, at: 11) == "busy")
    #expect(
      sensor.receive(row.characteristic, row.answer + [0xff], at: 12).count == 1,
      "an invalid answer does not end the command")
    #expect(sensor.command(row.name, at: 13) == "busy")
    #expect(sensor.receive(row.characteristic, row.answer, at: 14).first?.contains("\"request_opcode\"") == true)
    #expect(sensor.host.deadline == nil)
    _ = sensor.command(row.name, at: 20)
    #expect(sensor.host.deadline == MonotonicTime(seconds: 50))
    sensor.batch.removeAll()
    sensor.host.tick(at: MonotonicTime(seconds: 50), into: &sensor.batch)
    #expect(sensor.output() == ["{\"request_opcode\":\(row.opcode),\"result\":\"timeout\"}"])
    #expect(sensor.batch.entries.map(\.kind) == [.answer] && sensor.host.deadline == nil)
    _ = sensor.command(row.name, at: 60)
    sensor.host.disconnected()
    #expect(
      sensor.host.deadline == nil && sensor.command(row.name, at: 61) != "busy", "the command ended with its link")
  }

  @Test(
    "a command that could not be written does not block the next",
    arguments: [
      (Service.cycling, "list_locations", 0x2a55, [0x10, 0x04, 0x01]),
      (Service.running, "start_calibration", 0x2a55, [0x10, 0x02, 0x04]),
      (Service.power, "zero_offset", 0x2a66, [0x20, 0x0c, 0x04]),
    ] as [(BluetoothUUID, String, UInt32, [UInt8])])
  func failedWrite(
    _ row: (service: BluetoothUUID, name: String, characteristic: UInt32, answer: [UInt8])
  ) {
    let sensor = Sensor(row.service)
    let written = sensor.command(row.name, at: 10)
    #expect(sensor.command(row.name, at: 11) == "busy")
    sensor.host.commandFailed()
    #expect(sensor.host.deadline == nil)
    #expect(sensor.command(row.name, at: 12) == written)
    #expect(sensor.host.deadline == MonotonicTime(seconds: 42))
    #expect(sensor.receive(row.characteristic, row.answer, at: 13).first?.contains("\"request_opcode\"") == true)
    #expect(sensor.host.deadline == nil)
  }

  @Test(
    "a late answer to another command does not end the pending one",
    arguments: [
      (Service.cycling, "list_locations", 0x2a55, [0x10, 0x03, 0x01], [0x10, 0x04, 0x01]),
      (Service.power, "zero_offset", 0x2a66, [0x20, 0x02, 0x01], [0x20, 0x0c, 0x04]),
    ] as [(BluetoothUUID, String, UInt32, [UInt8], [UInt8])])
  func lateAnswer(
    _ row: (service: BluetoothUUID, name: String, characteristic: UInt32, late: [UInt8], answer: [UInt8])
  ) {
    let sensor = Sensor(row.service)
    _ = sensor.command(row.name, at: 10)
    _ = sensor.receive(row.characteristic, row.late, at: 11)
    #expect(sensor.command(row.name, at: 12) == "busy")
    _ = sensor.receive(row.characteristic, row.answer, at: 13)
    #expect(sensor.command(row.name, at: 14) != "busy")
  }

  @Test("a list of sensor locations has at most 32 entries")
  func locationLimit() {
    let sensor = Sensor(Service.cycling)
    let answer: [UInt8] = [0x10, 0x04, 0x01]
    #expect(sensor.receive(0x2a55, answer + [UInt8](repeating: 12, count: 32), at: 0).count == 1)
    #expect(sensor.receive(0x2a55, answer + [UInt8](repeating: 12, count: 33), at: 0) == ["out_of_range 36"])
  }
}

// MARK: Silence and settings

extension CounterSensorTests {
  static let awake = Silence(staleAfter: .seconds(3), reconnectAfter: .seconds(10))
  static let asleep = Silence(staleAfter: .seconds(3), reconnectAfter: nil)

  @Test("a sensor may sleep while the bike stands still")
  func standingBike() {
    let sensor = Sensor(Service.cycling)
    #expect(sensor.host.silence == Self.awake)
    let standing: [UInt8] = [0x03, 10, 0, 0, 0, 0, 4, 5, 0, 0, 4]
    _ = sensor.receive(0x2a5b, standing, at: 0)
    #expect(sensor.host.silence == Self.awake, "one packet does not show a standstill")
    _ = sensor.receive(0x2a5b, standing, at: 3)
    #expect(sensor.host.silence == Self.asleep)
    _ = sensor.receive(0x2a5b, [0x03, 10, 0, 0, 0, 0, 4, 6, 0, 0, 16], at: 4)
    #expect(sensor.host.silence == Self.awake, "the crank turns")
  }

  @Test("a footpod may sleep while the runner stands still")
  func standingRunner() {
    let sensor = Sensor(Service.running)
    _ = sensor.receive(0x2a53, [0x00, 0x00, 0x03, 0xaa], at: 0)
    #expect(sensor.host.silence == Self.awake)
    _ = sensor.receive(0x2a53, [0x00, 0x00, 0x00, 0x00], at: 1)
    #expect(sensor.host.silence == Self.asleep)
  }

  @Test("a power meter must not sleep even while the crank stands still")
  func standingCrank() {
    let sensor = Sensor(Service.power)
    for second in [0.0, 4] { _ = sensor.receive(0x2a63, [0x20, 0x00, 0, 0, 5, 0, 0, 4], at: second) }
    #expect(sensor.host.silence == Self.awake)
  }

  @Test("a new circumference keeps the counters")
  func newCircumference() {
    let sensor = Sensor(Service.cycling, circumferenceMM: 2000)
    _ = sensor.receive(0x2a5b, [0x01, 10, 0, 0, 0, 0, 0], at: 0)
    let first = sensor.receive(0x2a5b, [0x01, 12, 0, 0, 0, 0, 4], at: 1)
    #expect(first == [#"{"speed_mps":4,"distance_delta_m":4,"distance_m":4,"wheel_revs":12}"#])
    sensor.host.settingsChanged(SensorSettings(circumferenceMM: 2500))
    let second = sensor.receive(0x2a5b, [0x01, 14, 0, 0, 0, 0, 8], at: 2)
    #expect(second == [#"{"speed_mps":5,"distance_delta_m":5,"distance_m":9,"wheel_revs":14}"#])
    sensor.host.settingsChanged(SensorSettings())
    #expect(sensor.receive(0x2a5b, [0x01, 16, 0, 0, 0, 0, 12], at: 3) == [#"{"wheel_revs":16}"#])
    sensor.host.disconnected()
    sensor.host.settingsChanged(SensorSettings(circumferenceMM: 2000))
    let last = sensor.receive(0x2a5b, [0x01, 26, 0, 0, 0, 0, 32], at: 8)
    #expect(last == [#"{"speed_mps":4,"distance_delta_m":20,"distance_m":29,"wheel_revs":26}"#])
  }

  @Test("the vector and the measurement share one crank counter")
  func sharedCrank() {
    let sensor = Sensor(Service.power)
    #expect(sensor.receive(0x2a63, [0x20, 0x00, 100, 0, 5, 0, 0, 0], at: 0) == [#"{"power_w":100}"#])
    let vector = sensor.receive(0x2a64, [0x01, 6, 0, 0, 4], at: 1)
    #expect(vector == [#"{"direction":"unknown"}"#, #"{"cadence_rpm":60,"crank_revs":6}"#])
    let measurement = sensor.receive(0x2a63, [0x20, 0x00, 100, 0, 6, 0, 0, 4], at: 1.1)
    #expect(measurement == [#"{"power_w":100}"#, #"{"cadence_rpm":60,"crank_revs":6}"#])
  }
}

// MARK: Flags

extension CounterSensorTests {
  /// Sizes of the fields that the flags announce, from the specification's tables.
  static let powerSizes = [1, 0, 2, 0, 6, 4, 4, 4, 3, 2, 2, 2, 0]

  @Test("every combination of power flags has its length")
  func powerFlags() {
    let sensor = Sensor(Service.power)
    for flags in 0..<0x2000 {
      let length = 4 + Self.powerSizes.indices.reduce(0) { $0 + (flags >> $1 & 1 == 1 ? Self.powerSizes[$1] : 0) }
      let bytes = [UInt8(flags & 0xff), UInt8(flags >> 8)] + [UInt8](repeating: 1, count: length - 2)
      let isGood = sensor.receive(0x2a63, bytes, at: 0).first?.hasPrefix("{\"power_w\":257") == true
      let isShort = sensor.receive(0x2a63, bytes.dropLast(), at: 0).first?.hasPrefix("truncated") == true
      let isLong = sensor.receive(0x2a63, bytes + [0], at: 0) == ["trailing_bytes \(length)"]
      if !(isGood && isShort && isLong) { Issue.record("flags \(flags)") }
    }
  }

  @Test(
    "every flag byte has its length",
    arguments: [
      (Service.cycling, 0x2a5b, 1, [6, 4]),
      (Service.running, 0x2a53, 4, [2, 4, 0]),
    ] as [(BluetoothUUID, UInt32, Int, [Int])])
  func flagBytes(_ row: (service: BluetoothUUID, characteristic: UInt32, base: Int, sizes: [Int])) {
    let sensor = Sensor(row.service)
    for flags in 0..<256 {
      let length = row.base + row.sizes.indices.reduce(0) { $0 + (flags >> $1 & 1 == 1 ? row.sizes[$1] : 0) }
      let bytes = [UInt8(flags)] + [UInt8](repeating: 0, count: length - 1)
      let isReserved = flags >> row.sizes.count != 0
      #expect(sensor.receive(row.characteristic, bytes, at: 0).first?.hasPrefix("t") != true, "flags \(flags)")
      let long = sensor.receive(row.characteristic, bytes + [0], at: 0)
      #expect((long == ["trailing_bytes \(length)"]) == !isReserved, "flags \(flags)")
      if length > 1 {
        #expect(sensor.receive(row.characteristic, bytes.dropLast(), at: 0).first?.hasPrefix("truncated") == true)
      }
    }
  }
}
