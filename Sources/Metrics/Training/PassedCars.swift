// Counts the cars that passed the rider. A radar sees a car until it is next to the bike. A car
// that vanishes nearby has passed; one that vanishes further away turned off or was hidden.

public import Time

/// Computes how many cars passed from the targets of a radar.
public struct PassedCars: Sendable {
  private struct Car: Sendable {
    var id: Int
    var distance: Double
    /// Approach speed in m/s.
    var speed: Double
    var seen: MonotonicTime
  }

  /// Nil until a radar sent something.
  public private(set) var count: Int?
  /// The most targets that radars report.
  private var cars = InlineArray<8, Car?>(repeating: nil)

  /// Seconds, so that a flickering target is not gone.
  private static let timeout = 1.0
  /// Within this distance in metres a car is next to the bike, however slow. A faster one vanishes
  /// up to `lead` seconds earlier.
  private static let near = 10.0
  private static let lead = 1.5
  /// Radars reuse ids. A target that is suddenly further away, or closer than it can have driven,
  /// is a new car.
  private static let leap = 10.0
  private static let fastest = 60.0

  public init(saved: Int? = nil) {
    if let saved, saved >= 0 { count = saved }
  }

  /// Handles one target of a packet.
  public mutating func see(_ id: Int, distance: Double, speed: Double?, at time: MonotonicTime, counts: Bool) {
    let place = place(of: id)
    var measured = speed ?? 0
    if let before = cars[place], before.id == id {
      let seconds = time.seconds(since: before.seen)
      let nearer = before.distance - distance
      if nearer < -Self.leap || nearer > Self.leap + Self.fastest * seconds {
        leave(before, counts)
      } else if speed == nil {
        measured = seconds > 0 ? max(0, nearer / seconds) : before.speed
      }
    } else if let other = cars[place] {
      leave(other, counts)
    }
    cars[place] = Car(id: id, distance: distance, speed: measured, seen: time)
  }

  /// Call after the last target of a packet; cars that were not in it may be gone. `counts`: the
  /// bike is moving. A car that stops behind the bike at a light has not passed.
  public mutating func settle(at time: MonotonicTime, counts: Bool) {
    if count == nil { count = 0 }
    for place in cars.indices {
      guard let car = cars[place], time.seconds(since: car.seen) >= Self.timeout else { continue }
      leave(car, counts)
      cars[place] = nil
    }
  }

  /// A lost radar does not show which cars passed.
  public mutating func lose() { cars = InlineArray(repeating: nil) }

  private mutating func leave(_ car: Car, _ counts: Bool) {
    if counts, car.distance <= max(Self.near, Self.lead * car.speed) { count = (count ?? 0) + 1 }
  }

  /// The car's own place, else an empty one, else that of the car not seen for the longest time.
  private func place(of id: Int) -> Int {
    var best = 0
    for index in cars.indices {
      guard let car = cars[index] else {
        if cars[best] != nil { best = index }
        continue
      }
      if car.id == id { return index }
      if let other = cars[best], car.seen < other.seen { best = index }
    }
    return best
  }
}
