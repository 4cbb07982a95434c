// What a session publishes and writes in answer to one message of the daemon.

public import JSON

public struct PluginResponse: Equatable, Sendable {
  private(set) var records: [JSONValue] = []
  private(set) var writes: [JSONValue] = []
  private(set) var logs: [String] = []
  private(set) var tickAfterMilliseconds: Int?

  private static let mostBytesOfWrite = 64
  private static let mostBytesOfLog = 200
  private static let ticks = 100...86_400_000

  init() {}

  /// A record of `[Sample KIND]`. Fields that are nil are omitted, because they are unknown.
  public mutating func sample(_ kind: String, _ fields: KeyValuePairs<String, JSONValue?>) {
    append("sample", kind, fields)
  }

  /// A record of `[Event NAME]`.
  public mutating func event(_ name: String, _ fields: KeyValuePairs<String, JSONValue?> = [:]) {
    append("event", name, fields)
  }

  /// A record of `[Fact]`.
  public mutating func fact(_ fields: KeyValuePairs<String, JSONValue?>) {
    records.append(.object([.init("fact", .object(Self.known(fields)))]))
  }

  /// A record of `[Answer]`, for commands and ticks.
  public mutating func answer(_ fields: KeyValuePairs<String, JSONValue?>) {
    records.append(.object([.init("answer", .object(Self.known(fields)))]))
  }

  /// Writes 1 to 64 bytes to the sensor. The file has to name the service.
  public mutating func write(_ bytes: [UInt8], to service: String, _ characteristic: String) {
    precondition(1...Self.mostBytesOfWrite ~= bytes.count, "a write has 1 to \(Self.mostBytesOfWrite) bytes")
    writes.append([
      "service": .string(service), "characteristic": .string(characteristic), "hex": .string(hexText(bytes)),
    ])
  }

  /// Has the daemon call `tick` once, after 100 ms to a day. A later call replaces an earlier one.
  public mutating func tick(afterMilliseconds milliseconds: Int) {
    precondition(Self.ticks ~= milliseconds, "a tick comes after 100 ms to a day")
    tickAfterMilliseconds = milliseconds
  }

  /// Writes a line to the daemon's log. It logs 10 a minute. Longer texts than 200 bytes are cut off.
  public mutating func log(_ text: String) {
    var short = text
    while short.utf8.count > Self.mostBytesOfLog { short.removeLast() }
    logs.append(short)
  }

  /// After a refusal, nothing is published or written.
  mutating func removeRecordsAndWrites() {
    records = []
    writes = []
  }

  /// JSON has no infinite numbers, and none that are not a number.
  var hasOnlyFiniteNumbers: Bool { records.allSatisfy(Self.isFinite) }

  private static func isFinite(_ value: JSONValue) -> Bool {
    switch value {
    case .number(let number): number.isFinite
    case .array(let items): items.allSatisfy(isFinite)
    case .object(let members): members.allSatisfy { isFinite($0.value) }
    case .null, .bool, .string: true
    }
  }

  private mutating func append(_ mark: String, _ name: String, _ fields: KeyValuePairs<String, JSONValue?>) {
    records.append(.object([.init(mark, .string(name))] + Self.known(fields)))
  }

  private static func known(_ fields: KeyValuePairs<String, JSONValue?>) -> [JSONValue.Member] {
    fields.compactMap { field in field.value.map { .init(field.key, $0) } }
  }
}
