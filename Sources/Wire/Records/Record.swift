// What all records have in common: a class and members in a fixed order, one record per line. The
// daemon writes them and clients read them. A client treats missing members and unknown words as
// unknown values.

public import JSON

public protocol Record: Equatable, Sendable {
  static var className: String { get }

  /// Writes the members after `class`.
  func writeMembers(into writer: inout JSONWriter)

  /// Nil if a required member is missing.
  init?(_ json: JSONValue)
}

extension JSONWriter {
  /// Writes the record as a line.
  public mutating func line(_ record: some Record) {
    self.record(record)
    endLine()
  }

  /// Writes the record as a value, for the results of requests.
  public mutating func record<Kind: Record>(_ record: Kind) {
    beginRecord(Kind.className)
    record.writeMembers(into: &self)
    endObject()
  }

  /// Begins an object with its class.
  public mutating func beginRecord(_ className: String) {
    beginObject()
    member("class", className)
  }
}

/// The daemon's first line.
public struct HelloRecord: Record {
  public static let className = "hello"
  public static let currentProtocol = "1.0"
  public let protocolVersion: String
  public let release: String
  /// Changes with every start of the daemon, which resets `seq`.
  public let instance: String
  public let lineLimit: Int
  public let clientLimit: Int

  public init(
    protocolVersion: String = currentProtocol, release: String, instance: String,
    lineLimit: Int = LineSplitter.protocolLimit, clientLimit: Int = 256
  ) {
    self.protocolVersion = protocolVersion
    self.release = release
    self.instance = instance
    self.lineLimit = lineLimit
    self.clientLimit = clientLimit
  }

  public func writeMembers(into writer: inout JSONWriter) {
    writer.member("protocol", protocolVersion)
    writer.member("release", release)
    writer.member("instance", instance)
    writer.member("limits")
    writer.beginObject()
    writer.member("line", lineLimit)
    writer.member("clients", clientLimit)
    writer.endObject()
  }

  public init?(_ json: JSONValue) {
    guard let version = json["protocol"]?.text, let instance = json["instance"]?.text else { return nil }
    self.init(
      protocolVersion: version, release: json["release"]?.text ?? "", instance: instance,
      lineLimit: json["limits"]?["line"]?.integer ?? LineSplitter.protocolLimit,
      clientLimit: json["limits"]?["clients"]?.integer ?? 256)
  }
}

/// Samples that a slow client lost.
public struct LagRecord: Record {
  public static let className = "lag"
  public let dropped: Int

  public init(dropped: Int) {
    self.dropped = dropped
  }

  public func writeMembers(into writer: inout JSONWriter) {
    writer.member("dropped", dropped)
  }

  public init?(_ json: JSONValue) {
    guard let dropped = json["dropped"]?.integer else { return nil }
    self.init(dropped: dropped)
  }
}

/// The end of the records of a `scan`.
public struct ScanEndedRecord: Record {
  public static let className = "scan_ended"

  public init() {}
  public func writeMembers(into writer: inout JSONWriter) {}
  public init?(_ json: JSONValue) {}
}

/// The end of the records of a snapshot.
public struct SnapshotEndedRecord: Record {
  public static let className = "snapshot_ended"

  public init() {}
  public func writeMembers(into writer: inout JSONWriter) {}
  public init?(_ json: JSONValue) {}
}
