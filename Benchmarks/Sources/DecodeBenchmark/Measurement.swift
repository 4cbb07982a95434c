// The time and allocations of decoding. Frames are repeated in order, a quarter of a second apart.
// The plugin is measured alone, as a program that subscribed to a characteristic calls it, and
// through a session's host. The host finds the plugin, discards the output of refused packets, and
// lets one plugin publish each kind. The loop itself is measured with a plugin that does nothing.

import CAllocationCounter
import Glibc
import SampleLines
import SensorKit
import Time

struct Measurement {
  let nanoseconds: Double
  let allocations: Double

  /// Per frame, with the plugin alone.
  init(decoding frames: Frames, byPluginOf workload: PluginWorkload, seconds: Double) {
    var plugins = frames.devices.map { _ in workload.makePlugin() }
    var places: [PacketSource?] = frames.places
    var work = DecodingWork()
    self.init(repeating: frames.count, seconds: seconds) { passes in
      var plugins = plugins.mutableSpan
      Self.goThrough(frames, from: &places, passes: passes) { run, source in
        plugins[run.device].decode(run, from: source, of: frames, &work)
      }
    }
  }

  /// Per frame, the loop alone: runs, bytes and times, and the call of a plugin that does nothing.
  init(goingThrough frames: Frames, seconds: Double) {
    var plugins = frames.devices.map { _ in PluginWorkload(plugin: Plugin(Bystander.self)).makePlugin() }
    var places: [PacketSource?] = frames.places
    var work = DecodingWork()
    self.init(repeating: frames.count, seconds: seconds) { passes in
      var plugins = plugins.mutableSpan
      Self.goThrough(frames, from: &places, passes: passes) { run, source in
        plugins[run.device].pass(run, from: source, of: frames, &work)
      }
    }
  }

  /// Per frame, through the host.
  init(decoding frames: Frames, byHostOf workload: PluginWorkload, seconds: Double) {
    var hosts = frames.devices.map { _ in workload.makeHost() }
    var places: [PacketSource?] = frames.places
    var work = DecodingWork()
    self.init(repeating: frames.count, seconds: seconds) { passes in
      var hosts = hosts.mutableSpan
      Self.goThrough(frames, from: &places, passes: passes) { run, source in
        hosts[run.device].decode(run, from: source, of: frames, &work)
      }
    }
  }

  /// Goes through the runs. Each source is moved out and back, because a copy would count
  /// references, which a session does not need. Sources and plugins are in spans, because arrays
  /// would check for uniqueness at each access.
  @inline(__always)
  private static func goThrough(
    _ frames: Frames, from places: inout [PacketSource?], passes: Int,
    _ decode: (Frames.Run, borrowing PacketSource) -> Void
  ) {
    var places = places.mutableSpan
    let runs = frames.runs.span
    for _ in 0..<passes {
      for index in runs.indices {
        let run = runs[index]
        guard let source = places[run.place].take() else { preconditionFailure("lent twice") }
        decode(run, source)
        places[run.place] = source
      }
    }
  }

  /// Per sample, without decoding.
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

/// The CPU time of this thread in nanoseconds, so that other programs do not count.
private func processorTime() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// The time of the first frame.
let firstTime = MonotonicTime(nanoseconds: 1_000_000_000_000)
/// Nanoseconds between frames.
let timeStep: Int64 = 250_000_000

/// The work from frame to frame that does not depend on the decoder.
private struct DecodingWork: ~Copyable {
  private var batch = Batch()
  private var time = firstTime

  /// Clears the batch here and not in `take`, which is then small enough to be inlined. So the
  /// loops with and without decoding differ in nothing else.
  @inline(__always)
  mutating func each(
    of run: Frames.Run, from source: borrowing PacketSource, in frames: borrowing Frames, clearing: Bool,
    _ take: (Span<UInt8>, borrowing PacketSource, MonotonicTime, inout Batch) throws(DecodeError) -> Void
  ) {
    let bytes = frames.bytes.span
    let ranges = frames.ranges.span.extracting(run.frames)
    for index in ranges.indices {
      if clearing { batch.removeAll() }
      do throws(DecodeError) {
        try take(bytes.extracting(ranges[index]), source, time, &batch)
      } catch {
        // A frame that is valid alone may be refused after others. The time until then counts.
      }
      time = MonotonicTime(nanoseconds: time.nanoseconds &+ timeStep)
    }
  }
}

extension SensorDecoder {
  @inline(never)
  fileprivate mutating func decode(
    _ run: Frames.Run, from source: borrowing PacketSource, of frames: borrowing Frames, _ work: inout DecodingWork
  ) {
    work.each(of: run, from: source, in: frames, clearing: true) { (value, source, time, batch) throws(DecodeError) in
      try decode(value, from: source, at: time, into: &batch)
    }
  }
}

/// Accepts frames and publishes nothing.
private struct Bystander: SensorPlugin {
  static let info = SensorInfo(id: "bystander", title: "", kinds: [], silence: .unlimited)

  init(settings: SensorSettings) {}

  mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {}
}

extension SensorDecoder {
  /// Like `decode`, but without clearing the batch, which counts as decoding.
  @inline(never)
  fileprivate mutating func pass(
    _ run: Frames.Run, from source: borrowing PacketSource, of frames: borrowing Frames, _ work: inout DecodingWork
  ) {
    work.each(of: run, from: source, in: frames, clearing: false) { (value, source, time, batch) throws(DecodeError) in
      try decode(value, from: source, at: time, into: &batch)
    }
  }
}

extension PluginHost {
  @inline(never)
  fileprivate mutating func decode(
    _ run: Frames.Run, from source: borrowing PacketSource, of frames: borrowing Frames, _ work: inout DecodingWork
  ) {
    work.each(of: run, from: source, in: frames, clearing: true) { (value, source, time, batch) throws(DecodeError) in
      try decode(value, from: source, at: time, into: &batch)
    }
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
      _ = try? host.decode(frames.frame(index).span, from: frames.source(index), at: time, into: &one.batch)
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
