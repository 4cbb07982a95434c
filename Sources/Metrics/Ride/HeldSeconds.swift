// Seconds of power since the wheel was last seen to turn, which may belong to a stop. They are
// released when it turns again and dropped when the ride pauses. This keeps the zeros before a
// pause out of the averages.

import Time

struct HeldSeconds: Sendable {
  private struct Held: Sendable {
    var watts: Float = 0
    var end = MonotonicTime(nanoseconds: 0)
  }

  /// Coasting without a wheel sensor lasts at most a minute.
  private var held = InlineArray<64, Held>(repeating: Held())
  private var count = 0

  mutating func add(_ watts: Double, endingAt end: MonotonicTime) {
    // The oldest is at the front. After a full buffer without a pause, the bike was being ridden.
    guard count < held.count else { return }
    held[count] = Held(watts: Float(watts), end: end)
    count += 1
  }

  var isFull: Bool { count == held.count }

  /// Whether the first second ended before the bike was last seen to move.
  func isReleased(by movedAt: MonotonicTime?) -> Bool {
    guard count > 0, let movedAt else { return false }
    return held[0].end <= movedAt
  }

  /// Whether the pedals turned in any of them; then all seconds up to that one were ridden.
  var hasPower: Bool { (0..<count).contains { held[$0].watts > 0 } }

  mutating func removeFirst() -> Double? {
    guard count > 0 else { return nil }
    let watts = Double(held[0].watts)
    for index in 1..<max(1, count) { held[index - 1] = held[index] }
    count -= 1
    return watts
  }

  mutating func removeAll() { count = 0 }
}
