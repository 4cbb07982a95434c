// How many cars have passed the rider. A radar sees a car until it is beside the bike: one that is gone from near by has passed, one
// that is gone from further away turned off or was hidden.

import SensorKit

struct PassedCars: Sendable {
  private struct Car: Sendable {
    var id: Int
    var distance: Double
    /// By which it came nearer, metres a second.
    var speed: Double
    var seen: MonotonicTime
  }

  /// Nil before a radar has spoken.
  private(set) var count: Int?
  /// As many as radars see at once.
  private var cars = InlineArray<8, Car?>(repeating: nil)

  /// A target that flickers is not gone.
  private static let patience = 1.0
  /// Metres from which a car is beside the bike, however slow it is; a faster one is lost up to so many seconds before.
  private static let near = 10.0
  private static let lead = 1.5
  /// A number that a radar gives again: the new car is so much further away, or nearer by more than anybody drives.
  private static let leap = 10.0
  private static let fastest = 60.0

  init(saved: Int? = nil) {
    if let saved, saved >= 0 { count = saved }
  }

  /// A car that a packet tells of.
  mutating func see(_ id: Int, distance: Double, speed: Double?, at time: MonotonicTime, counts: Bool) {
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

  /// The packet is read: what it did not tell of may be gone. `counts`: the bike moves, so that a car which stops behind it at a light
  /// has not passed.
  mutating func settle(at time: MonotonicTime, counts: Bool) {
    if count == nil { count = 0 }
    for place in cars.indices {
      guard let car = cars[place], time.seconds(since: car.seen) >= Self.patience else { continue }
      leave(car, counts)
      cars[place] = nil
    }
  }

  /// A radar that went blind does not know who passed.
  mutating func lose() { cars = InlineArray(repeating: nil) }

  private mutating func leave(_ car: Car, _ counts: Bool) {
    if counts, car.distance <= max(Self.near, Self.lead * car.speed) { count = (count ?? 0) + 1 }
  }

  /// Its own, else an empty one, else that of the car that was not seen for longest.
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
