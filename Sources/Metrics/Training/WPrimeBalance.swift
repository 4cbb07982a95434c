// The remaining part of W', the work a rider can do above threshold power: Skiba's differential
// form, solved exactly for each second. Above threshold the excess is spent. Below it, the balance
// recovers in proportion to what is missing.

import CMath

/// Computes what is left of W'.
public struct WPrimeBalance: Equatable, Sendable {
  private var thresholdW: Double?
  private var capacityJ: Double?
  /// Nil until a power was known; the rider begins rested.
  public private(set) var spentJ: Double?

  public init(_ rider: Rider, spentJ: Double? = nil) {
    (thresholdW, capacityJ) = (rider.thresholdPowerW, rider.wPrimeJ)
    if let spentJ, spentJ.isFinite, spentJ >= 0 { self.spentJ = spentJ }
  }

  /// The spent work stays spent.
  mutating func change(_ rider: Rider) { (thresholdW, capacityJ) = (rider.thresholdPowerW, rider.wPrimeJ) }

  /// Negative if the rider did more than threshold power and W' allow, which means that one of them
  /// is set too low.
  public var balanceJ: Double? {
    guard thresholdW != nil, let capacityJ, let spentJ else { return nil }
    return capacityJ - spentJ
  }

  public var balancePct: Double? {
    guard let balanceJ, let capacityJ else { return nil }
    return balanceJ / capacityJ * 100
  }

  /// `watts`: nil if unknown. At rest that means 0. While riding, the balance stays as it is.
  public mutating func pass(_ watts: Double?, seconds: Double, isResting: Bool) {
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
