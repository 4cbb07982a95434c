// Counts the samples of each kind of one sensor, for `seq`.

import Vocabulary

struct SequenceCounts {
  private var counts: [(kind: SampleKind, count: Int)] = []

  mutating func next(_ kind: SampleKind) -> Int {
    let index = counts.firstIndex { $0.kind == kind } ?? counts.count
    if index == counts.count { counts.append((kind, 0)) }
    counts[index].count += 1
    return counts[index].count
  }
}
