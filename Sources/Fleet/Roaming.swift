// Which receiver connects to a sensor that several receivers are paired with. Such a sensor takes one
// link and is silent to all others meanwhile. Every receiver follows the same rules, with what it has
// received from the others:
//
// - While no receiver claims the sensor, each publishes how strong it receives it. 3 s after the first
//   message, the strongest claims it and connects. Of equals, the smaller name does.
// - A claim lasts as long as the link, and while its receiver is online and repeats it. Of two claims,
//   that of the smaller name counts, and the other receiver withdraws.
// - If the sensor advertises for 10 s all the same, the others ignore the claim.
// - Without a broker, each connects as if it were alone.
//
// No lock is needed: two receivers that connect at once cost one failed attempt.

public import Time

/// What the rules want to be done.
public enum RoamingAction: Equatable, Sendable {
  /// Keep the sensor disabled. Listening to its adverts costs a scan.
  case hold(sensor: String, listens: Bool)
  case connect(sensor: String)
  case publishStrength(HeardStrength, address: String)
  case publishClaim(RoamingClaim, address: String)
  /// Publish an empty claim.
  case publishRelease(address: String)
}

/// What a daemon does with a sensor.
public enum RoamingLink: Equatable, Sendable {
  case linked
  /// Without a link, and not disabled.
  case unlinked
  /// Disabled because a client asked for it.
  case held
}

/// Which receiver has a sensor now.
public enum RoamingHolder: Equatable, Sendable {
  /// This receiver has it, or connects to it.
  case here
  /// Another receiver has it, or it is meant for that one.
  case other(FleetName)
  case free
}

public struct RoamingSettings: Equatable, Sendable {
  public let receiver: FleetName
  /// By address: the receiver that a sensor is meant for.
  public let pins: [String: FleetName]
  /// How long others leave a pinned sensor alone after its receiver went offline.
  public let pinGrace: Duration

  public init(receiver: FleetName, pins: [String: FleetName] = [:], pinGrace: Duration = .seconds(60)) {
    (self.receiver, self.pins, self.pinGrace) = (receiver, pins, pinGrace)
  }
}

public struct Roaming: Sendable {
  /// Shorter interruptions of the connection to the broker change nothing.
  static let brokerGrace = Duration.seconds(5)
  /// Bounds the memory, whatever others send.
  static let mostOthers = 1024

  private struct Peer {
    var isOnline: Bool
    /// When it was last known to be online.
    var lastOnline: MonotonicTime
  }

  private let settings: RoamingSettings
  /// By address.
  private var sensors: [String: RoamingSensor] = [:]
  /// Also of sensors that the daemon has not listed yet.
  private var claims: [String: ReceivedClaims] = [:]
  private var peers: [FleetName: Peer] = [:]
  private var isConnected = false
  /// When it was connected or disconnected last.
  private var connectionChanged: MonotonicTime
  private var hasConnected = false
  /// Deadlines until then are done with.
  private var lastSettled = MonotonicTime(nanoseconds: 0)
  private var actions: [RoamingAction] = []

  public init(_ settings: RoamingSettings, at now: MonotonicTime) {
    self.settings = settings
    connectionChanged = now
  }

  /// What has to be done since the last call, in order.
  public mutating func takeActions() -> [RoamingAction] {
    defer { actions = [] }
    return actions
  }

  /// When to call `timePassed`; nil for never.
  public var deadline: MonotonicTime? {
    var moments = sensors.values.flatMap { sensor in
      sensor.deadlines + (claims[sensor.address]?.deadlines ?? []) + [pinEnd(of: sensor.address)].compactMap(\.self)
    }
    if !isConnected, hasConnected { moments.append(connectionChanged + Self.brokerGrace) }
    return moments.filter { $0 > lastSettled }.min()
  }

  /// Of each sensor, in the order of their names.
  public func holders(at now: MonotonicTime) -> [(sensor: String, holder: RoamingHolder)] {
    sensors.values.sorted { $0.id < $1.id }.map { ($0.id, holder(of: $0, at: now)) }
  }

  private func holder(of sensor: RoamingSensor, at now: MonotonicTime) -> RoamingHolder {
    guard sensor.stage == .held else { return .here }
    if let other = pinHolder(of: sensor.address, at: now) ?? rival(for: sensor.address, at: now) {
      return .other(other)
    }
    return .free
  }

  public mutating func timePassed(at now: MonotonicTime) { settleAll(at: now) }

  private mutating func settleAll(at now: MonotonicTime) {
    lastSettled = now
    for address in sensors.keys.sorted() { settle(address, at: now) }
  }
}

// MARK: What happens here

extension Roaming {
  /// Nothing is known of other receivers until the broker has sent it.
  public mutating func brokerConnected(at now: MonotonicTime) {
    (isConnected, hasConnected, connectionChanged) = (true, true, now)
    claims = [:]
    peers = [:]
    for address in sensors.keys.sorted() { sensors[address]?.forgetOthers() }
    settleAll(at: now)
  }

  public mutating func brokerDisconnected(at now: MonotonicTime) {
    (isConnected, connectionChanged) = (false, now)
    for (name, peer) in peers where peer.isOnline { peers[name]?.lastOnline = now }
  }

