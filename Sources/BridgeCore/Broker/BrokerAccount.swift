// How the bridge presents itself to the broker, from the configuration and the files that it names.

import Fleet
import Linux
import MQTT

/// Why a file of the configuration cannot be used: what, and what to do.
struct AccountProblem: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

enum BrokerAccount {
  private static let longestPassword = 1024
  /// Requests of readers are short. A longer one could fill the memory.
  private static let longestMessage = 16 << 10
  /// A sensor with all that is known of it is longer.
  private static let longestMessageOfReceivers = 64 << 10

  /// Nil if no broker is configured.
  static func settings(_ configuration: BridgeConfiguration, _ topics: FleetTopics) throws(AccountProblem)
    -> BrokerSettings?
  {
    guard let address = configuration.address else { return nil }
    var settings = BrokerSettings(address, clientID: topics.clientID)
    settings.user = configuration.user
    if let file = configuration.passwordFile { settings.password = try password(file) }
    if let key = configuration.key { try requireSecret(key) }
    settings.authorities = configuration.authorities
    (settings.certificate, settings.key) = (configuration.certificate, configuration.key)
    settings.incomingLimit = configuration.wallGroups.isEmpty ? longestMessage : longestMessageOfReceivers
    guard !configuration.isWallOnly else { return settings }
    settings.will = BrokerWill(topic: topics.status, payload: ReceiverStatus.will.payload)
    return settings
  }

  /// The first line.
  private static func password(_ path: String) throws(AccountProblem) -> String {
    try requireSecret(path)
    let content: [UInt8]
    do throws(SystemError) {
      content = try Files.read(path, atMost: longestPassword + 2)
    } catch {
      throw AccountProblem("cannot read the password in \(path): \(error.reason); check PasswordFile= and its rights")
    }
    let line = content.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard !line.isEmpty, line.count <= longestPassword, let password = String(validating: line, as: UTF8.self) else {
      throw AccountProblem("the first line of \(path) is not a password: write 1 to \(longestPassword) bytes of UTF-8")
    }
    return password
  }

  private static func requireSecret(_ path: String) throws(AccountProblem) {
    guard Files.isReadableByEveryone(path) else { return }
    throw AccountProblem("every user can read \(path): run chmod 640 on it, and give it to the group cyclometer-mqtt")
  }
}
