// The states of sensors and adapters and their reasons, in the words of the protocol. These lists
// are complete.

public import Time

public enum SensorState: String, CaseIterable, Sendable {
  case searching, connecting, streaming, stale, disabled, error
}

public enum StateReason: String, CaseIterable, Sendable {
  case silent
  case outOfRange = "out_of_range"
  case linkLost = "link_lost"
  case connectingFailed = "connecting_failed"
  case heldElsewhere = "held_elsewhere"
  case noSlots = "no_slots"
  case linkStuck = "link_stuck"
  case adapterAbsent = "adapter_absent"
  case adapterOff = "adapter_off"
  case adapterBlocked = "adapter_blocked"
  case bluetoothdGone = "bluetoothd_gone"
  case busGone = "bus_gone"
  case bondLost = "bond_lost"
  case unsupported
  case pluginGone = "plugin_gone"
  case pluginSlow = "plugin_slow"
  case suspended
  case user
  case elsewhere
}

/// A sensor's state, sent when it changes.
public struct StateRecord: Record, WireObject {
  public static let className = "state"
  public private(set) var sensor = ""
  public private(set) var state = WireWord<SensorState>()
  public private(set) var reason: WireWord<StateReason>?
  public private(set) var since: WallTime?
  /// The time until the next retry, if one is planned.
  public private(set) var retryMS: Int?

  public init() {}

  public init(
    sensor: String, state: SensorState, reason: StateReason? = nil, since: WallTime? = nil, retryMS: Int? = nil
  ) {
    self.sensor = sensor
    self.state = WireWord(state)
    self.reason = reason.map(WireWord.init)
    self.since = since
    self.retryMS = retryMS
  }

  public mutating func visit(_ members: inout Members) {
    members.needed("sensor", &sensor)
    members.needed("state", &state)
    members.member("reason", &reason)
    members.member("since", &since)
    members.member("retry_ms", &retryMS)
  }
}

public enum AdapterState: String, CaseIterable, Sendable {
  case absent, blocked, off, on
}

/// A Bluetooth adapter: a record when it changes, and an element of `adapters` in `status`.
public struct AdapterRecord: Record, WireObject {
  public static let className = "adapter"
  public private(set) var adapter = ""
  public private(set) var address: String?
  public private(set) var state = WireWord<AdapterState>()
  public private(set) var links: LinkParameters?

  public init() {}

  public init(adapter: String, address: String? = nil, state: AdapterState, links: LinkParameters? = nil) {
    self.adapter = adapter
    self.address = address
    self.state = WireWord(state)
    self.links = links
  }

  public mutating func visit(_ members: inout Members) {
    members.needed("adapter", &adapter)
    members.member("address", &address)
    members.needed("state", &state)
    members.member("links", &links)
  }
}
