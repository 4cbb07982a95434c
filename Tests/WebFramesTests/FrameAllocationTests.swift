// After warm-up, neither a sample nor a frame allocates. Meaningful for optimized code only: `swift
// test -c release --filter AllocationTests`.

import AllocationCounting
import CAllocationCounter
import Testing
import Time

@testable import WebFrames

@Suite(.enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
struct FrameAllocationTests {
  @Test("samples, frames and beats for 8 readers allocate nothing")
  func frames() throws {
    let board = LiveBoard()
    let start = MonotonicTime(seconds: 81_000)
    var readers = try (0..<8).map { number in
      FrameReader(try FrameSubscription(FrameWorld.target("hz=4")), name: "s\(number)", board: board, now: start)
    }
    let lines = ["speed", "power", "heart_rate", "radar", "ride", "averages"].map { kind in
      Array(
        (#"{"class":"sample","sensor":"ride","kind":"\#(kind)","seq":1,"t":81234.567891,"#
          + #""time":"2026-11-21T09:15:02.417Z","age_ms":0,"speed_mps":8.25,"ride_id":"00ff"}"#).utf8)
    }
    var bytes: [UInt8] = []
    var (before, count) = (0, 0)
    for round in 0..<1_100 {
      if round == 100 { before = allocation_count() }
      let now = start + .milliseconds(100 * round)
      for line in lines { board.receive(line.span, at: now) }
      for index in readers.indices {
        bytes.removeAll(keepingCapacity: true)
        if readers[index].write(from: board, now: now, into: &bytes) { count += 1 }
      }
    }
    let allocations = allocation_count() - before
    #expect(count > 8_000)
    #expect(allocations == 0)
    let clock = ContinuousClock()
    var (received, written) = (Duration.zero, Duration.zero)
    for round in 0..<2_000 {
      let begin = clock.now
      for line in lines { board.receive(line.span, at: start) }
      let middle = clock.now
      for index in readers.indices {
        bytes.removeAll(keepingCapacity: true)
        _ = readers[index].write(from: board, now: start + .seconds(200 + round), into: &bytes)
      }
      received += middle - begin
      written += clock.now - middle
    }
    print(
      "a sample: \(received / (2_000 * lines.count)), a frame of \(lines.count): \(written / (2_000 * readers.count))")
  }
}
