// The states of sensors and adapters and their reasons, in the words of the protocol. These lists
// are complete.

public import JSON
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
  case suspended
  case user
  case elsewhere
}

/// A sensor's state, sent when it changes.
public struct StateRecord: Record {
  public static let className = "state"
  public let sensor: String
  public let state: SensorState
  public let reason: StateReason?
  public let since: WallTime?
  /// The time until the next retry, if one is planned.
  public let retryMS: Int?

  public init(
    sensor: String, state: SensorState, reason: StateReason? = nil, since: WallTime? = nil, retryMS: Int? = nil
  ) {
    self.sensor = sensor
    self.state = state
    self.reason = reason
    self.since = since
    self.retryMS = retryMS
  }

  public func writeMembers(into writer: inout JSONWriter) {
    writer.member("sensor", sensor)
    writer.member("state", state.rawValue)
    writer.member("reason", reason?.rawValue)
    writer.member("since", since)
    writer.member("retry_ms", retryMS)
  }

  public init?(_ json: JSONValue) {
    guard let sensor = json["sensor"]?.text, let state = json["state"]?.text.flatMap(SensorState.init) else {
      return nil
    }
    self.init(
      sensor: sensor, state: state, reason: json["reason"]?.text.flatMap(StateReason.init),
      since: json["since"]?.text.flatMap(WallTime.init), retryMS: json["retry_ms"]?.integer)
  }
}

public enum AdapterState: String, CaseIterable, Sendable {
  case absent, blocked, off, on
}

/// A Bluetooth adapter: a record when it changes, and an element of `adapters` in `status`.
public struct AdapterRecord: Record {
  public static let className = "adapter"
  public let adapter: String
  public let address: String?
  public let state: AdapterState
  public let links: LinkParameters?

  public init(adapter: String, address: String? = nil, state: AdapterState, links: LinkParameters? = nil) {
    self.adapter = adapter
    self.address = address
    self.state = state
    self.links = links
  }

  public func writeMembers(into writer: inout JSONWriter) {
    writer.member("adapter", adapter)
    writer.member("address", address)
    writer.member("state", state.rawValue)
    writer.member("links", links?.json)
  }

  public init?(_ json: JSONValue) {
    guard let adapter = json["adapter"]?.text, let state = json["state"]?.text.flatMap(AdapterState.init) else {
      return nil
    }
    self.init(
      adapter: adapter, address: json["address"]?.text, state: state, links: json["links"].flatMap(LinkParameters.init))
  }
}
