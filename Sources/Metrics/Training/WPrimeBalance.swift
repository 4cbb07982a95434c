// What is left of W', the work that a rider can do above threshold power: Skiba's differential form, solved exactly over each second.
// Above threshold the excess is spent; below it the balance recovers towards W' in proportion to what is missing.

import CMath

struct WPrimeBalance: Equatable, Sendable {
  private var thresholdW: Double?
  private var capacityJ: Double?
  /// Nil before any power was known: the rider begins rested.
  private(set) var spentJ: Double?

  init(_ rider: Rider, spentJ: Double? = nil) {
    (thresholdW, capacityJ) = (rider.thresholdPowerW, rider.wPrimeJ)
    if let spentJ, spentJ.isFinite, spentJ >= 0 { self.spentJ = spentJ }
  }

  /// What was spent stays spent.
  mutating func change(_ rider: Rider) { (thresholdW, capacityJ) = (rider.thresholdPowerW, rider.wPrimeJ) }

  /// Below zero where the rider did more than threshold power and W' allow: one of them is too low.
  var balanceJ: Double? {
    guard thresholdW != nil, let capacityJ, let spentJ else { return nil }
    return capacityJ - spentJ
  }

  var balancePct: Double? {
    guard let balanceJ, let capacityJ else { return nil }
    return balanceJ / capacityJ * 100
  }

  /// `watts`: nil where unknown. A standing rider gives none; of a riding one nothing is known, and the balance stays.
  mutating func pass(_ watts: Double?, seconds: Double, isResting: Bool) {
    guard let thresholdW, let capacityJ else { return }
    guard let watts = watts ?? (isResting && spentJ != nil ? 0 : nil) else { return }
    let spent = spentJ ?? 0
    if watts > thresholdW {
      spentJ = spent + (watts - thresholdW) * seconds
    } else {
      spentJ = spent * exp(-(thresholdW - watts) / capacityJ * seconds)
    }
  }
}
