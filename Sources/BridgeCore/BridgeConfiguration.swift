// The bridge's configuration: every key, its default, and its valid values.

package import Fleet
package import MQTT
public import ProgramKit

public struct BridgeConfiguration: Configuration, Equatable, Sendable {
  public var logLevel = LogLevel.info

  /// Nil if the bridge connects to no broker.
  package var address: BrokerAddress?
  package var user: String?
  package var passwordFile: String?
  package var authorities = "/etc/ssl/certs/ca-certificates.crt"
  package var certificate: String?
  package var key: String?
  package var isInsecure = false

  package var group: FleetName
  /// Nil if it is made from the id of the computer.
  package var receiver: FleetName?
  package var live = LiveMode.wanted
  /// Nil if all may leave the computer.
  package var kinds: [String]?
  package var sendsPosition = false
  package var isControlled = false
  /// What others may ask for.
  package var allowed: [RemoteMethod] = []
  package var roams = false
  /// The receivers of sensors that do not roam, by address.
  package var pins: [String: FleetName] = [:]
  package var pinGrace = 60.0

  package var sendsRecords = true
  package var batchSeconds = 5.0
  package var compresses = false
  package var spoolMiB = 64

  package var announcesToHomeAssistant = false
  package var homeAssistantPrefix = "homeassistant"

  /// The groups whose receivers the bridge reads. Empty for none.
  package var wallGroups: [FleetName] = []

  public init() {
    guard let home = FleetName("home") else { preconditionFailure("the default is not a name") }
    group = home
  }

  public static let dropInFolder = "mqtt.conf.d"

  public static let keys: [ConfigurationKey<BridgeConfiguration>] =
    brokerKeys + fleetKeys + [
      .flag("Log", "Records") { $0.sendsRecords = $1 },
      .number("Log", "BatchSeconds", 1...60, "seconds") { $0.batchSeconds = $1 },
      .flag("Log", "Compress") { $0.compresses = $1 },
      ConfigurationKey("Log", "SpoolMiB", "2 to 65536 (MiB)", size(_:)) { $0.spoolMiB = $1 },
      .flag("HomeAssistant", "Enabled") { $0.announcesToHomeAssistant = $1 },
      ConfigurationKey(
        "HomeAssistant", "Prefix", "a topic of letters, digits, - and _, with / between its levels", topic(_:)
      ) { $0.homeAssistantPrefix = $1 },
      ConfigurationKey(
        "Wall", "Groups", "none, or names of groups with blanks between", groups(_:)
      ) { $0.wallGroups = $1 },
      ConfigurationKey("Bridge", "LogLevel", "error, warning, info or debug", { LogLevel($0) }) { $0.logLevel = $1 },
    ]

  private static let brokerKeys: [ConfigurationKey<BridgeConfiguration>] = [
    ConfigurationKey(
      "Broker", "Address", "none, mqtts://HOST:PORT, or mqtt://HOST:PORT without encryption", address(_:)
    ) { $0.address = $1 },
    ConfigurationKey("Broker", "User", "none, or a name", orNone) { $0.user = $1 },
    ConfigurationKey("Broker", "PasswordFile", pathOrNone, optionalPath(_:)) { $0.passwordFile = $1 },
    ConfigurationKey("Broker", "CA", "a path that starts with /", path(_:)) { $0.authorities = $1 },
    ConfigurationKey("Broker", "Certificate", pathOrNone, optionalPath(_:)) { $0.certificate = $1 },
    ConfigurationKey("Broker", "Key", pathOrNone, optionalPath(_:)) { $0.key = $1 },
    .flag("Broker", "Insecure") { $0.isInsecure = $1 },
  ]

  private static let fleetKeys: [ConfigurationKey<BridgeConfiguration>] = [
    ConfigurationKey("Fleet", "Group", nameRule, { FleetName($0) }) { $0.group = $1 },
    ConfigurationKey("Fleet", "Receiver", "auto, or \(nameRule)", receiver(_:)) { $0.receiver = $1 },
    ConfigurationKey("Fleet", "Live", "always, wanted or never", { LiveMode(rawValue: $0) }) { $0.live = $1 },
    ConfigurationKey("Fleet", "Kinds", "all, or kinds of samples with blanks between", kinds(_:)) { $0.kinds = $1 },
    .flag("Fleet", "Position") { $0.sendsPosition = $1 },
    .flag("Fleet", "Control") { $0.isControlled = $1 },
    ConfigurationKey("Fleet", "Allow", "none, or ride and command with blanks between", methods(_:)) {
      $0.allowed = $1
    },
    .flag("Fleet", "Roaming") { $0.roams = $1 },
    ConfigurationKey(
      "Fleet", "Pin", "none, or ADDRESS@RECEIVER with blanks between, such as C0:FF:EE:00:00:01@bike-7", pins(_:)
    ) { $0.pins = $1 },
    .number("Fleet", "PinGrace", 5...3600, "seconds") { $0.pinGrace = $1 },
  ]

