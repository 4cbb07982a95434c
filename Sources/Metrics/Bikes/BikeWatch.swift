// Which bike is ridden: the one most of whose own sensors are heard. Only a sensor that belongs to just one bike is evidence, and only by
// what a bike says: a strap is worn, whatever set it was put into. Where two bikes have as many, nothing is said; and who leads has to lead
// for a while, so that a drop-out or a bump in the garage changes nothing.

import SensorKit

struct BikeWatch: Sendable {
  /// So long has one to lead before it is believed, while none is, or nothing of the one that is believed is heard.
  static let patience = 5.0
  /// The same while sensors of the bike that is believed are heard: two bikes are awake.
  static let contestedPatience = 60.0

  private struct Player: Sendable {
    /// The only bike that has it.
    var owner: Int?
    var isHeard = false
  }

  private var players: [Player] = []
  /// By bike, how many of its own sensors are heard.
  private var evidence: [Int] = []
  private var leader: (bike: Int, since: MonotonicTime)?
  private(set) var current: Int?
  /// When something of the current bike was heard last.
  private var lastProof: MonotonicTime?

  /// Kinds of samples that only a bike gives.
  static func isProof(_ kind: SampleKind) -> Bool {
    switch kind {
    case .speed, .cadence, .power, .radar, .tirePressure, SampleKind("trainer"): true
    default: false
    }
  }

  /// Other bikes, or other sensors: `owners` has by source the bikes that have it. What is heard stays heard.
  mutating func set(bikes: Int, owners: [[Int]], current: Int?) {
    while players.count < owners.count { players.append(Player()) }
    for source in owners.indices { players[source].owner = owners[source].count == 1 ? owners[source][0] : nil }
    evidence = Array(repeating: 0, count: bikes)
    for player in players where player.isHeard { player.owner.map { evidence[$0] += 1 } }
    self.current = current
    if current == nil { lastProof = nil }
    leader = nil
  }

  /// A sensor said something that only a bike says. Whether another bike is believed now.
  mutating func heard(_ source: Int, at time: MonotonicTime, forgottenAfter gap: Double) -> Bool {
    guard !evidence.isEmpty, players.indices.contains(source) else { return false }
    _ = current(at: time, forgottenAfter: gap)
    if !players[source].isHeard {
      players[source].isHeard = true
      if let owner = players[source].owner { evidence[owner] += 1 }
    }
    if let current, players[source].owner == current { lastProof = time }
    return judge(at: time)
  }

  mutating func lost(_ source: Int) {
    guard players.indices.contains(source), players[source].isHeard else { return }
    players[source].isHeard = false
    if let owner = players[source].owner { evidence[owner] -= 1 }
  }

  /// The bike of whose sensors none was heard for so long is the bike no more.
  mutating func current(at time: MonotonicTime, forgottenAfter gap: Double) -> Int? {
    guard let current else { return nil }
    if evidence[current] == 0, let lastProof, time.seconds(since: lastProof) > gap { self.current = nil }
    return self.current
  }

  /// When the bike is it no more, if nothing of it is heard again: a moment after the gap, to be behind it.
  func forgetting(after gap: Double) -> MonotonicTime? {
    guard let current, evidence[current] == 0, let lastProof else { return nil }
    return lastProof + .milliseconds(Int((gap * 1000).rounded(.up)) + 1)
  }

  private mutating func judge(at time: MonotonicTime) -> Bool {
    guard let ahead = onlyBest, ahead != current else {
      leader = nil
      return false
    }
    guard let leader, leader.bike == ahead else {
      leader = (ahead, time)
      return false
    }
    let isContested = current.map { evidence[$0] > 0 } ?? false
    guard time.seconds(since: leader.since) >= (isContested ? Self.contestedPatience : Self.patience) else {
      return false
    }
    current = ahead
    lastProof = time
    self.leader = nil
    return true
  }

  /// None where several have as much.
  private var onlyBest: Int? {
    var best: Int?
    var most = 0
    for bike in evidence.indices where evidence[bike] >= max(1, most) {
      best = evidence[bike] == most ? nil : bike
      most = evidence[bike]
    }
    return best
  }
}