  /// A sensor that may roam, unless it is pinned to this receiver. `isWanted`: the user has just enabled
  /// it here.
  public mutating func add(
    sensor id: String, at address: String, _ link: RoamingLink, isWanted: Bool = false, at now: MonotonicTime
  ) {
    guard settings.pins[address] != settings.receiver else { return }
    guard sensors[address] == nil else { return change(sensorAt: address, to: link, at: now) }
    var sensor = RoamingSensor(id: id, address: address, receiver: settings.receiver)
    sensor.isLinked = link == .linked
    if isWanted { sensor.insist(at: now, &actions) }
    sensors[address] = sensor
    settle(address, at: now)
  }

  /// It was removed, or the user has disabled it. `isFreed`: it does not roam any more, and the daemon
  /// may connect.
  public mutating func remove(sensorAt address: String, isFreed: Bool = false) {
    guard let sensor = sensors.removeValue(forKey: address) else { return }
    if sensor.claims { actions.append(.publishRelease(address: address)) }
    if isFreed, sensor.stage == .held { actions.append(.connect(sensor: sensor.id)) }
  }

  /// The daemon is gone, or the bridge ends: all links and holds are.
  public mutating func removeAll() {
    for address in sensors.keys.sorted() { remove(sensorAt: address) }
  }

  public var addresses: [String] { sensors.keys.sorted() }

  public mutating func change(sensorAt address: String, to link: RoamingLink, at now: MonotonicTime) {
    sensors[address]?.change(to: link, at: now, &actions)
    settle(address, at: now)
  }

  public mutating func received(advertOf address: String, strength: Int, at now: MonotonicTime) {
    guard isConnected, sensors[address]?.received(strength: strength, at: now) == true else { return }
    if rival(for: address, at: now) != nil, let since = sensors[address]?.advertising {
      claims[address]?.ignore(advertisedSince: since, at: now)
    }
    settle(address, at: now)
  }
}

// MARK: What others publish

extension Roaming {
  public mutating func received(status isOnline: Bool, of receiver: FleetName, at now: MonotonicTime) {
    guard receiver != settings.receiver, peers[receiver] != nil || peers.count < Self.mostOthers else { return }
    let wasOnline = peers[receiver]?.isOnline ?? false
    let last = isOnline || wasOnline ? now : peers[receiver]?.lastOnline ?? connectionChanged
    peers[receiver] = Peer(isOnline: isOnline, lastOnline: last)
    if !isOnline {
      for address in claims.keys.sorted() { claims[address]?.remove(receiver) }
      for address in sensors.keys.sorted() { sensors[address]?.forget(receiver) }
    }
    settleAll(at: now)
  }

  public mutating func received(
    _ strength: HeardStrength, of address: String, from receiver: FleetName, at now: MonotonicTime
  ) {
    guard receiver != settings.receiver, isConnected, peers[receiver]?.isOnline != false else { return }
    sensors[address]?.received(strength.rssiDBm, from: receiver, at: now)
    settle(address, at: now)
  }

  /// Nil if the claim is withdrawn.
  public mutating func received(
    _ claim: RoamingClaim?, to address: String, from receiver: FleetName, at now: MonotonicTime
  ) {
    if receiver == settings.receiver { return receivedOwn(claim, to: address) }
    guard let claim else {
      claims[address]?.remove(receiver)
      return settle(address, at: now)
    }
    guard peers[receiver]?.isOnline != false, claims[address] != nil || claims.count < Self.mostOthers else { return }
    claims[address, default: ReceivedClaims()].add(claim, of: receiver, at: now)
    settle(address, at: now)
  }

  /// The broker may have one of an earlier run.
  private mutating func receivedOwn(_ claim: RoamingClaim?, to address: String) {
    guard claim != nil, sensors[address]?.claims != true else { return }
    actions.append(.publishRelease(address: address))
  }
}

// MARK: The rules

extension Roaming {
  private mutating func settle(_ address: String, at now: MonotonicTime) {
    guard var sensor = sensors[address] else { return }
    if pinHolder(of: address, at: now) != nil {
      sensor.leave(&actions)
    } else if isConnected {
      sensor.settle(rival: rival(for: address, at: now), at: now, &actions)
    } else if !hasConnected || now >= connectionChanged + Self.brokerGrace {
      sensor.connectAlone(&actions)
    }
    sensors[address] = sensor
  }

  /// The other receiver that a sensor is meant for, unless that one is away.
  private func pinHolder(of address: String, at now: MonotonicTime) -> FleetName? {
    guard let pinned = settings.pins[address], pinned != settings.receiver, isPresent(pinned, at: now) else {
      return nil
    }
    return pinned
  }

  private func rival(for address: String, at now: MonotonicTime) -> FleetName? { claims[address]?.first(at: now) }

  private func isPresent(_ receiver: FleetName, at now: MonotonicTime) -> Bool {
    if isConnected, peers[receiver]?.isOnline == true { return true }
    return now < (peers[receiver]?.lastOnline ?? connectionChanged) + settings.pinGrace
  }

  /// When others may connect to a sensor whose receiver is away.
  private func pinEnd(of address: String) -> MonotonicTime? {
    guard let pinned = settings.pins[address], pinned != settings.receiver else { return nil }
    if isConnected, peers[pinned]?.isOnline == true { return nil }
    return (peers[pinned]?.lastOnline ?? connectionChanged) + settings.pinGrace
  }
}
