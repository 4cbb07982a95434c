// A notification allocates nothing on its way from the descriptor to the session. This holds for
// optimized code: `swift test -c release --filter LinkAllocationTests`.

import AllocationCounting
import CAllocationCounter
import EventLoop
import Linux
import Radio
import TestSupport
import Testing

@Suite struct LinkAllocationTests {
  /// Counts allocations between the first and the last value of one loop iteration.
  private final class Counter: LinkDelegate {
    let last: UInt8
    var before = 0
    var allocations: Int?

    init(last: UInt8) {
      self.last = last
    }

    func link(_ link: any Link, openedWith endpoints: [Endpoint]) {}

    func link(_ link: any Link, received value: Span<UInt8>, from endpoint: Endpoint, indicated: Bool) {
      if value[1] == 0 { before = allocation_count() }
      if value[1] == last { allocations = allocation_count() - before }
    }

    func link(_ link: any Link, closedWith failure: LinkFailure) {}
  }

  @Test(
    "a notification allocates nothing",
    .enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
  func notification() throws {
    let stand = try RadioStand.discovered()
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    let counter = Counter(last: 29)
    probe.link.delegate = counter
    for value in UInt8(0)..<30 { stand.belt.notify("2a37", [0, value]) }
    #expect(try stand.world.run { counter.allocations != nil })
    #expect(counter.allocations == 0)
  }
}
