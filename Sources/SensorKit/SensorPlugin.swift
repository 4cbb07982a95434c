// The interface of a sensor plugin. A plugin is a value: bytes and time go in, a batch comes out.
// It does no I/O, reads no clock, and keeps only the state that its protocol needs (counters,
// incomplete pieces).
//
// Each plugin keeps two rules:
// - If `decode` throws, the plugin's state is unchanged. The host rolls back the batch.
// - Only packets yield zeros. `tick` never does, because the session handles silence.

public import Time
public import Vocabulary

/// Decodes the packets of one sensor.
public protocol SensorDecoder {
  /// The link is up and the services are known: requests what to subscribe, read and write first.
  mutating func connected(at time: MonotonicTime, into batch: inout Batch)

  /// Mark it `@inline(__always)` if packets arrive many times a second. A call through this
  /// protocol then goes straight to the decoder and does not copy `source`.
  mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError)

  /// Turns a user's command into bytes to write. The answer follows through `decode` or `tick`.
  mutating func command(
    _ command: Command, at time: MonotonicTime, into batch: inout Batch
  ) throws(CommandError)

  /// The last command could not be sent, so there will be no response.
  mutating func commandFailed()

  /// The program of the plugin published an answer to a command.
  mutating func answered()

  /// The settings changed; counters and distance continue.
  mutating func settingsChanged(_ settings: SensorSettings)

  /// The daemon is about to end the link: requests what to write before.
  mutating func disconnecting(into batch: inout Batch)

  /// The link is gone: incomplete pieces are dropped, anchors of counters stay.
  mutating func disconnected()

  /// When `tick` has to run next, if ever.
  var deadline: MonotonicTime? { get }

  /// Whether the last command waits for an answer of the sensor.
  var awaitsAnswer: Bool { get }

  /// A deadline passed, for example of an incomplete piece or of a command.
  mutating func tick(at time: MonotonicTime, into batch: inout Batch)

  /// The current limits for silence.
  var silence: Silence { get }
}

extension SensorDecoder {
  public mutating func command(
    _ command: Command, at time: MonotonicTime, into batch: inout Batch
  ) throws(CommandError) {
    throw .notSupported
  }

  public mutating func commandFailed() {}
  public mutating func answered() {}
  public mutating func settingsChanged(_ settings: SensorSettings) {}
  public mutating func disconnecting(into batch: inout Batch) {}
  public mutating func disconnected() {}
  public var deadline: MonotonicTime? { nil }
  public var awaitsAnswer: Bool { deadline != nil }
  public mutating func tick(at time: MonotonicTime, into batch: inout Batch) {}
}

/// A plugin that is compiled into the programs: a decoder with a description.
public protocol SensorPlugin: SensorDecoder, SendableMetatype {
  static var info: SensorInfo { get }

  init(settings: SensorSettings)
}

extension SensorPlugin {
  /// Subscribes to and reads the characteristics in `info`.
  public mutating func connected(at time: MonotonicTime, into batch: inout Batch) {
    for use in Self.info.characteristics {
      if use.isSubscribed { batch.subscribe(use.service, use.characteristic) }
      if use.isRead { batch.read(use.service, use.characteristic) }
    }
  }

  public var silence: Silence { Self.info.silence }
}

/// How long a sensor may be silent before it is stale, and before its link is dropped and rebuilt.
public struct Silence: Equatable, Sendable {
  public let staleAfter: Duration?
  public let reconnectAfter: Duration?

  /// Of every plugin. Values that are younger are current, whatever sensor they are from.
  public static let shortest = Duration.seconds(1)

  public init(staleAfter: Duration?, reconnectAfter: Duration?) {
    precondition(staleAfter.map { $0 >= Self.shortest } ?? true)
    self.staleAfter = staleAfter
    self.reconnectAfter = reconnectAfter
  }

  /// For plugins whose silence is normal.
  public static let unlimited = Silence(staleAfter: nil, reconnectAfter: nil)
}

/// The user's settings of a sensor, and the quirks of its device.
public struct SensorSettings: Equatable, Sendable {
  public var circumferenceMM: Double?
  public var role: SensorRole?
  /// Set by the host.
  public internal(set) var quirks: [QuirkEffect] = []

  public init(circumferenceMM: Double? = nil, role: SensorRole? = nil) {
    self.circumferenceMM = circumferenceMM
    self.role = role
  }
}

/// A user's command to a sensor.
public struct Command: Sendable {
  public let name: String
  public let value: Double?
  /// The other numbers, by name, if a command takes several.
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

/// The source of a packet.
public struct PacketSource: Sendable {
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

/// The device that sent a packet. Some valve caps are identified by this alone. A class, because
/// every packet carries it.
public final class Sender: Sendable {
  public let address: String
  public let name: String

  public init(address: String, name: String) {
    self.address = address
    self.name = name
  }
}
