// All 256 flag bytes, compared with an independent decoder, and the only command.

import JSON
import SampleLines
import SensorKit
import Sensors
import Testing
import Time
import Vocabulary

@Suite struct HeartRateTests {
  static let source = PacketSource(
    .notified(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a37)),
    sender: Sender(address: "A0:9E:1A:00:00:01", name: "Strap"))

  /// The fields as JSON, "nothing", or the error.
  static func decode(_ bytes: [UInt8]) -> String {
    var host = PluginHost(builtInPlugins.plugins, settings: SensorSettings())
    var batch = Batch()
    do throws(DecodeError) {
      try host.decode(bytes.span, from: source, at: MonotonicTime(seconds: 0), into: &batch)
    } catch {
      return "\(error.reason.rawValue) \(error.offset)"
    }
    guard let entry = batch.entries.first else { return "nothing" }
    var writer = JSONWriter()
    writer.beginObject()
    writer.fields(of: entry, in: batch)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// A second implementation of the specification, which uses lengths instead of a cursor.
  static func reference(_ bytes: [UInt8]) -> String {
    let flags = bytes[0]
    let rateEnd = flags & 1 == 0 ? 2 : 3
    guard bytes.count >= rateEnd else { return "truncated 1" }
    let bpm = rateEnd == 2 ? Int(bytes[1]) : Int(bytes[1]) + 256 * Int(bytes[2])
    let energyEnd = rateEnd + (flags & 8 == 0 ? 0 : 2)
    guard bytes.count >= energyEnd else { return "truncated \(rateEnd)" }
    let rest = Array(bytes[energyEnd...])
    let hasIntervals = flags & 16 != 0
    if hasIntervals, rest.count % 2 == 1 { return "truncated \(bytes.count - 1)" }
    if !hasIntervals, !rest.isEmpty, flags < 32 { return "trailing_bytes \(energyEnd)" }
    let intervals: [JSONValue] =
      !hasIntervals
      ? []
      : stride(from: 0, to: rest.count, by: 2).map { index in
        .number(Double(Int(rest[index]) + 256 * Int(rest[index + 1])) / 1.024)
      }
    if bpm == 0, intervals.isEmpty { return "nothing" }
    var members: [JSONValue.Member] = bpm == 0 ? [] : [JSONValue.Member("bpm", .number(Double(bpm)))]
    members.append(JSONValue.Member("rr_ms", .array(intervals)))
    if flags & 4 != 0 {
      members.append(JSONValue.Member("sensor_contact", flags & 2 != 0 ? "detected" : "not_detected"))
    }
    if flags & 8 != 0 {
      let kilojoules = Int(bytes[rateEnd]) + 256 * Int(bytes[rateEnd + 1])
      members.append(JSONValue.Member("energy_expended_j", .number(Double(kilojoules * 1000))))
    }
    return JSONValue.object(members).encoded
  }

  @Test(
    "every flag byte is decoded as specified, at every length",
    arguments: [[0x48, 0x00, 0x05, 0x02, 0x9a, 0x01, 0x9b, 0x01, 0x10], [UInt8](repeating: 0, count: 9)])
  func flagBytes(_ body: [UInt8]) {
    for flags in UInt8.min...UInt8.max {
      for length in 0...body.count {
        let bytes = [flags] + body.prefix(length)
        #expect(Self.decode(bytes) == Self.reference(bytes), "\(bytes)")
      }
    }
  }

  @Test("the energy count can be reset")
  func resetEnergy() throws {
    var host = PluginHost(builtInPlugins.plugins, settings: SensorSettings())
    var batch = Batch()
    try host.command(Command(name: "reset_energy"), at: MonotonicTime(seconds: 0), into: &batch)
    let action = try #require(batch.actions.first)
    #expect(action.verb == .write && action.characteristic == BluetoothUUID(0x2a39))
    #expect(Array(batch.value(of: action)) == [0x01])
  }

  @Test("a silent strap is stale after 5 s and reconnected after 15 s")
  func silence() {
    let types = builtInPlugins.recognize(DeviceDescription(services: [BluetoothUUID(0x180d), BluetoothUUID(0x180f)]))
    let host = PluginHost(types, settings: SensorSettings())
    #expect(host.silence == Silence(staleAfter: .seconds(5), reconnectAfter: .seconds(15)))
  }
}
