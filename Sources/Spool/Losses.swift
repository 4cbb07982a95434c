// Ranges of batches that are gone and that no reader knows of yet. Each is reported once, in the
// place of its batches.

import Fleet
import Time

struct Loss: Equatable {
  var batches: ClosedRange<UInt64>
  /// Nil if unknown.
  var records: Int?
  var from: RecordMoment?
  var to: RecordMoment?
  var isInFlight = false

  var record: LossRecord { LossRecord(records: records, batches: batches, from: from, to: to) }

  var entry: SpoolEntry {
    SpoolEntry(
      kind: .loss, first: batches.lowerBound, number: batches.upperBound, records: records, from: from, to: to)
  }

  init(_ batches: ClosedRange<UInt64>, records: Int?, from: RecordMoment?, to: RecordMoment?) {
    (self.batches, self.records, self.from, self.to) = (batches, records, from, to)
  }

  init(_ entry: SpoolEntry) {
    self.init(entry.first...entry.number, records: entry.records, from: entry.from, to: entry.to)
  }

  /// Joined with the one that follows it directly.
  func joined(_ next: Loss) -> Loss {
    var records: Int?
    if let own = self.records, let others = next.records { records = own + others }
    return Loss(
      batches.lowerBound...next.batches.upperBound, records: records, from: from ?? next.from, to: next.to ?? to)
  }
}

struct Losses {
  /// In the order of their batches. No two of them overlap.
  private(set) var all: [Loss] = []

  func contains(_ number: UInt64) -> Bool { all.contains { $0.batches.contains(number) } }

  /// The first that is not in flight.
  var next: Loss? { all.first { !$0.isInFlight } }

  /// Returns what is to be stored: the new loss, joined with its neighbours.
  mutating func add(_ loss: Loss) -> Loss {
    var loss = loss
    if let index = all.firstIndex(where: { !$0.isInFlight && $0.batches.upperBound + 1 == loss.batches.lowerBound }) {
      loss = all.remove(at: index).joined(loss)
    }
    if let index = all.firstIndex(where: { !$0.isInFlight && $0.batches.lowerBound == loss.batches.upperBound + 1 }) {
      loss = loss.joined(all.remove(at: index))
    }
    all.insert(loss, at: all.firstIndex { $0.batches.lowerBound > loss.batches.upperBound } ?? all.count)
    return loss
  }

  /// Of an earlier run, and not acknowledged. Of two that overlap, the larger one was stored later.
  mutating func restore(_ loss: Loss) {
    guard
      !all.contains(where: { $0.batches.contains(loss.batches.lowerBound) && $0.batches.count > loss.batches.count })
    else { return }
    all.removeAll { $0.batches.overlaps(loss.batches) }
    _ = add(loss)
  }

  mutating func setInFlight(upTo number: UInt64) {
    for index in all.indices where all[index].batches.upperBound == number { all[index].isInFlight = true }
  }

  /// Nothing is in flight any more.
  mutating func recall() {
    for index in all.indices { all[index].isInFlight = false }
  }

  mutating func acknowledge(upTo number: UInt64) { all.removeAll { $0.batches.upperBound <= number } }
}
