// How fast stored batches are sent: at most ten a second, so that a receiver that was away for long
// does not flood the broker, with at most twenty that are not acknowledged.

public import Time

public struct SendPace: Sendable {
  public static let mostUnacknowledged = 20
  static let interval = Duration.milliseconds(100)

  private var earliest: MonotonicTime?

  public init() {}

  public mutating func sent(at now: MonotonicTime) { earliest = now + Self.interval }

  /// When the next batch may be sent; nil until one is acknowledged.
  public func next(unacknowledged: Int, at now: MonotonicTime) -> MonotonicTime? {
    guard unacknowledged < Self.mostUnacknowledged else { return nil }
    return max(now, earliest ?? now)
  }
}
