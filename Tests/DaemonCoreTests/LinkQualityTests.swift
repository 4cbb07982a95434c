// What is counted as missed, and what is only another rhythm.

import Linux
import Testing

@testable import DaemonCore

struct LinkQualityTests {
  /// Packets so many milliseconds apart.
  private func quality(_ intervals: [Int]) -> LinkQuality {
    var quality = LinkQuality()
    var now = BootTime(nanoseconds: 1_000_000_000)
    quality.heard(at: now)
    for interval in intervals {
      now = now + .milliseconds(interval)
      quality.heard(at: now)
    }
    return quality
  }

  private func even(_ interval: Int, _ count: Int) -> [Int] { Array(repeating: interval, count: count) }

  @Test func anEvenPaceMissesNothing() {
    let quality = quality(even(250, 400))
    #expect(quality.missed == 0)
    #expect(quality.packets == 401)
    #expect(quality.longestGap == .milliseconds(250))
  }

  @Test func aLatePacketAndTheNextOneInTimeAreNone() {
    #expect(quality(even(1000, 20) + [1300, 700] + even(1000, 20)).missed == 0)
  }

  @Test(arguments: [(500, 1), (750, 2), (1250, 4), (10_000, 39)])
  func aHoleIsAsManyAsFitIntoIt(milliseconds: Int, missed: Int) {
    let quality = quality(even(250, 20) + [milliseconds] + even(250, 20))
    #expect(quality.missed == missed)
    #expect(quality.longestGap == .milliseconds(milliseconds))
  }

  @Test func whatWasSentTogetherIsOneBeat() {
    #expect(quality((1...40).flatMap { _ in [5, 995] }).missed == 0)
  }

  @Test func whoSendsAsItPleasesMissesNothing() {
    #expect(quality((0..<100).map { [300, 2000, 900, 4000][$0 % 4] }).missed == 0)
  }

  @Test func aNewPaceIsLearned() {
    #expect(quality(even(1000, 20) + even(250, 40) + [500] + even(250, 20)).missed == 1)
  }

  @Test func anInterruptionIsAGapAndNothingMissed() {
    var quality = quality(even(250, 20))
    quality.interrupted(isWanted: true)
    quality.heard(at: BootTime(nanoseconds: 1_000_000_000) + .milliseconds(250 * 20) + .seconds(30))
    #expect(quality.missed == 0)
    #expect(quality.longestGap == .seconds(30))
  }

  @Test func whatTheUserSwitchedOffIsNoGap() {
    var quality = quality(even(250, 20))
    quality.interrupted(isWanted: false)
    quality.heard(at: BootTime(nanoseconds: 3_600_000_000_000))
    #expect(quality.longestGap == .milliseconds(250))
  }
}
