// The replies of the daemon's methods. Those of `pair`, `forget`, `enable`, `disable`, `rename` and
// `set` are the sensor.

public import JSON

/// Done, and there is nothing to report.
public struct EmptyReply: WireObject {
  public init() {}
  public mutating func visit(_ members: inout Members) {}
}

/// The paired sensors.
public struct SensorsReply: WireObject {
  public var sensors: [SensorRecord] = []
  /// `ride` is not a sensor, but its values go stale too.
  public var ride = Ride()

  public struct Ride: WireObject {
    public var staleAfterMS = KindLimits()

    public init() {}

    public mutating func visit(_ members: inout Members) {
      members.member("stale_after_ms", &staleAfterMS)
    }
  }

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.member("sensors", &sensors)
    members.member("ride", &ride)
  }

  /// With brief sensors.
  public var brief: SensorsReply {
    var brief = self
    brief.sensors = sensors.map(\.brief)
    return brief
  }
}

/// The records of a snapshot.
public struct PollReply: WireObject {
  public private(set) var records: [JSONValue] = []

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.member("records", &records)
  }
}

/// The finished laps of the ride.
public struct LapsReply: WireObject {
  public var laps: [LapRecord] = []

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.member("laps", &laps)
  }
}

public struct LapRecord: WireObject {
  /// Counted from 1.
  public var lap = 0
  public var lapTimeS: Double?
  public var movingTimeS = 0.0
  public var distanceM = 0.0
  public var ascentM: Double?
  public var speedAvgMps: Double?
  public var powerAvgW: Double?
  public var normalizedPowerW: Double?
  public var bpmAvg: Double?
  public var bpmMax: Double?
  public var cadenceAvgRpm: Double?

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.needed("lap", &lap)
    members.member("lap_time_s", &lapTimeS)
    members.needed("moving_time_s", &movingTimeS)
    members.needed("distance_m", &distanceM)
    members.member("ascent_m", &ascentM)
    members.member("speed_avg_mps", &speedAvgMps)
    members.member("power_avg_w", &powerAvgW)
    members.member("normalized_power_w", &normalizedPowerW)
    members.member("bpm_avg", &bpmAvg)
    members.member("bpm_max", &bpmMax)
    members.member("cadence_avg_rpm", &cadenceAvgRpm)
  }
}

/// The answer of a sensor to a command.
public struct CommandReply: WireObject {
  public enum Result: String, CaseIterable, Sendable {
    case success
  }

  /// Nil if the command has no answer; a refusal in the sensor's words otherwise.
  public private(set) var result: WireWord<Result>?
  public private(set) var offsetRaw: Double?
  private var requestOpcode: JSONValue?
  private var others: [JSONValue.Member] = []

  /// The values that the sensor answered with.
  public var details: [JSONValue.Member] {
    (offsetRaw.map { [JSONValue.Member("offset_raw", .number($0))] } ?? []) + others
  }

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.member("result", &result)
    members.member("offset_raw", &offsetRaw)
    members.member("request_opcode", &requestOpcode)
    members.others(&others)
  }
}

/// The reply to an action on the ride.
public struct RideReply: WireObject {
  /// False if the ride was already so.
  public private(set) var hasChanged = true

  public init() {}

  public init(hasChanged: Bool) { self.hasChanged = hasChanged }

  public mutating func visit(_ members: inout Members) {
    members.member("changed", &hasChanged)
  }
}

/// The settings of the rider, or of the ride.
public struct SettingsReply: WireObject {
  /// The keys that were set on the road, and not in the configuration.
  public private(set) var overrides: [String]?
  public private(set) var values: [JSONValue.Member] = []

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.member("overrides", &overrides)
    members.others(&values)
  }

  public subscript(key: String) -> JSONValue? { values.last { $0.name == key }?.value }
}

public struct BikesReply: WireObject {
  public var bikes: [BikeRecord] = []
  /// The name of the one that is ridden.
  public var current: String?

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.member("bikes", &bikes)
    members.member("current", &current)
  }
}

public struct BikeRecord: WireObject {
  public var name = ""
  /// Their ids.
  public var sensors: [String] = []
  /// By key.
  public var settings: [JSONValue.Member] = []

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.needed("name", &name)
    members.member("sensors", &sensors)
    members.others(&settings)
  }
}

/// What an import has changed: ids of sensors.
public struct ImportReply: WireObject {
  public private(set) var added: [String] = []
  public private(set) var changed: [String] = []
  /// Those that lack their bond, which is not exported.
  public private(set) var pairAgain: [String] = []

  public init() {}

  public init(added: [String], changed: [String], pairAgain: [String]) {
    (self.added, self.changed, self.pairAgain) = (added, changed, pairAgain)
  }

  public mutating func visit(_ members: inout Members) {
    members.member("added", &added)
    members.member("changed", &changed)
    members.member("pair_again", &pairAgain)
  }
}

/// The daemon's saved state. Only what is counted is named here: an import takes it as it is.
public struct ExportReply: WireObject {
  public private(set) var sensors: [JSONValue] = []
  public private(set) var bikes: [JSONValue] = []

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.member("sensors", &sensors)
    members.member("bikes", &bikes)
  }
}
