// The topics of a receiver. All begin with the version of the contract, which changes only with
// what would break a reader.

import JSON

public struct FleetTopics: Equatable, Sendable {
  public static let root = "cyclometer/v1"

  public let group: FleetName
  public let receiver: FleetName
  private let prefix: String

  public init(group: FleetName, receiver: FleetName) {
    (self.group, self.receiver) = (group, receiver)
    prefix = "\(Self.root)/\(group)/\(receiver)/"
  }

  public var status: String { prefix + "status" }
  public var log: String { prefix + "log" }
  public var want: String { prefix + "want" }
  public var request: String { prefix + "do" }
  public var answer: String { prefix + "done" }

  public func sensor(_ id: String) -> String { prefix + "sensor/" + id }
  public func now(_ sensor: String, _ kind: String) -> String { "\(prefix)now/\(sensor)/\(kind)" }
  public func strength(_ address: String) -> String { prefix + "heard/" + address }
  public func claim(_ address: String) -> String { prefix + "claim/" + address }

  /// What receivers of the group tell each other.
  public var ofPeers: [String] { [statusOfAll] + ["heard/+", "claim/+"].map { "\(Self.root)/\(group)/+/\($0)" } }

  public var statusOfAll: String { "\(Self.root)/\(group)/+/status" }

  /// What a wall reads of a group: what all its receivers publish for display.
  public static func wallFilters(of group: FleetName) -> [String] {
    ["status", "sensor/+", "now/+/+", "event/+"].map { "\(root)/\(group)/+/\($0)" }
  }

  /// What a broker knows the receiver by.
  public var clientID: String { "cyclometer-\(receiver)" }
}

// Topics with names from records. None is built if a name cannot be a level of a topic.
extension FleetTopics {
  /// The topic of the last sample of a sensor and kind replaces the contents of `topic`.
  func writeNow(_ sensor: Span<UInt8>, _ kind: Span<UInt8>, into topic: inout [UInt8]) -> Bool {
    guard sensor.isTopicLevel, kind.isTopicLevel else { return false }
    topic.removeAll(keepingCapacity: true)
    topic.append(contentsOf: prefix.utf8)
    topic.append(contentsOf: "now/".utf8)
    topic.append(sensor)
    topic.append(UInt8(ascii: "/"))
    topic.append(kind)
    return true
  }

  func writeEvent(_ name: Span<UInt8>, into topic: inout [UInt8]) -> Bool {
    guard name.isTopicLevel else { return false }
    topic.removeAll(keepingCapacity: true)
    topic.append(contentsOf: prefix.utf8)
    topic.append(contentsOf: "event/".utf8)
    topic.append(name)
    return true
  }
}

extension Span<UInt8> {
  /// Stricter than MQTT, which only forbids the separator, wildcards and the null character.
  var isTopicLevel: Bool {
    guard 1...128 ~= count else { return false }
    for index in indices {
      switch self[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        continue
      default: return false
      }
    }
    return true
  }

  package func isEqual(to other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}

/// A topic by which receivers of a group agree on sensors that roam.
public struct PeerTopic: Equatable, Sendable {
  public enum Subject: Equatable, Sendable {
    case status
    /// With the address of the sensor.
    case strength(String)
    case claim(String)
  }

  public let receiver: FleetName
  public let subject: Subject

  /// Nil for another topic, and for another group.
  public init?(_ topic: String, in group: FleetName) {
    let levels = topic.split(separator: Character("/"), omittingEmptySubsequences: false)
    guard levels.count >= 5, levels[0] == "cyclometer", levels[1] == "v1", levels[2] == group.text,
      let receiver = FleetName(String(levels[3]))
    else { return nil }
    self.receiver = receiver
    let rest = levels[4...].joined(separator: "/")
    let address = levels.count == 6 && Self.isAddress(levels[5]) ? String(levels[5]) : nil
    switch address {
    case let address? where rest == "heard/" + address: subject = .strength(address)
    case let address? where rest == "claim/" + address: subject = .claim(address)
    case nil where rest == "status": subject = .status
    default: return nil
    }
  }

  /// As in `C0:FF:EE:00:00:01`.
  public static func isAddress(_ text: some StringProtocol) -> Bool {
    guard text.utf8.count == 17 else { return false }
    return text.utf8.enumerated().allSatisfy { index, byte in
      guard index % 3 != 2 else { return byte == UInt8(ascii: ":") }
      return 0x30...0x39 ~= byte || 0x41...0x46 ~= byte
    }
  }
}
