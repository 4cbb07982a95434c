// After warm-up, a record costs no allocation on its way to a batch and to a live topic. Meaningful
// for optimized code only: `swift test -c release --filter AllocationTests`.

import AllocationCounting
import CAllocationCounter
import Testing
import Time

@testable import Fleet

@Suite(.enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
struct FleetAllocationTests {
  @Test("batches, compressed or not, and live samples cost no allocation", arguments: [false, true])
  func records(compresses: Bool) throws {
    var daemon = ScriptedDaemon()
    daemon.utcOffset = 1_795_000_000_000_000_000
    var batcher = try LogBatcher(firstNumber: 1, compresses: compresses)
    batcher.connected(instance: daemon.instance, boot: "b6f1c2d0") { _, _ in }
    var board = LiveBoard(topics: homeTopics, mode: .always)
    board.connected(instance: daemon.instance)
    board.brokerConnected(at: .at(0)) { _, _ in true }
    var reader = RecordReader()
    // Ten seconds of 17 samples each, made beforehand.
    let kinds = ["heart_rate", "power", "cadence", "speed", "ride", "averages"]
    let lines = (0..<10_200).map { count in
      let t = MonotonicTime.at(1000 + Double(count) / 17)
      return (t, daemon.sample("sensor-\(count % 3)", kinds[count % 6], at: t, #""power_w":213.5,"flag":true"#))
    }
    let warmUp = 3_400
    var (before, batches, live, bytes) = (0, 0, 0, 0)
    for (index, (now, line)) in lines.enumerated() {
      if index == warmUp { before = allocation_count() }
      guard reader.read(line.span) else { break }
      batcher.add(line.span, reader, at: now) { _, payload in
        batches += 1
        bytes += payload.count
      }
      batcher.timePassed(at: now) { _, payload in
        batches += 1
        bytes += payload.count
      }
      let publish: LiveBoard.Sink = { _, _ in
        live += 1
        return true
      }
      board.add(line.span, reader, at: now, publish)
      if let deadline = board.deadline(at: now), deadline <= now { board.timePassed(at: now, publish) }
    }
    let allocations = allocation_count() - before
    #expect(batches > 100)
    #expect(live > 3_000)
    #expect(allocations == 0)
    print("a record in a batch: \(bytes / lines.count) bytes, compressed: \(compresses)")
  }

  @Test("a sample costs no allocation on its way onto a wall and to its reader")
  func wall() throws {
    let topics = (0..<6).map { Array("cyclometer/v1/studio/bike-\($0 % 3)/now/strap-\($0)/heart_rate".utf8) }
    let payloads = (0..<10_000).map { count in
      Array(
        #"{"sensor":"strap-\#(count % 6)","kind":"heart_rate","seq":\#(count + 1),"t":\#(1000 + count),"bpm":142,"#
          .utf8) + Array(#""instance":"5e0c9d1d72f34cf0a6bb3bd3fa6a3e01"}"#.utf8)
    }
    var board = WallBoard()
    for bike in 0..<3 {
      let status = Array(#"{"state":"online","instance":"5e0c9d1d72f34cf0a6bb3bd3fa6a3e01"}"#.utf8)
      let topic = Array("cyclometer/v1/studio/bike-\(bike)/status".utf8)
      board.add(status.span, on: topic.span, isRetained: true, at: .at(0), calendar: nil)
    }
    let filter = WallFilter(groups: ["studio"], kinds: ["heart_rate"])
    var (position, lines, before, bytes) = (board.start, [UInt8](), 0, 0)
    for (index, payload) in payloads.enumerated() {
      if index == 3_000 { before = allocation_count() }
      let now = MonotonicTime.at(5000 + Double(index))
      let topic = topics[index % 6]
      board.add(payload.span, on: topic.span, isRetained: false, at: now, calendar: nil)
      lines.removeAll(keepingCapacity: true)
      _ = board.write(filter, after: &position, at: now, calendar: nil, into: &lines, atMost: 32 << 10)
      bytes += lines.count
    }
    #expect(allocation_count() - before == 0)
    #expect(bytes > 1_000_000 && board.refused == 0)
  }
}
