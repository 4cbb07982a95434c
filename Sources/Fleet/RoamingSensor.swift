// The state of one sensor that may roam, as one receiver sees it.

import Time

struct RoamingSensor: Sendable {
  /// How long receivers collect what they receive before they compare it.
  static let contestTime = Duration.seconds(3)
  /// How long the winner of a comparison has time to claim the sensor.
  static let claimTime = Duration.seconds(4)
  /// How long a claim may last without a link.
  static let connectTime = Duration.seconds(10)
  /// How long a receiver that could not connect, or did not claim, leaves the sensor to others.
  static let restTime = Duration.seconds(20)
  static let claimInterval = Duration.seconds(30)
  static let strengthInterval = Duration.seconds(2)
  /// A strength is current for this long, although one message may be lost.
  static let strengthAge = Duration.seconds(5)
  /// A sensor that is received at least this often is advertising.
  static let advertPause = Duration.seconds(3)
  /// Strengths that differ by at most this many dB are equal.
  static let tolerance = 3

  enum Stage: Equatable {
    /// The daemon connects as it does without a fleet.
    case free
    case held
    case trying(until: MonotonicTime)
    case owned
  }

  private struct Strength {
    let rssi: Int
    let at: MonotonicTime
  }

  private struct Contest {
    var end: MonotonicTime
    /// The winner, which should claim the sensor.
    var expected: FleetName?
  }

  let id: String
  let address: String
  private let receiver: FleetName
  private(set) var stage = Stage.free
  /// Whether the daemon is connected to it.
  var isLinked = false
  /// Whether the hold reports adverts.
  private var listens = false
  /// The daemon has reported the hold.
  private var isHoldConfirmed = false
  /// The user has enabled the sensor here, so claims of others do not count until it is linked.
  private var isWanted = false
  private var since = MonotonicTime(nanoseconds: 0)
  private var nextClaim = MonotonicTime(nanoseconds: 0)
  private var contest: Contest?
  /// What this daemon has received in the last 3 s.
  private var adverts: [Strength] = []
  /// Since when the sensor advertises without a pause.
  private(set) var advertising: MonotonicTime?
  /// What was published last, of this receiver and others.
  private var strengths: [FleetName: Strength] = [:]
  private var resting: [FleetName: MonotonicTime] = [:]

  init(id: String, address: String, receiver: FleetName) {
    (self.id, self.address, self.receiver) = (id, address, receiver)
  }

  /// Whether the others know that this receiver has it.
  var claims: Bool {
    switch stage {
    case .trying, .owned: true
    case .free, .held: false
    }
  }

  var deadlines: [MonotonicTime] {
    switch stage {
    case .free: []
    case .held: [contest?.end].compactMap(\.self)
    case .trying(let until): [until, nextClaim]
    case .owned: [nextClaim]
    }
  }
}

// MARK: What happens

extension RoamingSensor {
  mutating func change(to link: RoamingLink, at now: MonotonicTime, _ actions: inout [RoamingAction]) {
    isLinked = link == .linked
    guard stage == .held else { return }
    if link == .held {
      isHoldConfirmed = true
    } else if isHoldConfirmed {
      insist(at: now, &actions)
    }
  }

  /// The user has enabled the sensor here: the daemon connects already.
  mutating func insist(at now: MonotonicTime, _ actions: inout [RoamingAction]) {
    isWanted = true
    claim(at: now, &actions)
  }

  /// Returns whether it counts: while this receiver wants the sensor, it does not compare.
  mutating func received(strength rssi: Int, at now: MonotonicTime) -> Bool {
    guard stage == .held else { return false }
    if let last = adverts.last, now - last.at > Self.advertPause { advertising = nil }
    advertising = advertising ?? now
    adverts.removeAll { now - $0.at > Self.contestTime }
    adverts.append(Strength(rssi: rssi, at: now))
    return true
  }

  mutating func received(_ rssi: Int, from other: FleetName, at now: MonotonicTime) {
    guard strengths[other] != nil || strengths.count < Roaming.mostOthers else { return }
    // What a radio can measure.
    strengths[other] = Strength(rssi: max(-127, min(20, rssi)), at: now)
  }

  mutating func forget(_ other: FleetName) { strengths[other] = nil }

  mutating func forgetOthers() {
    (strengths, resting, contest) = ([:], [:], nil)
    // The new connection has to learn of a claim.
    nextClaim = MonotonicTime(nanoseconds: 0)
  }
}

// MARK: What follows

