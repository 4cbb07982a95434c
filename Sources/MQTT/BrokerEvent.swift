// What a connection to a broker reports.

/// Identifies a published message or a subscription until it is answered. Valid for one connection.
public struct MessageID: Hashable, Sendable {
  public let number: UInt16

  public init(number: UInt16) {
    self.number = number
  }
}

/// What a broker said when it accepted the connection.
public struct BrokerSession: Equatable, Sendable {
  /// `5` or `3.1.1`.
  public let version: String
  /// How many messages may wait for their acknowledgement: the broker's limit or ours.
  public let unacknowledgedLimit: Int
  /// Of a message with its topic and some bytes more. Nil if the broker has named none.
  public let messageLimit: Int?
}

public enum BrokerEvent: Equatable, Sendable {
  /// Subscribe now, and again after each loss. With a will, the broker may have kept the
  /// subscriptions for a short loss, and then sends first what came in between.
  case connected(BrokerSession)
  /// An attempt failed. The next one follows after the delay.
  case failed(BrokerFailure, retryIn: Duration)
  /// The attempt has lasted for `answerLimit` and goes on: the system has not given up yet.
  case slow(BrokerFailure)
  /// A connection ended. No message that was not acknowledged will be: publish it again.
  case disconnected(BrokerFailure, retryIn: Duration)
  /// The broker has a message of `atLeastOnce`, or refuses it: with MQTT 5 only, because before, a
  /// broker acknowledges what it discards.
  case acknowledged(MessageID, BrokerRefusal?)
  /// For each filter, in the order of the request: nil if it is granted.
  case subscribed(MessageID, [BrokerRefusal?])
  /// `publish` has thrown `full`, and now there is room for a message of `atMostOnce` again. For
  /// those of `atLeastOnce`, every acknowledgement makes room.
  case writable
}

/// A message that this client has subscribed to. Its topic and its payload come with it.
public struct IncomingMessage: Equatable, Sendable {
  public let quality: QualityOfService
  /// The broker kept it for new subscribers: it may be old.
  public let isRetained: Bool
  /// The user property `user` of MQTT 5. It is as reliable as the broker: only some brokers set it,
  /// and others pass on what the publisher wrote.
  public let user: String?
}

/// Why `publish` or `subscribe` did nothing.
public enum BrokerRequestError: Error, Equatable, Sendable {
  case notConnected
  /// Too much waits already.
  case full
  /// The broker does not take messages of this size.
  case tooLarge
  /// A topic to publish to is UTF-8 without zero, `+` and `#`, and has 1 to 65,535 bytes. In filters,
  /// `+` stands for one level and `#`, at the end, for all further ones.
  case invalidTopic
  /// The broker does not support `atLeastOnce`.
  case unsupportedQuality
}
