// After warm-up, a batch costs no allocation on its way through the spool. Meaningful for optimized
// code only: `swift test -c release --filter AllocationTests`.

import AllocationCounting
import CAllocationCounter
import Fleet
import Spool
import TestSupport
import Testing
import Time

@Suite(.enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
struct SpoolAllocationTests {
  @Test("a batch that is stored, sent and acknowledged costs no allocation, and a segment only a few")
  func steady() throws {
    let temporary = try TemporaryFolder()
    let now = MonotonicTime(seconds: 1000)
    let spool = BatchSpool(folder: temporary.file("spool"), limit: 64 << 20, bootID: bootID, at: now) { _ in }
    let bytes = [UInt8](repeating: 7, count: 4_000)
    let moment = RecordMoment(t: now, time: WallTime(seconds: 1_795_000_000))
    var output: [UInt8] = []
    var sent = 0
    func pass() {
      let number = spool.nextNumber
      spool.append(BatchSummary(number: number, records: 200, from: moment, to: moment), bytes.span, at: now)
      guard let item = spool.next(into: &output, at: now) else { return }
      spool.acknowledge(item.number, at: now)
      sent += 1
    }
    for _ in 0..<20 { pass() }
    var before = allocation_count()
    for _ in 0..<200 { pass() }
    #expect(allocation_count() - before == 0)
    #expect(sent == 220)
    before = allocation_count()
    for _ in 0..<2_000 { pass() }
    let segments = (2_000 * 4_136) >> 20
    #expect(allocation_count() - before <= 40 * segments)
    #expect(sent == 2_220)
    print("a segment costs \((allocation_count() - before) / segments) allocations")
  }
}