extension RoamingSensor {
  /// `rival` is the other receiver whose claim counts.
  mutating func settle(rival: FleetName?, at now: MonotonicTime, _ actions: inout [RoamingAction]) {
    let isBeaten = rival.map { $0.text < receiver.text } ?? false
    switch stage {
    case .free:
      if isLinked, !isBeaten {
        claim(at: now, &actions)
        stage = .owned
      } else {
        hold(listens: true, &actions)
      }
    case .trying(let until):
      if isLinked { (stage, isWanted) = (.owned, false) }
      if isBeaten, !isWanted { return withdraw(&actions) }
      if !isLinked, now >= until {
        resting[receiver] = now + Self.restTime
        return withdraw(&actions)
      }
      repeatClaim(at: now, &actions)
    case .owned:
      if isBeaten || !isLinked { return withdraw(&actions) }
      repeatClaim(at: now, &actions)
    case .held:
      if !listens { hold(listens: true, &actions) }
      if rival == nil { compete(at: now, &actions) } else { contest = nil }
    }
  }

  /// Another receiver should have it.
  mutating func leave(_ actions: inout [RoamingAction]) {
    if claims { actions.append(.publishRelease(address: address)) }
    if stage != .held || listens { hold(listens: false, &actions) }
  }

  mutating func connectAlone(_ actions: inout [RoamingAction]) {
    guard stage == .held else { return }
    stage = .free
    actions.append(.connect(sensor: id))
  }

  private mutating func hold(listens: Bool, _ actions: inout [RoamingAction]) {
    self.listens = listens
    (stage, isLinked, isHoldConfirmed, isWanted) = (.held, false, false, false)
    (contest, adverts, advertising) = (nil, [], nil)
    strengths[receiver] = nil
    actions.append(.hold(sensor: id, listens: listens))
  }

  private mutating func withdraw(_ actions: inout [RoamingAction]) {
    actions.append(.publishRelease(address: address))
    hold(listens: true, &actions)
  }

  private mutating func claim(at now: MonotonicTime, _ actions: inout [RoamingAction]) {
    (stage, since, contest) = (.trying(until: now + Self.connectTime), now, nil)
    publishClaim(at: now, &actions)
  }

  private mutating func repeatClaim(at now: MonotonicTime, _ actions: inout [RoamingAction]) {
    if now >= nextClaim { publishClaim(at: now, &actions) }
  }

  private mutating func publishClaim(at now: MonotonicTime, _ actions: inout [RoamingAction]) {
    nextClaim = now + Self.claimInterval
    actions.append(.publishClaim(RoamingClaim(receiver: receiver, since: since), address: address))
  }
}

// MARK: The comparison

extension RoamingSensor {
  private mutating func compete(at now: MonotonicTime, _ actions: inout [RoamingAction]) {
    publishStrength(at: now, &actions)
    strengths = strengths.filter { now - $0.value.at <= Self.strengthAge }
    guard !strengths.isEmpty else { return contest = nil }
    let contest = contest ?? Contest(end: now + Self.contestTime)
    self.contest = contest
    guard now >= contest.end else { return }
    if let idle = contest.expected, idle == winner(at: now) { resting[idle] = now + Self.restTime }
    guard let winner = winner(at: now) else { return }
    if winner == receiver {
      claim(at: now, &actions)
      actions.append(.connect(sensor: id))
    } else {
      self.contest = Contest(end: now + Self.claimTime, expected: winner)
    }
  }

  private mutating func publishStrength(at now: MonotonicTime, _ actions: inout [RoamingAction]) {
    guard let last = adverts.last, now - last.at < Self.strengthInterval else { return }
    if let published = strengths[receiver], now - published.at < Self.strengthInterval { return }
    let sorted = adverts.map(\.rssi).sorted()
    let median = sorted[sorted.count / 2]
    strengths[receiver] = Strength(rssi: median, at: now)
    actions.append(.publishStrength(HeardStrength(rssiDBm: median, t: now), address: address))
  }

  /// The receiver with the best signal. Resting receivers count only if all of them rest.
  private func winner(at now: MonotonicTime) -> FleetName? {
    let awake = strengths.filter { (resting[$0.key] ?? now) <= now }
    return Self.strongest(of: awake) ?? Self.strongest(of: strengths)
  }

  private static func strongest(of strengths: [FleetName: Strength]) -> FleetName? {
    guard let best = strengths.values.map(\.rssi).max() else { return nil }
    return strengths.filter { $0.value.rssi >= best - tolerance }.keys.min { $0.text < $1.text }
  }
}
