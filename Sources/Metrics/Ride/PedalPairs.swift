// Pedals that are two sensors: each says the power of its own leg, and the ride's is the sum. What one of them says alone is not what the
// rider does, and twice that is a guess: it is told as neither.

import SensorKit

struct PedalPairs: Sendable {
  typealias Source = Int

  enum Side: Sendable { case left, right }

  private struct Pedal: Sendable {
    var side: Side?
    var partner: Source?
    var power = 0.0
    /// Nil while nothing of it counts.
    var said: MonotonicTime?
  }

  /// By source.
  private var pedals: [Pedal] = []

  /// What a pedal said counts for so long, so that one that is late, or a packet that is lost, makes no step.
  static let holding = 3.0

  /// `sides` has by source the side that a power meter sits on, `bikes` those that have it. Who rides on the same bike is a pair; who
  /// belongs to no bike is one with whoever is left.
  mutating func set(_ sides: [Side?], bikes: [[Int]]) {
    while pedals.count < sides.count { pedals.append(Pedal()) }
    for source in sides.indices { (pedals[source].side, pedals[source].partner) = (sides[source], nil) }
    for isSure in [true, false] {
      for left in sides.indices where sides[left] == .left && pedals[left].partner == nil {
        let right = sides.indices.first { right in
          guard sides[right] == .right, pedals[right].partner == nil else { return false }
          let isSameBike = bikes[left].contains { bikes[right].contains($0) }
          return isSure ? isSameBike : bikes[left].isEmpty || bikes[right].isEmpty
        }
        guard let right else { continue }
        (pedals[left].partner, pedals[right].partner) = (right, left)
      }
    }
  }

  /// The left one of the pair that it belongs to, by which the pair is called.
  func left(of source: Source) -> Source? {
    guard pedals.indices.contains(source), let partner = pedals[source].partner else { return nil }
    return pedals[source].side == .left ? source : partner
  }

  mutating func note(_ power: Double, of source: Source, at time: MonotonicTime) {
    (pedals[source].power, pedals[source].said) = (power, time)
  }

  mutating func lost(_ source: Source) {
    if pedals.indices.contains(source) { pedals[source].said = nil }
  }

  /// Of both, with what part of it is the left one's where that can be said; nil while one of them says nothing.
  func sum(ofLeft left: Source, at time: MonotonicTime) -> (power: Double, leftPercent: Double?)? {
    guard let right = pedals[left].partner, lives(left, at: time), lives(right, at: time) else { return nil }
    let (one, other) = (pedals[left].power, pedals[right].power)
    let isShare = one >= 0 && other >= 0 && one + other > 0
    return (one + other, isShare ? 100 * one / (one + other) : nil)
  }

  private func lives(_ pedal: Source, at time: MonotonicTime) -> Bool {
    pedals[pedal].said.map { time.seconds(since: $0) <= Self.holding } ?? false
  }
}
