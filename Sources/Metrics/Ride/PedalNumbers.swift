// The sides that the user assigned to power meters, and the resulting pairs.

import Time
import Vocabulary

struct PedalNumbers: Sendable {
  typealias Source = PedalPairs.Source

  enum Sum: Sendable {
    /// Of one meter, or of both pedals.
    case known(PowerReading)
    /// The other pedal is missing.
    case unknown
    /// A pair is published only with the left pedal's packets, so that its samples are evenly
    /// spaced.
    case later
  }

  private var sides: [PedalPairs.Side?] = []
  private var pairs = PedalPairs()

  /// Call `pair` afterwards, as after each change.
  mutating func register(_ sensor: RideSensor, as source: Source) {
    while sides.count <= source { sides.append(nil) }
    switch sensor.role {
    case .left where sensor.measuresPower: sides[source] = .left
    case .right where sensor.measuresPower: sides[source] = .right
    default: sides[source] = nil
    }
  }

  mutating func forget(_ source: Source) {
    pairs.lost(source)
    sides[source] = nil
  }

  /// `bikes`: those that each source belongs to.
  mutating func pair(_ bikes: [[Int]]) { pairs.set(sides, bikes: bikes) }

  func isPaired(_ source: Source) -> Bool { pairs.left(of: source) != nil }

  mutating func add(_ reading: PowerReading, from source: Source, at time: MonotonicTime) -> Sum {
    guard let left = pairs.left(of: source) else { return .known(reading) }
    pairs.note(reading.watts, of: source, at: time)
    guard source == left else { return .later }
    guard let sum = pairs.sum(ofLeft: left, at: time) else { return .unknown }
    let balance = sum.leftPercent.map { ($0 * 100).rounded() / 100 }
    return .known(PowerReading(watts: sum.power, balance: balance, reference: balance.map { _ in "left" }))
  }

  /// The link was lost. Returns the left pedal that stands for the pair, if this was the right one:
  /// its last value must not be added to anything any more.
  mutating func lose(_ source: Source) -> Source? {
    pairs.lost(source)
    guard let left = pairs.left(of: source), left != source else { return nil }
    return left
  }
}
