// The reply to `status`: the daemon, Bluetooth, the receiver of positions, and the sensors.

public struct StatusReply: WireObject {
  public var daemon = Program()
  public var bluetooth = Bluetooth()
  public var adapters: [AdapterRecord] = []
  public var position: Position?
  public var sensors: [SensorRecord] = []
  public var counts = Counts()
  public var versions = Versions()

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.member("daemon", &daemon)
    members.member("bluetooth", &bluetooth)
    members.member("adapters", &adapters)
    members.member("position", &position)
    members.member("sensors", &sensors)
    members.member("counts", &counts)
    members.member("versions", &versions)
  }

  /// With brief sensors.
  public var brief: StatusReply {
    var brief = self
    brief.sensors = sensors.map(\.brief)
    return brief
  }
}

extension StatusReply {
  /// The daemon itself.
  public struct Program: WireObject {
    public var release: String?
    public var pid: Int?
    public var uptimeS: Double?
    public var isSimulated = false

    public init() {}

    public mutating func visit(_ members: inout Members) {
      members.member("release", &release)
      members.member("pid", &pid)
      members.member("uptime_s", &uptimeS)
      members.member("simulated", &isSimulated, unless: false)
    }
  }

  public struct Bluetooth: WireObject {
    /// Why it cannot be used; nil if it can.
    public var reason: WireWord<StateReason>?
    public var message: String?

    public init() {}

    public mutating func visit(_ members: inout Members) {
      members.member("reason", &reason)
      members.member("message", &message)
    }
  }

  /// The server of positions.
  public struct Position: WireObject {
    public enum State: String, CaseIterable, Sendable {
      case absent, there
    }

    public var gpsd = ""
    public var state: WireWord<State>?
    /// Why it is absent.
    public var message: String?
    /// How many work.
    public var receivers: Int?

    public init() {}

    public mutating func visit(_ members: inout Members) {
      members.needed("gpsd", &gpsd)
      members.member("state", &state)
      members.member("message", &message)
      members.member("receivers", &receivers)
    }
  }

  public struct Counts: WireObject {
    public var clients: Int?
    public var sensors: Int?
    public var streaming: Int?

    public init() {}

    public mutating func visit(_ members: inout Members) {
      members.member("clients", &clients)
      members.member("sensors", &sensors)
      members.member("streaming", &streaming)
    }
  }

  public struct Versions: WireObject {
    public var cyclometer: String?
    public var bluez: String?
    public var kernel: String?

    public init() {}

    public mutating func visit(_ members: inout Members) {
      members.member("cyclometer", &cyclometer)
      members.member("bluez", &bluez)
      members.member("kernel", &kernel)
    }
  }
}
