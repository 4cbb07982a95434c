// Selects signals. The rule is sent to the bus, which then sends only matching signals. Because the
// bus combines all our rules, each signal is checked against each rule again.

public struct MatchRule: Hashable, Sendable {
  /// A unique or well-known name; for a well-known one only the current owner matches.
  public var sender: String?
  public var interface: String?
  public var member: String?
  public var path: String?
  /// The object and everything below it.
  public var pathNamespace: String?
  /// The first argument, if it is a string.
  public var firstArgument: String?

  public init(
    sender: String? = nil, interface: String? = nil, member: String? = nil, path: String? = nil,
    pathNamespace: String? = nil, firstArgument: String? = nil
  ) {
    self.sender = sender
    self.interface = interface
    self.member = member
    self.path = path
    self.pathNamespace = pathNamespace
    self.firstArgument = firstArgument
  }

  /// The text for AddMatch.
  var text: String {
    let parts = [
      ("type", "signal"), ("sender", sender), ("interface", interface), ("member", member), ("path", path),
      ("path_namespace", pathNamespace), ("arg0", firstArgument),
    ]
    return parts.compactMap { key, value in value.map { "\(key)=\(quoted($0))" } }.joined(separator: ",")
  }

  /// The specification: "Within single quotes, a backslash is literal; an apostrophe is written as
  /// '\''".
  private func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// The name whose owner must be known to evaluate this rule.
  var wellKnownSender: String? {
    guard let sender, !sender.hasPrefix(":"), sender != BusNames.bus else { return nil }
    return sender
  }

  func fits(_ signal: SignalHeader, ownerOf: (String) -> String?) -> Bool {
    if let member, member != signal.member { return false }
    if let interface, interface != signal.interface { return false }
    if let path, path != signal.path { return false }
    if let pathNamespace, !isWithin(pathNamespace, signal.path) { return false }
    if let firstArgument, firstArgument != signal.firstArgument { return false }
    guard let sender else { return true }
    return signal.sender == (wellKnownSender == nil ? sender : ownerOf(sender))
  }

  private func isWithin(_ root: String, _ path: String) -> Bool {
    guard root != "/" else { return true }
    return path == root || (path.hasPrefix(root) && path.utf8.dropFirst(root.utf8.count).first == UInt8(ascii: "/"))
  }
}

/// The parts of a signal that rules check, read once.
struct SignalHeader {
  let sender: String?
  let interface: String
  let member: String
  let path: String
  let firstArgument: String?

  init(_ message: BusMessage) {
    sender = message.sender
    interface = message.interface ?? ""
    member = message.member ?? ""
    path = message.path ?? ""
    var reader = message.reader
    firstArgument = reader.string()
  }
}

/// The bus's own object.
enum BusNames {
  static let bus = "org.freedesktop.DBus"
  static let path = "/org/freedesktop/DBus"
  static let local = "org.freedesktop.DBus.Local"
  static let peer = "org.freedesktop.DBus.Peer"

  static func call(_ member: String, _ arguments: Value...) -> BusMessage {
    let message = BusMessage.call(to: bus, path: path, interface: bus, member: member)
    for argument in arguments { message.append(argument) }
    return message
  }
}
