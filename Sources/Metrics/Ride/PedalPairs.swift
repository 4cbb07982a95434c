// Pairs of pedals that are two sensors. Each reports the power of one leg, and the ride uses the
// sum. While one of them is missing there is no power, because half of it is wrong and twice the
// half is a guess.

import SensorKit
import Time

struct PedalPairs: Sendable {
  typealias Source = Int

  enum Side: Sendable { case left, right }

  private struct Pedal: Sendable {
    var side: Side?
    var partner: Source?
    var power = 0.0
    /// When the last value arrived; nil if that value does not count.
    var said: MonotonicTime?
  }

  /// By source.
  private var pedals: [Pedal] = []

  /// Seconds that a pedal's value holds, so that a late or lost packet causes no step.
  static let holding = 3.0

  /// `sides` has the side of each power meter, `bikes` the bikes that it belongs to, both by
  /// source. Pedals of the same bike form a pair. A pedal without a bike pairs with any that is
  /// left.
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

  /// The left pedal of the source's pair, which stands for the pair.
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

  /// The power of both, with the left one's share if it is defined; nil while one of them is
  /// missing.
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
