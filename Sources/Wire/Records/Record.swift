// What all records have in common: a class and members in a fixed order, one record per line. The
// daemon writes them and clients read them. A client treats missing members and unknown words as
// unknown values.

public import JSON

public protocol Record: WireValue {
  static var className: String { get }

  /// Nil if a needed member is missing.
  init?(_ json: JSONValue)
  /// Writes the members after `class`.
  func writeMembers(into writer: inout JSONWriter)
}

extension Record {
  public init?(wire json: JSONValue) { self.init(json) }

  public func write(into writer: inout JSONWriter) {
    writer.beginRecord(Self.className)
    writeMembers(into: &writer)
    writer.endObject()
  }
}

extension Record where Self: WireObject {
  public init?(wire json: JSONValue) { self.init(json) }

  public func write(into writer: inout JSONWriter) {
    writer.beginRecord(Self.className)
    writeMembers(into: &writer)
    writer.endObject()
  }
}

extension JSONWriter {
  /// Writes the record as a line.
  public mutating func line(_ record: some Record) {
    record.write(into: &self)
    endLine()
  }

  /// Begins an object with its class.
  public mutating func beginRecord(_ className: String) {
    beginObject()
    member("class", className)
  }
}

/// The daemon's first line.
public struct HelloRecord: Record, WireObject {
  public static let className = "hello"
  public static let currentProtocol = "1.0"
  public private(set) var protocolVersion = ""
  public private(set) var release = ""
  /// Changes with every start of the daemon, which resets `seq`.
  public private(set) var instance = ""
  private var limits = Limits()

  public var lineLimit: Int { limits.line }
  public var clientLimit: Int { limits.clients }

  private struct Limits: WireObject {
    var line = LineSplitter.protocolLimit
    var clients = 256

    mutating func visit(_ members: inout Members) {
      members.member("line", &line)
      members.member("clients", &clients)
    }
  }

  public init() {}

  public init(
    protocolVersion: String = currentProtocol, release: String, instance: String,
    lineLimit: Int = LineSplitter.protocolLimit, clientLimit: Int = 256
  ) {
    self.protocolVersion = protocolVersion
    self.release = release
    self.instance = instance
    limits = Limits(line: lineLimit, clients: clientLimit)
  }

  public mutating func visit(_ members: inout Members) {
    members.needed("protocol", &protocolVersion)
    members.member("release", &release)
    members.needed("instance", &instance)
    members.member("limits", &limits)
  }
}

/// Samples that a slow client lost.
public struct LagRecord: Record, WireObject {
  public static let className = "lag"
  public private(set) var dropped = 0

  public init() {}

  public init(dropped: Int) {
    self.dropped = dropped
  }

  public mutating func visit(_ members: inout Members) {
    members.needed("dropped", &dropped)
  }
}

/// Something that happened once, such as an approaching car.
public struct EventRecord: Record, WireObject {
  public static let className = "event"
  public private(set) var sensor: String?
  public private(set) var event = ""
  /// What belongs to the event, with its times.
  public private(set) var details: [JSONValue.Member] = []

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.member("sensor", &sensor)
    members.needed("event", &event)
    members.others(&details)
  }
}

/// The rider's data have changed. What they are is for those who may ask `rider`.
public struct RiderChangeRecord: Record, WireObject {
  public static let className = "rider"

  public init() {}
  public mutating func visit(_ members: inout Members) {}
}

/// The end of the records of a `scan`.
public struct ScanEndedRecord: Record, WireObject {
  public static let className = "scan_ended"

  public init() {}
  public mutating func visit(_ members: inout Members) {}
}

/// The end of the records of an `inspect`.
public struct InspectEndedRecord: Record, WireObject {
  public static let className = "inspect_ended"
  /// Why it ended before its time, if the client did not cancel it.
  public private(set) var reason: WireWord<StateReason>?

  public init() {}

  public init(reason: StateReason?) {
    self.reason = reason.map(WireWord.init)
  }

  public mutating func visit(_ members: inout Members) {
    members.member("reason", &reason)
  }
}

/// The end of the records of a snapshot.
public struct SnapshotEndedRecord: Record, WireObject {
  public static let className = "snapshot_ended"

  public init() {}
  public mutating func visit(_ members: inout Members) {}
}
