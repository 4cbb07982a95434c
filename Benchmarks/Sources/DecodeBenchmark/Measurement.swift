// How long decoding takes and what it allocates: frames one after the other, again and again, through the host that a
// session has, time going on by a quarter of a second with each.

import CAllocationCounter
import Glibc
import SensorKit
import Wire

struct Measurement {
  let nanoseconds: Double
  let allocations: Double

  /// Per frame; `seconds` is how long to measure at least.
  init(decoding frames: Frames, by workload: PluginWorkload, seconds: Double) {
    var hosts = frames.devices.map { _ in workload.makeHost() }
    var batch = Batch()
    var time = MonotonicTime(nanoseconds: 1_000_000_000_000)
    self.init(repeating: frames.count, seconds: seconds) { passes in
      for _ in 0..<passes {
        let runs = frames.runs.span
        for run in runs.indices {
          decode(runs[run].frames, of: frames, from: runs[run].source, &hosts[runs[run].device], &batch, &time)
        }
      }
    }
  }

  /// Per sample: decoding is none of it.
  init(encoding frames: Frames, by workload: PluginWorkload, seconds: Double) {
    var batches = EncodingWork(frames, workload)
    self.init(repeating: max(1, batches.count), seconds: seconds) { passes in
      for _ in 0..<passes { batches.encode() }
    }
  }

  private init(repeating count: Int, seconds: Double, _ work: (_ passes: Int) -> Void) {
    work(2 + 1_000 / count)
    var passes = 1 + 10_000 / count
    while true {
      let before = allocation_count()
      let start = processorTime()
      work(passes)
      let elapsed = processorTime() - start
      let made = allocation_count() - before
      if elapsed >= seconds * 1e9 {
        nanoseconds = elapsed / Double(passes * count)
        allocations = Double(made) / Double(passes * count)
        return
      }
      passes = max(passes * 2, Int(Double(passes) * seconds * 1.1e9 / max(elapsed, 1)))
    }
  }
}

/// Of this thread, in nanoseconds: what other programs take of the machine is not measured.
private func processorTime() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

@inline(never)
private func decode(
  _ run: Range<Int>, of frames: Frames, from source: Source, _ host: inout PluginHost, _ batch: inout Batch,
  _ time: inout MonotonicTime
) {
  let bytes = frames.bytes.span
  let ranges = frames.ranges.span
  for index in run {
    batch.removeAll()
    do throws(DecodeError) {
      try host.decode(bytes.extracting(ranges[index]), from: source, at: time, into: &batch)
    } catch {
      // Good alone, a frame may be refused where it follows others; it was decoded for as long as that took.
    }
    time = MonotonicTime(nanoseconds: time.nanoseconds + 250_000_000)
  }
}

/// One batch for each frame, decoded before; encoding goes through all their samples.
private struct EncodingWork {
  private final class Decoded {
    var batch = Batch()
  }

  private var decoded: [Decoded] = []
  private var sample = EncodedSample()
  private(set) var count = 0

  init(_ frames: Frames, _ workload: PluginWorkload) {
    var host = workload.makeHost()
    for index in 0..<min(frames.count, 64) {
      let one = Decoded()
      let time = MonotonicTime(seconds: Double(index) / 4)
      try? host.decode(frames.frame(index).span, from: frames.sources[index], at: time, into: &one.batch)
      decoded.append(one)
      for entry in one.batch.entryIndices {
        if case .sample = one.batch.entry(entry).kind { count += 1 }
      }
    }
  }

  mutating func encode() {
    for (number, one) in decoded.enumerated() {
      for index in one.batch.entryIndices {
        let entry = one.batch.entry(index)
        guard case .sample(let kind) = entry.kind else { continue }
        let header = SampleHeader(
          sensor: "sensor-1a2b", sequence: 100_000 + number, time: MonotonicTime(nanoseconds: 1_234_567_890_123),
          wallTime: WallTime(seconds: 1_795_252_502))
        sample.encode(kind, entry, of: one.batch, header)
      }
    }
  }
}
