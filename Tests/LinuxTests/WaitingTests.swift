// Waiting for one descriptor without a loop, and writing to a closed peer.

import Linux
import Testing
import Time

struct WaitingTests {
  @Test("a passed deadline is not readiness")
  func passedDeadlineNotReadiness() throws {
    let pair = try PacketPair()
    #expect(try !Waiting.untilReadable(pair.near.number, deadline: .now + .milliseconds(1)))
    #expect(try !Waiting.untilReadable(pair.near.number, deadline: MonotonicTime(nanoseconds: 0)))
  }

  @Test("data that has arrived is readable even after the deadline")
  func dataThatHasArrivedReadable() throws {
    let pair = try PacketPair()
    #expect(try pair.far.write([1, 2].span) == .done(2))
    #expect(try Waiting.untilReadable(pair.near.number, deadline: MonotonicTime(nanoseconds: 0)))
    #expect(try Waiting.untilReadable(pair.near.number, deadline: nil))
    #expect(try Waiting.untilWritable(pair.near.number))
  }

  @Test("a wait never ends early")
  func waitNeverEndsEarly() throws {
    let moment = MonotonicTime.now + .microseconds(1500)
    try Waiting.until(moment)
    #expect(MonotonicTime.now >= moment)
  }

  @Test("a closed peer is an error, not a signal")
  func closedPeerErrorNotSignal() throws {
    let pair = try PacketPair()
    let far = pair.far.number
    try StreamSocket.shutdownWrite(pair.near.number)
    // SIGPIPE would end this process.
    #expect(throws: SystemError.self) { try StreamSocket.send(pair.near.number, [1].span) }
    #expect(try StreamSocket.send(far, [1].span) == .done(1))
  }

  @Test("wall clock values stay in range")
  func wallClockValuesStay() {
    let time = LocalTime(WallTime(seconds: 1_795_252_502, nanoseconds: 417_000_000))
    #expect(0..<24 ~= time.hour && 0..<60 ~= time.minute && 0...60 ~= time.second)
    #expect(time.second == 2 && time.millisecond == 417)
  }
}
