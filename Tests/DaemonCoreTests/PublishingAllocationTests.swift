// After the first values, a notification allocates nothing on its way from the link to a
// subscriber's socket. This holds for optimized code.

import AllocationCounting
import CAllocationCounter
import EventLoop
import Linux
import Testing
import Time

@testable import DaemonCore

/// The name matches the filter for allocation tests.
@Suite struct PublishingAllocationTests {
  @Test(
    "a notification to two subscribers allocates nothing",
    .enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
  func notification() throws {
    try expectNoAllocation { _ in }
  }

  /// The samples of the ride must not allocate either.
  @Test(
    "a notification during a ride allocates nothing",
    .enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
  func duringRide() throws {
    try expectNoAllocation { $0.send(#"{"id":9,"method":"ride","params":{"action":"new"}}"#) }
  }

  private func expectNoAllocation(sourceLocation: SourceLocation = #_sourceLocation, _ prepare: (TestClient) -> Void)
    throws
  {
    let test = try TestDaemon()
    let control = try test.pairStrap()
    prepare(control)
    let metrics = try test.connect("metrics.sock")
    metrics.send(#"{"id":1,"method":"subscribe","params":{"kinds":["heart_rate"]}}"#)
    try test.run(for: .milliseconds(10))
    let link = try #require(test.radio.link, sourceLocation: sourceLocation)
    let frame: [UInt8] = [0x16, 0x80, 0x00, 0x02, 0x10, 0x02]
    func send(_ count: Int) throws {
      for _ in 0..<count {
        link.notify(frame)
        _ = try test.loop.run(until: test.loop.now + .milliseconds(1)) { false }
      }
    }
    try send(50)
    try control.receive()
    try metrics.receive()
    let before = allocation_count()
    try send(100)
    let allocations = allocation_count() - before
    #expect(allocations == 0, sourceLocation: sourceLocation)
    #expect(try metrics.all("sample").count >= 150, sourceLocation: sourceLocation)
  }
}
