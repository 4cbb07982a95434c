// What a connection to a broker needs to know. All of it is chosen before connecting.

public enum QualityOfService: UInt8, Sendable {
  /// Sent once, and lost with the connection.
  case atMostOnce = 0
  /// The broker acknowledges it.
  case atLeastOnce = 1
}

/// What the broker publishes for a client that disappears: with MQTT 5 after the keep-alive, and only
/// if the client is not back by then.
public struct BrokerWill: Equatable, Sendable {
  public var topic: String
  public var payload: [UInt8]
  public var quality: QualityOfService
  public var isRetained: Bool

  public init(topic: String, payload: [UInt8], quality: QualityOfService = .atLeastOnce, isRetained: Bool = true) {
    (self.topic, self.payload, self.quality, self.isRetained) = (topic, payload, quality, isRetained)
  }
}

public struct BrokerSettings: Equatable, Sendable {
  public enum Version: Equatable, Sendable {
    /// MQTT 5, and 3.1.1 with a broker that does not support 5.
    case newest
    case v311, v5
  }

  public var address: BrokerAddress
  public var clientID: String
  public var user: String?
  /// Only with a user.
  public var password: String?
  /// A file with certificates of authorities, or a folder with their hashed names, as c_rehash makes
  /// it. Of a folder only the needed ones are loaded, which saves a megabyte with those of Debian.
  public var authorities = "/etc/ssl/certs"
  /// Of this client, with its key, as files in PEM. Both or neither.
  public var certificate: String?
  public var key: String?
  public var will: BrokerWill?
  /// The broker takes a client that is silent for half as long again for lost. At least 5 s.
  public var keepAlive: Duration = .seconds(60)
  public var version: Version = .newest
  /// How many messages may wait for their acknowledgement.
  public var unacknowledgedLimit = 20
  /// How many bytes of messages that are not acknowledged may wait for the socket.
  public var unwrittenLimit = 256 << 10
  /// Longer messages of others are discarded. A broker of MQTT 5 does not send them.
  public var incomingLimit = 1 << 20
  /// How long the broker may take to answer while connecting.
  public var answerLimit: Duration = .seconds(20)

  public init(_ address: BrokerAddress, clientID: String) {
    (self.address, self.clientID) = (address, clientID)
  }
}

/// When to try again. A broker that restarts must not meet all of its clients at once, so every
/// delay has a random part.
public struct RetryPolicy: Equatable, Sendable {
  /// After a connection, the delay is anything up to this.
  public var afterLoss: Duration = .seconds(30)
  /// After the first failed attempt. Each further failure doubles it. Also the least after short
  /// connections in a row.
  public var first: Duration = .seconds(4)
  public var longest: Duration = .seconds(60)
  /// A connection that ends earlier counts as a failed attempt.
  public var lasting: Duration = .seconds(10)

  public init() {}

  /// After an attempt, or after a connection, which counts as a failure if it was short. `chance` is
  /// from 0 up to 1.
  public func delay(failures: Int, wasConnected: Bool, chance: Double) -> Duration {
    // All clients may have lost it together, however short it was.
    if wasConnected { return max(afterLoss * chance, failures > 1 ? first : .zero) }
    let doubled = first * (1 << min(max(failures, 1) - 1, 16))
    return min(doubled, longest) * (0.5 + chance / 2)
  }
}
