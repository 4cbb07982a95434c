// How fast stored batches are sent, in virtual time.

import Fleet
import TestSupport
import Testing
import Time

@testable import Spool

@Suite struct SendPaceTests {
  /// Sends what waits in virtual time. The broker acknowledges each after a delay.
  private func drain(_ world: SpoolWorld, delay: Duration) -> (duration: Duration, moments: [MonotonicTime], most: Int)
  {
    var pace = SendPace()
    let start = world.now
    var moments: [MonotonicTime] = []
    var answers: [(at: MonotonicTime, number: UInt64)] = []
    var most = 0
    while world.spool.counts.batches > 0 {
      let next = world.spool.hasNext ? pace.next(unacknowledged: world.spool.unacknowledged, at: world.now) : nil
      if let next, next <= answers.first?.at ?? next {
        world.now = next
        guard let item = world.send() else { break }
        pace.sent(at: next)
        moments.append(next)
        answers.append((next + delay, item.number))
        most = max(most, world.spool.unacknowledged)
      } else if !answers.isEmpty {
        let answer = answers.removeFirst()
        world.now = answer.at
        world.acknowledge(answer.number)
      } else {
        break
      }
    }
    return (world.now - start, moments, most)
  }

  @Test("an hour of six sensors, 300 batches, is through in half a minute")
  func hour() throws {
    let folder = try TemporaryFolder()
    let world = SpoolWorld(folder.file("spool"))
    for _ in 0..<300 { world.append(length: 20_000) }
    let (duration, moments, most) = drain(world, delay: .milliseconds(250))
    #expect(world.received.keys.sorted() == Array(1...300))
    #expect(duration <= .milliseconds(30_250))
    #expect(most == 3)
    for (first, eleventh) in zip(moments, moments.dropFirst(10)) { #expect(eleventh - first >= .seconds(1)) }
  }

  @Test("a slow broker never has more than 20 unacknowledged batches")
  func slow() throws {
    let folder = try TemporaryFolder()
    let world = SpoolWorld(folder.file("spool"))
    for _ in 0..<100 { world.append(length: 2_000) }
    let (_, _, most) = drain(world, delay: .seconds(10))
    #expect(world.received.keys.sorted() == Array(1...100))
    #expect(most == 20)
  }

  @Test("the first batch after a pause is sent at once")
  func pause() {
    var pace = SendPace()
    let now = MonotonicTime(seconds: 10)
    #expect(pace.next(unacknowledged: 0, at: now) == now)
    pace.sent(at: now)
    #expect(pace.next(unacknowledged: 1, at: now) == now + .milliseconds(100))
    #expect(pace.next(unacknowledged: 1, at: now + .seconds(5)) == now + .seconds(5))
    #expect(pace.next(unacknowledged: 20, at: now + .seconds(5)) == nil)
  }
}
