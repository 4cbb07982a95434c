// What one client subscribed to: which streams pass, and how often.

import Time
import Vocabulary
import Wire

struct ClientSubscription {
  let filter: Filter
  private let interval: Int64
  /// By the stream's index: whether it passes, and when its next sample may.
  private var passes: [Bool?] = []
  private var nextAt: [Int64] = []
  /// The last batch that was taken, and how many of its entries.
  private var taken: (output: Int, count: Int)

  /// What was published before belongs to the previous subscription or to the snapshot.
  init(_ filter: Filter, after output: OutputBatch) {
    self.filter = filter
    taken = (output.number, output.entries.count)
    interval = filter.maxHz.map { Int64(1e9 / max($0, 1e-3)) } ?? 0
  }

  /// Whether every entry of the batch passes, regardless of earlier samples, and none was taken
  /// before. All are taken then.
  mutating func takesAll(of output: OutputBatch) -> Bool {
    guard interval == 0, takenCount(of: output) == 0 else { return false }
    for entry in output.entries {
      if let stream = entry.stream, !passes(stream) { return false }
      if let event = entry.event, !takes(event) { return false }
    }
    taken = (output.number, output.entries.count)
    return true
  }

  /// The entries of the batch that were not taken before. They are taken then.
  mutating func takeNew(of output: OutputBatch) -> Range<Int> {
    let first = takenCount(of: output)
    taken = (output.number, output.entries.count)
    return first..<output.entries.count
  }

  private func takenCount(of output: OutputBatch) -> Int { taken.output == output.number ? taken.count : 0 }

  func takes(_ event: OutputBatch.EventOrigin) -> Bool {
    filter.events && filter.passes(sensor: event.sensor, kind: event.kind)
  }

  private mutating func passes(_ stream: SampleStream) -> Bool {
    while passes.count <= stream.index {
      passes.append(nil)
      nextAt.append(.min)
    }
    if let known = passes[stream.index] { return known }
    let passes = filter.passes(sensor: stream.sensor, kind: stream.kind.name.description)
    self.passes[stream.index] = passes
    return passes
  }

  /// Whether to send the current sample of the stream. With a rate, the first sample of each
  /// interval passes.
  mutating func takes(_ stream: SampleStream, at now: MonotonicTime) -> Bool {
    guard passes(stream) else { return false }
    guard interval > 0 else { return true }
    guard now.nanoseconds >= nextAt[stream.index] else { return false }
    // Counted from when it was due, so that a sensor slightly off its rhythm does not lose every
    // other sample.
    let due = nextAt[stream.index]
    nextAt[stream.index] = due != .min && now.nanoseconds - due < interval ? due + interval : now.nanoseconds + interval
    return true
  }
}
