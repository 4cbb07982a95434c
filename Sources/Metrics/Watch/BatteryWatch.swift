// Reports a battery once when it is low and once when it is nearly empty. It reports again only
// after a recharge or a change.

struct BatteryWatch: Sendable {
  enum Event: Equatable, Sendable { case low, critical }

  private var said: Event?

  static let low = 20.0
  static let critical = 10.0
  /// A charge computed from a voltage rises by some percent in warm weather.
  private static let recovery = 10.0

  mutating func add(_ charge: Double) -> Event? {
    guard (0.0...100).contains(charge) else { return nil }
    if charge > Self.low + Self.recovery { said = nil }
    if charge <= Self.critical, said != .critical {
      said = .critical
      return .critical
    }
    if charge <= Self.low, said == nil {
      said = .low
      return .low
    }
    return nil
  }
}
