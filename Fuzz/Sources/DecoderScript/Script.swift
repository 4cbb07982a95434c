// The meaning of the bytes for the decoders' fuzz target: plugins, settings, and a list of steps.
// Every input is valid. Plugins, sources and commands are identified by a hash of their names
// instead of an index, so that a corpus keeps its meaning when a plugin is added.

public import SensorKit

public struct Script {
  public static let mostPlugins = 6
  /// More steps would only be slower.
  static let mostSteps = 256

  public var plugins: [Key]
  public var settings: UInt8
  public var sender: Sender
  public var steps: [Step]

  public init(plugins: [Key], settings: UInt8 = 1, sender: Sender, steps: [Step]) {
    self.plugins = plugins
    self.settings = settings
    self.sender = sender
    self.steps = steps
  }
}

/// One step, and the time since the previous one.
public struct Step {
  public enum Action {
    case packet(Key, Origin, company: UInt16, [UInt8])
    case connected
    case disconnected
    case tick
    case command(Key, value: Double?, parameters: [String: Double])
    case commandFailed
    case settings(UInt8)
    case sender(Sender)
  }

  /// How the value of a characteristic arrived.
  public enum Origin: UInt8 {
    case notified, indicated, read
  }

  public var pause: Pause
  public var action: Action

  public init(_ pause: Pause, _ action: Action) {
    self.pause = pause
    self.action = action
  }
}

/// A name in two bytes. An unknown one still selects something.
public struct Key: Equatable, Sendable {
  let code: UInt16

  init(code: UInt16) {
    self.code = code
  }

  public init(_ name: String) {
    var hash: UInt32 = 0x811c_9dc5
    for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    code = UInt16(truncatingIfNeeded: hash ^ hash >> 16)
  }

  public func choose<Item>(among items: [Item], by key: (Item) -> Key) -> Item? {
    guard !items.isEmpty else { return nil }
    return items.first { key($0) == self } ?? items[Int(code) % items.count]
  }
}

/// A time span in a byte: up to a second, 16 seconds, two minutes (where clocks of 32 and 64 s
/// wrap), or days.
public struct Pause: Equatable {
  let code: UInt8
  private static let milliseconds: [Int64] = [16, 256, 2000, 3_600_000]

  init(code: UInt8) {
    self.code = code
  }

  /// The nearest one.
  public init(nanoseconds: Int64) {
    var nearest = Pause(code: 0)
    for code in UInt8.min...UInt8.max where Pause(code: code).error(nanoseconds) < nearest.error(nanoseconds) {
      nearest = Pause(code: code)
    }
    self = nearest
  }

  public var duration: Duration { .milliseconds(Int64(code & 0x3f) * Self.milliseconds[Int(code >> 6)]) }

  private func error(_ nanoseconds: Int64) -> Int64 {
    abs(Int64(code & 0x3f) * Self.milliseconds[Int(code >> 6)] * 1_000_000 - nanoseconds)
  }
}

/// The settings encoded in a byte.
public func sensorSettings(_ code: UInt8) -> SensorSettings {
  let circumferences: [Double?] = [nil, 2096, 2105, 1000, 350, 3000, 2096.5, 1]
  let roles: [SensorRole?] = [nil, .front, .rear, .left]
  return SensorSettings(
    circumferenceMM: circumferences[Int(code & 7)], role: roles[Int(code >> 3 & 3)])
}
