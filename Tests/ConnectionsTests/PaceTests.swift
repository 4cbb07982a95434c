// Which intervals count as missed packets.

import Linux
import Testing
import Time

@testable import Connections

struct PaceTests {
  /// Packets at the given intervals, in milliseconds.
  private func pace(_ intervals: [Int]) -> PacketPace {
    var pace = PacketPace()
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    pace.recordPacket(at: now)
    for interval in intervals {
      now = now + .milliseconds(interval)
      pace.recordPacket(at: now)
    }
    return pace
  }

  private func even(_ interval: Int, _ count: Int) -> [Int] { Array(repeating: interval, count: count) }

  @Test("an even pace has no missed packets")
  func evenPace() {
    let pace = pace(even(250, 400))
    #expect(pace.missed == 0)
    #expect(pace.packets == 401)
  }

  @Test("a late packet followed by one on time is not missed")
  func latePacket() {
    #expect(pace(even(1000, 20) + [1300, 700] + even(1000, 20)).missed == 0)
  }

  @Test("delayed packets that arrive later are not missed")
  func delayedPackets() {
    #expect(pace(even(250, 20) + [450, 50] + even(250, 20)).missed == 0)
    #expect(pace(even(250, 20) + [1000, 1, 1, 1] + even(250, 20)).missed == 0)
    #expect(pace(even(250, 20) + [1000, 1] + even(250, 20)).missed == 2)
    #expect(pace(even(250, 20) + [500] + even(250, 20) + even(100, 5)).missed == 1)
  }

  @Test("a gap counts as many packets as fit into it", arguments: [(500, 1), (750, 2), (1250, 4), (10_000, 39)])
  func gap(milliseconds: Int, missed: Int) {
    let pace = pace(even(250, 20) + [milliseconds] + even(250, 20))
    #expect(pace.missed == missed)
  }

  @Test("packets sent together count as one beat")
  func pairs() {
    #expect(pace((1...40).flatMap { _ in [5, 995] }).missed == 0)
  }

  @Test("an irregular sender has no missed packets")
  func irregular() {
    #expect(pace((0..<100).map { [300, 2000, 900, 4000][$0 % 4] }).missed == 0)
  }

  @Test("a new pace is learned")
  func newPace() {
    #expect(pace(even(1000, 20) + even(250, 40) + [500] + even(250, 20)).missed == 1)
  }

  @Test("the first packet after an interruption counts none as missed")
  func interrupted() {
    var pace = pace(even(250, 20))
    pace.interrupt()
    pace.recordPacket(at: MonotonicTime(nanoseconds: 1_000_000_000) + .seconds(60))
    #expect(pace.missed == 0)
    #expect(pace.packets == 22)
  }
}
