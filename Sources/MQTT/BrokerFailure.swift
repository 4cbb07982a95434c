// Why the connection to a broker failed, and what to do about it.

public import Linux

public enum BrokerFailure: Error, Equatable, Sendable {
  // MARK: The way there
  /// With the words of the resolver.
  case unknownHost(String)
  case unreachable(SystemError)
  case noAnswer(Duration)
  /// Before it answered to a connection without TLS.
  case closedBeforeAnswer
  case closed
  case lost(SystemError)
  case silent
  case notMQTT

  // MARK: Encryption
  /// With the words of OpenSSL.
  case untrustedCertificate(String)
  case wrongHostName(String)
  case refusedCertificate(String)
  case notEncrypted
  case unreadableFile(SystemError)
  /// The library's words about one of the files, or about the handshake.
  case encryption(String)

  // MARK: The broker's own words
  case refused(BrokerRefusal)
  case ended(BrokerRefusal)
  case takenOver

  // MARK: This computer
  case local(SystemError)
  case invalidSettings

  /// Whether it stays so until somebody changes a setting here or at the broker.
  public var needsUser: Bool {
    switch self {
    case .untrustedCertificate, .wrongHostName, .refusedCertificate, .notEncrypted, .unreadableFile, .encryption,
      .takenOver, .invalidSettings, .notMQTT:
      true
    case .refused(let refusal): !refusal.isTemporary
    case .unknownHost, .unreachable, .noAnswer, .closedBeforeAnswer, .closed, .lost, .silent, .ended, .local: false
    }
  }
}

extension BrokerFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownHost(let reason):
      "cannot find the broker's host: \(reason); check Address= and the network"
    case .unreachable(let error):
      "cannot reach the broker: \(error.reason); check Address=, and that the broker runs and listens there"
    case .noAnswer(let limit):
      "the broker did not answer within \(limit.components.seconds) s; check Address= and firewalls on the way"
    case .closedBeforeAnswer:
      "the broker closed the connection before it answered; if it expects TLS, use mqtts:// in Address="
    case .closed: "the broker closed the connection"
    case .lost(let error): "the connection failed: \(error.reason)"
    case .silent: "the broker is silent: the connection is dead, or the broker hangs"
    case .notMQTT: "the broker sent something that is not MQTT; check the port in Address="
    case .untrustedCertificate(let reason):
      "the broker's certificate is not trusted: \(reason); check CA=, and this computer's clock"
    case .wrongHostName(let host):
      "the broker's certificate is not for '\(host)'; use a name from the certificate in Address="
    case .refusedCertificate(let reason):
      "the broker does not accept this client's certificate: \(reason); check Certificate= and Key="
    case .notEncrypted:
      "the broker does not speak TLS at this port; check the port, or use mqtt:// in Address="
    case .unreadableFile(let error):
      "cannot read \(error.subject ?? "a file"): \(error.reason); check its path and its rights"
    case .encryption(let reason): "TLS failed: \(reason)"
    case .refused(let refusal): "the broker refused the connection: \(refusal)"
    case .ended(let refusal): "the broker ended the connection: \(refusal)"
    case .takenOver:
      "another client with the same name has taken over the connection; give each receiver a name of its own"
    case .local(let error): "this computer cannot open a connection: \(error)"
    case .invalidSettings:
      "the settings are not valid for MQTT: check the client id, the will and the keep-alive, and that Certificate= "
        + "and Key= are both set or both missing"
    }
  }
}

/// Why a broker refuses a connection, a message or a subscription: a reason code of MQTT 5. Those of
/// MQTT 3.1.1 are translated.
public struct BrokerRefusal: Hashable, Sendable {
  public let code: UInt8

  public init(code: UInt8) {
    self.code = code
  }

  public static let unsupportedVersion = BrokerRefusal(code: 0x84)
  public static let invalidClientID = BrokerRefusal(code: 0x85)
  public static let badCredentials = BrokerRefusal(code: 0x86)
  public static let notAuthorized = BrokerRefusal(code: 0x87)
  public static let unavailable = BrokerRefusal(code: 0x88)
  static let takenOver = BrokerRefusal(code: 0x8e)

  /// The answer to a connection in MQTT 3.1.1.
  static func ofVersion311(_ code: Int32) -> BrokerRefusal {
    let known: [Int32: BrokerRefusal] = [
      1: .unsupportedVersion, 2: .invalidClientID, 3: .unavailable, 4: .badCredentials, 5: .notAuthorized,
    ]
    return known[code] ?? BrokerRefusal(code: 0x80)
  }

  /// Whether it may change without anybody's doing.
  public var isTemporary: Bool { [0x80, 0x88, 0x89, 0x8b, 0x8d, 0x96, 0x97, 0x98, 0x9f, 0xa0].contains(code) }
}

extension BrokerRefusal: CustomStringConvertible {
  public var description: String {
    guard let words = Self.words[code] else { return "reason \(code)" }
    return words
  }

  private static let words: [UInt8: String] = [
    0x80: "it gives no reason; see the broker's log",
    0x81: "malformed packet",
    0x82: "protocol error",
    0x83: "it cannot accept this; see the broker's log",
    0x84: "it does not support this version of MQTT",
    0x85: "it does not accept the client id; check Receiver=",
    0x86: "wrong user or password; check User= and PasswordFile=",
    0x87: "not authorized; check User= and PasswordFile=, and the rights of this client at the broker",
    0x88: "it is not available",
    0x89: "it is busy",
    0x8a: "this client is banned; ask the broker's administrator",
    0x8b: "it shuts down",
    0x8c: "it does not know this method of authentication",
    0x8d: "it has not received anything for too long",
    0x8e: "another client has the same name",
    0x8f: "the filter of topics is not valid",
    0x90: "it does not accept the topic; check the rights of this client at the broker",
    0x93: "too many messages at once",
    0x94: "invalid topic alias",
    0x95: "the message is too large",
    0x96: "messages come too fast",
    0x97: "a quota is exceeded",
    0x98: "an administrator ended it",
    0x99: "it does not accept the format of the message",
    0x9a: "it does not retain messages",
    0x9b: "it does not support this quality of service",
    0x9c: "use another server; ask the broker's administrator",
    0x9d: "the server has moved; ask the broker's administrator",
    0x9e: "it does not support shared subscriptions",
    0x9f: "too many connections at once",
    0xa0: "the connection lasted as long as it may",
    0xa1: "it does not support identifiers of subscriptions",
    0xa2: "it does not support wildcards in filters",
  ]
}
