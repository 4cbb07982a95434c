// The dialogue with a strap. Each request has the bytes of the vectors, and follows the answer to
// the previous one.

import Foundation
import JSON
import SensorKit
import Sensors
import Testing
import Time
import Vocabulary

@Suite struct PolarDialogueTests {
  static let service = BluetoothUUID("fb005c80-02e7-f387-1cad-8acd2d8df0c8") ?? BluetoothUUID(0)
  static let control = BluetoothUUID("fb005c81-02e7-f387-1cad-8acd2d8df0c8") ?? BluetoothUUID(0)

  var strap = PluginHost(
    builtInPlugins.recognize(DeviceDescription(services: [service])), settings: SensorSettings())

  /// Receives a packet, and returns what is written in response.
  private mutating func receive(_ bytes: [UInt8], at seconds: Double = 1) throws -> [String] {
    var batch = Batch()
    let source = PacketSource(
      .indicated(service: Self.service, characteristic: Self.control), sender: Sender(address: "", name: ""))
    try strap.decode(bytes.span, from: source, at: MonotonicTime(seconds: seconds), into: &batch)
    return Writes.of(batch)
  }

  private mutating func ask(_ command: String) throws -> [String] {
    var batch = Batch()
    try strap.command(Command(name: command), at: MonotonicTime(seconds: 2), into: &batch)
    return Writes.of(batch)
  }

  @Test("both streams are started, one after the other")
  mutating func startsBothStreams() throws {
    let writes = try Writes.expected("polar-pmd")
    #expect(try receive([0x0f, 0x05, 0, 0]) == [writes["get ECG settings"]])
    #expect(try receive([0xf0, 1, 0, 0, 0, 0, 1, 0x82, 0, 1, 1, 0x0e, 0]) == [writes["start ECG 130 Hz 14 bit"]])
    #expect(try receive([0xf0, 2, 0, 0, 0]) == [writes["get ACC settings"]])
    let offered: [UInt8] = [0xf0, 1, 2, 0, 0, 0, 4, 25, 0, 50, 0, 100, 0, 200, 0, 1, 1, 16, 0, 2, 3, 2, 0, 4, 0, 8, 0]
    #expect(try receive(offered) == [writes["start ACC 100 Hz 16 bit 4 g"]])
    #expect(try receive([0xf0, 2, 2, 0, 0, 5, 1, 0, 0, 0x80, 0x3f]) == [])
    #expect(strap.deadline == nil)
    #expect(strap.silence.staleAfter == .seconds(5))
    #expect(try ask("stop_ecg") == [writes["stop ECG"]])
    #expect(try receive([0xf0, 3, 0, 0, 0]) == [])
    #expect(try ask("stop_acceleration") == [writes["stop ACC"]])
    #expect(throws: CommandError.busy) { try ask("start_ecg") }
    #expect(try receive([0xf0, 3, 2, 0, 0]) == [])
    #expect(strap.silence == .unlimited)
  }

  @Test("a refusal ends only its own step")
  mutating func refusedStep() throws {
    #expect(try receive([0x0f, 0x05]) == ["0100"])
    #expect(try receive([0xf0, 1, 0, 13]) == ["0102"])
    #expect(strap.silence == .unlimited)
  }

  @Test("an offer with the same setting twice is refused")
  mutating func duplicateSetting() throws {
    #expect(try receive([0x0f, 0x05]) == ["0100"])
    #expect(throws: DecodeError(.reservedValue, at: 9)) {
      try receive([0xf0, 1, 0, 0, 0, 0, 1, 0x82, 0, 0, 1, 0x82, 0])
    }
    #expect(strap.deadline == MonotonicTime(seconds: 11), "the request is still pending")
  }

  @Test("a missing answer ends only its own step")
  mutating func missingAnswer() throws {
    #expect(try receive([0x0f, 0x05]) == ["0100"])
    #expect(strap.deadline == MonotonicTime(seconds: 11))
    var batch = Batch()
    strap.tick(at: MonotonicTime(seconds: 11), into: &batch)
    #expect(Writes.of(batch) == ["0102"])
    #expect(batch.entries.isEmpty)
  }

  @Test("a request that could not be written does not block the next")
  mutating func failedWrite() throws {
    let writes = try Writes.expected("polar-pmd")
    #expect(try ask("stop_ecg") == [writes["stop ECG"]])
    strap.commandFailed()
    #expect(strap.deadline == nil)
    #expect(try ask("stop_acceleration") == [writes["stop ACC"]])
    #expect(strap.deadline == MonotonicTime(seconds: 12))
    #expect(throws: CommandError.busy) { try ask("stop_ecg") }
    #expect(try receive([0xf0, 3, 2, 0, 0]) == [])
    #expect(strap.deadline == nil)
  }

  @Test("nothing is sent to a strap without streams")
  mutating func noStreams() throws {
    #expect(try receive([0x0f, 0x08]) == [])
    #expect(strap.deadline == nil)
  }
}

/// What plugins write, and what the vectors require them to write, as hex.
enum Writes {
  static func of(_ batch: borrowing Batch) -> [String] {
    var writes: [String] = []
    for action in batch.actions where action.verb == .write {
      writes.append(batch.value(of: action).map { String(format: "%02x", $0) }.joined())
    }
    return writes
  }

  static func expected(_ file: String) throws -> [String: String] {
    let rows = try VectorFile(name: file).load()["writes"]?.items ?? []
    return Dictionary(uniqueKeysWithValues: rows.map { ($0["name"]?.text ?? "", $0["hex"]?.text ?? "") })
  }
}