  /// Whether it reads other receivers and is none itself: it needs no daemon.
  package var isWallOnly: Bool { !wallGroups.isEmpty && !sendsRecords }

  private var needsDaemon: String? {
    if announcesToHomeAssistant { return "Enabled=yes of [HomeAssistant]" }
    return isControlled ? "Control=yes" : roams ? "Roaming=yes" : nil
  }

  public var conflict: String? {
    if isWallOnly, let key = needsDaemon {
      return "\(key) needs a daemon, and Groups= with Records=no does without: set Records=yes"
    }
    if (certificate == nil) != (key == nil) { return "Certificate= and Key= need each other: give both or neither" }
    if passwordFile != nil, user == nil { return "PasswordFile= needs the name of the user: add User=" }
    if isControlled, allowed.isEmpty {
      return "Control=yes allows nothing without Allow=: add Allow=ride, Allow=command, or Allow=ride command"
    }
    if !pins.isEmpty, !roams { return "Pin= has no effect without Roaming=yes: add it, or remove Pin=" }
    guard let address, !address.isEncrypted else { return nil }
    if certificate != nil { return "Certificate= needs encryption: begin Address= with mqtts://" }
    guard address.isLoopback || isInsecure else {
      return "Address=\(address) would send everything unencrypted: begin it with mqtts://, or set Insecure=yes"
    }
    return nil
  }
}

// MARK: Values

extension BridgeConfiguration {
  private static let nameRule = "1 to \(FleetName.mostLetters) small letters, digits or -"
  private static let pathOrNone = "none, or a path that starts with /"

  private static func orNone(_ text: String) -> String?? {
    if text == "none" { return .some(nil) }
    return text.isEmpty ? nil : text
  }

  private static func path(_ text: String) -> String? { text.hasPrefix("/") ? text : nil }

  private static func optionalPath(_ text: String) -> String?? {
    text == "none" ? .some(nil) : path(text).map(Optional.some)
  }

  private static func address(_ text: String) -> BrokerAddress?? {
    if text == "none" { return .some(nil) }
    return (try? BrokerAddress(text)).map(Optional.some)
  }

  private static func receiver(_ text: String) -> FleetName?? {
    text == "auto" ? .some(nil) : FleetName(text).map(Optional.some)
  }

  private static func size(_ text: String) -> Int? { Int(text).flatMap { 2...65_536 ~= $0 ? $0 : nil } }

  private static func kinds(_ text: String) -> [String]?? {
    if text == "all" { return .some(nil) }
    let kinds = text.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
    guard !kinds.isEmpty, kinds.allSatisfy({ $0.utf8.allSatisfy { isLetter($0) || $0 == UInt8(ascii: "_") } }) else {
      return nil
    }
    return kinds
  }

  private static func methods(_ text: String) -> [RemoteMethod]? {
    if text == "none" { return [] }
    let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "," })
    let methods = words.compactMap { RemoteMethod(rawValue: String($0)) }
    return methods.isEmpty || methods.count != words.count ? nil : methods
  }

  private static func pins(_ text: String) -> [String: FleetName]? {
    if text == "none" { return [:] }
    var pins: [String: FleetName] = [:]
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
      let parts = word.split(separator: Character("@"), omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, PeerTopic.isAddress(parts[0]), let receiver = FleetName(parts[1]),
        pins.updateValue(receiver, forKey: parts[0]) == nil
      else { return nil }
    }
    return pins.isEmpty ? nil : pins
  }

  private static func groups(_ text: String) -> [FleetName]? {
    if text == "none" { return [] }
    let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" })
    let names = words.compactMap { FleetName(String($0)) }
    return names.isEmpty || names.count != words.count || names.count > mostGroups ? nil : names
  }

  /// Each is four subscriptions at the broker.
  private static let mostGroups = 64

  private static func topic(_ text: String) -> String? {
    let levels = text.split(separator: Character("/"), omittingEmptySubsequences: false)
    let isTopic = levels.allSatisfy { level in
      !level.isEmpty
        && level.utf8.allSatisfy { byte in
          isLetter(byte) || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "-")
        }
    }
    return isTopic && text.utf8.count <= 64 ? text : nil
  }

  /// Or a digit.
  private static func isLetter(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }
}
