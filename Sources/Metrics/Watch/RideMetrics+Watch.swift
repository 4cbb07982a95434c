// Hands samples of radars, tires and batteries to the watch of their sensor.

import SensorKit
public import Time
import Vocabulary

extension RideMetrics {
  mutating func watch(
    _ kind: SampleKind, _ entry: Batch.Entry, of batch: borrowing Batch, _ source: Source, _ time: MonotonicTime,
    _ out: inout Batch
  ) {
    switch kind {
    case .radar:
      countCars(entry, of: batch, at: time)
      watches[source].takeRadar(entry, of: batch, at: time, sensors[source], into: &out)
    case .tirePressure: watches[source].takeTire(entry, of: batch, at: time, sensors[source], into: &out)
    case .battery: watches[source].take(charge: batch.number(.batteryPct, of: entry), sensors[source], into: &out)
    case SampleKind("rowing"): sport.note(.rowing, of: source)
    default: break
    }
  }

  /// When the next radar counts as lost.
  public var nextDeadline: MonotonicTime? {
    var next: MonotonicTime?
    for source in watches.indices {
      if let deadline = watches[source].deadline { next = min(next ?? deadline, deadline) }
    }
    return next
  }

  mutating func advanceWatches(to time: MonotonicTime, _ out: inout Batch) {
    for source in watches.indices { watches[source].advance(to: time, sensors[source], into: &out) }
  }
}
