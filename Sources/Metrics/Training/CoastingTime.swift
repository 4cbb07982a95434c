// Time in which the bike rolled while the pedals stood still. A second counts once the bike has
// been seen to move after it, so the seconds between a stop and the pause do not count.

public import Time

/// Computes the seconds of coasting.
public struct CoastingTime: Sendable {
  public typealias Sums = RideAndLap<Double>

  /// Nil until a sensor reported whether the pedals turn.
  private var sums: Sums?
  private var cadence: Double?
  private var watts: Double?
  private var held = 0.0
  private var heldUntil = MonotonicTime(nanoseconds: .min)

  public init(saved: Sums? = nil) {
    if let saved, saved.ride.isFinite, saved.lap.isFinite { sums = saved }
  }

  public var saved: Sums? { sums }
  public func seconds(_ span: RideSpan) -> Double? { sums?[span] }

  public mutating func note(cadence: Double) { self.cadence = cadence }
  public mutating func note(watts: Double) { self.watts = watts }

  public mutating func beginLap() {
    sums?.lap = 0
    held = 0
  }

  /// `moved`: the growth of the moving time. Cadence is preferred to power, because a fixed gear
  /// can show power while it is held back.
  public mutating func pass(
    moved seconds: Double, to time: MonotonicTime, hasCadence: Bool, hasPower: Bool, isMoving: Bool,
    movedAt: MonotonicTime?
  ) {
    guard isMoving else { return held = 0 }
    if let movedAt, movedAt >= heldUntil, held > 0 {
      sums?.add(held)
      held = 0
    }
    let turning = hasCadence ? cadence : hasPower ? watts : nil
    guard let turning else { return }
    if sums == nil { sums = Sums(ride: 0, lap: 0) }
    guard turning <= 0 else { return }
    held += seconds
    heldUntil = time
  }
}
