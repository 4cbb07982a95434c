// Power of the chosen source: one meter, or a pair of pedals.

import SensorKit
import Time
import Vocabulary

/// The power values of one packet.
struct PowerWord: Sendable {
  var watts: Double
  var balance: Double?
  /// Which leg the balance refers to, if the meter reports it.
  var reference: Word?
}

/// The sides that the user assigned to power meters, and the resulting pairs.
struct PedalNumbers: Sendable {
  var sides: [PedalPairs.Side?] = []
  var pairs = PedalPairs()
}

extension RideMetrics {
  mutating func takePower(_ word: PowerWord?, _ source: Source, _ time: MonotonicTime, _ out: inout Batch) {
    guard let word, Plausible.power.contains(word.watts) else { return }
    guard let left = pedals.pairs.left(of: source) else { return believePower(word, source, time, &out) }
    pedals.pairs.note(word.watts, of: source, at: time)
    if word.watts > 0 { notePedalling(at: time) }
    // A pair is published only with the left pedal's packets, so that its samples are evenly
    // spaced.
    guard source == left else { return }
    guard let sum = pedals.pairs.sum(ofLeft: left, at: time) else { return powers.lost(left, at: time) }
    guard Plausible.power.contains(sum.power) else { return }
    let balance = sum.leftPercent.map { ($0 * 100).rounded() / 100 }
    believePower(
      PowerWord(watts: sum.power, balance: balance, reference: balance.map { _ in "left" }), left, time, &out)
  }

  private mutating func believePower(_ word: PowerWord, _ source: Source, _ time: MonotonicTime, _ out: inout Batch) {
    guard powers.record(source, at: time) else { return }
    if word.watts > 0 { notePedalling(at: time) }
    // Negative power is what a fixed gear returns to the legs, and is not work.
    let given = max(0, word.watts)
    let isRiding = isMoving
    body.take(powerW: given, at: time, isMoving: isRiding)
    totals.power.add(given, at: time, counts: isRiding)
    training.coasting.note(watts: given)
    let riding = totals.powerNumbers.closes(at: time) ? riding(at: time) : nil
    totals.powerNumbers.add(given, at: time, riding, into: &training)
    // There is no balance while coasting.
    if let balance = word.balance, word.watts > 0 { totals.balance.add(balance, at: time, counts: isRiding) }
    guard powers.tells(word.watts, of: source, at: time) else { return }
    say(.power, .powerW, word.watts, source, &out)
    guard let balance = word.balance else { return }
    out.set(.pedalBalancePct, balance)
    if let reference = word.reference { out.set(.pedalBalanceReference, reference) }
  }
}

// MARK: Pairs

extension RideMetrics {
  mutating func notePedal(_ sensor: Sensor, of source: Source) {
    while pedals.sides.count <= source { pedals.sides.append(nil) }
    switch sensor.role {
    case .left where sensor.measuresPower: pedals.sides[source] = .left
    case .right where sensor.measuresPower: pedals.sides[source] = .right
    default: pedals.sides[source] = nil
    }
    pairPedals()
  }

  mutating func pairPedals() {
    let owners = pedals.sides.indices.map { bikes.owners(of: sensors[$0]) }
    pedals.pairs.set(pedals.sides, bikes: owners)
  }

  /// The other pedal's last value must not be added to anything any more.
  mutating func losePedal(_ source: Source, at time: MonotonicTime) {
    pedals.pairs.lost(source)
    if let left = pedals.pairs.left(of: source), left != source { powers.lost(left, at: time) }
  }

  mutating func leavePedals(_ source: Source) {
    pedals.pairs.lost(source)
    pedals.sides[source] = nil
    pairPedals()
  }
}

extension Batch {
  func power(_ entry: Entry) -> PowerWord? {
    number(.powerW, of: entry).map { watts in
      PowerWord(
        watts: watts, balance: number(.pedalBalancePct, of: entry), reference: word(.pedalBalanceReference, of: entry))
    }
  }
}
