// What receivers tell each other about sensors that roam: payloads, and the claims of others.

public import Time
public import Wire

/// The payload of `heard/ADDRESS`.
public struct HeardStrength: WireObject {
  /// The median of the last 3 s.
  public private(set) var rssiDBm = 0
  /// On the clock of the receiver.
  public private(set) var t = MonotonicTime(nanoseconds: 0)

  public init() {}

  public init(rssiDBm: Int, t: MonotonicTime) { (self.rssiDBm, self.t) = (rssiDBm, t) }

  public mutating func visit(_ members: inout Members) {
    members.needed("rssi_dbm", &rssiDBm)
    members.needed("t", &t)
  }
}

/// The payload of `claim/ADDRESS`; empty if the claim was withdrawn.
public struct RoamingClaim: WireObject {
  public private(set) var receiver = ""
  /// On the clock of the receiver. It tells a new claim from one that is repeated.
  public private(set) var since = MonotonicTime(nanoseconds: 0)

  public init() {}

  public init(receiver: FleetName, since: MonotonicTime) { (self.receiver, self.since) = (receiver.text, since) }

  public mutating func visit(_ members: inout Members) {
    members.needed("receiver", &receiver)
    members.needed("since", &since)
  }
}

/// The claims of other receivers to one sensor.
struct ReceivedClaims: Sendable {
  /// More than twice the time in which a claim is repeated.
  static let lifetime = Duration.seconds(75)
  /// A sensor that advertises for this long has no link.
  static let advertLimit = Duration.seconds(10)

  private struct Received {
    let claim: RoamingClaim
    /// When this claim came first, and last.
    let first: MonotonicTime
    var last: MonotonicTime
    /// The sensor has advertised all the same.
    var isIgnored = false
  }

  private var all: [FleetName: Received] = [:]

  mutating func add(_ claim: RoamingClaim, of receiver: FleetName, at now: MonotonicTime) {
    if all[receiver]?.claim == claim {
      all[receiver]?.last = now
    } else if all[receiver] != nil || all.count < Roaming.mostOthers {
      all[receiver] = Received(claim: claim, first: now, last: now)
    }
  }

  mutating func remove(_ receiver: FleetName) { all[receiver] = nil }

  /// Ignores claims during which the sensor has advertised for too long.
  mutating func ignore(advertisedSince start: MonotonicTime, at now: MonotonicTime) {
    for (receiver, received) in all where now - max(start, received.first) >= Self.advertLimit {
      all[receiver]?.isIgnored = true
    }
  }

  /// The receiver whose claim counts.
  func first(at now: MonotonicTime) -> FleetName? {
    let valid = all.filter { !$0.value.isIgnored && now < $0.value.last + Self.lifetime }
    return valid.keys.min { $0.text < $1.text }
  }

  var deadlines: [MonotonicTime] { all.values.map { $0.last + Self.lifetime } }
}
