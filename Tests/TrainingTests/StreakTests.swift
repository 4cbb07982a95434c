// Runs of numbers that follow each other.

import Testing
import Training

@Suite struct StreakTests {
  @Test("the longest run counts, and of equal ones the latest")
  func longest() {
    #expect(Streaks([5, 1, 2, 3, 3, 9, 8], now: 100)?.longest == 1...3)
    #expect(Streaks([1, 2, 5, 6], now: 100)?.longest == 5...6)
    #expect(Streaks([4], now: 100)?.longest == 4...4)
    #expect(Streaks([], now: 100) == nil)
  }

  @Test(
    "a streak goes on until a whole day has passed without an activity",
    arguments: [(3, 1...3), (4, 1...3), (5, nil), (2, 1...3)] as [(Int64, ClosedRange<Int64>?)])
  func current(now: Int64, expected: ClosedRange<Int64>?) {
    #expect(Streaks([1, 2, 3, -7], now: now)?.current == expected)
  }
}
