// The ride that a capture was: what its sensors said goes through Metrics as in the daemon, and once a second of the file the ride is
// told. A sensor that falls silent is not there to say so; what is derived finds out by its silence.

internal import Metrics
internal import SensorKit
internal import Wire

final class DerivedRide {
  private var metrics = RideMetrics()
  private var out = Batch()
  private var sample = EncodedSample()
  private var sequences = SequenceCounts()
  private var nextTick: MonotonicTime?

  /// The number by which a device's samples are handed over.
  func enter(_ device: String) -> Int { metrics.enter(RideMetrics.Sensor(id: device)) }

  func take(
    _ entry: Batch.Entry, of batch: borrowing Batch, from source: Int, at time: MonotonicTime,
    into output: inout JSONWriter
  ) {
    out.removeAll()
    metrics.take(entry, of: batch, from: source, at: time, into: &out)
    if nextTick == nil { nextTick = time + .seconds(1) }
    write(at: time, into: &output)
  }

  /// Tells every second up to a time; of a long silence only as much as it takes until nothing is known any more.
  func advance(to time: MonotonicTime, into output: inout JSONWriter) {
    while let next = [nextTick, metrics.nextDeadline].compactMap({ $0 }).min(), next <= time {
      out.removeAll()
      metrics.tick(at: next, into: &out)
      if nextTick.map({ $0 <= next }) ?? false { nextTick = metrics.isQuiet ? nil : next + .seconds(1) }
      write(at: next, into: &output)
    }
  }

  private func write(at time: MonotonicTime, into output: inout JSONWriter) {
    for index in out.entryIndices {
      let entry = out.entry(index)
      switch entry.kind {
      case .sample(let kind):
        sample.encode(kind, entry, of: out, SampleHeader(sensor: "ride", sequence: sequences.next(kind), time: time))
        output.sample(sample, ageMS: 0)
        output.endLine()
      case .event(let name): output.eventLine(name, time: time, entry, of: out)
      case .fact, .answer: break
      }
    }
  }
}
