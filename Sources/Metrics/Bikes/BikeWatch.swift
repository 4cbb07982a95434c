// Finds out which bike is ridden: the one with the most live sensors of its own. Only sensors that
// belong to exactly one bike count, and only kinds that come from a bike. Heart-rate straps are
// worn, so they prove nothing. A tie changes nothing, and a new leader must lead for a while, so
// that a drop-out or a bump in the garage does not switch bikes.

import SensorKit
import Time
import Vocabulary

struct BikeWatch: Sendable {
  /// Seconds that a bike must lead while no bike is current or the current one is silent.
  static let timeout = 5.0
  /// The same while sensors of the current bike are live, because then two bikes are awake.
  static let contestedPatience = 60.0

  private struct Candidate: Sendable {
    /// The bike that the sensor belongs to; nil if it belongs to several or none.
    var owner: Int?
    var isAwake = false
  }

  private var candidates: [Candidate] = []
  /// The number of live own sensors of each bike.
  private var evidence: [Int] = []
  private var leader: (bike: Int, since: MonotonicTime)?
  private(set) var current: Int?
  /// When the current bike last sent anything.
  private var lastProof: MonotonicTime?

  /// Kinds of samples that only come from a bike.
  static func isProof(_ kind: SampleKind) -> Bool {
    switch kind {
    case .speed, .cadence, .power, .radar, .tirePressure, SampleKind("trainer"): true
    default: false
    }
  }

  /// Replaces the bikes and their sensors. `owners` lists the bikes of each source. Live sensors
  /// stay live.
  mutating func set(bikes: Int, owners: [[Int]], current: Int?) {
    while candidates.count < owners.count { candidates.append(Candidate()) }
    for source in owners.indices { candidates[source].owner = owners[source].count == 1 ? owners[source][0] : nil }
    evidence = Array(repeating: 0, count: bikes)
    for candidate in candidates where candidate.isAwake { candidate.owner.map { evidence[$0] += 1 } }
    self.current = current
    if current == nil { lastProof = nil }
    leader = nil
  }

  /// Records a sample that only a bike sends. Returns whether the current bike changed.
  mutating func record(_ source: Int, at time: MonotonicTime, forgottenAfter gap: Double) -> Bool {
    guard !evidence.isEmpty, candidates.indices.contains(source) else { return false }
    _ = current(at: time, forgottenAfter: gap)
    if !candidates[source].isAwake {
      candidates[source].isAwake = true
      if let owner = candidates[source].owner { evidence[owner] += 1 }
    }
    if let current, candidates[source].owner == current { lastProof = time }
    return judge(at: time)
  }

  mutating func lost(_ source: Int) {
    guard candidates.indices.contains(source), candidates[source].isAwake else { return }
    candidates[source].isAwake = false
    if let owner = candidates[source].owner { evidence[owner] -= 1 }
  }

  /// The current bike, which is forgotten after `gap` seconds without its sensors.
  mutating func current(at time: MonotonicTime, forgottenAfter gap: Double) -> Int? {
    guard let current else { return nil }
    if evidence[current] == 0, let lastProof, time.seconds(since: lastProof) > gap { self.current = nil }
    return self.current
  }

  /// When the current bike is forgotten if it stays silent. One millisecond is added so that the
  /// gap has passed by then.
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
    guard time.seconds(since: leader.since) >= (isContested ? Self.contestedPatience : Self.timeout) else {
      return false
    }
    current = ahead
    lastProof = time
    self.leader = nil
    return true
  }

  /// Nil on a tie.
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
