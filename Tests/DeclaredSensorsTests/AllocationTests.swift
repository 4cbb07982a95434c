// Decoding by a file allocates nothing once the batch has grown. This holds for optimized code:
// `swift test -c release --filter DeclaredSensorsTests`.

import AllocationCounting
import CAllocationCounter
import DeclaredSensors
import SensorKit
import Testing

@Suite struct AllocationTests {
  @Test(
    "decoding a packet of the vectors allocates nothing",
    .enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"),
    arguments: DeclaredFile.all)
  func vectorPackets(_ file: DeclaredFile) throws {
    let program = try file.program()
    var measured = 0
    for vector in try file.vectors() {
      var host = PluginHost([program.plugin], settings: vector.settings, name: vector.sender.name)
      let packets = try vector.packets.map { ($0.bytes, try $0.source(host, vector.sender)) }
      var batch = Batch()
      var isRefused = false
      var before = 0
      for round in 0..<1_100 {
        if round == 100 { before = allocation_count() }
        let (bytes, source) = packets[round % packets.count]
        batch.removeAll()
        do throws(DecodeError) {
          try host.decode(
            bytes.span, from: source, at: MonotonicTime(nanoseconds: Int64(round) * 250_000_000), into: &batch)
        } catch {
          isRefused = true
        }
      }
      // Counted here, because the expectation allocates.
      let allocations = allocation_count() - before
      // Swift Testing allocates for every error that is thrown.
      if isRefused { continue }
      measured += 1
      #expect(allocations == 0, "\(vector)")
    }
    #expect(measured > 5)
  }
}
