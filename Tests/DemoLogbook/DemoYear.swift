// The plan of the year: which activities there are on which day. A rider who also runs, swims and
// lifts weights, does more in summer, and has an easy week in four.

import CMath
import Time

struct DemoYear {
  enum Content {
    case ride(metres: Double, intensity: Double)
    case run(metres: Double)
    case swim(metres: Double)
    case strength
  }

  struct Entry {
    let start: WallTime
    let name: String
    let content: Content
    let seed: UInt64
  }

  static let utcOffset = 3600
  private static let day: Int64 = 86_400
  private static let days = 365

  /// The last day is the one before `end`.
  static func entries(until end: WallTime) -> [Entry] {
    let midnight = end.seconds - end.seconds % day
    var entries: [Entry] = []
    for index in 0..<days {
      let date = midnight - Int64(days - index) * day
      // 1970-01-01 was a Thursday.
      let weekday = Int((date / day + 3) % 7)
      let isEasy = index / 7 % 4 == 3
      // The 200th day of the year is the warmest.
      let summer = 0.5 + 0.5 * cos(2 * .pi * Double((date / day) % 365 - 200) / 365)
      var random = DemoRandom(seed: UInt64(index + 1) &* 0x1234_5678_9abc_def1)
      guard let (name, content) = plan(weekday, isEasy: isEasy, summer: summer, &random) else { continue }
      let hour = weekday >= 5 ? random.number(7...10) : random.number(16...18)
      let start = WallTime(seconds: date + Int64(hour * 3600))
      entries.append(Entry(start: start, name: name, content: content, seed: random.next()))
    }
    return entries
  }

  private static func plan(
    _ weekday: Int, isEasy: Bool, summer: Double, _ random: inout DemoRandom
  ) -> (String, Content)? {
    let size = (isEasy ? 0.6 : 1) * (0.7 + 0.6 * summer) * random.number(0.85...1.15)
    switch weekday {
    case 0: return random.happens(0.5) ? ("Strength", .strength) : nil
    case 1: return ("Evening ride", .ride(metres: 26_000 * size, intensity: 0.72))
    case 2: return random.happens(0.85) ? ("Easy run", .run(metres: 8_000 * size)) : nil
    case 3:
      return isEasy
        ? ("Swim", .swim(metres: (1500 * size / 50).rounded() * 50))
        : ("Intervals", .ride(metres: 24_000 * size, intensity: 0.88))
    case 4: return random.happens(0.5) ? ("Swim", .swim(metres: (1800 * size / 50).rounded() * 50)) : nil
    case 5: return random.happens(0.9) ? ("Long ride", .ride(metres: 58_000 * size, intensity: 0.68)) : nil
    default: return random.happens(0.6) ? ("Sunday run", .run(metres: 12_000 * size)) : nil
    }
  }
}
