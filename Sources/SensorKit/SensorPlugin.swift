// The seam where a new sensor enters. A plugin is a value: bytes and time in, a batch out. It does no input or output, reads
// no clock, and keeps only the state its protocol needs (counters, half-received pieces).
//
// What a plugin holds to:
// - whole or nothing: when `decode` throws, the plugin's state is as it was before (the host takes back the batch);
// - only a packet makes a zero: `tick` never does, for silence is the session's to say.

public protocol SensorPlugin: SendableMetatype {
  static var info: SensorInfo { get }

  init(settings: SensorSettings)

  /// The link is up and the services are known: what to subscribe, read and write first.
  mutating func connected(at time: MonotonicTime, into batch: inout Batch)

  /// Where packets come many times a second it is marked `@inline(__always)`: a call that comes through this protocol then
  /// is in the decoder at once, and `source` is not copied on the way.
  mutating func decode(
    _ value: Span<UInt8>, from source: Source, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError)

  /// Turns a user's command into bytes to write; the answer comes later, through `decode` or `tick`.
  mutating func command(
    _ command: Command, at time: MonotonicTime, into batch: inout Batch
  ) throws(CommandError)

  /// The bytes of the last command did not reach the sensor: its answer will not come.
  mutating func commandFailed()

  /// New settings; counters and distance go on.
  mutating func settingsChanged(_ settings: SensorSettings)

  /// The link is gone: half-received pieces are dropped, anchors of counters stay.
  mutating func disconnected()

  /// When `tick` must run next, if ever.
  var deadline: MonotonicTime? { get }

  /// A deadline passed: of half-received pieces, of a command's answer.
  mutating func tick(at time: MonotonicTime, into batch: inout Batch)

  /// How long this sensor may be silent now.
  var silence: Silence { get }
}

extension SensorPlugin {
  /// Subscribes to and reads what the plugin's description lists.
  public mutating func connected(at time: MonotonicTime, into batch: inout Batch) {
    for use in Self.info.characteristics {
      if use.isSubscribed { batch.subscribe(use.service, use.characteristic) }
      if use.isRead { batch.read(use.service, use.characteristic) }
    }
  }

  public mutating func command(
    _ command: Command, at time: MonotonicTime, into batch: inout Batch
  ) throws(CommandError) {
    throw .notSupported
  }

  public mutating func commandFailed() {}
  public mutating func settingsChanged(_ settings: SensorSettings) {}
  public mutating func disconnected() {}
  public var deadline: MonotonicTime? { nil }
  public mutating func tick(at time: MonotonicTime, into batch: inout Batch) {}
  public var silence: Silence { Self.info.silence }
}

/// How long a sensor may say nothing before it is called stale, and before its link is cut and rebuilt.
public struct Silence: Equatable, Sendable {
  public let staleAfter: Duration?
  public let reconnectAfter: Duration?

  public init(staleAfter: Duration?, reconnectAfter: Duration?) {
    self.staleAfter = staleAfter
    self.reconnectAfter = reconnectAfter
  }

  /// For a plugin whose silence means nothing.
  public static let unlimited = Silence(staleAfter: nil, reconnectAfter: nil)
}

/// What the user has set for a sensor, and what is known of its kind.
public struct SensorSettings: Equatable, Sendable {
  public var circumferenceMM: Double?
  public var role: String?
  /// Filled in by the host.
  public internal(set) var quirks: [QuirkEffect] = []

  public init(circumferenceMM: Double? = nil, role: String? = nil) {
    self.circumferenceMM = circumferenceMM
    self.role = role
  }
}

extension SensorSettings {
  /// Which wheel the sensor sits on, where its role says so.
  public var wheel: Word? {
    switch role {
    case "front": "front"
    case "rear": "rear"
    default: nil
    }
  }
}

/// What a user asks a sensor to do.
public struct Command: Sendable {
  public let name: String
  public let value: Double?
  /// The other numbers of a command that takes several, by name.
  public let parameters: [String: Double]

  public init(name: String, value: Double? = nil, parameters: [String: Double] = [:]) {
    self.name = name
    self.value = value
    self.parameters = parameters
  }
}

public enum CommandError: Error, Equatable, Sendable {
  case notSupported
  case badValue
  case busy
}

/// Where bytes came from.
public struct Source: Sendable {
  public enum Origin: Equatable, Sendable {
    case notified(service: BluetoothUUID, characteristic: BluetoothUUID)
    case indicated(service: BluetoothUUID, characteristic: BluetoothUUID)
    case read(service: BluetoothUUID, characteristic: BluetoothUUID)
    case manufacturer(UInt16)
    case serviceData(BluetoothUUID)
  }

  public let origin: Origin
  public let sender: Sender

  public init(_ origin: Origin, sender: Sender) {
    self.origin = origin
    self.sender = sender
  }

  @inlinable
  public var characteristic: BluetoothUUID? {
    switch origin {
    case .notified(_, let uuid), .indicated(_, let uuid), .read(_, let uuid): uuid
    case .manufacturer, .serviceData: nil
    }
  }
}

/// Who sent them. Some valve caps are known by these alone. A class, for every packet comes with it.
public final class Sender: Sendable {
  public let address: String
  public let name: String

  public init(address: String, name: String) {
    self.address = address
    self.name = name
  }
}
