// What a batch publishes, as JSON without the members that every record has.

import DeclaredSensors
import JSON
import SampleLines
import SensorKit
import Testing

/// Everything that the entries of a batch are on the wire.
func records(of batch: borrowing Batch) throws -> [JSONValue] {
  var records: [JSONValue] = []
  for index in batch.entryIndices {
    let entry = batch.entry(index)
    var writer = JSONWriter()
    let zero = MonotonicTime(nanoseconds: 0)
    switch entry.kind {
    case .sample(let kind):
      var encoded = EncodedSample()
      encoded.encode(kind, entry, of: batch, SampleHeader(sensor: "s", sequence: 1, time: zero))
      writer.sample(encoded, ageMS: 0)
      writer.endLine()
    case .fact: writer.factLines(sensor: "s", time: zero, entry, of: batch)
    case .answer: writer.answerLine(sensor: "s", time: zero, entry, of: batch)
    case .event(let name): writer.eventLine(name, time: zero, entry, of: batch)
    }
    for line in String(decoding: writer.bytes, as: UTF8.self).split(separator: "\n") {
      let members = try #require(try JSONValue.parse(String(line)).members)
      records.append(.object(members.filter { !["sensor", "seq", "t", "age_ms"].contains($0.name) }))
    }
  }
  return records
}

/// The least that a file begins with, in five lines.
let leastHead = "[Sensor]\nFormat = 1\nId = x\nTitle = X\nService = 180d\n"

/// A sensor that a test declares, with its packets.
struct DeclaredSession: ~Copyable {
  private var host: PluginHost
  var batch = Batch()
  private let service: BluetoothUUID
  private let sender: Sender

  init(_ text: String, settings: SensorSettings = SensorSettings(), sender: Sender = Sender(address: "", name: ""))
    throws
  {
    let program = try SensorFile(Array(text.utf8), words: SensorWords()).program
    host = PluginHost([program.plugin], settings: settings, name: sender.name)
    service = program.info.characteristics.first?.service ?? BluetoothUUID(0x180d)
    self.sender = sender
  }

  /// The records of a packet of the first service; a refusal is a single record.
  mutating func packet(_ hex: String, from uuid: UInt32 = 0x2a37, at seconds: Double = 0) throws -> [JSONValue] {
    let origin = PacketSource.Origin.notified(service: service, characteristic: BluetoothUUID(uuid))
    return try packet(hex, from: origin, at: seconds)
  }

  mutating func packet(_ hex: String, from origin: PacketSource.Origin, at seconds: Double = 0) throws -> [JSONValue] {
    batch.removeAll()
    do throws(DecodeError) {
      try host.decode(
        hexBytes(hex).span, from: PacketSource(origin, sender: sender), at: MonotonicTime(seconds: seconds),
        into: &batch)
    } catch {
      return [["error": .string(error.reason.rawValue), "offset": .number(Double(error.offset))]]
    }
    return try records(of: batch)
  }

  var silence: Silence { host.silence }
  var deadline: MonotonicTime? { host.deadline }

  /// Runs something on the host, and returns the writes: characteristic and hex.
  mutating func actions(_ body: (inout PluginHost, inout Batch) throws -> Void) rethrows -> [String] {
    batch.removeAll()
    try body(&host, &batch)
    var texts: [String] = []
    for action in batch.actions {
      let hex = batch.value(of: action).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      texts.append("\(action.verb) \(action.characteristic)\(hex.isEmpty ? "" : " " + hex)")
    }
    return texts
  }

  mutating func disconnected() { host.disconnected() }
}

/// Within 2e-6 of their size.
func isClose(_ one: JSONValue?, _ other: JSONValue?) -> Bool {
  switch (one, other) {
  case (.number(let one), .number(let other)): abs(one - other) <= 2e-6 * max(1, abs(other))
  case (.array(let one), .array(let other)): one.count == other.count && zip(one, other).allSatisfy { isClose($0, $1) }
  case (.object(let one), .object(let other)):
    one.map(\.name) == other.map(\.name) && zip(one, other).allSatisfy { isClose($0.value, $1.value) }
  default: one == other
  }
}
